import type { Model } from '../model.ts';
import type { Finding } from './finding.ts';

/** What is wrong with the form of a value: the place, and what should be there. */
interface Fault {
  readonly path: string;
  readonly wanted: string;
}

/** Checks the form of one value. */
type Form = (value: unknown, path: string) => readonly Fault[];

/** Forms of members that may not be missing. */
const needed = new WeakSet<Form>();

const text: Form = (value, path) => (typeof value === 'string' ? [] : [{ path, wanted: 'a text' }]);
const number: Form = (value, path) => (typeof value === 'number' ? [] : [{ path, wanted: 'a number' }]);
const boolean: Form = (value, path) => (typeof value === 'boolean' ? [] : [{ path, wanted: 'true or false' }]);
const anything: Form = () => [];
const texts = listOf(text, 'a list of texts');
const names = listOf(text, "a list of attributes, such as ['customerId']");
const textOrTexts = either([text, texts], 'a text or a list of texts');
const oneText: Form = (value, path) =>
  Array.isArray(value) && value.length === 1 ? texts(value, path) : [{ path, wanted: 'a list with one entity' }];
const target = either([text, oneText], "an entity, or a list with one: 'Order' or ['Order']");
const object = recordOf(anything);
const tests = recordOf(testOf);
const condition: Form = (value, path) => [...besideAny(value, path), ...tests(value, path)];
const guard: Form = (value, path) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
    ? [{ path, wanted: "a condition, such as { status: 'OPEN' }" }]
    : condition(value, path);
const schema: Form = (value, path) =>
  typeof (value as { readonly '~standard'?: { readonly validate?: unknown } } | null | undefined)?.['~standard']
    ?.validate === 'function'
    ? []
    : [{ path, wanted: 'a Standard Schema, such as one of zod, valibot or arktype' }];

const write = {
  by: names,
  sets: names,
  maySet: names,
  rekeys: names,
  changes: object,
  given: guard,
  takes: recordOf(schema),
  creates: target,
  puts: target,
  upserts: target,
  updates: target,
  deletes: target,
  checks: target,
};

const need = membersOf({
  ...write,
  reads: all([
    either([text, oneText, recordOf(target)], "an entity, a list with one, or parts by name: { orders: ['Order'] }"),
    ofDifferentEntities,
  ]),
  aka: recordOf(textOrTexts),
  among: recordOf(number),
  range: text,
  order: text,
  where: condition,
  filters: names,
  attributes: names,
  window: membersOf({ of: required(text), from: required(text), to: text }),
  limit: number,
  unproven: text,
  returns: text,
  each: boolean,
  count: boolean,
  consistent: boolean,
  expired: boolean,
  orCreates: boolean,
  mustExist: boolean,
  rate: number,
  volume: membersOf({ typical: required(number), most: number }),
  accepts: recordOf(text),
  transacts: recordOf(membersOf(write)),
});

const templates = listOf(text, "a template for each key attribute: ['CUSTOMER#{customerId}', 'PROFILE']");
const conditional = membersOf({ when: required(condition), key: required(templates) });
const keys = either(
  [templates, listOf(conditional, ''), conditional],
  "templates, ['CUSTOMER#{customerId}', 'PROFILE'], or such with a condition, { when: {…}, key: […] }",
);
const index = either(
  [texts, membersOf({ partition: texts, sort: texts, local: text, project: textOrTexts })],
  "key attributes, ['GSI1PK', 'GSI1SK'], or an object with them",
);
const table = membersOf({
  key: required(listOf(text, "a list of key attributes: ['PK', 'SK']")),
  indexes: recordOf(index),
  type: either([text, (value, path) => (value === false ? [] : [{ path, wanted: 'false' }])], 'a text, or false'),
  separator: text,
  tenant: text,
  stream: text,
  accepts: recordOf(text),
});
const served = either(
  [
    text,
    texts,
    membersOf({
      query: required(textOrTexts),
      fanOut: number,
      readAhead: number,
      walk: membersOf({ unit: required(text), most: required(number) }),
    }),
    membersOf({ scan: required(text), because: text }),
  ],
  "an operation, such as 'GetItem', { query: 'GSI1' } or { scan: 'Shop', because: '…' }",
);
const relationship: Form = (value, path) =>
  Array.isArray(value) && value.length >= 3 && value.slice(0, 3).every((each) => typeof each === 'string')
    ? value[3] === undefined
      ? []
      : object(value[3], path)
    : [{ path, wanted: "a parent, a cardinality and a child: ['Customer', '1:N', 'Order']" }];

const model = membersOf({
  entities: required(
    recordOf(
      membersOf({
        attributes: required(recordOf(schema)),
        rules: membersOf({
          lock: text,
          expires: text,
          unique: names,
          generated: names,
          sequence: recordOf(text),
          duplicates: object,
          computed: recordOf(membersOf({ from: required(names) })),
          copies: number,
          expects: membersOf({ items: number, bytes: number }),
          examples: object,
          same: recordOf(textOrTexts),
        }),
      }),
    ),
  ),
  relationships: required(listOf(relationship, 'a list of relationships')),
  patterns: required(recordOf(need)),
  procedures: recordOf(membersOf({ takes: required(texts), scans: recordOf(text) })),
  tables: required(recordOf(table)),
  keys: required(recordOf(recordOf(keys))),
  storage: recordOf(
    membersOf({
      stored: recordOf(text),
      accepts: recordOf(text),
      type: text,
      unique: recordOf(membersOf({ key: templates, type: text })),
    }),
  ),
  served: required(recordOf(served)),
});

/**
 * Findings about the form of a model: a name where a list belongs, or a missing part. The compiler excludes them, except in
 * JavaScript and in generated models. A model with such a finding can be neither checked further nor run.
 */
export function declarationFindings(declared: Model): readonly Finding[] {
  const faults = model(declared, '');
  return [...faults, ...(faults.length === 0 ? tableKeyFaults(declared) : [])].map(({ path: found, wanted }) => {
    // An attribute is found by the path of its entity.
    const path = found.replace(/^(entities\.[^.]+)\.(?:attributes|rules)\b/, '$1');
    return {
      code: 'bad-declaration',
      level: 'error',
      path: path === '' ? 'patterns' : path,
      message: `${path === '' ? 'the model' : path} is not ${wanted}`,
      remedy: `Write ${wanted}.`,
    };
  });
}

/** Keys of tables with a condition: an item that does not meet it would have no key. */
function tableKeyFaults({ keys: declared, tables }: Model): Fault[] {
  return Object.entries(declared).flatMap(([entity, own]) =>
    Object.entries(own).flatMap(([place, key]) =>
      place in tables && templates(key, '').length > 0
        ? [
            {
              path: `keys.${entity}.${place}`,
              wanted: 'templates without a condition: every item has a key in its table',
            },
          ]
        : [],
    ),
  );
}

/** The items of an entity are under one name of a collection. */
function ofDifferentEntities(value: unknown, path: string): readonly Fault[] {
  const entities = isObject(value) ? Object.values(value).flat() : [];
  return new Set(entities).size < entities.length ? [{ path, wanted: 'a collection of different entities' }] : [];
}

/** Members that may be missing are checked where they are there. Others are no concern here. */
function membersOf(members: Readonly<Record<string, Form>>): Form {
  return (value, path) => {
    if (!isObject(value)) return [{ path, wanted: 'an object' }];
    return Object.entries(members).flatMap(([name, form]) => {
      const member = (value as Readonly<Record<string, unknown>>)[name];
      return member === undefined && !needed.has(form) ? [] : form(member, path === '' ? name : `${path}.${name}`);
    });
  };
}

function required(form: Form): Form {
  const same: Form = (value, path) => form(value, path);
  needed.add(same);
  return same;
}

function recordOf(form: Form): Form {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => form(each, `${path}.${name}`))
      : [{ path, wanted: 'an object' }];
}

function listOf(form: Form, wanted: string): Form {
  return (value, path) => {
    if (!Array.isArray(value)) return [{ path, wanted }];
    return value.some((each) => form(each, path).length > 0) ? [{ path, wanted }] : [];
  };
}

function either(forms: readonly Form[], wanted: string): Form {
  return (value, path) => (forms.some((form) => form(value, path).length === 0) ? [] : [{ path, wanted }]);
}

function all(forms: readonly Form[]): Form {
  return (value, path) => forms.flatMap((form) => form(value, path));
}

/** The constants of a test: what JSON can write. A set, a date or a bigint would be compared by a text that says nothing of it. */
function testOf(value: unknown, path: string): readonly Fault[] {
  if (value === undefined || value === null || ['string', 'boolean'].includes(typeof value)) return [];
  if (typeof value === 'number' && Number.isFinite(value)) return [];
  const isPlain = isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  if (!isPlain && !Array.isArray(value)) return [{ path, wanted: 'a text, a number, true or false' }];
  const tests = Object.entries(value);
  if (tests.length === 0) return [{ path, wanted: 'a test: a value, a list with one, or such as { above: 0 }' }];
  return tests.flatMap(([name, each]) => testOf(each, Array.isArray(value) ? path : `${path}.${name}`));
}

/** Tests beside the alternatives of a condition, which are all that is looked at. */
function besideAny(value: unknown, path: string): readonly Fault[] {
  if (!isObject(value) || !('any' in value) || !Array.isArray(value.any)) return [];
  const inner = value.any.flatMap((each) => besideAny(each, `${path}.any`));
  if (Object.keys(value).length === 1) return inner;
  return [
    { path, wanted: 'a condition of tests, or of `any` alone, with the other tests in each alternative' },
    ...inner,
  ];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
