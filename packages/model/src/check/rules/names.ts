import type { Computed, Duplicate, EntityRules } from '../../entities/entity.ts';
import { childOf } from '../../entities/relationship.ts';
import type { Cardinality, RelationshipRules } from '../../entities/relationship.ts';
import type { EntityStorage, TableLayout } from '../../keys/layout.ts';
import type { Need } from '../../patterns/need.ts';
import type { QueryServed, ScanServed } from '../../patterns/served.ts';
import { topLevel } from '../../patterns/condition.ts';
import type { Comparison, Condition, Guard } from '../../patterns/value.ts';
import { computedOf, slotsOf, talliesOf, variableNames } from '../../resolve/slots.ts';
import type { EntityInfo, KeyForm, ResolvedModel } from '../../resolve/resolved.ts';
import { element, schemaAt, type SchemaStep } from '../../run/nested-schema.ts';
import type { StandardSchema } from '../../schema/standard-schema.ts';
import { noResult, validated, yielded } from '../../schema/validated.ts';
import type { Report } from '../finding.ts';
import { entitiesOfNeed, partsOfNeed } from '../needs.ts';
import { isRequired, mayLack } from '../presence.ts';
import type { Rule } from '../rule.ts';
import { isEmptySet } from '../size-change.ts';
import { attributeWithin, withinDocuments } from '../within-documents.ts';
import { type Domain, domainOf } from '../../keys/domain.ts';

/**
 * Rules about names and values. The compiler detects most of them, but not all: to it, names in conditions and changes are paths, an
 * attribute may belong to another entity, and a misspelt field is an additional field.
 */
export const nameRules: readonly Rule[] = [
  {
    code: 'unknown-name',
    level: 'error',
    ids: ['LB-11', 'LB-16', 'S-06'],
    title: 'A name without a meaning, or with two',
    why: 'A pattern, a rule or a condition names an attribute that its entities do not have, or a field that the model does not know. A condition on an attribute that never exists is never met, and a misspelt field has no effect. A call has one input of a name: as a value and an interval, it would be read as one of them.',
    remedy:
      'Correct the name, or declare the attribute. Of two inputs with one name, leave one out, or rename it by `aka` or in `takes`.',
    look: (model) => [
      ...entityReports(model),
      ...relationshipReports(model),
      ...patternReports(model),
      ...tableReports(model),
      ...keyReports(model),
      ...servedReports(model),
    ],
  },
  {
    code: 'impossible-value',
    level: 'error',
    ids: ['LP-24', 'S-12'],
    title: 'A value that the schema refuses',
    why: 'A pattern writes or searches for a value that no item may have, such as CLOSED where the schema allows only OPEN and SHIPPED. A write stores the invalid value, a search never finds it, and adding a number to text is refused.',
    remedy: 'Use a value that the schema accepts, or extend the schema.',
    look: (model) => [
      ...[...model.patterns.values()].flatMap(({ name, need }) =>
        partsOfNeed(name, need).flatMap(({ path, part }) => {
          const entities = entitiesOfNeed(model, part);
          return [
            ...refusedIn(entities, part.where, `${path}.where`),
            ...refusedIn(entities, part.given, `${path}.given`),
            ...refusedIn(entities, part.changes as Condition | undefined, `${path}.changes`),
            ...addedToText(entities, part.changes ?? {}, `${path}.changes`),
            ...removedThoughNeeded(entities, part.changes ?? {}, `${path}.changes`),
          ];
        }),
      ),
      ...conditionsOfKeys(model).flatMap(({ entity, when, path }) => refusedIn([entity], when, path)),
      ...countersInText(model),
      ...parentsOfOtherTypes(model),
      ...computedOfNothing(model),
    ],
  },
];

/** Fields by type. The compiler makes sure that none is missing here. */
type Fields<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>;

const needFields: Fields<Need> = {
  id: true,
  note: true,
  actor: true,
  reads: true,
  each: true,
  aka: true,
  among: true,
  count: true,
  range: true,
  window: true,
  unproven: true,
  where: true,
  filters: true,
  order: true,
  limit: true,
  attributes: true,
  consistent: true,
  transacts: true,
  rate: true,
  volume: true,
  accepts: true,
  strategy: true,
  creates: true,
  puts: true,
  upserts: true,
  updates: true,
  deletes: true,
  checks: true,
  by: true,
  sets: true,
  maySet: true,
  changes: true,
  rekeys: true,
  given: true,
  takes: true,
  orCreates: true,
  mustExist: true,
  returns: true,
  expired: true,
};
const ruleFields: Fields<EntityRules> = {
  lock: true,
  expires: true,
  unique: true,
  generated: true,
  sequence: true,
  expects: true,
  examples: true,
  copies: true,
  same: true,
  computed: true,
  duplicates: true,
};
const expectsFields: Fields<NonNullable<EntityRules['expects']>> = { items: true, bytes: true };
const computedFields: Fields<Computed> = { from: true, as: true };
const duplicateFields: Fields<Duplicate> = { from: true, rule: true, found: true, version: true };
const volumeFields: Fields<NonNullable<Need['volume']>> = { typical: true, most: true };
const windowFields: Fields<NonNullable<Need['window']>> = { of: true, from: true, to: true };
const walkFields: Fields<NonNullable<QueryServed['walk']>> = { unit: true, most: true };
const relationshipFields: Fields<RelationshipRules> = {
  required: true,
  count: true,
  sum: true,
  by: true,
  through: true,
};
const cardinalities: Readonly<Record<Cardinality, true>> = { '1:1': true, '1:N': true, 'N:M': true };
const tableFields: Fields<TableLayout> = {
  key: true,
  indexes: true,
  type: true,
  separator: true,
  tenant: true,
  accepts: true,
  stream: true,
};
const indexFields: Readonly<Record<string, true>> = { partition: true, sort: true, local: true, project: true };
const storageFields: Fields<EntityStorage> = { stored: true, accepts: true, type: true, unique: true };
const servedFields: Fields<QueryServed | ScanServed> = {
  query: true,
  fanOut: true,
  walk: true,
  readAhead: true,
  scan: true,
  because: true,
};
const comparisons: Fields<Comparison> = {
  exists: true,
  equals: true,
  not: true,
  atLeast: true,
  atMost: true,
  above: true,
  below: true,
  begins: true,
  contains: true,
  lacks: true,
  size: true,
};

function unknownFields(value: object, fields: Readonly<Record<string, true>>, path: string): Report[] {
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => ({
      path: `${path}.${name}`,
      message: `there is no "${name}" here${suggestion(name, Object.keys(fields))}`,
    }));
}

function unknownAttributes(
  entities: readonly EntityInfo[],
  names: readonly string[],
  path: string,
  others: ReadonlySet<string> = new Set(),
): Report[] {
  if (entities.length === 0) return [];
  const known = entities.flatMap(({ attributes }) => [...attributes.keys()]);
  return names
    .filter((name) => !known.includes(name) && !others.has(name))
    .map((name) => ({
      path,
      message: `${entities.map((each) => each.name).join(' and ')} ${entities.length > 1 ? 'have' : 'has'} no attribute "${name}"${suggestion(name, known)}`,
    }));
}

/** As `unknownAttributes`, for what a key has to have: a name that is only inside a document is said so. */
function unknownInputAttributes(...[entities, names, path, others]: Parameters<typeof unknownAttributes>): Report[] {
  return names.flatMap((name) =>
    unknownAttributes(entities, [name], path, others).map((report) => {
      const inside = withinDocuments(entities, name);
      if (inside === undefined) return report;
      const own = inside.replace(/^.*\./, '');
      const other = inside.includes('[]')
        ? `or store each element of ${inside.replace(/\[\].*$/, '')} as an item`
        : `or filter by it, \`where: { '${inside}': … }\``;
      return {
        ...report,
        message: `${entities.map((each) => each.name).join(' and ')} ${entities.length > 1 ? 'have' : 'has'} no attribute "${name}": ${inside} is inside a document, and no key can have it`,
        remedy: `Store ${own} as an attribute of its own as well, ${other}.`,
      };
    }),
  );
}

function entityReports({ entities }: ResolvedModel): Report[] {
  return [...entities.values()].flatMap((entity): Report[] => {
    const path = `entities.${entity.name}`;
    const { lock, generated = [], sequence = {}, duplicates = {}, examples = {} } = entity.rules;
    const hasCopy = (form: KeyForm): boolean => variableNames(slotsOf(form)).includes('copy');
    const copied = hasCopy(entity.key);
    const { copies } = entity.rules;
    const indexes = copies === undefined ? entity.indexes : [];
    return [
      ...unknownFields(entity.rules, ruleFields, path),
      ...unknownFields(entity.rules.expects ?? {}, expectsFields, `${path}.expects`),
      ...computedOf(entity.rules).flatMap(([name, computed]) =>
        unknownFields(computed, computedFields, `${path}.computed.${name}`),
      ),
      ...Object.entries(duplicates).flatMap(([name, duplicate]) =>
        unknownFields(duplicate ?? {}, duplicateFields, `${path}.duplicates.${name}`),
      ),
      ...unknownAttributes([entity], lock === undefined ? [] : [lock], `${path}.lock`),
      ...unknownAttributes([entity], generated, `${path}.generated`),
      ...unknownAttributes([entity], Object.keys(sequence), `${path}.sequence`),
      ...computedOf(entity.rules).flatMap(([name, { from }]) =>
        unknownAttributes([entity], [name, ...from], `${path}.computed`),
      ),
      ...unknownAttributes([entity], Object.keys(duplicates), `${path}.duplicates`),
      ...unknownAttributes([entity], Object.keys(examples), `${path}.examples`),
      ...(copies !== undefined && copies > 1 && !copied
        ? [
            {
              path: `keys.${entity.name}.${entity.table.name}`,
              message: `${copies} copies would have one key: none of its templates has {copy}`,
            },
          ]
        : []),
      ...(copies === undefined && copied
        ? [
            {
              path: `keys.${entity.name}.${entity.table.name}`,
              message: `has {copy}, and ${entity.name} no \`copies\``,
            },
          ]
        : []),
      ...indexes
        .filter(({ forms }) => forms.some(hasCopy))
        .map(({ place }) => ({
          path: `keys.${entity.name}.${place.name}`,
          message: `has {copy}, and ${entity.name} no \`copies\``,
        })),
    ];
  });
}

function relationshipReports({ model, entities }: ResolvedModel): Report[] {
  return model.relationships.flatMap((relationship): Report[] => {
    const [parent, cardinality, child, rules = {}] = relationship;
    const path = `relationships.${parent}.${child}`;
    const [above, below] = [entities.get(parent), entities.get(childOf(relationship))];
    return [
      ...(Object.hasOwn(cardinalities, cardinality)
        ? []
        : [{ path, message: `"${cardinality}" is not a cardinality: 1:1, 1:N or N:M` }]),
      ...unknownFields(rules, relationshipFields, path).map((report) => ({
        ...report,
        ...extremeRemedy(report, child),
      })),
      ...unknownAttributes(above === undefined ? [] : [above], Object.keys(rules.by ?? {}), path),
      ...unknownAttributes(below === undefined ? [] : [below], Object.values(rules.by ?? {}), path),
    ];
  });
}

/** No write knows the next least value when the child that has it goes (decision 0091). */
function extremeRemedy({ path }: Report, child: string): Pick<Report, 'remedy'> | undefined {
  const [, extreme] = /\.(min|max)$/.exec(path) ?? [];
  if (extreme === undefined) return undefined;
  const order = extreme === 'min' ? 'asc' : 'desc';
  return {
    remedy: `No single write can keep it: when the child that has it goes, the next one is not known. Read it from the end of an index: \`reads: ['${child}'], by: […], order: '… ${order}', limit: 1\`.`,
  };
}

function patternReports(model: ResolvedModel): Report[] {
  return [...model.patterns.values()].flatMap(({ name, need }) =>
    partsOfNeed(name, need).flatMap(({ path, part }) => [
      ...unknownFields(part, needFields, path),
      ...unknownFields(part.volume ?? {}, volumeFields, `${path}.volume`),
      ...unknownFields(part.window ?? {}, windowFields, `${path}.window`),
      ...verbReports(part, path),
      ...namesOfNeed(entitiesOfNeed(model, part), part, path),
    ]),
  );
}

const verbs = ['reads', 'transacts', 'creates', 'puts', 'upserts', 'updates', 'deletes', 'checks'] as const;

function verbReports(need: Need, path: string): Report[] {
  const present = verbs.filter((verb) => need[verb] !== undefined);
  return present.length < 2 ? [] : [{ path, message: `${present.join(' and ')}: a pattern does one of them` }];
}

/** Values of an input that is a list; each takes a request. */
const valuesMax = 100;

function namesOfNeed(entities: readonly EntityInfo[], need: Need, path: string): Report[] {
  const aliases = new Set(Object.keys(need.aka ?? {}));
  const [ordered, direction, ...more] = need.order?.split(' ') ?? [];
  const many =
    typeof need.reads === 'object' && !Array.isArray(need.reads)
      ? entities.filter((entity) =>
          Object.values(need.reads as object).some((each) => Array.isArray(each) && each[0] === entity.name),
        )
      : entities;
  const lists = Object.entries(need.among ?? {});
  const wrongOrder = ordered !== undefined && (more.length > 0 || (direction !== 'asc' && direction !== 'desc'));
  return [
    ...lists
      .filter(([name]) => need.reads === undefined || !((need.by ?? []).includes(name) || aliases.has(name)))
      .map(([name]) => ({
        path: `${path}.among`,
        message: `"${name}" is not an input of a read: \`by\` and \`aka\` name those`,
      })),
    ...lists
      .filter(([name]) => need.range === name || (need.filters ?? []).includes(name))
      .map(([name]) => ({ path: `${path}.among`, message: `"${name}" is a list, and no range or filter as well` })),
    ...(lists.length > 1 ? [{ path: `${path}.among`, message: 'only one input of a pattern is a list' }] : []),
    ...lists
      .filter(([, most]) => !Number.isInteger(most) || most < 1 || most > valuesMax)
      .map(([name, most]) => ({
        path: `${path}.among`,
        message: `${name} takes ${String(most)} values; a list takes 1 to ${valuesMax}`,
      })),
    ...unknownInputAttributes(entities, need.by ?? [], `${path}.by`, aliases),
    ...unknownAttributes(entities, Object.values(need.aka ?? {}).flat(), `${path}.aka`),
    ...unknownAttributes(many, need.range === undefined ? [] : [need.range], `${path}.range`),
    ...unknownAttributes(many, ordered === undefined ? [] : [ordered], `${path}.order`),
    ...(wrongOrder
      ? [
          {
            path: `${path}.order`,
            message: `"${need.order ?? ''}" is not an attribute with its direction, asc or desc`,
            remedy: `Write an attribute and its direction: \`order: '${ordered} asc'\` or \`order: '${ordered} desc'\`.`,
          },
        ]
      : []),
    ...(need.count === true
      ? (['order', 'limit', 'attributes', 'each'] as const)
          .filter((field) => need[field] !== undefined)
          .map((field) => ({
            path: `${path}.${field}`,
            message: `a count has no \`${field}\`: it is one number`,
            remedy: `Leave \`${field}\` out${field === 'limit' ? ', and declare the maximum: `volume: { typical: 50, most: 500 }`' : ''}.`,
          }))
      : []),
    ...unknownAttributes(entities, need.filters ?? [], `${path}.filters`),
    ...unknownAttributes(entities, need.attributes ?? [], `${path}.attributes`),
    ...unknownAttributes(entities, [...(need.sets ?? []), ...(need.maySet ?? [])], `${path}.sets`),
    ...conditionReports(entities, need.where, `${path}.where`),
    ...conditionReports(entities, need.given, `${path}.given`),
    ...unknownAttributes(entities, topLevel(need.changes ?? {}), `${path}.changes`),
    ...unknownInputs(entities, need, path),
    ...inputsOfTwoMeanings(need, path),
  ];
}

/** A call has one input of a name: it cannot be a value and an interval, nor the value of one attribute and of another. */
function inputsOfTwoMeanings(
  { by = [], aka = {}, range, filters = [], sets = [], maySet = [], takes = {} }: Need,
  path: string,
): Report[] {
  const meanings: (readonly [input: string, meaning: string])[] = [
    ...Object.entries(aka).map(([input, names]) => [input, `the value of ${[names].flat().join(' or ')}`] as const),
    ...[...by.filter((input) => !Object.hasOwn(aka, input)), ...filters, ...sets, ...maySet].map(
      (name) => [name, `the value of ${name}`] as const,
    ),
    ...Object.keys(takes).map((name) => [name, 'one of `takes`'] as const),
    ...(range === undefined ? [] : [[range, 'the interval of `range`'] as const]),
  ];
  const inputs = new Map<string, Set<string>>();
  for (const [input, meaning] of meanings) inputs.set(input, (inputs.get(input) ?? new Set()).add(meaning));
  return [...inputs]
    .filter(([, given]) => given.size > 1)
    .map(([input, given]) => ({ path, message: `the input "${input}" is ${[...given].join(', and ')}` }));
}

/** Inputs that conditions and changes refer to, which the caller does not supply. */
function unknownInputs(entities: readonly EntityInfo[], need: Need, path: string): Report[] {
  const whole = need.creates ?? need.puts ?? need.upserts;
  const given = new Set<string>([
    ...(need.by ?? []),
    ...Object.keys(need.aka ?? {}),
    ...Object.keys(need.takes ?? {}),
    ...(need.sets ?? []),
    ...(need.maySet ?? []),
    ...(need.filters ?? []),
    ...(whole === undefined ? [] : entities.flatMap(({ attributes }) => [...attributes.keys()])),
  ]);
  return (['where', 'given', 'changes'] as const).flatMap((section) =>
    [...new Set(inputsIn(need[section]))]
      .filter((name) => !given.has(name))
      .map((name) => ({
        path: `${path}.${section}`,
        message: `"${name}" is not an input of the pattern: add it to \`takes\`${suggestion(name, [...given])}`,
      })),
  );
}

/** Names in `ref('…')`, and in the braces of paths. */
function inputsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(inputsIn);
  const { ref } = value as { readonly ref?: unknown };
  if (typeof ref === 'string' && Object.keys(value).length === 1) return [ref];
  return Object.entries(value).flatMap(([path, inner]) => [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    ...inputsIn(inner),
  ]);
}

/** Every item has a required attribute, as its schema and the proofs of other patterns say, and stores the default of another. */
function removedThoughNeeded(entities: readonly EntityInfo[], changes: object, path: string): Report[] {
  return Object.entries(changes).flatMap(([name, change]: [string, unknown]) =>
    typeof change === 'object' && change !== null && 'remove' in change
      ? entities.flatMap((entity): Report[] => {
          const info = entity.attributes.get(name) ?? attributeWithin(entity, name);
          if (info === undefined) return [];
          const { optional, fallback } = info;
          if (fallback !== undefined && !isEmptySet(fallback))
            return [
              {
                path,
                message: `${name} of ${entity.name} has a default, which every item stores, and is removed`,
                remedy: 'Set the default instead, or let the schema be optional, without a default.',
              },
            ];
          return optional || fallback !== undefined
            ? []
            : [
                {
                  path,
                  message: `${name} of ${entity.name} is required, and is removed`,
                  remedy: 'Let its schema be optional, or set another value.',
                },
              ];
        })
      : [],
  );
}

/** An item without one of the sources has no computed value, which its schema requires. */
function computedOfNothing({ entities }: ResolvedModel): Report[] {
  return [...entities.values()].flatMap((entity) =>
    computedOf(entity.rules).flatMap(([name, { from }]): Report[] => {
      const missing = from.filter((each) => mayLack(entity, each));
      if (missing.length === 0 || !isRequired(entity, name)) return [];
      return [
        {
          path: `entities.${entity.name}.computed`,
          message: `${name} is required, and computed from ${missing.join(' and ')}, which may be missing`,
          remedy: `Let the schema of ${name} be optional, or require ${missing.join(' and ')}.`,
        },
      ];
    }),
  );
}

/** The service rejects every addition to a value that is not a number. */
function addedToText(entities: readonly EntityInfo[], changes: object, path: string): Report[] {
  return Object.entries(changes).flatMap(([name, change]: [string, unknown]) =>
    typeof change === 'object' && change !== null && 'add' in change
      ? entities.flatMap((entity) => {
          const schema = entity.attributes.get(name)?.schema;
          const isNumber = schema !== undefined && domainOf(schema).number !== undefined;
          return isNumber ? [] : notCountable(entity, name, 'is added to', path);
        })
      : [],
  );
}

/** Numbers that the model counts itself. */
function countersInText({ entities }: ResolvedModel): Report[] {
  return [...entities.values()].flatMap((child) => [
    ...child.parents.flatMap((info) => {
      const parent = entities.get(info.entity);
      const path = `relationships.${info.entity}.${child.name}`;
      return talliesOf(info).flatMap(([tally, of]) => [
        ...(parent === undefined ? [] : notCountable(parent, tally, `counts ${child.name}`, path)),
        ...(of === undefined ? [] : notAddable(child, of, path)),
      ]);
    }),
    ...child.sequences.flatMap(({ attribute, counter, parent }) => {
      const [owner, path] = [entities.get(parent.entity), `entities.${child.name}.sequence`];
      return [
        ...(owner === undefined ? [] : notCountable(owner, counter, `numbers ${child.name}`, path)),
        ...notCountable(child, attribute, 'is a number of a sequence', path),
      ];
    }),
  ]);
}

function onlyKind({ text, number }: Domain): 'text' | 'a number' | undefined {
  if (text !== undefined && number === undefined) return 'text';
  return text === undefined && number !== undefined ? 'a number' : undefined;
}

/** Children that refer to their parent by text where it has a number, or the other way round: one key, and two values. */
function parentsOfOtherTypes({ entities }: ResolvedModel): Report[] {
  return [...entities.values()].flatMap((child) =>
    child.parents.flatMap(({ entity, by }) =>
      by.flatMap(([own, name]): Report[] => {
        const parent = entities.get(entity)?.attributes.get(own)?.schema;
        const schema = child.attributes.get(name)?.schema;
        if (parent === undefined || schema === undefined) return [];
        const [kind, other] = [onlyKind(domainOf(schema)), onlyKind(domainOf(parent))];
        if (kind === undefined || other === undefined || kind === other) return [];
        return [
          {
            path: `relationships.${entity}.${child.name}`,
            message: `${child.name}.${name} is ${kind}, and ${entity}.${own}, to which it refers, is ${other}`,
            remedy: `Give ${name} and ${own} schemas of one type.`,
          },
        ];
      }),
    ),
  );
}

/** A sum needs an attribute that is a number whenever it is present. */
function notAddable(entity: EntityInfo, name: string, path: string): Report[] {
  const schema = entity.attributes.get(name)?.schema;
  const isText = schema !== undefined && domainOf(schema).text !== undefined && accepts(schema, 'a');
  const isBig = schema !== undefined && [0n, 1n, 1_700_000_000n].some((number) => accepts(schema, number));
  return [
    ...(isBig ? [] : notCountable(entity, name, 'is added up', path)),
    ...(isText ? [{ path, message: `${name} of ${entity.name} is added up, and takes text as well` }] : []),
  ];
}

function notCountable(entity: EntityInfo, name: string, why: string, path: string): Report[] {
  const schema = entity.attributes.get(name)?.schema;
  if (schema === undefined || [0, 1, 1_700_000_000].some((number) => accepts(schema, number))) return [];
  return [{ path, message: `${name} of ${entity.name} ${why}, and takes no numbers` }];
}

function conditionReports(entities: readonly EntityInfo[], condition: Guard | undefined, path: string): Report[] {
  return alternativesOf(condition).flatMap((each) => [
    ...unknownAttributes(entities, topLevel(each), path),
    ...Object.values(each).flatMap((test) =>
      typeof test === 'object' && test !== null && !Array.isArray(test) && !('ref' in test)
        ? unknownFields(test, comparisons, path)
        : [],
    ),
  ]);
}

function tableReports({ model, tables, entities }: ResolvedModel): Report[] {
  return [...tables.values()].flatMap((table): Report[] => {
    const path = `tables.${table.name}`;
    const layout = model.tables[table.name];
    const here = [...entities.values()].filter((entity) => entity.table === table);
    const stored = new Set([
      ...here.flatMap(({ attributes }) => [...attributes.values()].map((each) => each.stored)),
      ...(table.typeAttribute === undefined ? [] : [table.typeAttribute]),
      ...[table.place, ...table.indexes].flatMap(({ partition, sort }) =>
        [...partition, ...sort].map(({ attribute }) => attribute),
      ),
    ]);
    return [
      ...unknownFields(layout ?? {}, tableFields, path),
      ...table.indexes.flatMap((index): Report[] => {
        const declared: unknown = layout?.indexes?.[index.name];
        const at = `${path}.indexes.${index.name}`;
        const projected = Array.isArray(index.project) ? (index.project as readonly string[]) : [];
        return [
          ...(Array.isArray(declared) ? [] : unknownFields(declared as object, indexFields, at)),
          ...(index.partition.length === 0 ? [{ path: at, message: `${index.name} has no \`partition\`` }] : []),
          ...(index.kind === 'global' && Math.max(index.partition.length, index.sort.length) > keyAttributesMax
            ? [{ path: at, message: `a key of an index has at most ${keyAttributesMax} attributes each` }]
            : []),
          ...projected
            .filter((name) => !stored.has(name))
            .map((name) => ({
              path: at,
              message: `nothing is stored as "${name}"${suggestion(name, [...stored])}`,
            })),
        ];
      }),
    ];
  });
}

/** Attributes of the partition key, and of the sort key, of a global index. */
const keyAttributesMax = 4;

function keyReports(resolved: ResolvedModel): Report[] {
  const { model } = resolved;
  const named = (section: 'keys' | 'storage'): Report[] =>
    Object.keys(model[section])
      .filter((name) => model.entities[name] === undefined)
      .map((name) => ({ path: `${section}.${name}`, message: `there is no entity ${name}` }));
  return [
    ...named('keys'),
    ...named('storage'),
    ...conditionsOfKeys(resolved).flatMap(({ entity, when, path }) => conditionReports([entity], when, path)),
    ...[...resolved.entities.values()].flatMap((entity) => {
      const path = `storage.${entity.name}`;
      const storage = model.storage[entity.name] ?? {};
      return [
        ...unknownFields(storage, storageFields, path),
        // Entities may share a list of stored names, so only a name that is close to an attribute's counts as misspelt.
        ...unknownAttributes([entity], Object.keys(storage.stored ?? {}), `${path}.stored`).filter(({ message }) =>
          message.includes('did you mean'),
        ),
        ...Object.keys(storage.unique ?? {})
          .filter((name) => !entity.unique.some(({ attribute }) => attribute === name))
          .map((name) => ({ path: `${path}.unique`, message: `${name} of ${entity.name} is not declared as unique` })),
      ];
    }),
  ];
}

function servedReports({ model }: ResolvedModel): Report[] {
  return Object.entries(model.served).flatMap(([name, served]): Report[] => {
    const path = `served.${name}`;
    if (model.patterns[name] === undefined) return [{ path, message: `there is no pattern ${name}` }];
    if (typeof served === 'string' || Array.isArray(served)) return [];
    const walk = 'walk' in served ? (served.walk ?? {}) : {};
    return [...unknownFields(served, servedFields, path), ...unknownFields(walk, walkFields, `${path}.walk`)];
  });
}

interface KeyCondition {
  readonly entity: EntityInfo;
  readonly when: Condition;
  readonly path: string;
}

function conditionsOfKeys({ entities }: ResolvedModel): KeyCondition[] {
  return [...entities.values()].flatMap((entity) =>
    entity.indexes.flatMap(({ place, forms }) =>
      forms.flatMap(({ when }) =>
        when === undefined ? [] : [{ entity, when, path: `keys.${entity.name}.${place.name}` }],
      ),
    ),
  );
}

function refusedIn(entities: readonly EntityInfo[], condition: Guard | undefined, path: string): Report[] {
  return alternativesOf(condition).flatMap((each) =>
    Object.entries(each).flatMap(([name, test]): Report[] => {
      const [attribute, ...steps] = stepsOf(name);
      const within: readonly SchemaStep[] = isGrowth(test) ? [...steps, element] : steps;
      const schemas = entities.flatMap(({ attributes }) => schemaAt(attributes.get(attribute)?.schema, within) ?? []);
      const values = constantsIn(test);
      if (schemas.length === 0 || values.length === 0) return [];
      // Of what is the same, no form is wrong.
      const isSame = entities.some(({ rules: { same = {} } }) => attribute in same);
      return values
        .filter((value) => !schemas.some((schema) => accepts(schema, value) && (isSame || isYielded(schema, value))))
        .map((value) => ({
          path,
          message: `${name} is never ${JSON.stringify(value)}`,
          ...(value === null && { remedy: insteadOfNull(name, path) }),
        }));
    }),
  );
}

/** A missing attribute is no null, which is a value of its own. */
function insteadOfNull(name: string, path: string): string {
  const missing = path.endsWith('.changes')
    ? `Remove the attribute, \`${name}: remove()\``
    : `For items without the attribute, write \`${name}: { exists: false }\``;
  return `${missing}. Or let the schema take null.`;
}

/** The steps of a path such as `addresses.{label}.lines[0]`. */
function stepsOf(path: string): [string, ...(string | number)[]] {
  const [first = '', ...steps] = path.split(/\.|(?=\[)/);
  return [first, ...steps.map((step) => (/^\[\d+\]$/.test(step) ? Number(step.slice(1, -1)) : step))];
}

/** A change that adds elements to a list or a set. */
function isGrowth(change: unknown): change is { readonly append?: unknown; readonly include?: unknown } {
  return typeof change === 'object' && change !== null && ('append' in change || 'include' in change);
}

/** Constants in a test or a change. */
function constantsIn(test: unknown): readonly unknown[] {
  const isConstant = (value: unknown): boolean =>
    value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (typeof test !== 'object' || test === null) return [test];
  if (isGrowth(test)) return [test.append ?? test.include].flat().filter(isConstant);
  if (Array.isArray(test)) return test.every(isConstant) ? test : [];
  const [value] = ['equals', 'initial'].flatMap((kind) => (kind in test ? [test[kind as never] as unknown] : []));
  return isConstant(value) ? [value] : [];
}

function alternativesOf(condition: Guard | undefined): readonly object[] {
  if (condition === undefined) return [];
  const { any } = condition as { readonly any?: unknown };
  return Array.isArray(any) ? any.flatMap((each: Guard) => alternativesOf(each)) : [condition];
}

/** Whether a schema may yield a constant that it takes: not if it makes something else of it, which it then keeps, or which has another type. */
function isYielded(schema: StandardSchema, value: unknown): boolean {
  const made = yielded(schema, value);
  if (made === undefined || (typeof made === 'bigint' ? Number(made) : made) === value) return true;
  const { text, number, other } = domainOf(schema);
  if (typeof value !== 'boolean' && !other && (typeof value === 'string' ? text : number) === undefined) return false;
  return yielded(schema, made) !== made;
}

function accepts(schema: StandardSchema, value: unknown): boolean {
  // What is asynchronous is not known, and reported elsewhere.
  const result = validated(schema, value);
  return result === noResult || result.issues === undefined;
}

/** The known name that was probably meant, if one is similar. */
function suggestion(name: string, known: readonly string[]): string {
  const near = known.find((each) => distance(each.toLowerCase(), name.toLowerCase()) <= (name.length > 4 ? 2 : 1));
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** Number of letters to insert, remove, replace or swap to turn one into the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
