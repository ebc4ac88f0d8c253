import type { KeyAttributeType } from '../../../singlet/src/values/attribute-value.ts';
import { indexesOf, keyNamesOf, keyTypeOf, type TableDescription } from '../wire/table-description.ts';

// The settings of a table as a form has them, and the requests that make a table so. The service changes one thing per request, in an
// order of its own; whatever the form does not have can be written into the requests. Decision 0112.

export interface KeyDraft {
  /** Empty for a key without a sort key. */
  readonly name: string;
  readonly type: KeyAttributeType;
}

const streamViews = ['NEW_AND_OLD_IMAGES', 'NEW_IMAGE', 'OLD_IMAGE', 'KEYS_ONLY'] as const;

export interface IndexDraft {
  readonly kind: 'global' | 'local';
  readonly name: string;
  readonly partition: KeyDraft;
  readonly sort: KeyDraft;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  /** Names of projected attributes, separated by commas. */
  readonly attributes: string;
}

export interface TableDraft {
  readonly name: string;
  readonly partition: KeyDraft;
  readonly sort: KeyDraft;
  readonly billing: 'PAY_PER_REQUEST' | 'PROVISIONED';
  /** Units a second: provisioned, or the most that on demand allows; empty for no limit. */
  readonly reads: string;
  readonly writes: string;
  readonly tableClass: 'STANDARD' | 'STANDARD_INFREQUENT_ACCESS';
  readonly isProtected: boolean;
  /** Empty if there is no stream. */
  readonly stream: '' | (typeof streamViews)[number];
  readonly indexes: readonly IndexDraft[];
  /** Attribute of time to live; empty if it is disabled. */
  readonly ttl: string;
  /** Point-in-time recovery. */
  readonly isRecoverable: boolean;
  /** `key=value`, one on each line. */
  readonly tags: string;
}

/** A request that has not been sent. */
export interface PlannedRequest {
  readonly operation: string;
  readonly input: object;
  /** What it does to the table, in one sentence. */
  readonly effect: string;
}

export const newTable: TableDraft = {
  name: '',
  partition: { name: 'PK', type: 'S' },
  sort: { name: 'SK', type: 'S' },
  billing: 'PAY_PER_REQUEST',
  reads: '',
  writes: '',
  tableClass: 'STANDARD',
  isProtected: false,
  stream: '',
  indexes: [],
  ttl: '',
  isRecoverable: false,
  tags: '',
};

/** What DescribeTable does not say of a table. */
export interface TableSettings {
  readonly ttl: string;
  readonly isRecoverable: boolean;
  readonly tags: string;
}

export function draftOf(table: TableDescription, settings: TableSettings): TableDraft {
  const { BillingModeSummary, ProvisionedThroughput, OnDemandThroughput, TableClassSummary } = table;
  const isOnDemand = BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const keyOf = (name: string | undefined): KeyDraft => ({
    name: name ?? '',
    type: name === undefined ? 'S' : keyTypeOf(table, name),
  });
  const units = (provisioned: number | undefined, most: number | undefined): string =>
    isOnDemand ? (most === undefined || most < 0 ? '' : String(most)) : String(provisioned ?? '');
  const names = keyNamesOf(table);
  return {
    name: table.TableName,
    partition: keyOf(names.partition),
    sort: keyOf(names.sort),
    billing: isOnDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    reads: units(ProvisionedThroughput?.ReadCapacityUnits, OnDemandThroughput?.MaxReadRequestUnits),
    writes: units(ProvisionedThroughput?.WriteCapacityUnits, OnDemandThroughput?.MaxWriteRequestUnits),
    tableClass: TableClassSummary?.TableClass ?? 'STANDARD',
    isProtected: table.DeletionProtectionEnabled ?? false,
    stream: streamViews.find((view) => view === table.StreamSpecification?.StreamViewType) ?? '',
    indexes: indexesOf(table).map((index) => ({
      kind: index.kind,
      name: index.IndexName,
      partition: keyOf(keyNamesOf(index).partition),
      sort: keyOf(keyNamesOf(index).sort),
      projection: index.Projection.ProjectionType,
      attributes: (index.Projection.NonKeyAttributes ?? []).join(', '),
    })),
    ...settings,
  };
}

/** The requests that create a table. The first one may be refused; then the others are pointless. */
export function creationRequests(draft: TableDraft): readonly PlannedRequest[] {
  const global = draft.indexes.filter(({ kind }) => kind === 'global');
  const local = draft.indexes.filter(({ kind }) => kind === 'local');
  const tags = tagsOf(draft.tags);
  const input = {
    TableName: draft.name,
    AttributeDefinitions: attributeDefinitions(draft),
    KeySchema: keySchema(draft),
    BillingMode: draft.billing,
    ...throughput(draft),
    ...(global.length > 0 && {
      GlobalSecondaryIndexes: global.map((index) => ({ ...indexInput(index), ...throughput(draft) })),
    }),
    ...(local.length > 0 && { LocalSecondaryIndexes: local.map(indexInput) }),
    ...(draft.stream !== '' && { StreamSpecification: { StreamEnabled: true, StreamViewType: draft.stream } }),
    ...(draft.tableClass !== 'STANDARD' && { TableClass: draft.tableClass }),
    ...(draft.isProtected && { DeletionProtectionEnabled: true }),
    ...(tags.length > 0 && { Tags: tags }),
  };
  const empty = { ...draft, ttl: '', isRecoverable: false };
  return [
    { operation: 'CreateTable', input, effect: `Creates ${draft.name === '' ? 'the table' : draft.name}.` },
    ...settingRequests(empty, draft),
  ];
}

/** The requests that change a table, in an order that the service accepts. */
export function changeRequests(
  table: TableDescription,
  before: TableDraft,
  after: TableDraft,
): readonly PlannedRequest[] {
  const update = (changes: object, effect: string): PlannedRequest => ({
    operation: 'UpdateTable',
    input: { TableName: before.name, ...changes },
    effect,
  });
  const requests: PlannedRequest[] = [];
  if (before.isProtected !== after.isProtected) {
    const effect = after.isProtected ? 'The table cannot be deleted until this is off.' : 'The table can be deleted.';
    requests.push(update({ DeletionProtectionEnabled: after.isProtected }, effect));
  }
  const kept = after.indexes.filter(({ name }) => before.indexes.some((index) => index.name === name));
  if (before.billing !== after.billing || before.reads !== after.reads || before.writes !== after.writes) {
    const isNewMode = before.billing !== after.billing;
    // Also of those that a later request deletes.
    const indexes = before.indexes.filter(({ kind }) => kind === 'global');
    requests.push(
      update(
        {
          ...(isNewMode && { BillingMode: after.billing }),
          ...throughput(after, before),
          ...(isNewMode &&
            after.billing === 'PROVISIONED' &&
            indexes.length > 0 && {
              GlobalSecondaryIndexUpdates: indexes.map(({ name }) => ({
                Update: { IndexName: name, ...throughput({ ...after, billing: 'PROVISIONED' }) },
              })),
            }),
        },
        isNewMode ? 'Changes what the table costs; the service allows it 4 times in 24 hours.' : 'Changes its limits.',
      ),
    );
  }
  if (before.tableClass !== after.tableClass)
    requests.push(update({ TableClass: after.tableClass }, 'Changes the prices of storage and of requests.'));
  if (before.stream !== after.stream) {
    if (before.stream !== '') {
      const effect = 'Ends the stream: its readers get no new records.';
      requests.push(update({ StreamSpecification: { StreamEnabled: false } }, effect));
    }
    if (after.stream !== '') {
      const StreamSpecification = { StreamEnabled: true, StreamViewType: after.stream };
      requests.push(update({ StreamSpecification }, 'Starts a stream, with the changes from then on.'));
    }
  }
  for (const { name } of before.indexes.filter((index) => !kept.some((each) => each.name === index.name))) {
    const effect = `Deletes ${name}: queries of it fail from then on. The items stay in the table.`;
    requests.push(update({ GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: name } }] }, effect));
  }
  for (const index of after.indexes.filter((each) => !kept.includes(each))) {
    const Create = { ...indexInput(index), ...throughput(after) };
    requests.push(
      update(
        { AttributeDefinitions: attributeDefinitions(after), GlobalSecondaryIndexUpdates: [{ Create }] },
        `Builds ${index.name}: reads all ${(table.ItemCount ?? 0).toLocaleString('en-US')} items, and writes an entry for each that has ${[index.partition.name, index.sort.name].filter((each) => each !== '').join(' and ')}.`,
      ),
    );
  }
  return [...requests, ...settingRequests(before, after), ...tagRequests(table, before, after)];
}

/** Settings that have operations of their own. */
function settingRequests(before: TableDraft, after: TableDraft): readonly PlannedRequest[] {
  const ttl = (AttributeName: string, Enabled: boolean, effect: string): PlannedRequest => ({
    operation: 'UpdateTimeToLive',
    input: { TableName: after.name, TimeToLiveSpecification: { AttributeName, Enabled } },
    effect,
  });
  return [
    // One change an hour: another attribute can be named an hour after the first one was disabled.
    ...(before.ttl === after.ttl
      ? []
      : before.ttl !== ''
        ? [
            ttl(
              before.ttl,
              false,
              `Expired items stay.${after.ttl === '' ? '' : ` ${after.ttl} can be enabled an hour later: the service allows one change an hour.`}`,
            ),
          ]
        : [ttl(after.ttl, true, `Deletes items whose ${after.ttl} is in the past, from now on.`)]),
    ...(before.isRecoverable === after.isRecoverable
      ? []
      : [
          {
            operation: 'UpdateContinuousBackups',
            input: {
              TableName: after.name,
              PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: after.isRecoverable },
            },
            effect: after.isRecoverable
              ? 'The table can be restored to any second from then on.'
              : 'The table can no longer be restored to an earlier time.',
          },
        ]),
  ];
}

function tagRequests(table: TableDescription, before: TableDraft, after: TableDraft): readonly PlannedRequest[] {
  const [old, wanted] = [tagsOf(before.tags), tagsOf(after.tags)];
  const gone = old.filter(({ Key }) => !wanted.some((tag) => tag.Key === Key)).map(({ Key }) => Key);
  const changed = wanted.filter(({ Key, Value }) => !old.some((tag) => tag.Key === Key && tag.Value === Value));
  const ResourceArn = table.TableArn;
  return [
    ...(gone.length > 0
      ? [{ operation: 'UntagResource', input: { ResourceArn, TagKeys: gone }, effect: 'Removes tags.' }]
      : []),
    ...(changed.length > 0
      ? [{ operation: 'TagResource', input: { ResourceArn, Tags: changed }, effect: 'Adds or changes tags.' }]
      : []),
  ];
}

function tagsOf(text: string): readonly { readonly Key: string; readonly Value: string }[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [Key = '', ...rest] = line.split('=');
      return { Key: Key.trim(), Value: rest.join('=').trim() };
    });
}

function keySchema({ partition, sort }: { readonly partition: KeyDraft; readonly sort: KeyDraft }): readonly object[] {
  return [
    { AttributeName: partition.name, KeyType: 'HASH' },
    ...(sort.name === '' ? [] : [{ AttributeName: sort.name, KeyType: 'RANGE' }]),
  ];
}

/** Each key attribute once. If two keys give one attribute different types, both remain, and the service refuses them. */
function attributeDefinitions(draft: TableDraft): readonly object[] {
  const keys = [draft, ...draft.indexes].flatMap(({ partition, sort }) => [partition, sort]);
  const found = new Map(
    keys
      .filter(({ name }) => name !== '')
      .map(({ name, type }) => [`${name} ${type}`, { AttributeName: name, AttributeType: type }]),
  );
  return [...found.values()];
}

function indexInput({ name, partition, sort, projection, attributes }: IndexDraft): object {
  const NonKeyAttributes = attributes
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  return {
    IndexName: name,
    KeySchema: keySchema({ partition, sort }),
    Projection: { ProjectionType: projection, ...(projection === 'INCLUDE' && { NonKeyAttributes }) },
  };
}

/** On demand, an empty field is no limit; -1 says so where there was one. */
function throughput({ billing, reads, writes }: TableDraft, before?: TableDraft): object {
  if (billing === 'PROVISIONED')
    return { ProvisionedThroughput: { ReadCapacityUnits: Number(reads), WriteCapacityUnits: Number(writes) } };
  const wasLimited = before?.billing === billing;
  const most = (units: string, old: string | undefined): number | undefined =>
    units !== '' ? Number(units) : wasLimited && old !== '' ? -1 : undefined;
  const [MaxReadRequestUnits, MaxWriteRequestUnits] = [most(reads, before?.reads), most(writes, before?.writes)];
  if (MaxReadRequestUnits === undefined && MaxWriteRequestUnits === undefined) return {};
  return {
    OnDemandThroughput: {
      ...(MaxReadRequestUnits !== undefined && { MaxReadRequestUnits }),
      ...(MaxWriteRequestUnits !== undefined && { MaxWriteRequestUnits }),
    },
  };
}
