import { readUnitBytes, writeUnitBytes } from '../../cost/capacity-units.ts';
import { itemBytes } from '../../cost/item-size.ts';
import { childOf } from '../../entities/relationship.ts';
import { prices } from '../../cost/prices.ts';
import { casesOf } from '../../proof/cases.ts';
import { propertiesOf, unprovenOf, type Unproven } from '../../proof/read-proof.ts';
import { constantsOf, isReference } from '../../patterns/condition.ts';
import type { Condition } from '../../patterns/value.ts';
import { keyVariables } from '../../resolve/entities.ts';
import { boundAttributes } from '../../resolve/reads.ts';
import { settledBy } from '../../resolve/residual.ts';
import type {
  PatternInfo,
  PlaceInfo,
  Plan,
  QueryStream,
  ReadPart,
  Residual,
  ResolvedModel,
  SortBound,
} from '../../resolve/resolved.ts';
import { sourceOf } from '../../resolve/slots.ts';
import { counted, listed } from '../counted.ts';
import type { Report } from '../finding.ts';
import { filteredBy } from '../operation.ts';
import { othersWithin } from '../others-within.ts';
import { queriesOf, type Resident } from '../residents.ts';
import type { Rule } from '../rule.ts';
import { smallestFix } from '../smallest-fix.ts';

const declarationRemedies: Readonly<Record<string, string>> = {
  'key-length':
    "Write one template for each key attribute. A local index has the partition key of its table, so that only its sort key is written: `ByPrice: ['{price}']`.",
  'key-type': 'Write the variable alone, `{price}`, or let the key attribute be text.',
};

/** A count has no pages, and so no limit. A relationship counts all children of a parent, and so not what is read by more. */
function countRemedy({ model, entities }: ResolvedModel, { need, plan }: QueryPattern): string {
  const declare = 'Declare the maximum, `volume: { typical: 50, most: 500 }`';
  const inputs = boundAttributes(need);
  const [child, ...others] = plan.parts.map(({ entity }) => entity.name);
  if (need.where !== undefined || need.range !== undefined || others.length > 0) return `${declare}.`;
  const counting = model.relationships.filter((relationship) => {
    const [name, , , rules] = relationship;
    const parent = entities.get(name);
    const names = (parent === undefined ? [] : keyVariables(parent)).map((each) => rules?.by?.[each] ?? each);
    return childOf(relationship) === child && names.length === inputs.size && names.every((each) => inputs.has(each));
  });
  const [relationship] = counting;
  if (relationship === undefined) return `${declare}.`;
  const [parent, , , rules] = counting.find((each) => each[3]?.count !== undefined) ?? relationship;
  return rules?.count === undefined
    ? `${declare}, or let the relationship of ${parent} and ${child} count, \`{ count: '…' }\`.`
    : `${declare}, or read ${rules.count} of ${parent}, where the relationship counts them.`;
}

type QueryPattern = ReturnType<typeof queriesOf>[number];

/** Partition keys with several variables that a query would have to try the values of. */
function spreadTwice({ name, need, plan }: QueryPattern): Report[] {
  const bound = boundAttributes(need);
  const tried = [plan.shards?.variable, plan.walk?.variable].filter((variable) => variable !== undefined);
  const others = plan.streams
    .flatMap(({ partition }) => partition.flatMap(({ template }) => template.variables))
    .filter((each) => !bound.has(each.name))
    .filter((each) => !tried.some((other) => other.name === each.name && other.encoding === each.encoding));
  const [other] = others;
  const [first] = tried;
  if (other === undefined || first === undefined) return [];
  const textOf = ({ name: variable, encoding }: typeof other): string => `{${variable}:${encoding}}`;
  return [
    {
      path: `served.${name}`,
      message: `the partition key has ${textOf(other)} as well as ${textOf(first)}, and a query tries the values of one`,
      remedy: `Leave ${textOf(other)} out of the partition key, or take ${other.name} as an input.`,
    },
  ];
}

/** Rules about how a pattern is served: whether it is the declared operation, and reads what it returns. */
export const servingRules: readonly Rule[] = [
  {
    code: 'not-served',
    level: 'error',
    ids: ['LP-01', 'S-06', 'LB-11', 'LB-16', 'S-12'],
    title: 'A pattern without an operation by key',
    why: 'DynamoDB serves reads by key only: the inputs of the pattern must include every variable of the key, and the index must contain everything that is read.',
    remedy: 'Add the key or the index that the message suggests.',
    look: (model) => [
      ...[...model.patterns.values()].flatMap((pattern) =>
        pattern.problems
          .filter(({ code }) => code !== 'key-changes')
          .map((problem): Report => {
            const remedy = smallestFix(model, pattern, problem);
            return { path: problem.path, message: problem.message, ...(remedy !== undefined && { remedy }) };
          }),
      ),
      ...queriesOf(model).flatMap(spreadTwice),
    ],
  },
  {
    code: 'bad-declaration',
    level: 'error',
    ids: ['LB-11', 'S-04'],
    title: 'A declaration without meaning',
    why: 'A key names an attribute, an index or an entity that does not exist, or has the wrong number of templates. Whatever depends on it cannot be checked.',
    remedy: 'Correct the name, or declare what is missing.',
    look: ({ problems, patterns }) => {
      const ofPatterns = new Set([...patterns.values()].flatMap((pattern) => pattern.problems));
      return problems
        .filter((problem) => !ofPatterns.has(problem))
        .map(({ code, path, message }) => {
          const remedy = declarationRemedies[code];
          return { path, message, ...(remedy !== undefined && { remedy }) };
        });
    },
  },
  {
    code: 'input-not-used',
    level: 'error',
    ids: ['S-42', 'S-06'],
    title: 'An input that does not narrow the read',
    why: 'The pattern names an attribute that comes after an unknown part of the key, or is not in the key. The request would ignore it and return items with other values. Put an enumeration before attributes with more values.',
    remedy:
      'Move the attribute forward in the sort key, before the parts that the pattern does not know, or filter by it.',
    proof: true,
    look: (model) => unproven(model, 'input-not-used'),
  },
  {
    code: 'order-not-served',
    level: 'error',
    ids: ['S-48', 'LP-20'],
    title: 'An order that the key does not have',
    why: 'A query returns items only in the order of the sort key. If the key sorts by something else, "the newest ten" are ten items that happen to be at its end.',
    remedy:
      'Put the attribute of the order into the sort key directly after the parts that the pattern knows, in a form that sorts.',
    proof: true,
    look: (model) => unproven(model, 'order-not-served'),
  },
  {
    code: 'range-not-served',
    level: 'error',
    ids: ['LP-21'],
    title: 'A range over something that is not next in the key',
    why: 'A key condition is an equality on the partition key and one range of the sort key: `=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `begins_with`, and nothing else. Only the first unknown part of the sort key can have an interval.',
    remedy: 'Put the attribute of the range into the sort key directly after the parts that the pattern knows.',
    proof: true,
    look: (model) => unproven(model, 'range-not-served'),
  },
  {
    code: 'reads-neighbours',
    level: 'error',
    ids: ['S-29', 'S-53'],
    title: 'A range with items of another entity in it',
    why: 'The range that the pattern reads also contains items of entities that the pattern does not read. They cannot be returned: the call fails as soon as there is one, and a count includes them. An index also contains items that declare no key there, if they have all of its key attributes: those of the table, or attributes of the application.',
    remedy: 'Choose prefixes that put the entities of one read next to each other, with no other entity between them.',
    isRefused: true,
    look: (model) =>
      queriesOf(model).flatMap(({ name, plan }) =>
        plan.streams.flatMap((stream) =>
          othersWithin(model, stream).map((other) => ({
            path: `served.${name}`,
            ...withinRead(other, stream.place),
          })),
        ),
      ),
  },
  {
    code: 'parent-at-wrong-end',
    level: 'error',
    ids: ['S-53', 'LP-20'],
    title: 'The parent is at the wrong end',
    why: 'A page with a limit begins at one end of the collection. A parent at the other end is on the last page, not the first.',
    remedy:
      'Choose a prefix that sorts the parent before its children if they are read in ascending order, and after them if descending.',
    proof: true,
    look: (model) => unproven(model, 'parent-at-wrong-end'),
  },
  {
    code: 'several-items',
    level: 'error',
    ids: ['LP-12'],
    title: 'A read of one item that may find several',
    why: 'The inputs contain neither the primary key nor a unique attribute, so several items may have the same values: the read returns one of them, or fails as soon as there are two. The one item of a collection needs one of them, too.',
    remedy:
      'Read them all, or declare what is unique. An id that is generated, and never given twice, needs no guard: declare it as `generated`.',
    proof: true,
    look: (model) => unproven(model, 'several-items'),
  },
  {
    code: 'walk-not-bounded',
    level: 'error',
    ids: ['S-17'],
    title: 'A walk that may miss items',
    why: 'A walk reads one partition per unit of time, from a start to an end. It never finds items before the start or after the end, so the pattern must declare that it does not need them.',
    remedy: "Declare the time range of the results: `window: { of: 'createdAt', from: '2020-01-01', to: 'now' }`.",
    proof: true,
    look: (model) => unproven(model, 'walk-not-bounded'),
  },
  {
    code: 'filter-with-limit',
    level: 'error',
    ids: ['LP-13'],
    title: 'A filter after a limit',
    why: 'The limit counts items as they are read, and the filter removes some afterwards: a page of ten may have three items or none, with more on later pages.',
    remedy:
      'Serve the condition by the key or a sparse index. Or declare `readAhead`, the number of items to read per request: the page is then filled with as many requests as needed.',
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
    why: 'A filter is applied after items have been read and paid for. If it decides which items the pattern returns, most of the reads are wasted, and increasingly so as the table grows.',
    remedy:
      'Put the attribute into the sort key, or add an index that contains only these items: `{ when: {...}, key: [...] }`.',
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
    title: 'An index that lacks some of the items',
    why: 'A sparse index contains only the items that meet its condition. A pattern without that condition treats them as all items: an order that has left the index is missing from its list.',
    remedy:
      "Add the condition to the pattern, `where: { status: 'OPEN' }`, or serve it from a table or index that contains all items.",
    proof: true,
    look: (model) => unproven(model, 'part-of-items'),
  },
  {
    code: 'filter-on-key',
    level: 'error',
    ids: ['LP-22'],
    title: 'A filter on a key attribute',
    why: 'The service refuses a filter expression on the primary key of the queried table or index.',
    remedy:
      "Let the caller pass the attribute as an input of the key condition, by `range: 'price'` or in `by`. Or give the table or index a key attribute of its own, such as `priceKey:N` with the template `{price}`: a filter may then name the attribute.",
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) =>
        plan.streams.flatMap(({ place, bounds }) => {
          const keys = new Map([...place.partition, ...place.sort].map(({ attribute, type }) => [attribute, type]));
          const names = [...plan.streams.flatMap(({ residuals }) => filteredBy(residuals)), ...(need.filters ?? [])];
          return names
            .filter((attribute) => keys.has(bounds[0]?.part.entity.attributes.get(attribute)?.stored ?? attribute))
            .map((attribute) => ({
              path: `served.${name}`,
              message: `${attribute} is a key of ${place.name}`,
              remedy: ownKeyRemedy(place, attribute, keys.get(attribute)),
            }));
        }),
      ),
  },
  {
    code: 'scan',
    level: 'warning',
    ids: ['LP-12', 'LB-10', 'S-01'],
    title: 'A pattern served by a scan',
    why: 'A scan reads everything, and takes longer as the table grows. It suits exports and repairs, and sparse indexes that stay small.',
    remedy: 'Serve it by a query, or scan an index that contains only the items of interest.',
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
    title: 'A count that would be cheaper to store',
    why: 'Counting reads every counted item, every time. A relationship can store the number on the parent instead: each creation or deletion of a child then also writes the parent, in one transaction, and the count is one read of the parent.',
    remedy: "Let the relationship count, `['Customer', '1:N', 'Order', { count: 'orderCount' }]`, and read the parent.",
    look: (model) =>
      queriesOf(model).flatMap((pattern): Report[] => {
        const costs = countCosts(model, pattern);
        if (costs === undefined || costs.kept >= costs.read) return [];
        return [
          {
            path: `patterns.${pattern.name}`,
            message: `counting takes the price of ${counted(Math.round(costs.read), 'read unit')} per second, and a count that ${costs.parent} keeps that of ${Math.round(costs.kept)}`,
          },
        ];
      }),
  },
  {
    code: 'consistent-on-global-index',
    level: 'error',
    ids: ['LP-14'],
    title: 'A consistent read of a global index',
    why: 'A global index is updated shortly after its table; the service refuses consistent reads of it.',
    remedy: 'Read the table or a local index, or read eventually consistently.',
    look: (model) =>
      [...model.patterns.values()].flatMap(({ name, need, plan }) => {
        const places = placesRead(plan);
        return need.consistent === true && places.some(({ kind }) => kind === 'global')
          ? [
              {
                path: `patterns.${name}`,
                message: `is consistent and served by ${places.map((place) => place.name).join(', ')}`,
              },
            ]
          : [];
      }),
  },
  {
    code: 'consistent-read',
    level: 'hint',
    ids: ['LP-14'],
    title: 'A consistent read',
    why: 'A consistent read costs twice as much. An application that reads what it has just written can usually use the result of the write instead.',
    remedy: "Remove `consistent`, and let the write return the item: `returns: 'new'`.",
    look: ({ patterns }) =>
      [...patterns.values()].flatMap(({ name, need, plan }) =>
        need.consistent === true && plan !== undefined && !readsLocalIndex(plan)
          ? [{ path: `patterns.${name}`, message: 'reads consistently' }]
          : [],
      ),
  },
  {
    code: 'no-limit',
    level: 'warning',
    ids: ['LB-9'],
    title: 'A read without a bound',
    why: 'A page has at most 1 MB. Without a limit or a declared maximum number of items, one call reads the whole collection, however large it has grown.',
    remedy: 'Give the pattern a `limit`, or declare the maximum: `volume: { typical: 5, most: 50 }`.',
    look: (model) =>
      queriesOf(model).flatMap((query) =>
        query.plan.parts.some(({ many }) => many) &&
        query.need.limit === undefined &&
        query.need.volume?.most === undefined
          ? [
              {
                path: `patterns.${query.name}`,
                message: `${query.need.count === true ? 'counts' : 'reads'} any number of items`,
                ...(query.need.count === true && { remedy: countRemedy(model, query) }),
              },
            ]
          : [],
      ),
  },
  {
    code: 'serial-requests',
    level: 'warning',
    ids: ['S-09', 'S-37'],
    title: 'Several requests, one after the other',
    why: 'Each request waits for the previous one, so latencies add up. An update reads first if an index key depends on attributes that are neither inputs nor constants.',
    remedy:
      "If the caller knows the attributes, name them in `by`: they become a condition, and no read is needed. Otherwise declare it: `strategy: 'S-37'`.",
    look: (model) =>
      [...model.patterns.values()].flatMap(({ name, need, plan }): Report[] => {
        const known = ['S-37', 'S-16', 'S-17'].includes(need.strategy ?? '');
        if (plan?.kind !== 'write' || plan.operations.length < 2 || known) return [];
        return plan.writes.flatMap(({ unknown, moves, whole, entity, verb, need: write }): Report[] => {
          // Guards, counters and the returned item depend on the stored item, so it has to be read first.
          if (moves || whole || unknown.length === 0 || verb !== 'updates') return [];
          const omittable = unknown.filter((each) => write.maySet?.includes(each));
          return [
            {
              path: `served.${name}`,
              message: `takes ${plan.operations.join(', then ')}, to know ${listed(unknown)} of ${entity.name}`,
              ...(omittable.length > 0 && {
                remedy: omittedRemedy(
                  omittable,
                  unknown.filter((each) => !omittable.includes(each)),
                ),
              }),
            },
          ];
        });
      }),
  },
];

/** What a call may leave out keeps its stored value, which the key needs; and `by` cannot name what is set. */
function omittedRemedy(omittable: readonly string[], others: readonly string[]): string {
  const known = others.length === 0 ? '' : ` If the caller knows ${listed(others)}, name it in \`by\`.`;
  return `Let every call give ${listed(omittable)}: \`sets\` in place of \`maySet\`.${known} Otherwise declare it: \`strategy: 'S-37'\`.`;
}

/** A filter may name an attribute that is written into a key attribute of another name. */
function ownKeyRemedy({ name }: PlaceInfo, attribute: string, type = 'S'): string {
  const key = `${attribute}Key${type === 'S' ? '' : `:${type}`}`;
  return `Let the caller pass the attribute as an input of the key condition, by \`range: '${attribute}'\` or in \`by\`. Or let ${name} have the key attribute '${key}' in its place, with the template '{${attribute}}': a filter may then name ${attribute}.`;
}

/** The table or indexes that a query or a scan reads. */
function placesRead(plan: Plan | undefined): readonly PlaceInfo[] {
  if (plan?.kind === 'scan') return [plan.place];
  return plan?.kind === 'query' ? plan.streams.map(({ place }) => place) : [];
}

/** Forms of a key may each have the same fault: the first ones suffice. */
const reportsMax = 3;

/** What one rule reports about an unproven pattern. */
function unproven({ patterns }: ResolvedModel, code: Unproven['code']): Report[] {
  return [...patterns.values()].flatMap((pattern) =>
    unprovenOf(pattern)
      .filter((each) => each.code === code)
      .slice(0, reportsMax)
      .map(({ message, remedy, isRefused = false }) => ({
        path: `served.${pattern.name}`,
        message,
        isRefused,
        ...(remedy !== undefined && { remedy }),
      })),
  );
}

function withinRead(other: Resident, { name, kind }: PlaceInfo): Pick<Report, 'message' | 'remedy'> {
  if (!other.implied)
    return { message: `${other.name} (${sortSource(other)}) is within the range of ${name} that is read` };
  const own = kind === 'local' ? 'LSI1SK' : `${name}PK`;
  return {
    message: `${other.name} has all key attributes of ${name}, although it declares no key there, and may be within the range that is read`,
    remedy: `Give ${name} a key attribute of its own, such as \`${own}\`, which only the items have that belong there.`,
  };
}

/** A consistent read is what a local index is for. */
function readsLocalIndex(plan: Plan): boolean {
  return plan.kind === 'query' && plan.streams.some(({ place }) => place.kind === 'local');
}

function sortSource({ sort }: Resident): string {
  return sourceOf(sort);
}

function filteredNames(
  { streams }: ReturnType<typeof queriesOf>[number]['plan'],
  filters: readonly string[] | undefined,
): string {
  const residuals = streams.flatMap((stream) => stream.residuals.map((each) => selecting(stream, each)));
  return [...new Set([...filteredBy(residuals), ...(filters ?? [])])].join(', ');
}

/** Without the tests that every item meets. */
function selecting(stream: QueryStream, { part, tests }: Residual): Residual {
  const { attributes } = part.entity;
  const isAlways = (name: string): boolean => {
    const info = attributes.get(name);
    return info !== undefined && (!info.optional || info.fallback !== undefined);
  };
  const isMetByAll = (test: Condition): boolean =>
    Object.entries(test).every(
      ([name, each]) =>
        (JSON.stringify(each) === '{"exists":true}' && isAlways(name)) ||
        (isReference(each) && isFixedByEachForm(stream, part, name)),
    );
  return { part, tests: tests.filter((test) => !isMetByAll(test)) };
}

/** Whether the input chooses one form of the key, and that form has one value of the attribute, in its key or by its condition. */
function isFixedByEachForm({ bounds }: QueryStream, part: ReadPart, name: string): boolean {
  return casesOf(bounds).every(
    ({ forms }) =>
      !forms.some((form) => form.part === part) ||
      (forms.length === 1 && forms.every((form) => hasOneValue(form, name))),
  );
}

function hasOneValue({ part: { entity }, picks, partition, equal, partial }: SortBound, name: string): boolean {
  if (name in constantsOf(picks)) return true;
  const known = [...partition, ...equal].map((slot) => ({ slot, end: slot.template.parts.length }));
  if (partial !== undefined) known.push({ slot: partial.slot, end: partial.bound.parts.length });
  return known.some(
    ({ slot, end }) =>
      settledBy([slot], entity, end).includes(name) &&
      slot.template.parts
        .slice(0, end)
        .some(
          (piece, at) =>
            typeof piece !== 'string' && piece.name === name && propertiesOf(entity, slot, at).exact === true,
        ),
  );
}

/**
 * The read units per second of counting, and those of keeping the number instead. Undefined if no parent has the counted items
 * as its children, or if the model does not state how often they are counted and how many there are.
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
    .filter((each) => childOf(each) === child.name)
    .flatMap(([name]) => entities.get(name) ?? [])
    .find((each) => keyVariables(each).join() === by.join());
  if (parent === undefined) return undefined;
  const bytes = itemBytes(child);
  const written = [...patterns.values()].reduce((sum, { need: write }) => {
    const target = [write.creates ?? write.deletes].flat()[0];
    const many = typeof (write.creates ?? write.deletes) === 'string' ? 1 : (write.volume?.typical ?? 1);
    return target === child.name ? sum + (write.rate ?? 0) * many : sum;
  }, 0);
  // The child's write becomes part of a transaction, which doubles its units, and the parent's write is added.
  const perWrite = Math.ceil(bytes / writeUnitBytes) + 2 * Math.ceil(itemBytes(parent) / writeUnitBytes);
  const writePrice = prices.millionWriteUnits / prices.millionReadUnits;
  return {
    read: rate * Math.max(1, Math.ceil((volume.typical * bytes) / readUnitBytes)) * 0.5,
    kept: rate * Math.ceil(itemBytes(parent) / readUnitBytes) * 0.5 + written * perWrite * writePrice,
    parent: parent.name,
  };
}
