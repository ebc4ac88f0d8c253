import { InputError } from '../model-error.ts';
import type { Need } from '../patterns/need.ts';
import { constantsOf } from '../patterns/condition.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import type { InputValues } from './context.ts';
import type { Values } from './item-codec.ts';

/** How a pattern's input gives values to attributes. */
export function inputValues(need: Need): InputValues {
  const aliases = Object.entries(need.aka ?? {}).flatMap(([input, names]) =>
    [names].flat().map((name) => [name, input] as const),
  );
  const constants = constantsOf(need.where);
  if (aliases.length === 0 && Object.keys(constants).length === 0) return (input) => input;
  return (input) => ({
    ...constants,
    ...input,
    ...Object.fromEntries(aliases.map(([name, from]) => [name, input[from]])),
  });
}

/**
 * The input with what is no attribute of an item checked by its schema.
 *
 * @throws {InputError} for a value that its schema refuses.
 */
export function takenInputs({ takes }: Pick<Need, 'takes'>, input: Values, entity: string): Values {
  if (takes === undefined) return input;
  const taken: Record<string, unknown> = { ...input };
  for (const [name, schema] of Object.entries(takes)) {
    const result = schema['~standard'].validate(input[name]);
    if (result instanceof Promise) throw new InputError('asynchronous-schema', name, 'schemas must be synchronous');
    if (result.issues !== undefined) {
      throw new InputError('invalid', `${entity} ${name}`, result.issues.map(({ message }) => message).join('; '));
    }
    taken[name] = result.value;
  }
  return taken;
}

/** Stored names of what a pattern reads, with what is needed to know an item: its type, key and expiry. */
export function projectedNames(need: Need, entity: EntityInfo): string[] {
  const chosen = (need.attributes ?? []).map((name) => entity.attributes.get(name)?.stored ?? name);
  const keys = [...entity.key.partition, ...entity.key.sort].map(({ attribute }) => attribute);
  const expires = need.expired === true ? undefined : expiresAttribute(entity);
  const names = [...chosen, entity.table.typeAttribute, ...keys, expires];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The part of a request that asks for these attributes only. */
export function projection(need: Need, entity: EntityInfo): Readonly<Record<string, unknown>> {
  return projectionOf(projectedNames(need, entity));
}

/** The same for any names. */
export function projectionOf(names: readonly string[]): {
  readonly ProjectionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
} {
  const placeholders = names.map((name, i) => plainPlaceholder(name) ?? `#a${i}`);
  return {
    ProjectionExpression: placeholders.join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [placeholders[i] ?? '', name])),
  };
}

/** A placeholder that reads like the attribute, where it can: `#p0` and the like stand for keys and for other names. */
export function plainPlaceholder(stored: string): string | undefined {
  return /^(?![anps]\d+$)\w+$/.test(stored) ? `#${stored}` : undefined;
}

/** Stored name of the attribute with an entity's time to live, if it has one. */
export function expiresAttribute({ rules, table }: EntityInfo): string | undefined {
  return rules.expires === undefined ? undefined : table.expires;
}
