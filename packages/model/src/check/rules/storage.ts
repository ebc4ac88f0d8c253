import type { KeySlot, PlaceInfo, ResolvedModel, TableInfo } from '../../resolve/resolved.ts';
import { slotsOf } from '../../resolve/slots.ts';
import { domainOf } from '../../keys/domain.ts';
import type { StandardSchema } from '../../schema/standard-schema.ts';
import { accepts, noResult, validated, yielded } from '../../schema/validated.ts';
import { byteLength, largestBytes } from '../bounds.ts';
import { losesBigIntegers, unstorable } from '../unstorable.ts';
import type { Report } from '../finding.ts';
import { placesOf, type Resident, residentsOf } from '../residents.ts';
import { mayLack } from '../presence.ts';
import type { Rule } from '../rule.ts';

const partitionKeyBytesMax = 2048;
const sortKeyBytesMax = 1024;
const nameLengthMin = 3;
const nameLengthMax = 255;
const tableKeyAttributesMax = 2;
/** Attributes in the lists of all indexes of a table. */
const projectedAttributesMax = 100;
const streamViews = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'];

const dateRemedy =
  'Let the schema yield text or a number: `z.iso.datetime()`, seconds since 1970. Where the application is to have a `Date`, say how it is stored: `codec(z.iso.datetime({ precision: 3 }), { decode: (text) => new Date(text), encode: (date: Date) => date.toISOString() })`.';
const asynchronousRemedy =
  'Do asynchronous checks, such as a look-up in another system, before the write. Let a function report what it refuses, `ctx.addIssue(…)` of zod, and not throw.';
const storableRemedy =
  'Let the schema yield text, numbers, booleans, `null`, bytes, sets, lists or plain objects. Where the application is to have another form, say how it is stored: `codec(schema, { decode, encode })`.';

/** Rules about what the service accepts as a key, as a name and as a value: what it would reject when it is written. */
export const storageRules: readonly Rule[] = [
  {
    code: 'unstorable-schema',
    level: 'error',
    ids: ['LP-26'],
    title: 'A schema whose values cannot be stored',
    why: 'DynamoDB has no date type, nor one for a `Map` or a function, and the model validates synchronously when it writes. A schema that yields a `Date`, also within a list or a map, or that is asynchronous, or throws instead of refusing a value, fails for such items. A stored number has no type: big integers below 2^53 within a list, a set or a map are read as numbers.',
    remedy: `${dateRemedy} ${asynchronousRemedy}`,
    look: ({ entities }) =>
      [...entities.values()].flatMap(({ name, attributes }) =>
        [...attributes.values()].flatMap(({ name: attribute, schema }): Report[] => {
          const path = `entities.${name}.${attribute}`;
          const given = validated(schema, new Date(0));
          if (given === noResult || validated(schema, 'x') === noResult)
            return [
              {
                path,
                message: `the schema of ${attribute} is asynchronous, or throws an error`,
                remedy: asynchronousRemedy,
              },
            ];
          const what = unstorable(schema);
          const isDate = (value: unknown): boolean => yielded(schema, value) instanceof Date;
          if (
            (isDate(new Date(0)) && !accepts(schema, 'x') && !accepts(schema, 1)) ||
            isDate(new Date(0).toISOString())
          )
            return [
              {
                path,
                message: `${attribute} is a Date, as in ${new Date(0).toISOString()}, which cannot be stored`,
                remedy: dateRemedy,
              },
            ];
          if (what !== undefined)
            return [
              {
                path,
                message: `${attribute} may have ${what}, which cannot be stored`,
                remedy: what === 'a Date' ? dateRemedy : storableRemedy,
              },
            ];
          if (!losesBigIntegers(schema)) return [];
          return [
            {
              path,
              message: `${attribute} may have a big integer that is not the whole value, and one below 2^53 is read as a number`,
              remedy:
                'Let the schema take numbers as well, `z.union([z.bigint(), z.number()])`, and turn them into big integers by a codec: `codec(z.array(…), { decode: (list) => list.map(BigInt), encode: (list) => list })`. Or store them as texts.',
            },
          ];
        }),
      ),
  },
  {
    code: 'unkeyable-value',
    level: 'error',
    ids: ['LP-26', 'LB-12'],
    title: 'A key that some items cannot have',
    why: 'Every item needs a primary key, and key attributes are text, numbers or binary. An item without the attribute, or with a list or a map in it, has no key: creating it fails.',
    remedy:
      'Make the attribute required, or give it a default. For a list or a map, store its identifying part as a separate attribute.',
    look: (model) => [
      ...[...model.entities.values()].flatMap((entity) =>
        [...new Set(variablesIn(slotsOf(entity.key)))].flatMap((name): Report[] => {
          const info = entity.attributes.get(name);
          if (info === undefined) return [];
          const mayBeMissing = mayLack(entity, name);
          if (!mayBeMissing && !domainOf(info.schema).null) return [];
          return [
            {
              path: `keys.${entity.name}.${entity.table.name}`,
              message: mayBeMissing
                ? `an item of ${entity.name} without ${name}, which is optional, has no primary key`
                : `an item of ${entity.name} whose ${name} is null has no primary key`,
            },
          ];
        }),
      ),
      ...residents(model).flatMap(({ entity, path, partition, sort }) =>
        [...new Set(variablesIn([...partition, ...sort]))].flatMap((name): Report[] => {
          const info = entity.attributes.get(name);
          if (info !== undefined && takesOthers(info.schema))
            return [
              {
                path,
                message: `${name} of ${entity.name} takes more than text and numbers, which is not part of a key`,
              },
            ];
          const isBinary = [...partition, ...sort].every(
            ({ type, template }) => type === 'B' || template.variables.every((variable) => variable.name !== name),
          );
          const value =
            info === undefined
              ? undefined
              : [...documents, ...(isBinary ? [] : [binary])].find((each) => accepts(info.schema, each.value));
          if (
            info === undefined ||
            value === undefined ||
            ['x', '0', 1, true].some((each) => accepts(info.schema, each))
          )
            return [];
          return [{ path, message: `${name} of ${entity.name} takes ${value.text}, which is not part of a key` }];
        }),
      ),
    ],
  },
  {
    code: 'empty-key',
    level: 'warning',
    ids: ['LP-26'],
    title: 'A key that can be an empty string',
    why: 'The service refuses an empty key. If the template is a single attribute whose schema accepts the empty string, such an item passes the model and fails at the service.',
    remedy: 'Require at least one character, `z.string().min(1)`, or add a prefix, `USER#{username}`.',
    look: (model) =>
      residents(model).flatMap(({ entity, path, partition, sort }) =>
        [...partition, ...sort].flatMap(({ template, type, attribute }): Report[] => {
          const [variable] = template.variables;
          if (template.parts.length === 0)
            return [{ path, message: `${attribute} of ${entity.name} is always ''`, level: 'error' }];
          if (type !== 'S' || template.parts.length !== 1 || variable === undefined) return [];
          if (variable.encoders.some(({ name }) => !/^(lower|upper|trim|rest|bare|escape)$/.test(name))) return [];
          const info = entity.attributes.get(variable.name);
          return info !== undefined && accepts(info.schema, '')
            ? [{ path, message: `${attribute} of ${entity.name} is '' where ${variable.name} is ''` }]
            : [];
        }),
      ),
  },
  {
    code: 'key-too-long',
    level: 'error',
    ids: ['LP-26', 'LB-5'],
    title: 'A key longer than the service allows',
    why: 'A partition key has at most 2,048 bytes and a sort key 1,024. The service refuses to write an item with a longer key.',
    remedy:
      'Bound the text in the schema, `.max(200)`, or put a short id into the key and the text into another attribute.',
    look: (model) =>
      residents(model).flatMap(({ entity, path, partition, sort }) =>
        [
          ...partition.map((slot) => ({ slot, max: partitionKeyBytesMax })),
          ...sort.map((slot) => ({ slot, max: sortKeyBytesMax })),
        ].flatMap(({ slot, max }): Report[] => {
          const bytes = slotBytes(slot, (name) => {
            const info = entity.attributes.get(name);
            return info === undefined ? 0 : largestBytes(info.schema);
          });
          return bytes <= max
            ? []
            : [
                {
                  path,
                  message: `${slot.template.source} of ${entity.name} has up to ${bytes} bytes by its schemas; ${max} are allowed`,
                },
              ];
        }),
      ),
  },
  {
    code: 'bad-name',
    level: 'error',
    ids: ['LP-03'],
    title: 'A name that the service refuses',
    why: 'Tables and indexes have names of 3 to 255 letters, digits, dots, dashes and underscores. A shorter one is refused when the table is created.',
    remedy:
      'Choose another name. `connect` can map a table to one, `tables: { T: "tickets" }`; an index cannot be renamed.',
    look: (model) =>
      placesOf(model)
        .filter(({ name }) => !isName(name))
        .map(({ kind, table, name }) => ({
          path: kind === 'table' ? `tables.${name}` : `tables.${table}.indexes.${name}`,
          message: nameFault(name),
          ...(kind !== 'table' && { remedy: 'Choose another name for the index.' }),
        })),
  },
  {
    code: 'refused-table',
    level: 'error',
    ids: ['LP-26'],
    title: 'A table that the service refuses',
    why: 'The attributes of a key differ from each other, and each has one type in the whole table: text, number or binary. A table has a partition key and at most one sort key, which a local index requires. An index lists each projected attribute once: at least one attribute, and at most 100 in all indexes of a table.',
    remedy: 'Correct the key or the index that the message names.',
    look: ({ tables }) => [...tables.values()].flatMap(refusedTable),
  },
];

function nameFault(name: string): string {
  const [strange] = /[^\w.-]/u.exec(name) ?? [];
  if (strange !== undefined) return `"${name}" has ${JSON.stringify(strange)}, which is not part of a name`;
  return `"${name}" has ${name.length} ${name.length === 1 ? 'character' : 'characters'}, and a name has 3 to 255`;
}

function refusedTable(table: TableInfo): Report[] {
  const path = `tables.${table.name}`;
  const all = [table.place, ...table.indexes];
  const lists = table.indexes.map(({ project }) => (typeof project === 'string' ? [] : project));
  const types = new Map<string, Set<string>>();
  for (const { attribute, type } of all.flatMap(slotsOf))
    types.set(attribute, (types.get(attribute) ?? new Set()).add(type));
  const messages = [
    ...(slotsOf(table.place).length > tableKeyAttributesMax
      ? [
          `the key of a table has at most ${tableKeyAttributesMax} attributes, and ${table.name} has ${slotsOf(table.place).length}`,
        ]
      : []),
    ...all.flatMap((place) => repeated(keyNames(place)).map((name) => `${name} is twice in the key of ${place.name}`)),
    ...[...types].flatMap(([name, given]) =>
      given.size > 1 ? [`${name} is of the types ${[...given].join(' and ')}`] : [],
    ),
    ...table.indexes.flatMap(({ kind, name, partition, sort }) =>
      kind !== 'local'
        ? []
        : table.place.sort.length === 0
          ? [`${name} is a local index, and ${table.name} has no sort key`]
          : sort.some(({ attribute }) => partition.some((other) => other.attribute === attribute))
            ? [`${name} sorts by the partition key`]
            : [],
    ),
    ...table.indexes.flatMap(({ name, project }) =>
      typeof project === 'string'
        ? []
        : project.length === 0
          ? [`${name} holds no attributes: say \`project: 'KEYS_ONLY'\``]
          : repeated(project).map((each) => `${name} holds ${each} twice`),
    ),
    ...(lists.flat().length > projectedAttributesMax
      ? [`the indexes of ${table.name} name ${lists.flat().length} attributes, more than ${projectedAttributesMax}`]
      : []),
    ...(table.stream === undefined || streamViews.includes(table.stream)
      ? []
      : [`"${table.stream}" is not a stream: ${streamViews.join(', ')}`]),
  ];
  return messages.map((message) => ({ path, message }));
}

/** A local index has the partition key of its table. */
function keyNames({ kind, partition, sort }: PlaceInfo): string[] {
  return (kind === 'local' ? sort : [...partition, ...sort]).map(({ attribute }) => attribute);
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) < i))];
}

const documents: readonly { readonly value: unknown; readonly text: string }[] = [
  { value: {}, text: 'a map, {}' },
  { value: [], text: 'a list, []' },
  { value: new Set(['x']), text: 'a set' },
];

/** What a key attribute of the type binary holds, and text does not. */
const binary = { value: new Uint8Array(1), text: 'binary' };

/** All kinds of items that are stored in any table or index. */
function residents(model: ResolvedModel): Resident[] {
  return placesOf(model).flatMap((place) => residentsOf(model, place));
}

function variablesIn(slots: readonly KeySlot[]): string[] {
  return slots.flatMap(({ template }) => template.variables.map(({ name }) => name)).filter((name) => name !== 'copy');
}

/** The bytes of a key attribute with the largest values of its attributes. Those with a fixed-width encoding are not counted. */
function slotBytes({ template }: KeySlot, bytesOf: (name: string) => number): number {
  return template.parts.reduce((sum, part) => {
    if (typeof part === 'string') return sum + byteLength(part);
    const whole = part.encoders.every(({ name }) => /^(lower|upper|rest|escape)$/.test(name));
    return sum + (whole ? bytesOf(part.name) : 0);
  }, 0);
}

function isName(name: string): boolean {
  return name.length >= nameLengthMin && name.length <= nameLengthMax && /^[a-zA-Z0-9_.-]+$/.test(name);
}

/** Whether a schema is known to take lists or maps, whatever else it takes. */
function takesOthers(schema: StandardSchema): boolean {
  const { text, number, other } = domainOf(schema);
  const isKnown = text === undefined || number === undefined;
  return isKnown && other;
}
