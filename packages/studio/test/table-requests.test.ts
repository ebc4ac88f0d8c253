import type {
  DescribeContinuousBackupsOutput,
  DescribeTimeToLiveOutput,
  ListTagsOfResourceOutput,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { createDatabase, type Database } from 'singlet';
import { expect, test } from 'vitest';
import {
  changeRequests,
  creationRequests,
  draftOf,
  type IndexDraft,
  type PlannedRequest,
  type TableDraft,
} from '../src/request-text/table-requests.ts';
import { ask } from './studio-world.ts';
import type { TableDescription } from '../src/wire/table-description.ts';

const units = fc.constantFrom('5', '10', '25');
const key = (name: string) => fc.constantFrom('S', 'N', 'B').map((type) => ({ name, type }) as const);

const index = (kind: 'global' | 'local', number: number): fc.Arbitrary<IndexDraft> => {
  const name = `${kind === 'global' ? 'GSI' : 'LSI'}${number}`;
  const projection = fc.constantFrom('ALL', 'KEYS_ONLY', 'INCLUDE');
  return fc
    .record({ partition: key(`${name}PK`), sort: key(`${name}SK`), hasSort: fc.boolean(), projection })
    .map(({ partition, sort, hasSort, projection: chosen }) => ({
      kind,
      name,
      partition: kind === 'local' ? { name: 'PK', type: 'S' } : partition,
      sort: kind === 'local' || hasSort ? sort : { name: '', type: 'S' },
      projection: chosen,
      attributes: chosen === 'INCLUDE' ? 'Status, Amount' : '',
    }));
};

const settings = fc
  .record({
    billing: fc.constantFrom('PAY_PER_REQUEST', 'PROVISIONED'),
    reads: units,
    writes: units,
    isLimited: fc.boolean(),
    tableClass: fc.constantFrom('STANDARD', 'STANDARD_INFREQUENT_ACCESS'),
    isProtected: fc.boolean(),
    stream: fc.constantFrom('', 'NEW_AND_OLD_IMAGES', 'NEW_IMAGE', 'OLD_IMAGE', 'KEYS_ONLY'),
    global: fc.tuple(fc.option(index('global', 1)), fc.option(index('global', 2))),
    ttl: fc.constantFrom('', 'expiresAt', 'until'),
    isRecoverable: fc.boolean(),
    tags: fc.constantFrom('', 'team=shop', 'team=books\nstage=dev'),
  })
  .map(({ global, isLimited, ...others }) => ({
    ...others,
    ...(others.billing === 'PAY_PER_REQUEST' && !isLimited && { reads: '', writes: '' }),
    indexes: global.filter((each) => each !== null),
  }));

async function send(database: Database, requests: readonly PlannedRequest[]): Promise<void> {
  for (const { operation, input } of requests) {
    await database.request(operation, input);
    await expect
      .poll(async () => {
        const { Table } = await ask<{ Table: TableDescription }>(database, 'DescribeTable', { TableName: 'Shop' });
        const indexes = Table.GlobalSecondaryIndexes ?? [];
        return [Table, ...indexes].every(
          (each) =>
            ('TableStatus' in each ? each.TableStatus : (each as { IndexStatus: string }).IndexStatus) === 'ACTIVE',
        );
      })
      .toBe(true);
  }
}

async function present(database: Database): Promise<{ table: TableDescription; draft: TableDraft }> {
  const { Table } = await ask<{ Table: TableDescription }>(database, 'DescribeTable', { TableName: 'Shop' });
  const { TimeToLiveDescription: ttl } = await ask<DescribeTimeToLiveOutput>(database, 'DescribeTimeToLive', {
    TableName: 'Shop',
  });
  const { ContinuousBackupsDescription: backups } = await ask<DescribeContinuousBackupsOutput>(
    database,
    'DescribeContinuousBackups',
    { TableName: 'Shop' },
  );
  const { Tags = [] } = await ask<ListTagsOfResourceOutput>(database, 'ListTagsOfResource', {
    ResourceArn: Table.TableArn ?? '',
  });
  const draft = draftOf(Table, {
    ttl: ttl?.TimeToLiveStatus === 'ENABLED' ? (ttl.AttributeName ?? '') : '',
    isRecoverable: backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED',
    tags: Tags.map(({ Key, Value }) => `${Key ?? ''}=${Value ?? ''}`).join('\n'),
  });
  return { table: Table, draft };
}

/** In an order that does not depend on the server's. */
function sorted(draft: TableDraft): TableDraft {
  return {
    ...draft,
    indexes: [...draft.indexes]
      .map((each) => ({ ...each, attributes: each.attributes.split(', ').sort().join(', ') }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    tags: draft.tags.split('\n').sort().join('\n'),
  };
}

test('WB-57: a table is created as the form says, and changed to whatever it says next', async () => {
  await fc.assert(
    fc.asyncProperty(
      settings,
      fc.array(settings, { minLength: 1, maxLength: 2 }),
      fc.option(index('local', 1)),
      async (first, others, local) => {
        const database = await createDatabase();
        const keys = { name: 'Shop', partition: { name: 'PK', type: 'S' }, sort: { name: 'SK', type: 'S' } } as const;
        const locals = local === null ? [] : [local];
        const wanted: TableDraft = { ...keys, ...first, indexes: [...first.indexes, ...locals] };
        await send(database, creationRequests(wanted));
        expect(sorted((await present(database)).draft)).toEqual(sorted(wanted));
        const ttl = first.ttl === '' ? (others[0]?.ttl ?? '') : first.ttl; // the service allows one change an hour
        for (const other of others) {
          const { table, draft } = await present(database);
          // An index of the form that has the name of one that exists is that one.
          const kept = other.indexes.map((each) => draft.indexes.find(({ name }) => name === each.name) ?? each);
          const next: TableDraft = { ...keys, ...other, ttl, indexes: [...kept, ...locals] };
          await send(database, changeRequests(table, draft, next));
          expect(sorted((await present(database)).draft)).toEqual(sorted(next));
          const after = await present(database);
          expect(changeRequests(after.table, after.draft, after.draft)).toEqual([]);
        }
        await database.close();
      },
    ),
    { numRuns: 12 },
  );
});
