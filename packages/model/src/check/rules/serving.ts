import { itemBytes } from '../../cost/item-size.ts';
import { prices } from '../../cost/prices.ts';
import { unprovenOf, type Unproven } from '../../proof/read-proof.ts';
import { keyVariables } from '../../resolve/entities.ts';
import type { PatternInfo, ResolvedModel } from '../../resolve/resolved.ts';
import type { Report } from '../finding.ts';
import { filteredBy } from '../operation.ts';
import { othersWithin } from '../others-within.ts';
import { queriesOf, type Resident } from '../residents.ts';
import type { Rule } from '../rule.ts';
import { smallestFix } from '../smallest-fix.ts';

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
    why: 'The pattern names an attribute that is in the key behind something unknown, or not at all. The request would ignore it and return items that have another value: an enumeration has to stand before what varies more.',
    remedy: 'Move the attribute forward in the sort key, before what the pattern does not know, or filter by it.',
    proof: true,
    look: (model) => unproven(model, 'input-not-used'),
  },
  {
    code: 'order-not-served',
    level: 'error',
    ids: ['S-48', 'LP-20'],
    title: 'An order that the key does not have',
    why: 'A query returns items in the order of the sort key and in no other. "The newest ten" of a key that sorts by something else are ten items that happen to lie at its end.',
    remedy:
      'Let the sort key continue with the attribute of the order right behind what the pattern knows, in a form that sorts.',
    proof: true,
    look: (model) => unproven(model, 'order-not-served'),
  },
  {
    code: 'range-not-served',
    level: 'error',
    ids: ['LP-21'],
    title: 'A range over something that is not next in the key',
    why: 'A key condition is an equality on the partition key and one range of the sort key: `=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `begins_with`, and nothing else. Only the first unknown part of the sort key can have an interval.',
    remedy: 'Let the sort key continue with the attribute of the range right behind what the pattern knows.',
    proof: true,
    look: (model) => unproven(model, 'range-not-served'),
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
          othersWithin(model, stream).map((other) => ({
            path: `served.${name}`,
            message: `${other.name} (${sortSource(other)}) is within the range of ${stream.place.name} that is read`,
          })),
        ),
      ),
  },
  {
    code: 'parent-at-wrong-end',
    level: 'error',
    ids: ['S-53', 'LP-20'],
    title: 'The one item is at the other end',
    why: 'A page with a limit begins at one end of the collection. A parent at the other end comes with the last page, not with the first.',
    remedy:
      'Choose the prefix so that the parent sorts before its children where they are read ascending, behind them where descending.',
    proof: true,
    look: (model) => unproven(model, 'parent-at-wrong-end'),
  },
  {
    code: 'several-items',
    level: 'error',
    ids: ['LP-12'],
    title: 'A read of one where there may be several',
    why: 'Neither the primary key nor a unique attribute is among the inputs, so that a second item may have the same values: the read finds one of them, or fails as soon as there are two.',
    remedy: 'Read them all, or declare what is unique.',
    proof: true,
    look: (model) => unproven(model, 'several-items'),
  },
  {
    code: 'walk-not-bounded',
    level: 'error',
    ids: ['S-17'],
    title: 'A walk that may pass over items',
    why: 'A walk reads one partition for each unit of time, from one time to another. Items before the first or behind the last are never found, unless the pattern says that it does not ask for them.',
    remedy: "Say within which times the results lie: `window: { of: 'createdAt', from: '2020-01-01', to: 'now' }`.",
    proof: true,
    look: (model) => unproven(model, 'walk-not-bounded'),
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
        const filtered = filteredNames(plan, need.filters);
        return filtered !== '' && need.limit !== undefined && plan.readAhead === undefined
          ? [
              {
                path: `served.${name}`,
                message: `a limit of ${need.limit} with a filter on ${filtered}`,
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
        filteredNames(plan, []) === ''
          ? []
          : [{ path: `served.${name}`, message: `${filteredNames(plan, [])} is filtered, not looked up` }],
      ),
  },
  {
    code: 'part-of-items',
    level: 'error',
    ids: ['S-43', 'P-13'],
    title: 'An index without some of what is read',
    why: 'A sparse index holds the items that meet its condition. A pattern that says nothing of the condition reads these as if they were all: the order that has left the index is missing from the list.',
    remedy: "Say in the pattern what it reads, `where: { status: 'OPEN' }`, or serve it where all items are.",
    proof: true,
    look: (model) => unproven(model, 'part-of-items'),
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
          const names = [...plan.streams.flatMap(({ residuals }) => filteredBy(residuals)), ...(need.filters ?? [])];
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
    code: 'dear-count',
    level: 'hint',
    ids: ['LP-24', 'S-66'],
    title: 'A count that would be cheaper if it were kept',
    why: 'A count reads every item that it counts, each time. A relationship can keep the number on the parent instead: it takes a write of the parent with each child that is made or deleted, in one transaction, and one read of the parent to know it.',
    remedy: "Let the relationship count, `['Customer', '1:N', 'Order', { count: 'orderCount' }]`, and read the parent.",
    look: (model) =>
      queriesOf(model).flatMap((pattern): Report[] => {
        const costs = countCosts(model, pattern);
        if (costs === undefined || costs.kept >= costs.read) return [];
        return [
          {
            path: `patterns.${pattern.name}`,
            message: `counting takes the price of ${Math.round(costs.read)} read units per second, and a count that ${costs.parent} keeps that of ${Math.round(costs.kept)}`,
          },
        ];
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
    why: 'It costs twice as much, and an application that reads what it has just written can usually continue with what the write returned.',
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
    why: 'Each waits for the one before, so that latencies add up. An update reads first where an index key depends on what neither its input nor its constants say.',
    remedy:
      "Name the attributes in `by`, where the caller knows them: they become a condition, and nothing is read. Where the caller does not, say so: `strategy: 'S-37'`.",
    look: (model) =>
      [...model.patterns.values()].flatMap(({ name, need, plan }): Report[] => {
        const known = ['S-37', 'S-16', 'S-17'].includes(need.strategy ?? '');
        if (plan?.kind !== 'write' || plan.operations.length < 2 || known) return [];
        return plan.writes.flatMap(({ unknown, moves, whole, entity, verb }): Report[] => {
          // Guards, counters and what is returned follow from the stored item: reading it first is the only way.
          if (moves || whole || unknown.length === 0 || verb !== 'updates') return [];
          return [
            {
              path: `served.${name}`,
              message: `takes ${plan.operations.join(', then ')}, to know ${unknown.join(' and ')} of ${entity.name}`,
            },
          ];
        });
      }),
  },
];

/** What one rule reports of what is not proven. */
function unproven({ patterns }: ResolvedModel, code: Unproven['code']): Report[] {
  return [...patterns.values()].flatMap((pattern) =>
    unprovenOf(pattern)
      .filter((each) => each.code === code)
      .map(({ message, remedy }) => ({
        path: `served.${pattern.name}`,
        message,
        ...(remedy !== undefined && { remedy }),
      })),
  );
}

function sortSource({ sort }: Resident): string {
  return sort.map(({ template }) => template.source).join(' / ');
}

function filteredNames(
  { streams }: ReturnType<typeof queriesOf>[number]['plan'],
  filters: readonly string[] | undefined,
): string {
  return [...new Set([...streams.flatMap(({ residuals }) => filteredBy(residuals)), ...(filters ?? [])])].join(', ');
}

/**
 * What counting takes and what keeping the number would take, both as read units per second: undefined where no parent has what is counted
 * as its children, or where it is not said how often it is counted and how many there are.
 */
function countCosts(
  { model, patterns, entities }: ResolvedModel,
  { need }: PatternInfo,
): { readonly read: number; readonly kept: number; readonly parent: string } | undefined {
  const { count, rate, volume, by = [], reads } = need;
  const child = Array.isArray(reads) ? entities.get(String(reads[0])) : undefined;
  if (count !== true || rate === undefined || volume === undefined || child === undefined) return undefined;
  if (need.where !== undefined || need.range !== undefined || need.filters !== undefined) return undefined;
  const parent = model.relationships
    .filter(([, , name]) => name === child.name)
    .flatMap(([name]) => entities.get(name) ?? [])
    .find((each) => keyVariables(each).join() === by.join());
  if (parent === undefined) return undefined;
  const bytes = itemBytes(child);
  const written = [...patterns.values()].reduce((sum, { need: write }) => {
    const target = [write.creates ?? write.deletes].flat()[0];
    const many = typeof (write.creates ?? write.deletes) === 'string' ? 1 : (write.volume?.typical ?? 1);
    return target === child.name ? sum + (write.rate ?? 0) * many : sum;
  }, 0);
  // The child's write becomes part of a transaction, which takes twice as much, and the parent's is added.
  const perWrite = Math.ceil(bytes / 1024) + 2 * Math.ceil(itemBytes(parent) / 1024);
  const writePrice = prices.millionWriteUnits / prices.millionReadUnits;
  return {
    read: rate * Math.max(1, Math.ceil((volume.typical * bytes) / 4096)) * 0.5,
    kept: rate * Math.ceil(itemBytes(parent) / 4096) * 0.5 + written * perWrite * writePrice,
    parent: parent.name,
  };
}
