import { keyVariables } from '../resolve/entities.ts';
import type { KeySlot, ResolvedModel } from '../resolve/resolved.ts';
import { choicesOf } from '../samples/sample-value.ts';

/**
 * How many values a partition key has, as far as the model states it: the expected number of items of the entity that the key identifies
 * (`expects: { items }`), or the number of choices if each of its attributes has only some. Undefined if the model does not state it.
 */
export function partitionsOf({ entities }: ResolvedModel, partition: readonly KeySlot[]): number | undefined {
  const variables = partition.flatMap(({ template }) => template.variables);
  const names = new Set(
    variables.filter(({ encoders }) => encoders.every(({ unit }) => unit === undefined)).map(({ name }) => name),
  );
  const shards = variables.reduce(
    (product, { encoders }) => product * (encoders.find((each) => each.shards)?.shards?.count ?? 1),
    1,
  );
  const spread = variables.filter(({ encoders }) => encoders.some((each) => each.shards !== undefined));
  for (const { name } of spread) names.delete(name);
  const expected = [...entities.values()].flatMap((entity) => {
    const key = keyVariables(entity);
    const { items } = entity.rules.expects ?? {};
    return items !== undefined && key.length > 0 && key.every((name) => names.has(name)) ? [items] : [];
  });
  if (expected.length > 0) return Math.max(1, ...expected) * shards;
  const choices = [...names].map((name) => {
    const info = [...entities.values()]
      .map(({ attributes }) => attributes.get(name))
      .find((each) => each !== undefined);
    return info === undefined ? 0 : choicesOf(info.schema).length;
  });
  return names.size > 0 && choices.every((count) => count > 0)
    ? choices.reduce((product, count) => product * count, shards)
    : undefined;
}
