import { InputError } from '../model-error.ts';
import type { Need } from '../patterns/need.ts';
import { constantsOf } from '../patterns/condition.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import type { InputValues } from './context.ts';
import type { Values } from './item-codec.ts';

/** How a pattern's input gives values to attributes. A constant is a property of the items, whatever else the caller filters by. */
export function inputValues(need: Need): InputValues {
  const aliases = Object.entries(need.aka ?? {}).flatMap(([input, names]) =>
    [names].flat().map((name) => [name, input] as const),
  );
  const constants = constantsOf(need.where);
  for (const input of need.by ?? []) delete constants[input];
  if (aliases.length === 0 && Object.keys(constants).length === 0) return (input) => input;
  return (input) => ({
    ...input,
    ...constants,
    ...Object.fromEntries(aliases.map(([name, from]) => [name, input[from]])),
  });
}

/**
 * The input, with the values that are not attributes of an item checked by their schemas.
 *
 * @throws {InputError} for a value that its schema rejects.
 */
export function takenInputs({ takes }: Pick<Need, 'takes'>, input: Values, entity: string): Values {
  if (takes === undefined) return input;
  const taken: Record<string, unknown> = { ...input };
  for (const [name, schema] of Object.entries(takes))
    taken[name] = parsedValue(schema, input[name], `${entity} ${name}`);
  return taken;
}

/**
 * A value by its schema.
 *
 * @throws {InputError} for a value that the schema rejects.
 */
export function parsedValue(schema: StandardSchema, value: unknown, path: string): unknown {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    // If a function throws, zod runs the schema again asynchronously. Without a handler its rejection would end the process.
    result.catch(() => undefined);
    throw new InputError('asynchronous-schema', path, 'its schema throws, or is asynchronous');
  }
  if (result.issues === undefined) return result.value;
  throw new InputError('invalid', path, result.issues.map(({ message }) => message).join('; '));
}

/** A placeholder that reads like the attribute, if possible. `#p0` and the like represent keys and other names. */
export function plainPlaceholder(stored: string): string | undefined {
  return /^(?![anps]\d+$)\w+$/.test(stored) ? `#${stored}` : undefined;
}

/** Stored name of the attribute with an entity's time to live, if it has one. */
export function expiresAttribute({ rules, table }: EntityInfo): string | undefined {
  return rules.expires === undefined ? undefined : table.expires;
}
