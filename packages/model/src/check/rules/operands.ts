import { domainOf } from '../../keys/domain.ts';
import { isReference } from '../../patterns/condition.ts';
import type { Need } from '../../patterns/need.ts';
import type { Condition } from '../../patterns/value.ts';
import type { EntityInfo } from '../../resolve/resolved.ts';
import type { StandardSchema } from '../../schema/standard-schema.ts';
import type { Report } from '../finding.ts';
import { entitiesOfNeed, partsOfNeed } from '../needs.ts';
import type { Rule } from '../rule.ts';

/** Rules about what conditions compare with: the service refuses an operand of the wrong type, whatever is stored. */
export const operandRules: readonly Rule[] = [
  {
    code: 'operand-type',
    level: 'error',
    ids: ['LP-24', 'LP-22'],
    title: 'A comparison that the service refuses',
    why: 'DynamoDB orders text, numbers and binary values. `<`, `<=`, `>`, `>=` with true, false, null, a set, a list or a map are refused with a ValidationException, and so is `begins_with` with anything but text or binary: the pattern fails whenever it is called with such a value.',
    remedy: 'Test for equality, or let the input take only values that have an order.',
    look: (model) =>
      [...model.patterns.values()].flatMap(({ name, need }) =>
        partsOfNeed(name, need).flatMap(({ path, part }) => {
          const entities = entitiesOfNeed(model, part);
          return (['where', 'given'] as const).flatMap((section) =>
            comparisonsIn(part[section]).flatMap(([attribute, test]) =>
              refusedOperands(test, part, entities).map((what): Report => ({
                path: `${path}.${section}`,
                message: `${attribute} is compared with ${what}`,
              })),
            ),
          );
        }),
      ),
  },
];

const orderTests = ['atLeast', 'atMost', 'above', 'below'] as const;

/** The tests of a condition by attribute, those of its alternatives included. */
function comparisonsIn(condition: Condition | undefined): (readonly [attribute: string, test: object])[] {
  const { any } = (condition ?? {}) as { readonly any?: unknown };
  if (Array.isArray(any)) return any.flatMap((each: Condition) => comparisonsIn(each));
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
  ];
}

/** What an input of that name can be: as the pattern takes it, or as an attribute. */
function schemasOf(input: string, { takes = {} }: Need, entities: readonly EntityInfo[]): StandardSchema[] {
  const taken = takes[input];
  return taken === undefined ? entities.flatMap(({ attributes }) => attributes.get(input)?.schema ?? []) : [taken];
}

/** A type of the schema's values that has no order. A schema that does not describe itself is taken to have one. */
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
