import { testedAttributes } from '../patterns/condition.ts';
import type { Need } from '../patterns/need.ts';
import type { EntityInfo, QueryStream, Residual } from '../resolve/resolved.ts';
import { expiresAttribute, plainPlaceholder } from './input-values.ts';
import type { QueryPlan } from './query.ts';

/** Stored names of what a pattern reads, plus the attributes needed to identify an item: its type, key and expiry, and those that are tested. */
export function projectedNames(need: Need, entity: EntityInfo, residuals: readonly Residual[]): string[] {
  const stored = (name: string): string => entity.attributes.get(name)?.stored ?? name;
  const tested = residuals.flatMap(({ tests }) => tests.flatMap(testedAttributes));
  const chosen = [...(need.attributes ?? []), ...tested, ...(need.filters ?? [])].map(stored);
  const keys = [...entity.key.partition, ...entity.key.sort].map(({ attribute }) => attribute);
  const expires = need.expired === true ? undefined : expiresAttribute(entity);
  const names = [...chosen, entity.table.typeAttribute, ...keys, expires];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The members of a request that limit it to these attributes. */
function projectionOf(names: readonly string[]): {
  readonly ProjectionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
} {
  const placeholders = names.map((name, i) => plainPlaceholder(name) ?? `#a${i}`);
  return {
    ProjectionExpression: placeholders.join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [placeholders[i] ?? '', name])),
  };
}

/** Requests the attributes of a pattern, for items of one entity. */
export function itemProjection(
  need: Need,
  entity: EntityInfo,
  residuals: readonly Residual[],
): ReturnType<typeof projectionOf> {
  return projectionOf(projectedNames(need, entity, residuals));
}

/** The same for a query: with its keys, and with those of the other indexes that are read, which identify an item that is in both. */
export function queryProjection(
  need: Need,
  { parts, streams }: QueryPlan,
  stream: QueryStream,
): ReturnType<typeof projectionOf> {
  const own = parts.flatMap(({ entity }) => projectedNames(need, entity, stream.residuals));
  const keys = [...streams.map(({ place }) => place), ...parts.map(({ entity }) => entity.table.place)].flatMap(
    ({ partition, sort }) => [...partition, ...sort],
  );
  return projectionOf([...new Set([...own, ...keys.map(({ attribute }) => attribute)])]);
}

/** The projection of a pattern, if it has one. */
export interface Projections {
  readonly itemProjection: typeof itemProjection;
  readonly queryProjection: typeof queryProjection;
}
