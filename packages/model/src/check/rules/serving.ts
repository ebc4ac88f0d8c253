import type { EntityInfo, PatternInfo, QueryStream, ResolvedModel, SortBound } from '../../resolve/resolved.ts';
import { implies, testedAttributes } from '../../patterns/condition.ts';
import type { Need } from '../../patterns/need.ts';
import type { Condition } from '../../patterns/value.ts';
import { boundAttributes } from '../../resolve/reads.ts';
import { choicesOf } from '../../samples/sample-value.ts';
import type { StandardSchema } from '../../schema/standard-schema.ts';
import type { Report } from '../finding.ts';
import { literalPrefix, queriesOf, type Resident, residentsOf, slotsCanBeEqual, variablesOf } from '../residents.ts';
import type { Rule } from '../rule.ts';
import { smallestFix } from '../smallest-fix.ts';
import { after, canBeginWith } from '../text-pattern.ts';

/** Rules about how a pattern is served: whether it is the operation it says, and reads what it returns. */
export const servingRules: readonly Rule[] = [
  {
    code: 'not-served',
    level: 'error',
    ids: ['LP-01', 'S-06', 'LB-11', 'LB-16', 'S-12'],
    title: 'A pattern without an operation by key',
    why: 'DynamoDB answers by key or not at all: every variable of the key must be among the inputs of the pattern, and all that is read must be in the index that is asked.',
    remedy: 'Add the key or the index that the message proposes.',
    look: (model) =>
      [...model.patterns.values()].flatMap((pattern) =>
        pattern.problems
          .filter(({ code }) => code !== 'key-changes')
          .map((problem): Report => {
            const remedy = smallestFix(model, pattern, problem);
            return { path: problem.path, message: problem.message, ...(remedy !== undefined && { remedy }) };
          }),
      ),
  },
  {
    code: 'bad-declaration',
    level: 'error',
    ids: ['LB-11', 'S-04'],
    title: 'A declaration that means nothing',
    why: 'A key names an attribute, an index or an entity that does not exist, or has the wrong number of templates. Nothing that depends on it can be looked at.',
    remedy: 'Correct the name, or declare what is missing.',
    look: ({ problems, patterns }) => {
      const ofPatterns = new Set([...patterns.values()].flatMap((pattern) => pattern.problems));
      return problems.filter((problem) => !ofPatterns.has(problem)).map(({ path, message }) => ({ path, message }));
    },
  },
  {
    code: 'input-not-used',
    level: 'error',
    ids: ['S-42', 'S-06'],
    title: 'An input that narrows nothing',
    why: 'The pattern names an attribute that stands in the key behind something unknown, or not at all. The request would ignore it and return items that have another value: an enumeration has to stand before what varies more.',
    remedy: 'Move the attribute forward in the sort key, before what the pattern does not know, or filter by it.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) =>
        (need.by ?? []).flatMap((input): Report[] => {
          const names = [need.aka?.[input] ?? input].flat();
          const used = plan.streams.every((stream) => names.some((attribute) => servedBy(stream, attribute)));
          const filtered = need.filters?.some((attribute) => names.includes(attribute)) === true;
          return used || filtered
            ? []
            : [
                {
                  path: `served.${name}`,
                  message: `${input} is an input, but neither in the part of the key that is known nor a filter`,
                },
              ];
        }),
      ),
  },
  {
    code: 'order-not-served',
    level: 'error',
    ids: ['S-48', 'LP-20'],
    title: 'An order that the key does not have',
    why: 'A query returns items in the order of the sort key and in no other. "The newest ten" of a key that sorts by something else are ten items that happen to lie at its end.',
    remedy:
      'Let the sort key go on with the attribute of the order right behind what the pattern knows, in a form that sorts.',
    look: (model) => queriesOf(model).flatMap((pattern) => orderReports(pattern)),
  },
  {
    code: 'range-not-served',
    level: 'error',
    ids: ['LP-21'],
    title: 'A range over something that is not next in the key',
    why: 'A key condition is an equality on the partition key and one range of the sort key: `=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `begins_with`, and nothing else. Only the first unknown part of the sort key can have an interval.',
    remedy: 'Let the sort key go on with the attribute of the range right behind what the pattern knows.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) => {
        if (need.range === undefined) return [];
        const served = plan.streams.every(({ bounds }) =>
          bounds.some(({ partial }) => partial?.next.name === need.range),
        );
        return served
          ? []
          : [{ path: `served.${name}`, message: `the range is over ${need.range}; ${nextParts(plan.streams)}` }];
      }),
  },
  {
    code: 'reads-neighbours',
    level: 'error',
    ids: ['S-29', 'S-53'],
    title: 'A range with items of another entity in it',
    why: 'The range that covers what the pattern reads also covers items that it does not know. They are read and paid for, take the places of others on the page, and cannot be returned.',
    remedy: 'Choose prefixes so that the entities of one read lie side by side, and no other between them.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, plan }) =>
        plan.streams.flatMap((stream) =>
          swallowed(model, stream).map((other) => ({
            path: `served.${name}`,
            message: `${other.name} (${sortSource(other)}) lies within the range of ${stream.place.name} that is read`,
          })),
        ),
      ),
  },
  {
    code: 'parent-at-wrong-end',
    level: 'error',
    ids: ['S-53', 'LP-20'],
    title: 'The one item lies at the other end',
    why: 'A page with a limit begins at one end of the collection. A parent at the other end comes with the last page, not with the first.',
    remedy:
      'Choose the prefix so that the parent sorts before its children where they are read ascending, behind them where descending.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) => {
        if (need.limit === undefined || !plan.parts.some(({ many }) => many)) return [];
        return plan.streams.flatMap(({ bounds }): Report[] => {
          const first = plan.descending ? bounds.at(-1) : bounds[0];
          if (first === undefined || !first.part.many || !bounds.some(({ part }) => !part.many)) return [];
          const direction = plan.descending ? 'descending' : 'ascending';
          return [
            {
              path: `served.${name}`,
              message: `read ${direction}, ${first.part.entity.name} comes first and the page may end before the one item`,
            },
          ];
        });
      }),
  },
  {
    code: 'filter-with-limit',
    level: 'error',
    ids: ['LP-13'],
    title: 'A filter behind a limit',
    why: 'The limit counts what is read, the filter takes away afterwards: a page of ten may have three items, or none, with more to come.',
    remedy:
      'Serve the condition by the key or a sparse index. Or declare `readAhead`, the number of items to read per request: the page is then filled by as many requests as it takes.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) => {
        const filter = plan.filter !== undefined || (need.filters ?? []).length > 0;
        return filter && need.limit !== undefined && plan.readAhead === undefined
          ? [
              {
                path: `served.${name}`,
                message: `a limit of ${need.limit} with a filter on ${filteredNames(plan.filter, need.filters)}`,
              },
            ]
          : [];
      }),
  },
  {
    code: 'filter-selects',
    level: 'warning',
    ids: ['LP-12', 'LB-1', 'S-45', 'S-12'],
    title: 'A filter does the work of a key',
    why: 'A filter is applied to what has been read and paid for. Where it decides which items are meant, most of the reading is for nothing, and more so with every item.',
    remedy:
      'Put the attribute into the sort key, or make an index that only such items are in: `{ when: {...}, key: [...] }`.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, plan }) =>
        plan.filter === undefined
          ? []
          : [{ path: `served.${name}`, message: `${filteredNames(plan.filter, [])} is filtered, not looked up` }],
      ),
  },
  {
    code: 'part-of-items',
    level: 'warning',
    ids: ['S-43', 'P-13'],
    title: 'An index without some of what is read',
    why: 'A sparse index holds the items that meet its condition. A pattern that says nothing of the condition reads these as if they were all: the order that has left the index is missing from the list.',
    remedy: "Say in the pattern what it reads, `where: { status: 'OPEN' }`, or serve it where all items are.",
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) =>
        plan.streams.flatMap(({ place, bounds }) =>
          plan.parts.flatMap(({ entity }): Report[] => {
            const conditions = bounds.filter(({ part }) => part.entity === entity).map(({ form }) => form.when ?? {});
            if (conditions.length === 0 || holdsAll(entity, conditions, askedOf(need))) return [];
            const held = conditions.map((when) => conditionText(when)).join(', or ');
            const [only, ...others] = conditions;
            return [
              {
                path: `served.${name}`,
                message: `${place.name} holds only the ${entity.name} with ${held}`,
                ...(others.length === 0 && {
                  remedy: `Say in the pattern what it reads, \`where: ${JSON.stringify(only)}\`, or serve it where all items are.`,
                }),
              },
            ];
          }),
        ),
      ),
  },
  {
    code: 'filter-on-key',
    level: 'error',
    ids: ['LP-22'],
    title: 'A filter on a key attribute',
    why: 'The service refuses a filter expression on the primary key of what is queried.',
    remedy: 'Make it part of the key condition.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) =>
        plan.streams.flatMap(({ place, bounds }) => {
          const keys = new Set([...place.partition, ...place.sort].map(({ attribute }) => attribute));
          const names = [...testedAttributes(plan.filter), ...(need.filters ?? [])];
          return names
            .filter((attribute) => keys.has(bounds[0]?.part.entity.attributes.get(attribute)?.stored ?? attribute))
            .map((attribute) => ({ path: `served.${name}`, message: `${attribute} is a key of ${place.name}` }));
        }),
      ),
  },
  {
    code: 'scan',
    level: 'warning',
    ids: ['LP-12', 'LB-10', 'S-01'],
    title: 'A pattern served by a scan',
    why: 'A scan reads everything there is, and takes longer with every item. It is right for exports and repairs, and for a sparse index that stays small.',
    remedy: 'Serve it by a query, or scan an index that only the items meant are in.',
    look: ({ patterns }) =>
      [...patterns.values()].flatMap(({ name, plan }): Report[] => {
        if (plan?.kind !== 'scan') return [];
        const forms = plan.part.entity.indexes.find(({ place }) => place === plan.place)?.forms ?? [];
        const sparse =
          plan.place.kind === 'global' && forms.length > 0 && forms.every(({ when }) => when !== undefined);
        return sparse ? [] : [{ path: `served.${name}`, message: `reads all of ${plan.place.name}` }];
      }),
  },
  {
    code: 'consistent-on-global-index',
    level: 'error',
    ids: ['LP-14'],
    title: 'A consistent read of a global index',
    why: 'A global index follows its table after a moment; the service refuses a consistent read of it.',
    remedy: 'Read the table, or a local index, or do without.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) =>
        need.consistent === true && plan.streams.some(({ place }) => place.kind === 'global')
          ? [
              {
                path: `patterns.${name}`,
                message: `is consistent and served by ${plan.streams.map(({ place }) => place.name).join(', ')}`,
              },
            ]
          : [],
      ),
  },
  {
    code: 'consistent-read',
    level: 'hint',
    ids: ['LP-14'],
    title: 'A consistent read',
    why: 'It costs twice as much, and an application that reads what it has just written can usually go on with what the write returned.',
    remedy: "Leave `consistent` away, and let the write return the item: `returns: 'new'`.",
    look: ({ patterns }) =>
      [...patterns.values()].flatMap(({ name, need, plan }) =>
        need.consistent === true && plan !== undefined
          ? [{ path: `patterns.${name}`, message: 'reads consistently' }]
          : [],
      ),
  },
  {
    code: 'no-limit',
    level: 'warning',
    ids: ['LB-9'],
    title: 'A read without an end',
    why: 'A page has at most 1 MB. Without a limit, and without a statement of how many items there can be, one call reads as far as the collection has grown.',
    remedy: 'Give the pattern a `limit`, or say how many there are at most: `volume: { typical: 5, most: 50 }`.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) =>
        plan.parts.some(({ many }) => many) && need.limit === undefined && need.volume?.most === undefined
          ? [{ path: `patterns.${name}`, message: 'reads any number of items' }]
          : [],
      ),
  },
  {
    code: 'serial-requests',
    level: 'warning',
    ids: ['S-09', 'S-37'],
    title: 'Several requests, one after the other',
    why: 'Each waits for the one before, so that latencies add up. Data that is read together should lie together.',
    remedy:
      "Keep what the second request needs in the item of the first. Where that is not worth it, say so: `strategy: 'S-37'`.",
    look: ({ patterns }) =>
      [...patterns.values()].flatMap(({ name, need, plan }): Report[] => {
        const known = ['S-37', 'S-16', 'S-17'].includes(need.strategy ?? '');
        if (plan?.kind !== 'write' || plan.operations.length < 2 || known) return [];
        return [{ path: `served.${name}`, message: `takes ${plan.operations.join(', then ')}` }];
      }),
  },
];

/** Everything that a pattern reads meets one of the conditions, or its values are all among theirs. */
function holdsAll(
  entity: EntityInfo,
  conditions: readonly Condition[],
  asked: Readonly<Record<string, unknown>>,
): boolean {
  const said = (when: Condition): [string, unknown][] =>
    Object.entries(when).filter(([attribute, test]) => !implies(asked[attribute], test));
  const open = conditions.map(said);
  if (open.some((tests) => tests.length === 0)) return true;
  const [attribute, ...others] = new Set(open.flatMap((tests) => tests.map(([name]) => name)));
  if (attribute === undefined || others.length > 0) return false;
  const tests = open.flatMap((each) => each.map(([, test]) => test));
  if ([true, false].every((exists) => tests.some((test) => implies({ exists }, test)))) return true;
  const schema = entity.attributes.get(attribute)?.schema;
  const values =
    choicesOf(schema).length > 0 ? choicesOf(schema) : [true, false].filter((value) => takes(schema, value));
  return values.length > 0 && values.every((value) => tests.some((test) => implies(value, test)));
}

/** Tests that all results of a pattern meet: its constants, and that what is an input is there. */
function askedOf(need: Need): Record<string, unknown> {
  const there = [...boundAttributes(need), ...(need.range === undefined ? [] : [need.range])];
  return { ...Object.fromEntries(there.map((name) => [name, { exists: true }])), ...need.where };
}

function takes(schema: StandardSchema | undefined, value: unknown): boolean {
  const result = schema?.['~standard'].validate(value);
  return result !== undefined && !(result instanceof Promise) && result.issues === undefined;
}

function conditionText(condition: Condition): string {
  return Object.entries(condition)
    .map(([name, test]) => `${name} ${JSON.stringify(test)}`)
    .join(' and ');
}

function servedBy({ place, partition, bounds }: QueryStream, attribute: string): boolean {
  if (variablesOf(partition).some(({ name }) => name === attribute)) return true;
  return bounds.some(({ equal, partial, form }) => {
    const known = [...variablesOf(equal), ...(partial?.bound.variables ?? [])];
    const sparse = testedAttributes(form.when);
    return (
      known.some(({ name }) => name === attribute) ||
      sparse.includes(attribute) ||
      partial?.next.name === attribute ||
      place.sort.length === 0
    );
  });
}

function orderReports({ name, need, plan }: ReturnType<typeof queriesOf>[number]): Report[] {
  const [attribute, direction] = need.order?.split(' ') ?? [];
  if (attribute === undefined) return [];
  const path = `served.${name}`;
  return plan.streams.flatMap(({ bounds, place }) =>
    bounds
      .filter(({ part }) => part.many && part.entity.attributes.has(attribute))
      .flatMap(({ part, form, equal, partial }): Report[] => {
        if (partial === undefined) {
          // All of the sort key is known, or there is none: one item of a table, any number of entries of an index.
          const constant = [...form.partition, ...equal].some(({ template }) =>
            template.variables.some(({ name: variable }) => variable === attribute),
          );
          return place.kind === 'table' || constant
            ? []
            : [{ path, message: `what is read of ${place.name} has one sort key, or none, and lies in no order` }];
        }
        if (partial.next.name !== attribute) {
          return [
            {
              path,
              message: `${part.entity.name} lies in ${place.name} in the order of ${partial.next.name}, not of ${attribute}`,
            },
          ];
        }
        const reversed = partial.next.encoders.some((encoder) => encoder.reversed === true);
        const backwards = (direction === 'desc') !== reversed;
        return backwards === plan.descending
          ? []
          : [
              {
                path,
                message: `${attribute} is written so that the largest comes first: ${direction ?? ''} order has to be read ${backwards ? 'descending' : 'ascending'}`,
              },
            ];
      }),
  );
}

function nextParts(streams: readonly QueryStream[]): string {
  const names = streams.flatMap(({ bounds }) =>
    bounds.map(({ part, partial }) => `${part.entity.name} goes on with ${partial?.next.name ?? 'nothing'}`),
  );
  return [...new Set(names)].join(', ');
}

/** What else lies between the first and the last sort key that is read. */
function swallowed(model: ResolvedModel, { place, partition, bounds }: QueryStream): Resident[] {
  const wanted = new Set(bounds.map(({ form }) => form));
  return residentsOf(model, place).filter(
    (other) =>
      !wanted.has(other.form) &&
      slotsCanBeEqual(partition, other.partition, other.entity.table.separator) &&
      withinRange(bounds, other),
  );
}

function withinRange(bounds: readonly SortBound[], other: Resident): boolean {
  const [first] = bounds;
  const last = bounds.at(-1);
  const { separator } = other.entity.table;
  const [theirs] = other.sort;
  if (first === undefined || last === undefined || theirs === undefined) return true;
  if (first === last) {
    const mine = first.partial === undefined ? first.equal.at(-1)?.template : first.partial.bound;
    if (mine === undefined) return true;
    if (first.equal.length > 1 || (first.equal.length === 1 && first.partial !== undefined)) {
      return slotsCanBeEqual(first.equal, other.sort, separator);
    }
    return canBeginWith(theirs.template, mine, separator, first.partial !== undefined);
  }
  const low = literalPrefix(first.form.sort);
  const high = literalPrefix(last.form.sort);
  const prefix = literalPrefix(other.sort);
  const [beforeEnd, end] = [after(high), after(prefix)];
  return (beforeEnd === undefined || prefix < beforeEnd) && (end === undefined || end > low);
}

function sortSource({ sort }: Resident): string {
  return sort.map(({ template }) => template.source).join(' / ');
}

function filteredNames(filter: PatternInfo['need']['where'], filters: readonly string[] | undefined): string {
  return [...new Set([...testedAttributes(filter), ...(filters ?? [])])].join(', ');
}
