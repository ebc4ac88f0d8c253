import { domainOf } from '../../keys/domain.ts';
import type { Need } from '../../patterns/need.ts';
import type { KeyTemplate, TemplateVariable } from '../../keys/template.ts';
import type { EntityInfo, KeyForm, KeySlot, KeyType, PlaceInfo, ResolvedModel } from '../../resolve/resolved.ts';
import { keyVariables } from '../../resolve/entities.ts';
import { sharesKey, slotsOf, sourceOf } from '../../resolve/slots.ts';
import type { Report } from '../finding.ts';
import { keyTypeOf, kindOf } from '../probe.ts';
import {
  areExclusive,
  literalPrefix,
  type OtherSlot,
  placesOf,
  queriesOf,
  type Resident,
  residentsOf,
  slotsCanBeEqual,
  slotsElsewhere,
  variablesOf,
  writesOf,
} from '../residents.ts';
import { mayLack } from '../presence.ts';
import type { Rule } from '../rule.ts';
import { accepts as isAccepted } from '../../schema/validated.ts';

/** Rules about key templates and which items share a collection. */
export const keyRules: readonly Rule[] = [
  {
    code: 'key-collision',
    level: 'error',
    ids: ['S-07', 'LP-04'],
    title: 'Two kinds of items can have the same key',
    why: 'A table has one item per key. If two entities can produce the same key, writing one silently replaces the other: an organisation and a user both named "keller" become one item.',
    remedy:
      'Begin one of the keys with a prefix that names the entity, such as `ORG#{name}`. If they share their keys on purpose, accept it at both: their writes then test the type, and an item of the other entity counts as missing, or prevents a create.',
    look: (model) =>
      tablePlaces(model).flatMap((place) =>
        pairs(residentsOf(model, place)).flatMap(([a, b]): Report[] => {
          if (!slotsCanBeEqual([...a.partition, ...a.sort], [...b.partition, ...b.sort], separatorOf(a))) return [];
          // The writes of both have to tell the items apart, so both have to say that they share their keys.
          const told = sharesKey(b.entity) && a.entity !== b.entity ? [b, a] : [b];
          return told.map(({ path }) => ({
            path,
            message: `${b.name} and ${a.name} can have the same key in ${place.name}: ${keyText(a)}`,
          }));
        }),
      ),
  },
  {
    code: 'no-sort-discriminator',
    level: 'warning',
    ids: ['LB-2'],
    title: 'Neighbours that a range cannot tell apart',
    why: 'Items of several entities share a partition, and their sort keys begin alike. No range reads one entity without the other, so a page of orders also contains other items.',
    remedy: 'Give each entity of the collection its own sort key prefix, which is not the beginning of another.',
    look: (model) =>
      placesOf(model).flatMap((place) =>
        pairs(residentsOf(model, place)).flatMap(([a, b]): Report[] => {
          if (a.entity === b.entity || place.sort.length === 0) return [];
          if (!slotsCanBeEqual(a.partition, b.partition, separatorOf(a))) return [];
          const [one, other] = [literalPrefix(a.sort), literalPrefix(b.sort)];
          if (one === '' && other === '' && !a.sort.some(open) && !b.sort.some(open)) return [];
          if (!one.startsWith(other) && !other.startsWith(one)) return [];
          if (isFirst(a, b) || isFirst(b, a)) return [];
          return [
            {
              path: b.path,
              message: `${b.name} (${sortText(b)}) and ${a.name} (${sortText(a)}) share partitions of ${place.name}`,
            },
          ];
        }),
      ),
  },
  {
    code: 'mixed-key-names',
    level: 'error',
    ids: ['LP-03'],
    title: 'Key attributes are named by several schemes',
    why: 'Names of overloaded keys carry no meaning, so readers rely on a consistent scheme. `GSI1PK` beside `GSIPK2` or `GS3PK` invites a typo that leaves an item out of an index.',
    remedy:
      'Name keys PK and SK, and those of index n GSInPK and GSInSK. A dedicated sparse index may have a descriptive name.',
    look: ({ tables }) =>
      [...tables.values()].flatMap(({ name, place, indexes }): Report[] => {
        // A local index has only a sort key, and is named after the index or its contents. It is not part of the numbering.
        const numbered = [place, ...indexes].filter(({ kind }) => kind !== 'local');
        const names = numbered.flatMap(({ partition, sort }) =>
          [...partition, ...sort].map(({ attribute }) => attribute),
        );
        const odd = [...new Set(names)].filter((attribute) => /^GSI?_?\d*_?[PS]K_?\d*$/i.test(attribute));
        const schemes = new Set(odd.map((attribute) => attribute.replaceAll(/\d+/g, 'n').replace(/[PS]K/i, 'xK')));
        return schemes.size < 2
          ? []
          : [{ path: `tables.${name}`, message: `${odd.join(', ')} follow ${schemes.size} schemes` }];
      }),
  },
  {
    code: 'no-prefix',
    level: 'warning',
    ids: ['LP-04', 'S-07'],
    title: 'A key without a prefix, in a table of several entities',
    why: 'A prefix shows people and programs what an item is, and separates equal values of different entities.',
    remedy: 'Begin the partition key with the name of the entity that it identifies, such as `CUSTOMER#{customerId}`.',
    look: (model) =>
      tablePlaces(model).flatMap((place) => {
        const residents = residentsOf(model, place);
        if (residents.length < 2) return [];
        return residents
          .filter(({ partition }) => literalPrefix(partition) === '')
          .map(({ path, name, partition }) => ({
            path,
            message: `the partition key of ${name} is just ${sourceOf(partition)}`,
          }));
      }),
  },
  {
    code: 'prefix-case',
    level: 'error',
    ids: ['LP-04'],
    title: 'Prefixes that differ only in case',
    why: 'Keys are compared byte by byte: `User#` and `USER#` are two collections, and an item written to one is not found in the other.',
    remedy: 'Write the prefix the same way everywhere.',
    look: (model) => {
      const seen = new Map<string, string>();
      const reports: Report[] = [];
      for (const { path, partition, sort } of placesOf(model).flatMap((place) => residentsOf(model, place))) {
        for (const { template } of [...partition, ...sort]) {
          const known = seen.get(template.prefix.toLowerCase()) ?? template.prefix;
          seen.set(template.prefix.toLowerCase(), known);
          if (known !== template.prefix) reports.push({ path, message: `${template.prefix} here, ${known} elsewhere` });
        }
      }
      return reports;
    },
  },
  {
    code: 'only-in-key',
    level: 'warning',
    ids: ['LP-05', 'S-19'],
    title: 'An attribute that is stored only as a key',
    why: 'A key exists to find an item, and its form may have to change. If the key is also the only copy of an attribute, its form cannot change without changing the application.',
    remedy: 'Use generic key attributes (PK, SK) and let the model write the key from the attribute.',
    look: (model) =>
      tablePlaces(model).flatMap((place) => {
        const residents = residentsOf(model, place).filter(({ marker }) => !marker);
        if (residents.length < 2) return [];
        return residents.flatMap(({ path, name, partition, sort }) =>
          [...partition, ...sort]
            .filter(({ own }) => own)
            .map(({ attribute }) => ({ path, message: `${attribute} of ${name} is stored as key only` })),
        );
      }),
  },
  {
    code: 'shared-index-attribute',
    level: 'error',
    ids: ['LP-06', 'S-21'],
    title: 'One attribute in the keys of two indexes',
    why: 'Each index needs its own key: otherwise an item that leaves one index also leaves the other, and one template must serve two orders.',
    remedy: 'Give each global index its own key attributes. It may reuse the keys of the table.',
    look: ({ tables }) =>
      [...tables.values()].flatMap(({ name, place, indexes }) => {
        const own = new Set([...place.partition, ...place.sort].map(({ attribute }) => attribute));
        const users = new Map<string, string[]>();
        for (const index of indexes.filter(({ kind }) => kind === 'global')) {
          for (const { attribute } of [...index.partition, ...index.sort]) {
            if (!own.has(attribute) && /^(GSI?|LSI)?_?\d*_?[PS]K/i.test(attribute)) {
              users.set(attribute, [...(users.get(attribute) ?? []), index.name]);
            }
          }
        }
        return [...users]
          .filter(([, names]) => names.length > 1)
          .map(([attribute, names]) => ({
            path: `tables.${name}`,
            message: `${attribute} is a key of ${names.join(' and ')}`,
          }));
      }),
  },
  {
    code: 'index-key-written-twice',
    level: 'error',
    ids: ['LP-06', 'LP-26'],
    title: 'An index key with another source',
    why: "The service puts every item into an index that has all of its key attributes. If the table's key, the key of another index, or an attribute of the application fills them as well, then a condition keeps no item out of the index; and if two templates write one attribute, only one of them has an effect.",
    remedy: 'Give the index key attributes of its own, such as GSI1PK and GSI1SK.',
    isRefused: true,
    look: ({ entities }) =>
      [...entities.values()].flatMap((entity) =>
        entity.indexes.flatMap(({ place, forms }) =>
          forms.flatMap((form) =>
            writtenTwice(entity, place, form).map((message) => ({
              path: `keys.${entity.name}.${place.name}`,
              message,
            })),
          ),
        ),
      ),
  },
  {
    code: 'type-not-distinct',
    level: 'error',
    ids: ['LP-07', 'S-22'],
    title: 'Items without a distinct type',
    why: 'Readers, exports and migrations recognise the entity of an item by its type attribute.',
    remedy: 'Give each entity of a table its own type value, in an attribute that no entity uses for anything else.',
    look: ({ tables, entities }) =>
      [...tables.values()].flatMap((table) => {
        const here = [...entities.values()].filter((entity) => entity.table === table);
        const reports: Report[] = here.flatMap((entity) =>
          [...entity.attributes.values()]
            .filter(({ stored }) => stored === table.typeAttribute)
            .map(({ name }) => ({
              path: `entities.${entity.name}.${name}`,
              message: `is stored as ${table.typeAttribute}, which holds the type`,
            })),
        );
        for (const [a, b] of pairs(here)) {
          if (a.type === b.type)
            reports.push({ path: `storage.${b.name}.type`, message: `${a.name} and ${b.name} are both ${a.type}` });
        }
        for (const owner of here)
          for (const { attribute, type } of owner.unique)
            if (here.some((entity) => entity.type === type))
              reports.push({
                path: `storage.${owner.name}.unique.${attribute}`,
                message: `the guards of ${owner.name}.${attribute} and an entity are both ${type}`,
              });
        return reports;
      }),
  },
  {
    code: 'one-per-parent',
    level: 'warning',
    ids: ['LB-15'],
    title: 'A key that holds one item per parent',
    why: 'The key consists only of the parent, so a second child replaces the first: one comment per reader, one order per customer.',
    remedy: 'Add an attribute that distinguishes the children to the sort key, or declare the relationship 1:1.',
    look: ({ model, entities }) =>
      model.relationships.flatMap(([parent, cardinality, child]): Report[] => {
        const [above, below] = [entities.get(parent), entities.get(child)];
        if (cardinality !== '1:N' || parent === child || above === undefined || below === undefined) return [];
        const shared = new Set([
          ...keyVariables(above),
          ...(below.parents.find(({ entity }) => entity === parent)?.by.map(([, name]) => name) ?? []),
        ]);
        if (!keyVariables(below).every((name) => shared.has(name))) return [];
        return [
          {
            path: keyPath(below),
            message: `${child} is found by ${keyVariables(below).join(', ') || 'constants'} alone, as its ${parent} is`,
          },
        ];
      }),
  },
  {
    code: 'time-only-sort-key',
    level: 'warning',
    ids: ['LB-6'],
    title: 'Items distinguished only by a time',
    why: 'Two items with the same timestamp have the same key, and the later one replaces the earlier one. This happens as soon as there are fast or concurrent writers.',
    remedy: 'End the sort key with an id, or use an id that sorts by time (KSUID, ULID).',
    look: ({ entities, patterns }) =>
      [...entities.values()].flatMap((entity): Report[] => {
        const last = variablesOf(entity.key.sort).at(-1);
        if (last === undefined || !isTime(entity, last)) return [];
        // A day, or a time by which the application finds the item, is what identifies it.
        const schema = entity.attributes.get(last.name)?.schema;
        if (schema !== undefined && domainOf(schema).text?.time === 'date') return [];
        if ([...patterns.values()].some(({ need }) => identifies(need, entity.name, last.name))) return [];
        const others = keyVariables(entity).filter((name) => name !== last.name);
        const parents = new Set(entity.parents.flatMap(({ by }) => by.map(([, name]) => name)));
        if (others.some((name) => !parents.has(name) && isIdentity(entity, name))) return [];
        return [
          { path: keyPath(entity), message: `${sourceOf(entity.key.sort)} is the same for two items of one instant` },
        ];
      }),
  },
  {
    code: 'changing-key',
    level: 'error',
    ids: ['S-52', 'LP-16'],
    title: 'An attribute of the primary key changes',
    why: 'The primary key of an item cannot change: changing it means deleting the item and creating another, and updating every reference to it.',
    remedy:
      'Use an attribute that does not change, such as an id, and find the item by the changing attribute through an index.',
    look: (model) =>
      [...model.patterns.values()].flatMap(({ name, problems }) =>
        problems
          .filter(({ code }) => code === 'key-changes')
          .map(({ message }) => ({ path: `patterns.${name}`, message })),
      ),
  },
  {
    code: 'random-key',
    level: 'hint',
    ids: ['LP-16'],
    title: 'A generated key beside a natural one',
    why: 'The application knows the natural key, and must first look up the generated one through an index: the index, its writes and its lag are wasted.',
    remedy: 'Make the unique attribute the partition key, unless it may change.',
    look: (model) => {
      const changed = new Set(
        writesOf(model).flatMap(({ write }) =>
          [...(write.need.sets ?? []), ...(write.need.maySet ?? [])].map((name) => `${write.entity.name}.${name}`),
        ),
      );
      return [...model.entities.values()].flatMap((entity) => {
        const [only, more] = keyVariables(entity);
        if (only === undefined || more !== undefined || !/id$/i.test(only)) return [];
        return entity.unique
          .filter(({ attribute }) => !changed.has(`${entity.name}.${attribute}`) && readBy(model, entity, attribute))
          .map(({ attribute }) => ({
            path: keyPath(entity),
            message: `${entity.name} is unique by ${attribute}, never changes it and is read by it, but is keyed by ${only}`,
          }));
      });
    },
  },
  {
    code: 'prefix-without-separator',
    level: 'warning',
    ids: ['LP-28', 'LB-13', 'S-31'],
    title: 'A range that ends in the middle of a value',
    why: '`begins_with` of `USA#NE` finds Nebraska, New York and Nevada, if no separator follows the state. A range must end with a separator to match a whole value.',
    remedy: 'Put the separator between the parts of the sort key: `{country}#{state}#{city}`.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) =>
        plan.streams.flatMap(({ bounds }) =>
          bounds.flatMap(({ part, partial }): Report[] => {
            const { separator } = part.entity.table;
            const end = partial?.bound.parts.at(-1);
            if (end === undefined || (typeof end === 'string' && end.endsWith(separator))) return [];
            if (need.range !== undefined && typeof end === 'string' && !/[A-Za-z0-9]$/.test(end)) return [];
            return [
              {
                path: `served.${name}`,
                message: `the range of ${part.entity.name} is all that begins with ${partial?.bound.parts.map(partText).join('') ?? ''}, without ${separator}`,
              },
            ];
          }),
        ),
      ),
  },
  {
    code: 'separator-in-value',
    level: 'hint',
    ids: ['LB-14'],
    title: 'A value from a user may contain the separator',
    why: 'The model refuses to write such a value, since `A#B` + `C` and `A` + `B#C` would be the same key. A user who types a name would see that error.',
    remedy: 'Reject it in the schema with your own message, or use the encoder `escape`.',
    look: (model) => [
      ...[...model.tables.values()]
        .filter(({ separator }) => !/^[^\p{L}\p{N}{}]$/u.test(separator))
        .map(({ name, separator }) => ({
          path: `tables.${name}.separator`,
          message: `"${separator}" does not separate: values may have ${separator.length > 1 ? 'a part of it' : 'it'}`,
          level: 'error' as const,
          remedy: 'Let the separator be one character that is neither a letter nor a digit, such as "#".',
        })),
      ...[...model.entities.values()].flatMap((entity) =>
        [...entity.key.partition, ...entity.key.sort]
          .filter(({ template }) => template.parts.length > 1)
          .flatMap(({ template }) => template.variables)
          .filter(
            ({ name, encoders }) =>
              /name|title|email|tag|label|slug/i.test(name) &&
              !encoders.some(({ safe, name: encoder }) => safe || encoder === 'escape'),
          )
          .filter(({ name }) => accepts(entity, name, `a${entity.table.separator}b`))
          .map(({ name }) => ({
            path: keyPath(entity),
            message: `${name} of ${entity.name} may be "a${entity.table.separator}b"`,
          })),
      ),
    ],
  },
  {
    code: 'incomplete-index-key',
    level: 'warning',
    ids: ['LP-26'],
    title: 'An index key that some items lack',
    why: 'An item without one of the attributes is not in the index. A sparse index is useful if you intend it.',
    remedy:
      "State when the item is in the index: `{ when: { status: 'open' }, key: [...] }`, or require the attribute.",
    look: ({ entities }) =>
      [...entities.values()].flatMap((entity) =>
        entity.indexes.flatMap(({ place, forms }) =>
          forms.flatMap((form) =>
            variablesOf([...form.partition, ...form.sort])
              .filter(({ name }) => form.when === undefined && mayLack(entity, name))
              .map(({ name }) => ({
                path: `keys.${entity.name}.${place.name}`,
                message: `an item without ${name} is not in ${place.name}`,
                remedy: `State that the item is in the index only with it: \`{ when: { ${name}: { exists: true } }, key: […] }\`, or require the attribute.`,
              })),
          ),
        ),
      ),
  },
  {
    code: 'key-type',
    level: 'error',
    ids: ['LP-26', 'LB-12'],
    title: 'A value of another type than its key attribute',
    why: 'A key attribute has one type for all items of the table. An item with a value of another type is refused, or left out of the index.',
    remedy:
      "Pad the number to text, `{number:08}`, or declare the key attribute as a number, `'at:N'`, for all entities.",
    look: (model) => [
      ...ownOfAnotherType(model),
      ...placesOf(model).flatMap((place) =>
        residentsOf(model, place).flatMap(({ entity, path, form }) =>
          [...form.partition, ...form.sort].flatMap(({ attribute, type, template }): Report[] => {
            if (type === 'S') return [];
            const wanted = type === 'N' ? 'a number' : 'binary';
            return givenType(entity, template) === type
              ? []
              : [{ path, message: `${attribute} is ${wanted}, ${template.source} is not` }];
          }),
        ),
      ),
    ],
  },
];

/**
 * The service refuses an item whose attribute has the name of a key of an index, and another type: whether the item is to be there or not. A key
 * of the table is stored in the place of the attribute.
 */
function ownOfAnotherType({ tables, entities }: ResolvedModel): Report[] {
  return [...tables.values()].flatMap((table) => {
    const keys = new Map(
      [...table.indexes, table.place].flatMap((place) =>
        slotsOf(place).map(({ attribute, type }) => [
          attribute,
          { type, of: place === table.place ? 'the table' : 'an index' },
        ]),
      ),
    );
    return [...entities.values()]
      .filter((entity) => entity.table === table)
      .flatMap(({ name, attributes }) =>
        [...attributes.values()].flatMap(({ name: attribute, stored, schema }): Report[] => {
          const key = keys.get(stored);
          if (key === undefined) return [];
          const { type, of } = key;
          const path = `entities.${name}.${attribute}`;
          const remedy = `Let the schema yield ${kinds[type]} only, or store ${attribute} under another name, in the second argument of \`keys\`.`;
          if (domainOf(schema).null)
            return [
              {
                path,
                message: `${stored} is a key attribute of ${of}, and ${attribute} of ${name} may be null`,
                remedy,
                isRefused: true,
              },
            ];
          return keyTypeOf(schema) === type
            ? []
            : [
                {
                  path,
                  message: `${stored} is a key attribute of ${of} and ${kinds[type]}, and ${attribute} of ${name} is not`,
                  remedy,
                  isRefused: true,
                },
              ];
        }),
      );
  });
}

const kinds: Readonly<Record<KeyType, string>> = { S: 'text', N: 'a number', B: 'binary' };

/** What is wrong with a form of an index key because of what else writes its attributes. */
function writtenTwice(entity: EntityInfo, place: PlaceInfo, form: KeyForm): string[] {
  const slots = slotsOf(form);
  const others = (attribute: string): readonly OtherSlot[] =>
    slotsElsewhere(entity, place, attribute).filter(({ when }) => !areExclusive(when, form.when));
  const messages = slots
    .filter(({ own }) => !own)
    .flatMap(({ attribute, template }): string[] => {
      const other = others(attribute).find(({ slot }) => slot.template.source !== template.source);
      return other === undefined
        ? []
        : [`${attribute} is ${template.source} in ${place.name}, and ${other.slot.template.source} in ${other.place}`];
    });
  if (messages.length > 0 || form.when === undefined) return messages;
  const own = new Set(slots.filter((slot) => slot.own).flatMap((slot) => variablesOf([slot]).map(({ name }) => name)));
  const isPresence = ([name, test]: [string, unknown]): boolean =>
    JSON.stringify(test) === '{"exists":true}' && own.has(name);
  // Of an item without an attribute of the application, the index key lacks it, too.
  if (Object.entries(form.when).every(isPresence)) return [];
  const isAnyway = ({ attribute, own: isOwn }: KeySlot): boolean =>
    isOwn || others(attribute).some(({ when }) => JSON.stringify(when) !== JSON.stringify(form.when));
  return slots.every(isAnyway)
    ? [
        `${place.name} also holds the ${entity.name} without ${JSON.stringify(form.when)}, as they have ${slots.map(({ attribute }) => attribute).join(' and ')}`,
      ]
    : [];
}

/** The type of what a template of one part gives: a constant, a copy's number or a value. */
function givenType(entity: EntityInfo, { parts: [part = ''] }: KeyTemplate): KeyType | undefined {
  if (typeof part === 'string') return /^-?\d+(\.\d+)?$/.test(part) ? 'N' : 'S';
  const { name, encoders } = part;
  if (encoders.length > 0) return encoders.at(-1)?.name === 'epoch' ? 'N' : 'S';
  const info = entity.attributes.get(name);
  if (info === undefined) return name === 'copy' ? 'N' : 'S';
  return keyTypeOf(info.schema);
}

/** The one item of a partition, whose sort key and a literal begin those of the others: `ORDER#{id}` before `ORDER#{id}#ITEM#{n}`. */
function isFirst(one: Resident, many: Resident): boolean {
  const [own, others] = [one.sort[0]?.template.parts ?? [], many.sort[0]?.template.parts ?? []];
  const known = new Set(variablesOf(one.partition).map(({ name }) => name));
  if (one.sort.length !== 1 || variablesOf(one.sort).some(({ name }) => !known.has(name))) return false;
  const texts = [own, others].map((parts) =>
    parts.map((part) => (typeof part === 'string' ? part : `{${part.name}:${part.encoding}}`)).join(''),
  );
  return typeof others[own.length] === 'string' && (texts[1] ?? '').startsWith(texts[0] ?? '');
}

/** Whether a pattern finds an item of an entity by a value of the attribute. */
function identifies(need: Need, name: string, attribute: string): boolean {
  const { reads, updates, deletes, checks, transacts = {} } = need;
  return (
    ([reads, updates, deletes, checks].includes(name) && (need.by ?? []).includes(attribute)) ||
    Object.values(transacts).some((part) => identifies(part, name, attribute))
  );
}

function tablePlaces({ tables }: ResolvedModel): PlaceInfo[] {
  return [...tables.values()].map(({ place }) => place);
}

function pairs<T>(all: readonly T[]): (readonly [T, T])[] {
  return all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b] as const));
}

function separatorOf({ entity }: Resident): string {
  return entity.table.separator;
}

function open({ template }: KeySlot): boolean {
  return (
    template.parts.length === 1 &&
    template.variables.length === 1 &&
    !template.variables.some(({ encoders }) => encoders.some(({ safe }) => safe))
  );
}

function keyText({ partition, sort }: Resident): string {
  return sourceOf([...partition, ...sort]);
}

function sortText({ sort }: Resident): string {
  return sourceOf(sort);
}

function partText(part: string | TemplateVariable): string {
  return typeof part === 'string' ? part : `{${part.name}}`;
}

function keyPath({ name, table }: EntityInfo): string {
  return `keys.${name}.${table.name}`;
}

function isTime(entity: EntityInfo, { name, encoders }: TemplateVariable): boolean {
  if (encoders.length > 0)
    return (
      encoders.some((encoder) => timeEncoders.has(encoder.name)) &&
      !encoders.some((encoder) => idEncoders.has(encoder.name))
    );
  const info = entity.attributes.get(name);
  return (
    info !== undefined &&
    (/(At|On|Time|Date|Timestamp|Day)$|^(at|time|date|timestamp|when|day)$/.test(name) || kindOf(info.schema).time)
  );
}

const timeEncoders = new Set([
  'utc',
  'seconds',
  'inverseTime',
  'epoch',
  'second',
  'hour',
  'day',
  'week',
  'month',
  'year',
  'date',
]);
const idEncoders = new Set(['ksuid', 'ulid']);

/** An id of the entity itself, judging by its name: `orderId`, `sku`, `username`. */
function isIdentity(entity: EntityInfo, name: string): boolean {
  return (
    /(id|number|code|sku|name|key|token|version)$/i.test(name) &&
    name.toLowerCase().startsWith(entity.name.toLowerCase().slice(0, 3))
  );
}

function accepts(entity: EntityInfo, name: string, value: string): boolean {
  const info = entity.attributes.get(name);
  return info !== undefined && isAccepted(info.schema, value);
}

function readBy(model: ResolvedModel, entity: EntityInfo, attribute: string): boolean {
  return queriesOf(model).some(
    ({ need, plan }) => plan.parts.some((part) => part.entity === entity) && need.by?.includes(attribute) === true,
  );
}
