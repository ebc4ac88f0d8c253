import { shapeOfSchema } from '../../bridges/shape-of-schema.ts';
import { nameText, type Shape } from '../../bridges/shape.ts';
import { domainOf } from '../../keys/domain.ts';
import { isAttribute, isReference } from '../../patterns/condition.ts';
import type { Need } from '../../patterns/need.ts';
import type { Guard } from '../../patterns/value.ts';
import type { EntityInfo } from '../../resolve/resolved.ts';
import type { StandardSchema } from '../../schema/standard-schema.ts';
import type { Report } from '../finding.ts';
import { entitiesOfNeed, partsOfNeed } from '../needs.ts';
import { mayBeMissing } from '../sum-range.ts';
import { attributeWithin, parentPaths } from '../within-documents.ts';
import type { Rule } from '../rule.ts';

/** Rules about the operands of conditions and changes: the service rejects an operand of the wrong type, whatever is stored. */
export const operandRules: readonly Rule[] = [
  {
    code: 'operand-type',
    level: 'error',
    ids: ['LP-24', 'LP-22'],
    title: 'A comparison or change that the service refuses',
    why: 'DynamoDB orders text, numbers and binary values. `<`, `<=`, `>`, `>=` with true, false, null, a set, a list or a map fail with a ValidationException, as does `begins_with` with anything but text or binary: the pattern fails whenever it is called with such a value. `given` can compare two attributes of one item by `equals`, `not` and the four orders, if both are text, both numbers or both binary. Comparing an attribute with itself is refused. `append` changes a list, by a list, and `include` and `exclude` change a set. A path inside a document can be changed only if the document exists.',
    remedy:
      'Test for equality, or restrict the input to values that have an order. Compare an attribute with another of the same type. Use a change that fits the type of the attribute and of the input. Give a document that may be missing a default, or require it in `given`.',
    look: (model) =>
      [...model.patterns.values()].flatMap(({ name, need }) =>
        partsOfNeed(name, need).flatMap(({ path, part }) => {
          const entities = entitiesOfNeed(model, part);
          const compared = (['where', 'given'] as const).flatMap((section) =>
            comparisonsIn(part[section]).flatMap(([attribute, test]) =>
              [
                ...refusedOperands(test, part, entities),
                ...refusedAttributes({ attribute, test, section, entities }),
              ].map((what): Report => ({
                path: `${path}.${section}`,
                message: `${attribute} is compared with ${what}`,
              })),
            ),
          );
          const changed = `${path}.changes`;
          return [
            ...compared,
            ...changeReports(part, entities, changed),
            ...documentReports(part, entities, changed),
            ...holderReports(part, entities, changed),
          ];
        }),
      ),
  },
];

/** What the changes of a pattern make of an attribute: a list of `append`, a set of `include` and `exclude`. */
const changed = { append: 'list', include: 'set', exclude: 'set' } as const;

/** Changes of attributes that are not of their type, or by inputs that are not. */
function changeReports(need: Need, entities: readonly EntityInfo[], path: string): Report[] {
  return Object.entries(need.changes ?? {}).flatMap(([attribute, change]: [string, unknown]) =>
    (Object.keys(changed) as (keyof typeof changed)[]).flatMap((kind): Report[] => {
      if (typeof change !== 'object' || change === null || !(kind in change)) return [];
      const operand = (change as Readonly<Record<string, unknown>>)[kind];
      const type = changed[kind];
      const others = entities.flatMap(({ attributes }) => otherKinds(attributes.get(attribute)?.schema, [type]));
      const given =
        kind === 'append' && isReference(operand)
          ? schemasOf(operand.ref, need, entities).flatMap((schema) => otherKinds(schema, ['list']))
          : [];
      const within = Array.isArray(operand) ? operand.filter(isReference).map(({ ref }) => ref) : [];
      return [
        ...within.map((input) => ({
          path,
          message: `\`${kind}\` is given a list with the input ${input}, which is stored as it is written`,
          remedy: `Let the input be the list: \`${kind}(ref('${input}'))\`, with \`takes: { ${input}: z.array(…) }\`.`,
        })),
        ...(others.length === 0
          ? []
          : [
              {
                path,
                message: `${attribute} is changed by \`${kind}\`, and may be ${others.join(' or ')}`,
                remedy: `\`${kind}\` changes a ${type}: let the schema of ${attribute} take only a ${type}.`,
              },
            ]),
        ...(given.length === 0 || !isReference(operand)
          ? []
          : [
              {
                path,
                message: `the input ${operand.ref} is appended to ${attribute}, and may be ${given.join(' or ')}`,
                remedy: `\`append\` takes a list, also of one element: let ${operand.ref} be one, such as \`z.array(…)\`.`,
              },
            ]),
      ];
    }),
  );
}

/** Changes within a document that an item may lack. */
function documentReports(need: Need, entities: readonly EntityInfo[], path: string): Report[] {
  return Object.keys(need.changes ?? {}).flatMap((changed) =>
    entities.flatMap((entity): Report[] => {
      const missing = parentPaths(changed).find((parent) => {
        const info = entity.attributes.get(parent) ?? attributeWithin(entity, parent);
        return info !== undefined && mayBeMissing({ need }, info) && !isRequiredBy(need.given, parent);
      });
      if (missing === undefined) return [];
      const isWhole = entity.attributes.has(missing);
      return [
        {
          path,
          message: `${changed} is changed, and ${missing} of ${entity.name} may be missing`,
          remedy: `${isWhole ? 'Give it a default in the schema, such as `.default({})`, or add' : 'Add'} the condition: \`given: { ${nameText(missing)}: { exists: true } }\`.`,
        },
      ];
    }),
  );
}

/** Changes within what is neither a map nor a list, which the service refuses for each item that has it. */
function holderReports(need: Need, entities: readonly EntityInfo[], path: string): Report[] {
  return Object.keys(need.changes ?? {}).flatMap((changed) =>
    entities.flatMap((entity): Report[] =>
      parentPaths(changed).flatMap((parent): Report[] => {
        const info = entity.attributes.get(parent) ?? attributeWithin(entity, parent);
        const wanted = changed[parent.length] === '[' ? (['list'] as const) : (['object', 'record'] as const);
        const others = otherKinds(info?.schema, wanted);
        if (others.length === 0 || isRequiredBy(need.given, parent, { within: true })) return [];
        return [
          {
            path,
            message: `${changed} is changed, and ${parent} of ${entity.name} may be ${others.join(' or ')}`,
            remedy: `Change ${nameText(parent)} as a whole, or let its schema take only ${kindNames[wanted[0]]}.`,
          },
        ];
      }),
    ),
  );
}

/** Whether an item that meets a condition has what is at a path, or also something within it. */
function isRequiredBy(
  condition: Guard | undefined,
  path: string,
  { within = false }: { readonly within?: boolean } = {},
): boolean {
  const { any } = (condition ?? {}) as { readonly any?: unknown };
  if (Array.isArray(any)) return any.length > 0 && any.every((each: Guard) => isRequiredBy(each, path, { within }));
  return Object.entries(condition ?? {}).some(([tested, test]: [string, unknown]) => {
    if ((within || tested !== path) && !parentPaths(tested).includes(path)) return false;
    if (typeof test !== 'object' || test === null || Array.isArray(test) || isReference(test)) return true;
    return Object.entries(test).some(([kind, operand]) =>
      kind === 'exists' ? operand === true : kind !== 'not' && kind !== 'lacks',
    );
  });
}

/** Kinds of a schema's values besides the wanted ones. A schema that does not show them is assumed to have none. */
function otherKinds(schema: StandardSchema | undefined, wanted: readonly Shape['kind'][]): string[] {
  if (schema === undefined) return [];
  const { shape } = shapeOfSchema(schema, 'output');
  const kinds = new Set((shape.kind === 'union' ? shape.of : [shape]).map(({ kind }) => kind));
  for (const kind of wanted) kinds.delete(kind);
  return kinds.has('unknown') ? [] : [...new Set([...kinds].map((kind) => kindNames[kind]))];
}

const kindNames: Readonly<Record<Shape['kind'], string>> = {
  string: 'text',
  number: 'a number',
  bigint: 'a number',
  boolean: 'true or false',
  binary: 'binary',
  null: 'null',
  literal: 'a constant',
  enum: 'text',
  list: 'a list',
  set: 'a set',
  record: 'a map',
  object: 'a map',
  union: 'of several types',
  unknown: 'anything',
};

const orderTests = ['atLeast', 'atMost', 'above', 'below'] as const;

/** The tests of a condition by attribute, including those of its alternatives. */
function comparisonsIn(condition: Guard | undefined): (readonly [attribute: string, test: object])[] {
  const { any } = (condition ?? {}) as { readonly any?: unknown };
  if (Array.isArray(any)) return any.flatMap((each: Guard) => comparisonsIn(each));
  return Object.entries(condition ?? {}).flatMap(([attribute, test]: [string, unknown]) =>
    typeof test === 'object' && test !== null && !Array.isArray(test) && !isReference(test)
      ? [[attribute, test] as const]
      : [],
  );
}

function refusedOperands(test: object, need: Need, entities: readonly EntityInfo[]): string[] {
  const operands = test as Readonly<Record<string, unknown>>;
  const refused = (kinds: readonly string[], isRefused: (schema: StandardSchema) => boolean): string[] =>
    kinds.flatMap((kind) => {
      const operand = operands[kind];
      if (typeof operand === 'boolean' || operand === null) return [`${String(operand)} by \`${kind}\``];
      if (!isReference(operand)) return [];
      const schemas = schemasOf(operand.ref, need, entities);
      return schemas.some(isRefused)
        ? [`the input ${operand.ref} by \`${kind}\`, which may be ${wrongType(schemas)}`]
        : [];
    });
  return [
    ...refused(orderTests, (schema) => unordered(schema) !== undefined),
    ...refused(['begins'], (schema) => unordered(schema) !== undefined || isNumeric(schema)),
    ...(typeof operands['begins'] === 'number' ? [`${operands['begins']} by \`begins\``] : []),
  ];
}

/** What an input of that name can be: as the pattern declares it, or as an attribute. */
function schemasOf(input: string, { takes = {} }: Need, entities: readonly EntityInfo[]): StandardSchema[] {
  const taken = takes[input];
  return taken === undefined ? entities.flatMap(({ attributes }) => attributes.get(input)?.schema ?? []) : [taken];
}

/** A type of the schema's values that has no order. A schema without a description is assumed to have one. */
function unordered(schema: StandardSchema): string | undefined {
  const { values, text, number, other, null: isNull } = domainOf(schema);
  if (isNull) return 'null';
  if (values?.some((value) => typeof value === 'boolean') === true) return 'true or false';
  return other && text === undefined && number === undefined ? 'a set, a list or a map' : undefined;
}

function isNumeric(schema: StandardSchema): boolean {
  const { text, number } = domainOf(schema);
  return number !== undefined && text === undefined;
}

function wrongType(schemas: readonly StandardSchema[]): string {
  return schemas.map(unordered).find((type) => type !== undefined) ?? 'a number';
}

interface AttributeTest {
  readonly attribute: string;
  readonly test: object;
  readonly section: 'where' | 'given';
  readonly entities: readonly EntityInfo[];
}

/** The comparisons that can compare an attribute with another one. */
const pairTests = new Set(['equals', 'not', 'atLeast', 'atMost', 'above', 'below']);

/** Other attributes that cannot be operands, because of the section, the comparison or their types. */
function refusedAttributes({ attribute, test, section, entities }: AttributeTest): string[] {
  return Object.entries(test).flatMap(([kind, operand]: [string, unknown]): string[] => {
    if (!isAttribute(operand)) return [];
    const other = operand.attribute;
    if (section === 'where') return [`the attribute ${other}: only \`given\` compares two attributes`];
    if (!pairTests.has(kind)) return [`the attribute ${other} by \`${kind}\`, which takes constants and inputs`];
    if (other === attribute) return ['itself, which the service refuses'];
    return entities.flatMap((entity): string[] => {
      const info = entity.attributes.get(other);
      if (info === undefined) return [`"${other}", which is not an attribute of ${entity.name}`];
      const known = entity.attributes.get(attribute);
      if (known === undefined || /[.[]/.test(attribute)) return [];
      const isOrder = orderTests.some((test) => test === kind);
      return (isOrder && [known, info].some(({ schema }) => unordered(schema) !== undefined)) ||
        !haveOneType(known.schema, info.schema)
        ? [`the attribute ${other}, whose values are of another type or have no order`]
        : [];
    });
  });
}

/** Whether some values of both are text, or both numbers. A schema without a description is assumed to match. */
function haveOneType(a: StandardSchema, b: StandardSchema): boolean {
  const [left, right] = [domainOf(a), domainOf(b)];
  if (left.other || right.other) return true;
  if ([left, right].every(({ values }) => values?.some((value) => typeof value === 'boolean'))) return true;
  return (
    (left.text !== undefined && right.text !== undefined) || (left.number !== undefined && right.number !== undefined)
  );
}
