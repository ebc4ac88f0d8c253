import { itemBytes } from '../../cost/item-size.ts';
import type { EntityInfo, PatternInfo, ResolvedModel, TableInfo, WritePlan } from '../../resolve/resolved.ts';
import { changedAttributes, changedParents, guardedAttributes, isCounted } from '../../resolve/slots.ts';
import { byteLength, largestBytes } from '../bounds.ts';
import type { Report } from '../finding.ts';
import { partitionsOf } from '../partitions.ts';
import { queriesOf } from '../residents.ts';
import type { Rule } from '../rule.ts';

/** The limit of an item's size, and the size above which it is reported. */
const itemBytesMax = 400 * 1024;
const itemBytesNoteworthy = 100 * 1024;
const pageBytesMax = 1024 * 1024;
const transactionActionsMax = 100;
const transactionBytesMax = 4 * 1024 * 1024;
/** The size limit of an item collection in a table with a local index. */
const collectionBytesMax = 10 * 1024 ** 3;

/** Rules about the service's limits on one item and on one request. */
export const sizeRules: readonly Rule[] = [
  {
    code: 'item-size',
    level: 'warning',
    ids: ['LP-09', 'LB-5', 'S-84'],
    title: 'Items close to the size limit',
    why: 'An item has at most 400 KB, including its attribute names, and every write pays for the whole item. An item expected to reach a quarter of that contains something that could be a separate item, or an object in an object store.',
    remedy:
      'Store parts that are read separately as separate items (a summary beside the content, a document in parts), and large files in an object store.',
    look: ({ entities }) =>
      [...entities.values()].flatMap((entity): Report[] => {
        const { name, rules } = entity;
        const bytes = rules.expects?.bytes ?? 0;
        const largest = schemaReports(entity);
        if (bytes < itemBytesNoteworthy) return largest;
        return [
          {
            path: `entities.${name}.expects`,
            message: `${name} is expected to have ${kilobytes(bytes)} of the 400 KB that an item may have`,
            level: bytes > itemBytesMax ? 'error' : 'warning',
          },
          ...largest,
        ];
      }),
  },
  {
    code: 'more-than-a-request',
    level: 'error',
    ids: ['LB-9', 'S-45'],
    title: 'More than one request can handle',
    why: 'A query reads at most 1 MB, and a transaction has at most 100 actions. A larger page is split, and a larger transaction is refused.',
    remedy: 'Read less at a time, or write in parts that may exist without each other.',
    look: (model) => [
      ...[...model.patterns.values()].flatMap(actionReports),
      ...[...model.patterns.values()].flatMap(({ name, need: { limit } }): Report[] =>
        limit === undefined || (Number.isInteger(limit) && limit > 0)
          ? []
          : [{ path: `patterns.${name}.limit`, message: `a page of ${limit} items: it has at least one` }],
      ),
      ...queriesOf(model).flatMap(({ name, need: { limit }, plan }): Report[] => {
        const largest = Math.max(0, ...plan.parts.filter(({ many }) => many).map(({ entity }) => itemBytes(entity)));
        const indexed = plan.streams.some(({ place }) => place.project !== 'ALL');
        if (limit === undefined || indexed || limit * largest <= pageBytesMax) return [];
        return [
          {
            path: `patterns.${name}.limit`,
            message: `${limit} items of ${kilobytes(largest)} are more than the 1 MB that one query reads`,
            level: 'warning',
          },
        ];
      }),
    ],
  },
  {
    code: 'collection-size',
    level: 'error',
    ids: ['LP-17', 'LB-9'],
    title: 'An item collection larger than a local index allows',
    why: 'In a table with a local index, the items of one partition key and their index entries can have at most 10 GB. The service refuses a write beyond that.',
    remedy:
      'Use a global index, which has no such limit, or split the partition: by time, `{createdAt:month}`, or over shards.',
    look: (model) =>
      [...model.tables.values()]
        .filter(({ indexes }) => indexes.some(({ kind }) => kind === 'local'))
        .flatMap((table) => collectionReports(model, table)),
  },
];

/** The collections of a table by their partition key, with the declared number of items: `expects`, and `volume` of the patterns that read them. */
function collectionReports(model: ResolvedModel, table: TableInfo): Report[] {
  const collections = new Map<string, { bytes: number; texts: string[] }>();
  for (const entity of model.entities.values()) {
    if (entity.table !== table) continue;
    const source = entity.key.partition.map(({ template }) => template.source).join(' ');
    const { items = 0 } = entity.rules.expects ?? {};
    const spread = items / (partitionsOf(model, entity.key.partition) ?? Number.POSITIVE_INFINITY);
    const read = queriesOf(model)
      .filter(({ plan }) => plan.parts.some((part) => part.many && part.entity === entity))
      .map(({ need }) => need.volume?.most ?? 0);
    const most = Math.ceil(Math.max(spread, ...read));
    const entries = entity.indexes.filter(({ place }) => place.kind === 'local').length;
    const known = collections.get(source) ?? { bytes: 0, texts: [] };
    known.bytes += most * itemBytes(entity) * (1 + entries);
    known.texts.push(`${most} of ${entity.name}`);
    collections.set(source, known);
  }
  return [...collections].flatMap(([source, { bytes, texts }]): Report[] =>
    bytes <= collectionBytesMax
      ? []
      : [
          {
            path: `tables.${table.name}`,
            message: `${source} comes to ${(bytes / 1024 ** 3).toFixed(1)} GB with its entries in local indexes: ${texts.join(', ')}`,
          },
        ],
  );
}

/** The size of an item whose attributes have the maximum sizes of their schemas. Text and lists without a maximum are not counted. */
function schemaReports({ name, attributes }: EntityInfo): Report[] {
  const sizes = [...attributes.values()]
    .map(({ stored, schema }) => ({ stored, bytes: largestBytes(schema) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { stored, bytes }) => sum + byteLength(stored) + bytes, 0);
  const [largest] = sizes;
  if (total <= itemBytesMax || largest === undefined) return [];
  return [
    {
      path: `entities.${name}.${largest.stored}`,
      message: `the schemas of ${name} allow items of ${kilobytes(total)}, ${kilobytes(largest.bytes)} of them in ${largest.stored}; 400 KB are stored`,
      remedy: `Bound ${largest.stored} by what fits, in bytes: a character has up to three. Or keep it in parts, or in an object store.`,
      level: 'error',
    },
  ];
}

/** The actions of a transaction, including the guards, parents and copies of its writes. */
function actionReports({ name, plan, need }: PatternInfo): Report[] {
  if (plan?.kind !== 'write' || plan.operations.at(-1) !== 'TransactWriteItems') return [];
  const partsOf = (most: number): readonly ActionCount[] =>
    plan.writes.map((write) => ({ write, ...actionsOf(write, write.many ? most : 1) }));
  const parts = partsOf(need.volume?.most ?? 1);
  const actions = total(parts);
  const bytes = parts.reduce((sum, { write, own }) => sum + own * itemBytes(write.entity), 0);
  const reports: Report[] = [];
  if (actions > transactionActionsMax) {
    const texts = parts.map(({ write, own, guards, parents }) =>
      [`${own} of ${write.entity.name}`, guards > 0 ? `${guards} guards` : '', parents > 0 ? `${parents} parents` : '']
        .filter((text) => text !== '')
        .join(' with '),
    );
    reports.push({
      path: `served.${name}`,
      message: `comes to ${actions} actions of the 100 that a transaction may have: ${texts.join(', ')}`,
      remedy: fewerRemedy(need.volume?.typical ?? 1, (most) => total(partsOf(most)) <= transactionActionsMax),
    });
  }
  if (bytes > transactionBytesMax)
    reports.push({
      path: `served.${name}`,
      message: `comes to ${kilobytes(bytes)} of the 4 MB that a transaction may have`,
    });
  return reports;
}

interface ActionCount {
  readonly write: WritePlan;
  readonly own: number;
  readonly guards: number;
  readonly parents: number;
}

function total(parts: readonly ActionCount[]): number {
  return parts.reduce((sum, { own, guards, parents }) => sum + own + guards + parents, 0);
}

/** How many items fit. */
function fewerRemedy(typical: number, fits: (most: number) => boolean): string {
  let most = transactionActionsMax;
  while (most > 0 && !fits(most)) most -= 1;
  if (most === 0) return 'Divide it into several transactions, by several patterns.';
  return `Write at most ${most} at a time, \`volume: { typical: ${Math.min(typical, most)}, most: ${most} }\`, in transactions of their own.`;
}

function actionsOf(
  { verb, entity, need }: WritePlan,
  items: number,
): { readonly own: number; readonly guards: number; readonly parents: number } {
  const changed = changedAttributes(need, entity);
  const touched = entity.unique.filter(
    (each) => verb !== 'updates' || guardedAttributes(each).some((name) => changed.has(name)),
  ).length;
  // An update or upsert of a unique value also removes the old guard.
  const perItem = verb === 'updates' || verb === 'upserts' ? 2 * touched : touched;
  const inPartition = new Set(
    entity.key.partition.flatMap(({ template }) => template.variables.map(({ name }) => name)),
  );
  const affected =
    verb === 'updates'
      ? changedParents(need, entity)
      : entity.parents.filter((parent) => verb !== 'deletes' || isCounted(parent));
  const parents = affected
    // Items of one partition have one parent, if the partition names it.
    .reduce((sum, { by }) => sum + (by.every(([, child]) => inPartition.has(child)) ? 1 : items), 0);
  return {
    own: items * (entity.rules.copies ?? 1),
    guards: verb === 'checks' || verb === 'puts' ? 0 : items * perItem,
    parents: verb === 'checks' ? 0 : parents,
  };
}

function kilobytes(bytes: number): string {
  return bytes < 1024 ? `${Math.round(bytes)} bytes` : `${Math.round(bytes / 1024)} KB`;
}
