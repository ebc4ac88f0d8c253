import { type Domain, domainOf } from '../../keys/domain.ts';
import type { KeyValue } from '../../keys/encoders.ts';
import { unsortedNumber } from '../../keys/unsorted-number.ts';
import { isOfConstants } from '../../patterns/condition.ts';
import { meets } from '../../patterns/evaluate.ts';
import { unprovenOf } from '../../proof/read-proof.ts';
import { sortableNumber } from '../../proof/sortable-number.ts';
import type { KeyTemplate, TemplateVariable } from '../../keys/template.ts';
import type { AttributeInfo, EntityInfo, KeyForm, PlaceInfo, ResolvedModel } from '../../resolve/resolved.ts';
import type { Report } from '../finding.ts';
import { entitiesOfNeed } from '../needs.ts';
import { sampleValue } from '../../samples/sample-value.ts';
import { keyTypeOf, kindOf } from '../probe.ts';
import { placesOf, queriesOf, residentsOf } from '../residents.ts';
import type { Rule } from '../rule.ts';
import { talliesOf } from '../../resolve/slots.ts';
import { accepts as isAccepted, yielded } from '../../schema/validated.ts';

/** Rules about the values that keys are made of. */
export const valueRules: readonly Rule[] = [
  {
    code: 'unpadded-number',
    level: 'error',
    ids: ['S-55', 'LP-19', 'LP-27', 'LB-4'],
    title: 'A number that sorts as text',
    why: 'In a text key 10 comes before 9, so issue 100 sorts before issue 99.',
    remedy: "Pad it to the width of the largest, `{number:08}`, or make the whole key a number, `'number:N'`.",
    look: (model) =>
      sortVariables(model).flatMap(({ entity, place, path, variable, attribute, type }) => {
        if (type !== 'S' || variable.encoders.length > 0 || !isNumberOfAnyWidth(attribute.schema)) return [];
        const readers = readersInOrder(model, entity, variable.name).filter(({ plan }) =>
          plan.streams.some((stream) => stream.place === place),
        );
        const areProven = readers.every((pattern) => unprovenOf(pattern).length === 0);
        if (readers.length > 0 && areProven) return [];
        const domain = domainOf(attribute.schema);
        return [
          {
            path,
            message: `${entity.name} in ${place.name}: ${unsortedNumber(variable.name, domain)}`,
            remedy: sortableNumber(variable.name, domain.number),
            level: areProven ? 'warning' : 'error',
          },
        ];
      }),
  },
  {
    code: 'value-beyond-key',
    level: 'warning',
    ids: ['S-55', 'LP-19'],
    title: 'A value that its key cannot write',
    why: 'The schema accepts the value, and the encoder of the key refuses it: 1000 does not fit `{number:03}`, and nothing is left of "東京" in `{city:slug}`. Every write of such a value fails with an `InputError`, perhaps years later.',
    remedy: 'Widen the encoder, or narrow the schema to what the key can write.',
    look: (model) =>
      [...keyVariablesOf(model)].flatMap(({ entity, path, variable, attribute, template, form }): Report[] => {
        // The key is written of items that meet the condition of its form only.
        const test = (form.when as Readonly<Record<string, unknown>> | undefined)?.[variable.name];
        const values = [
          ...valuesToTry(attribute),
          ...valuesBeside(test).filter((each) => accepts(attribute, each)),
          ...textsToTry(variable, attribute),
          ...textsOfAnotherKind(variable, attribute),
        ];
        const value = values.find(
          (each) => !isWritten(variable, each) && (test === undefined || !isOfConstants(test) || meets(test, each)),
        );
        if (value === undefined) return [];
        return [
          {
            path,
            message: `${variable.name} of ${entity.name} may be ${JSON.stringify(value)}, which ${template.source} does not take`,
            ...narrowerOrWider(variable, value),
            ...(isNeverWritten(variable, domainOf(attribute.schema)) && { level: 'error' as const }),
          },
        ];
      }),
  },
  {
    code: 'unsortable-time',
    level: 'error',
    ids: ['S-50', 'LB-3', 'LB-4', 'LP-19'],
    title: 'Times that do not sort',
    why: '`2024-01-15T10:00:00-03:00` and `2024-01-15T13:00:00Z` are the same instant but sort differently; `15/01/2024` sorts by the day of the month. A range over such keys misses items.',
    remedy: 'Write the time in one form, `{createdAt:utc}`, or let the schema accept only one.',
    look: (model) =>
      sortVariables(model).flatMap(({ entity, path, variable, attribute, type }) => {
        if (type !== 'S' || variable.encoders.length > 0 || !isTimeName(variable.name)) return [];
        const kind = kindOf(attribute.schema);
        if (!kind.severalTimes || kind.numeric) return [];
        return [
          {
            path,
            message: `${variable.name} of ${entity.name} may be written with an offset, or in any other form`,
            remedy:
              domainOf(attribute.schema).text?.isTime === true
                ? `Write the time in one form, \`{${variable.name}:utc}\`, or let the schema accept only one: \`precision: 3\`.`
                : 'Let the schema say that it is a time, and accept only one form: `z.iso.datetime({ precision: 3 })`.',
            level: readInOrder(model, entity, variable.name) ? 'error' : 'warning',
          },
        ];
      }),
  },
  {
    code: 'mixed-case',
    level: 'warning',
    ids: ['S-49', 'LP-19'],
    title: 'Upper and lower case in one order',
    why: 'Keys sort by bytes: Zebra before apple, and `Alex@example.com` is another key than `alex@example.com`.',
    remedy:
      "Declare the spellings equal, `same: { email: 'lower' }`, and write the key in one case, `{email:lower}`; the attribute keeps the spelling.",
    look: (model) =>
      [...keyVariablesOf(model)].flatMap(({ entity, path, variable, attribute, sort, template }) => {
        const named =
          /email|mail|name$|title|city|state|country|tag|label/i.test(variable.name) &&
          !/(user|host|file)name$/i.test(variable.name);
        if (!named || variable.encoders.some(({ name }) => /^(lower|upper|slug)$/.test(name))) return [];
        if (!sort && !/mail/i.test(variable.name)) return [];
        const escape = variable.encoders.some(({ name }) => name === 'escape') ? ':escape' : '';
        return kindOf(attribute.schema).mixedCase
          ? [
              {
                path,
                message: `${variable.name} of ${entity.name} may have capital and small letters, in ${template.source}`,
                remedy: `Declare the spellings equal, in the rules of ${entity.name}: \`same: { ${variable.name}: 'lower' }\`; every key then writes {${variable.name}:lower${escape}}.`,
              },
            ]
          : [];
      }),
  },
  {
    code: 'raw-id-order',
    level: 'warning',
    ids: ['LP-20'],
    title: 'The newest items, by ids without a time',
    why: 'Random ids sort at random: the last ten are not the newest ten.',
    remedy:
      'Order by a time, or use ids that begin with one: `{orderId:ksuid}` or a schema that accepts only KSUIDs or ULIDs.',
    look: (model) =>
      queriesOf(model).flatMap(({ name, need, plan }) => {
        const [attribute = ''] = need.order?.split(' ') ?? [];
        return plan.parts.some(({ many, entity }) => many && isRandom(attribute, entity.attributes.get(attribute)))
          ? [{ path: `patterns.${name}`, message: `is in the order of ${attribute}` }]
          : [];
      }),
  },
  {
    code: 'time-to-live',
    level: 'error',
    ids: ['LP-23'],
    title: 'A time to live that never takes effect',
    why: 'The service interprets the attribute as a number of seconds since 1970. A value in milliseconds is fifty thousand years away, and text is ignored. An expired item may still exist: a filter that excludes such items must keep values above the current time, not below.',
    remedy: 'Store seconds: `Math.floor(Date.now() / 1000) + ttlSeconds`, in an attribute with a numeric schema.',
    look: (model) => [
      ...keepsTheExpired(model),
      ...expiriesOfTables(model),
      ...[...model.entities.values()].flatMap(({ name, rules, attributes }): Report[] => {
        if (rules.expires === undefined) return [];
        const info = attributes.get(rules.expires);
        const path = `entities.${name}.${rules.expires}`;
        if (info === undefined) return [{ path, message: `${name} has no attribute ${rules.expires}` }];
        if (!accepts(info, 1_700_000_000))
          return [{ path, message: `${rules.expires} does not take seconds since 1970, such as 1700000000` }];
        if (accepts(info, 1_700_000_000_000))
          return [
            {
              path,
              message: `${rules.expires} takes 1700000000000 as well, milliseconds: as seconds that is in the year 55840`,
              level: 'warning',
              remedy: `Bound the schema so that it takes seconds only: \`z.int().max(9_999_999_999)\`.`,
            },
          ];
        return /(ms|millis)$/i.test(rules.expires)
          ? [{ path, message: `${rules.expires} is named as milliseconds` }]
          : [];
      }),
    ],
  },
  {
    code: 'counter-without-start',
    level: 'warning',
    ids: ['LP-24', 'S-66', 'S-69'],
    title: 'A counter without an initial value',
    why: 'The model counts a missing attribute as zero. The application, however, reads an item without the attribute, which the schema rejects or must declare optional.',
    remedy: 'Give the attribute a default in the schema: `.default(0)`.',
    look: (model) =>
      [...model.entities.values()].flatMap((child) =>
        [
          ...child.parents.flatMap((parent) => talliesOf(parent).map(([tally]) => [parent.entity, tally] as const)),
          ...child.sequences.map(({ counter, parent }) => [parent.entity, counter] as const),
        ].flatMap(([parent, counter]): Report[] => {
          const info = model.entities.get(parent)?.attributes.get(counter);
          if (info === undefined || info.fallback !== undefined) return [];
          return [{ path: `entities.${parent}.${counter}`, message: `counts ${child.name} and has no default` }];
        }),
      ),
  },
];

/** The service deletes by one attribute of a table, whatever entity has it. */
function expiriesOfTables({ entities }: ResolvedModel): Report[] {
  return [...entities.values()].flatMap(({ name, table, attributes, rules }): Report[] => {
    const { expires: stored } = table;
    if (stored === undefined) return [];
    if (rules.expires !== undefined) {
      const own = attributes.get(rules.expires)?.stored;
      if (own === undefined || own === stored) return [];
      return [
        {
          path: `entities.${name}.expires`,
          message: `${name} expires by "${own}", and other items of ${table.name} by "${stored}": a table has one such attribute`,
          remedy: `Store both under one name, in the second argument of \`keys\`: \`{ ${name}: { stored: { ${rules.expires}: '${stored}' } } }\`.`,
          isRefused: true,
        },
      ];
    }
    const attribute = [...attributes.values()].find((each) => each.stored === stored);
    if (attribute === undefined) return [];
    return [
      {
        path: `entities.${name}.${attribute.name}`,
        message: `the service deletes items of ${table.name} by "${stored}", and ${attribute.name} of ${name} is stored so`,
        remedy: `Say so, \`expires: '${attribute.name}'\`, or store it under another name, in the second argument of \`keys\`: \`{ ${name}: { stored: { ${attribute.name}: '${stored}Of${name}' } } }\`.`,
        isRefused: true,
      },
    ];
  });
}

/** Reads that request past times. The model itself leaves out what has expired, and such a filter leaves out the rest. */
function keepsTheExpired(model: ResolvedModel): Report[] {
  return [...model.patterns.values()].flatMap(({ name, need }) =>
    need.expired === true
      ? []
      : entitiesOfNeed(model, need).flatMap(({ rules: { expires } }): Report[] => {
          const test = expires === undefined ? undefined : (need.where as Readonly<Record<string, unknown>>)?.[expires];
          const below = typeof test === 'object' && test !== null && ('below' in test || 'atMost' in test);
          return need.reads === undefined || !below
            ? []
            : [
                {
                  path: `patterns.${name}.where`,
                  message: `keeps what has expired: ${expires ?? ''} is to be below something, and live items are above now`,
                  remedy:
                    'Leave the condition away: a read never gives what has expired. Where the expired are meant, say `expired: true`.',
                },
              ];
        }),
  );
}

interface KeyVariable {
  readonly entity: EntityInfo;
  readonly place: PlaceInfo;
  readonly path: string;
  readonly variable: TemplateVariable;
  readonly attribute: AttributeInfo;
  readonly type: string;
  readonly sort: boolean;
  readonly template: KeyTemplate;
  readonly form: KeyForm;
}

function* keyVariablesOf(model: ResolvedModel): Generator<KeyVariable> {
  for (const place of placesOf(model)) {
    for (const { entity, path, partition, sort, form } of residentsOf(model, place)) {
      for (const slot of [...partition, ...sort]) {
        for (const variable of slot.template.variables) {
          const attribute = entity.attributes.get(variable.name);
          if (attribute !== undefined)
            yield {
              entity,
              place,
              path,
              variable,
              attribute,
              type: slot.type,
              sort: sort.includes(slot),
              form,
              template: slot.template,
            };
        }
      }
    }
  }
}

/** The numbers of a test, and those beside them. */
function valuesBeside(test: unknown): number[] {
  const numbers = Object.values(Object(test) as object).filter((each) => typeof each === 'number');
  return numbers.flatMap((each) => [each - 1, each, each + 1]);
}

/** The values of a schema if they are few, and otherwise the ends that it states, and fractions. Without a stated end, what the key refuses is the end. */
function valuesToTry(attribute: AttributeInfo): readonly KeyValue[] {
  const { values, number, text, other } = domainOf(attribute.schema);
  if (values !== undefined) return values;
  if (number === undefined) return [];
  const { least, most, whole } = number;
  // `z.int()` states the ends of the safe integers.
  const ends = [least, most].filter((end) => Number.isFinite(end) && Math.abs(end) !== Number.MAX_SAFE_INTEGER);
  if (whole || text !== undefined || other) return ends;
  const fractions = [0.5, -0.5, 0.25, 0.01, least + 0.5, most - 0.5, (least + most) / 2];
  return [...ends, ...fractions.filter((each) => !Number.isInteger(each) && accepts(attribute, each))];
}

/** Texts of which `slug` leaves nothing, and times that `inverseTime` does not take, if the schema takes them. */
function textsToTry({ encoders }: TemplateVariable, attribute: AttributeInfo): readonly KeyValue[] {
  const tried = encoders.flatMap(({ name }) =>
    name === 'slug' ? ['東京', '-'] : name === 'inverseTime' ? timesBeyond : [],
  );
  return tried.filter((text) => accepts(attribute, text));
}

/** A second, a millisecond and a day before 1970, and such times after 13 digits of milliseconds. */
const timesBeyond = ['1969-12-31', '2286-11-21'].flatMap((day) => [
  `${day}T23:59:59.999Z`,
  `${day}T23:59:59Z`,
  `${day}T23:59:59.999`,
  `${day}T23:59:59`,
  `${day}T23:59Z`,
  day,
]);

/** A text of a schema that takes none of what the encoder takes: `{at:utc}` of a name, `{id:ksuid}` of a UUID. */
function textsOfAnotherKind(variable: TemplateVariable, attribute: AttributeInfo): readonly KeyValue[] {
  const isTaken = (value: unknown): boolean => typeof value === 'string' && isWritten(variable, value);
  const known = textsOfEncoders.filter(isTaken);
  if (known.length === textsOfEncoders.length || known.some((text) => isTaken(yielded(attribute.schema, text))))
    return [];
  const source = { index: 0, at: Date.UTC(2024, 1, 29), random: () => 0.5 };
  const sample = sampleValue(variable.name, attribute.schema, source);
  return typeof sample === 'string' ? [sample] : [];
}

/** Times in several forms, ids with a time in them, and numbers: what the encoders take that do not take every text. */
const textsOfEncoders = [
  ...['.999999999Z', '.999999Z', '.999Z', '.9Z', 'Z', '', '.999', '+01:00', '.999+01:00'].map(
    (end) => `2024-02-29T23:59:59${end}`,
  ),
  '2024-02-29T23:59Z',
  '2024-02-29T23:59',
  '2024-02-29',
  '0ujsswThIGTUYm2K8FjOOfXtY1K',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ...Array.from({ length: 18 }, (_, i) => '1'.padStart(i + 1, '0')),
  ...Array.from({ length: 18 }, (_, i) => '1'.padEnd(i + 1, '0')),
];

function isWritten({ encoders }: TemplateVariable, value: KeyValue): boolean {
  try {
    return encoders.reduce((each, { encode }) => encode(each), value) !== '';
  } catch {
    return false;
  }
}

/** Whether no value of an attribute is written. */
function isNeverWritten(variable: TemplateVariable, { values, number, text, other }: Domain): boolean {
  if (values !== undefined) return values.every((value) => !isWritten(variable, value as KeyValue));
  const [{ least = -Infinity, most = Infinity } = {}] = variable.encoders;
  return number !== undefined && text === undefined && !other && (number.most < least || number.least > most);
}

function narrowerOrWider({ name, encoders: [first] }: TemplateVariable, value: KeyValue): Pick<Report, 'remedy'> {
  const { least, most, name: encoder = '' } = first ?? {};
  if (encoder === 'inverseTime' && typeof value === 'string')
    return {
      remedy: `Write \`{${name}:utc}\` and read it in descending order, or let the schema take only times of 1970 to 2286-11-20: \`.regex(/^(19[7-9]|2[01]|22[0-7])/)\`.`,
    };
  if (typeof value === 'string' && encoder !== 'slug')
    return { remedy: `Write it as it is, \`{${name}}\`, or let the schema take only what {${name}:${encoder}} takes.` };
  if (typeof value === 'string')
    return { remedy: 'Let the schema take only text with a letter or a digit that stays: `.regex(/[a-z0-9]/i)`.' };
  if (least === undefined || most === undefined) return {};
  if (!Number.isInteger(value)) return { remedy: 'Let the schema take whole numbers only: `z.int()`.' };
  if (Number(value) < least) return { remedy: `Let the schema refuse it: \`.min(${least})\`.` };
  const wider = encoder.replace(/(?<=^0|[a-z])\d+$/, String(String(value).length));
  const narrower = `the schema: \`.max(${most})\`.`;
  return {
    remedy: wider === encoder ? `Narrow ${narrower}` : `Widen the key, \`{${name}:${wider}}\`, or narrow ${narrower}`,
  };
}

function sortVariables(model: ResolvedModel): KeyVariable[] {
  return [...keyVariablesOf(model)].filter(({ sort }) => sort);
}

/** The name says so, or it accepts random UUIDs but neither time-ordered ones nor other text. */
function isRandom(name: string, info: AttributeInfo | undefined): boolean {
  if (info === undefined) return false;
  return (
    /uuid|guid/i.test(name) || (accepts(info, drawnUuid) && !['a', 'A', '0001'].some((text) => accepts(info, text)))
  );
}

const drawnUuid = '9b2d3c1e-7f44-4a06-8a5b-2f1c9e7d6b30';

/** Numbers of one width sort as text as they do as numbers. */
function isNumberOfAnyWidth(schema: AttributeInfo['schema']): boolean {
  const { number } = domainOf(schema);
  const width = (value: number | undefined): number => String(value).length;
  const isEven =
    number?.whole === true && number.least >= 0 && number.most < 2 ** 53 && width(number.least) === width(number.most);
  return keyTypeOf(schema) === 'N' && !isEven;
}

function isTimeName(name: string): boolean {
  return /(At|On|Time|Date|Timestamp|Day)$|^(time|date|timestamp|when|day)$/.test(name);
}

function readInOrder(model: ResolvedModel, entity: EntityInfo, attribute: string): boolean {
  return readersInOrder(model, entity, attribute).length > 0;
}

function readersInOrder(model: ResolvedModel, entity: EntityInfo, attribute: string): ReturnType<typeof queriesOf> {
  return queriesOf(model).filter(
    ({ need, plan }) =>
      (need.range === attribute || need.order?.startsWith(`${attribute} `) === true) &&
      plan.parts.some((part) => part.entity === entity),
  );
}

function accepts({ schema }: AttributeInfo, value: unknown): boolean {
  return isAccepted(schema, value);
}
