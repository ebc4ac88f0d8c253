import type { KeySlot, PatternInfo, PlaceInfo, ResolvedModel } from '../../resolve/resolved.ts';
import { sourceOf } from '../../resolve/slots.ts';
import type { Report } from '../finding.ts';
import {
  isServed,
  type KeyUse,
  type Load,
  loadOf,
  partitionReadsMax,
  partitionWritesMax,
  shardCount,
  spreadRemedy,
} from '../partition-load.ts';
import { partitionsOf } from '../partitions.ts';
import { placesOf, queriesOf, residentsOf, variablesOf } from '../residents.ts';
import type { Rule } from '../rule.ts';

/** Maximum global indexes of one table, by the service's default. */
const globalIndexesMax = 20;
/** Shares of a partition's throughput from which a key that nothing spreads is reported: a read can be cached, and a write cannot. */
const noteworthy = { reads: 0.5, writes: 0.1 };

/** Rules about the model as a whole: entities, tables, indexes, load. */
export const shapeRules: readonly Rule[] = [
  {
    code: 'no-relationships',
    level: 'warning',
    ids: ['LP-01', 'S-02'],
    title: 'Entities without relationships',
    why: 'Item collections follow from relationships. Without them the checker cannot know whether children are found with their parents, counted or orphaned.',
    remedy: "Declare them: `.relationships([['Customer', '1:N', 'Order']])`.",
    look: ({ model, entities }) =>
      entities.size > 1 && model.relationships.length === 0
        ? [{ path: 'relationships', message: `${entities.size} entities and no relationship between them` }]
        : [],
  },
  {
    code: 'unknown-entity',
    level: 'error',
    ids: ['S-02'],
    title: 'A relationship with an entity that does not exist',
    why: 'Such a relationship cannot be drawn, checked or maintained.',
    remedy: 'Correct the name, or declare the entity.',
    look: ({ model }) =>
      model.relationships.flatMap(([parent, , child, rules]) =>
        [parent, child, ...(rules?.through === undefined ? [] : [rules.through])]
          .filter((name) => model.entities[name] === undefined)
          .map((name) => ({ path: `relationships.${parent}.${child}`, message: `there is no entity ${name}` })),
      ),
  },
  {
    code: 'entity-without-pattern',
    level: 'warning',
    ids: ['LP-01', 'LB-11'],
    title: 'An entity that no pattern needs',
    why: 'Keys designed before the patterns are known fit none of them. An entity that no pattern reads or writes need not be stored.',
    remedy: 'Declare the pattern that needs it, or remove it.',
    look: (model) => {
      const used = new Set([...model.patterns.values()].flatMap(entitiesOf));
      return [...model.entities.keys()]
        .filter((name) => !used.has(name))
        .map((name) => ({ path: `entities.${name}`, message: `${name} is in no pattern` }));
    },
  },
  {
    code: 'no-patterns',
    level: 'error',
    ids: ['LB-11', 'LP-01'],
    title: 'A schema before its patterns',
    why: 'The access patterns determine the shape of a table. No model serves arbitrary later queries.',
    remedy: 'Write down the access patterns first.',
    look: ({ patterns }) => (patterns.size === 0 ? [{ path: 'patterns', message: 'the model has no patterns' }] : []),
  },
  {
    code: 'no-actors',
    level: 'hint',
    ids: ['P-50', 'LP-01'],
    title: 'Patterns without an actor',
    why: 'Access patterns come from the users of the application. Listing the needs of each actor reveals forgotten patterns, and unnecessary ones.',
    remedy: "Name the actor, such as `actor: 'customer'`: a role, a screen or a job.",
    look: ({ entities, patterns }) =>
      entities.size > 1 && patterns.size > 0 && [...patterns.values()].every(({ need }) => need.actor === undefined)
        ? [{ path: 'patterns', message: 'no pattern has an actor' }]
        : [],
  },
  {
    code: 'several-tables',
    level: 'hint',
    ids: ['LP-02', 'S-16', 'S-17'],
    title: 'Several tables',
    why: 'Entities that are read together belong in one table. Other entities may have separate tables, with their own capacity, backups and streams.',
    remedy: 'None, if it is intended.',
    look: ({ tables }) => {
      const [, second] = tables.keys();
      return second === undefined ? [] : [{ path: `tables.${second}`, message: `the model has ${tables.size} tables` }];
    },
  },
  {
    code: 'mergeable-indexes',
    level: 'hint',
    ids: ['S-08', 'LP-18'],
    title: 'Two indexes that could be one',
    why: 'Each index costs capacity and has its own lag. Entities that are never read together can share an index, with different templates.',
    remedy: 'Move the keys of one index into the other, and remove it.',
    look: (model) =>
      [...model.tables.values()].flatMap(({ name, indexes }) => {
        const open = indexes.filter(
          ({ kind, partition, sort }) => kind === 'global' && partition.length === 1 && sort.length < 2,
        );
        return pairs(open).flatMap(([a, b]): Report[] => {
          const [ofA, ofB] = [entitiesIn(model, a), entitiesIn(model, b)];
          const speaking = [a, b].some(({ partition }) => !/^GSI?_?\d+/i.test(partition[0]?.attribute ?? ''));
          if (ofA.length === 0 || ofB.length === 0 || speaking || keyTypes(a) !== keyTypes(b)) return [];
          if (ofA.some((entity) => ofB.includes(entity)) || String(a.project) !== String(b.project)) return [];
          return [
            {
              path: `tables.${name}`,
              message: `${a.name} (${ofA.join(', ')}) and ${b.name} (${ofB.join(', ')}) have no entity in common`,
            },
          ];
        });
      }),
  },
  {
    code: 'too-many-indexes',
    level: 'error',
    ids: ['LP-18'],
    title: 'More indexes than the service allows',
    why: 'A table has 20 global indexes by default and never more than 5 local ones.',
    remedy: 'Overload the existing indexes.',
    look: ({ tables }) =>
      [...tables.values()].flatMap(({ name, indexes }): Report[] => {
        const globals = indexes.filter(({ kind }) => kind === 'global').length;
        const locals = indexes.length - globals;
        if (globals <= globalIndexesMax && locals <= 5) return [];
        return [{ path: `tables.${name}`, message: `${globals} global and ${locals} local indexes` }];
      }),
  },
  {
    code: 'unused-index',
    level: 'warning',
    ids: ['LP-18'],
    title: 'An index that no pattern reads',
    why: 'Every write of an indexed item pays for the index.',
    remedy: 'Remove it, or let a pattern use it.',
    look: (model) => {
      const read = new Set(
        [...model.patterns.values()].flatMap(({ plan }) =>
          plan?.kind === 'query' ? plan.streams.map(({ place }) => place) : plan?.kind === 'scan' ? [plan.place] : [],
        ),
      );
      const planned = [...model.patterns.values()].every(({ plan }) => plan !== undefined);
      return placesOf(model)
        .filter((place) => planned && place.kind !== 'table' && !read.has(place))
        .map((place) => ({
          path: `tables.${place.table}.indexes.${place.name}`,
          message: `${place.name} is written and never read`,
        }));
    },
  },
  {
    code: 'local-index',
    level: 'warning',
    ids: ['LP-17'],
    title: 'A local index without consistent reads',
    why: 'A local index limits each item collection, with its index entries, to 10 GB and one partition, and can be created only with the table. Its only advantage over a global index is consistent reads.',
    remedy: 'Use a global index, unless a pattern reads it with `consistent: true`.',
    look: (model) =>
      placesOf(model)
        .filter(({ kind }) => kind === 'local')
        .filter(
          (place) =>
            !queriesOf(model).some(
              ({ need, plan }) => need.consistent === true && plan.streams.some((stream) => stream.place === place),
            ),
        )
        .map(({ name, table }) => ({
          path: `tables.${table}.indexes.${name}`,
          message: `nothing reads ${name} consistently`,
        })),
  },
  {
    code: 'hot-partition',
    level: 'warning',
    ids: ['LP-10', 'S-78'],
    title: 'One partition for everything',
    why: 'A partition serves 1,000 writes and 3,000 reads of small items per second, whatever the throughput of the table. A key without a variable puts all items of an entity into one partition.',
    remedy:
      'Spread the key over shards, `OPEN#{orderId:shard8}`, and read them with `fanOut: 8`; or split it by time, `{createdAt:day}`; or keep `copies` of an item that is read often.',
    look: (model) => [...busyKeys(model), ...narrowKeys(model)],
  },
];

/** Tables and global indexes. A local index has the partitions of its table. */
function partitionedPlaces(model: ResolvedModel): PlaceInfo[] {
  return placesOf(model).filter(({ kind }) => kind !== 'local');
}

function isWithin(read: PlaceInfo, place: PlaceInfo): boolean {
  return read === place || (read.kind === 'local' && place.kind === 'table' && read.table === place.table);
}

/** Keys with one value at a time: all items of an entity are in one partition, or in its shards. */
function narrowKeys(model: ResolvedModel): Report[] {
  return partitionedPlaces(model).flatMap((place) =>
    residentsOf(model, place)
      .filter(({ marker, partition }) => !marker && isNarrow(partition))
      .flatMap(({ entity, path, partition }): Report[] => {
        const queries = queriesOf(model).filter(({ plan }) =>
          plan.streams.some((stream) => isWithin(stream.place, place) && stream.partition === partition),
        );
        const use = { entity, place, partition, queries };
        const shards = shardCount(partition);
        const load = loadOf(model, use, shards);
        const isSpread = shards > 1 || (entity.rules.copies ?? 1) > 1;
        const isNoteworthy =
          load.writes >= partitionWritesMax * noteworthy.writes || load.reads >= partitionReadsMax * noteworthy.reads;
        if (isServed(load) && (isSpread || !isNoteworthy)) return [];
        const units = [
          load.reads > 0 ? `${Math.round(load.reads)} read` : '',
          load.writes > 0 ? `${Math.round(load.writes)} write` : '',
        ].filter((text) => text !== '');
        return [
          {
            path,
            message: `all of ${entity.name} are in ${sourceOf(partition)} of ${place.name}${shards > 1 ? `, in ${shards} shards` : ''}: ${units.join(' and ')} units per second${shards > 1 ? ' in each' : ''}, of 3,000 and 1,000`,
            level: isServed(load) ? 'warning' : 'error',
            remedy: spreadRemedy(model, use),
          },
        ];
      }),
  );
}

/** The load that patterns put on one value of a partition key, if the model states how many values there are. */
function busyKeys(model: ResolvedModel): Report[] {
  const keys = new Map<string, BusyKey>();
  for (const place of partitionedPlaces(model)) {
    for (const { entity, path, partition, marker } of residentsOf(model, place)) {
      if (marker || isNarrow(partition)) continue;
      const values = partitionsOf(model, partition);
      if (values === undefined) continue;
      const id = `${place.table} ${place.name} ${sourceOf(partition)}`;
      const known = keys.get(id) ?? { path, values, uses: [], seen: new Set() };
      keys.set(id, known);
      // A query that reads several entities is counted once.
      const queries = queriesOf(model).filter(
        ({ name, plan }) =>
          !known.seen.has(name) &&
          plan.parts.some((part) => part.entity === entity) &&
          plan.streams.some((stream) => isWithin(stream.place, place)),
      );
      for (const { name } of queries) known.seen.add(name);
      // An entity with several forms is counted once.
      if (known.uses.every((use) => use.entity !== entity)) known.uses.push({ entity, place, partition, queries });
    }
  }
  return [...keys.values()].flatMap(({ path, values, uses }): Report[] => {
    const [first] = uses;
    if (first === undefined) return [];
    const shards = shardCount(first.partition);
    const loads = uses.map((use) => ({ use, load: loadOf(model, use, shards) }));
    const perKey = {
      reads: (sum(loads.map(({ load }) => load.reads)) * shards) / values,
      writes: (sum(loads.map(({ load }) => load.writes)) * shards) / values,
    };
    if (isServed(perKey)) return [];
    const busiest = loads.reduce((most, each) => (share(each.load) > share(most.load) ? each : most));
    return [
      {
        path,
        level: 'error',
        message: `one of ${values} values of ${sourceOf(first.partition)} in ${first.place.name} takes ${Math.round(perKey.reads)} read and ${Math.round(perKey.writes)} write units per second, of 3,000 and 1,000`,
        remedy: spreadRemedy(model, busiest.use, values / shards),
      },
    ];
  });
}

interface BusyKey {
  readonly path: string;
  /** How many values the partition key has, with its shards. */
  readonly values: number;
  readonly uses: KeyUse[];
  /** Queries that are counted. */
  readonly seen: Set<string>;
}

/** The part of a partition's throughput that a load takes. */
function share({ reads, writes }: Load): number {
  return Math.max(reads / partitionReadsMax, writes / partitionWritesMax);
}

/** No variables, or only those that spread the load over few partitions at a time. */
function isNarrow(partition: readonly KeySlot[]): boolean {
  return variablesOf(partition).every(
    ({ name, encoders }) =>
      name === 'copy' || encoders.some(({ unit, shards }) => unit !== undefined || shards !== undefined),
  );
}

function entitiesIn(model: ResolvedModel, place: PlaceInfo): string[] {
  return [...new Set(residentsOf(model, place).map(({ entity }) => entity.name))];
}

function entitiesOf({ plan, need }: PatternInfo): string[] {
  if (plan?.kind === 'write')
    return plan.writes.flatMap(({ entity }) => [entity.name, ...entity.parents.map((parent) => parent.entity)]);
  if (plan?.kind === 'query') return plan.parts.map(({ entity }) => entity.name);
  if (plan !== undefined) return [plan.part.entity.name];
  return [need.reads, need.creates, need.puts, need.updates, need.deletes, need.upserts].flatMap((target) =>
    target === undefined ? [] : typeof target === 'string' ? [target] : Object.values(target).flat(),
  );
}

/** The types of an index's key attributes: items of two indexes fit one only if they are the same. */
function keyTypes({ partition, sort }: PlaceInfo): string {
  return [partition, sort].map((slots) => slots.map(({ type }) => type).join()).join(' ');
}

function pairs<T>(all: readonly T[]): (readonly [T, T])[] {
  return all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b] as const));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
