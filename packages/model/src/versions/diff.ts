import { operationOf } from '../check/operation.ts';
import type { EntityInfo, PatternInfo } from '../resolve/resolved.ts';
import { canonical } from '../run/cursor.ts';
import type { Change } from './change.ts';
import { changesOfEntity, changesOfNewEntity } from './diff-entity.ts';
import { changesOfTables } from './diff-tables.ts';
import { pairEntities } from './pair.ts';
import { type Snapshot, type Version, versionOf } from './snapshot.ts';

/**
 * The differences between two versions of a model, each with what it requires for the stored items. Only what decides
 * how items are stored matters: a new attribute needs no migration unless a key is made of it.
 */
export function diff(before: Snapshot, after: Snapshot): readonly Change[] {
  const versions = { before: versionOf(before), after: versionOf(after) };
  const { added, removed, kept } = pairEntities(versions.before, versions.after);
  const changes = [
    ...changesOfTables(versions.before, versions.after),
    ...added.flatMap((entity) => changesOfNewEntity(versions, entity, removed)),
    ...removed.map(({ name, type }): Change => ({
      class: 'nothing',
      code: 'entity-removed',
      path: `entities.${name}`,
      message: `Items of type "${type}" stay where they are; reading one that a pattern comes across is an error. Delete them with the old version first.`,
      deploy: 'any',
    })),
    ...kept.flatMap((pair) => changesOfEntity(versions, pair)),
  ];
  return [...changes, ...changesOfPatterns(versions, changes)];
}

function changesOfPatterns(
  {
    before: { snapshot: before },
    after: { snapshot: after, resolved },
  }: { readonly before: Version; readonly after: Version },
  changes: readonly Change[],
): Change[] {
  const names = new Set([...Object.keys(before.patterns), ...Object.keys(after.patterns)]);
  return [...names].flatMap((name): Change[] => {
    const old = patternText(before, name);
    const next = patternText(after, name);
    if (old === next) return [];
    const [code, message] =
      old === undefined
        ? ['pattern-added', newPatternText(resolved.patterns.get(name), changes)]
        : next === undefined
          ? ['pattern-removed', 'No item changes.']
          : ['pattern-changed', 'No item changes; its callers may.'];
    return [{ class: 'nothing', code, path: `patterns.${name}`, message, deploy: 'any' }];
  });
}

/** Whether the existing data serves a new pattern, or which of the changes it waits for. */
function newPatternText(pattern: PatternInfo | undefined, changes: readonly Change[]): string {
  const operation = pattern === undefined ? undefined : operationOf(pattern);
  if (pattern?.plan === undefined || operation === undefined)
    return 'A new pattern, which nothing serves: see singlet check.';
  const asks = changes.filter(
    ({ class: kind, path }) => kind !== 'nothing' && kind !== 'lazy' && placesOf(pattern).has(path),
  );
  const served = `${operation.operation} on ${operation.place}`;
  return asks.length === 0
    ? `A new pattern, served by what is there: ${served}.`
    : `A new pattern, ${served}: it waits for ${asks.map(({ path }) => path).join(', ')}.`;
}

/** Paths of the keys and indexes that a pattern uses to read, or writes. */
function placesOf({ plan }: PatternInfo): Set<string> {
  const paths = (entity: EntityInfo, places: readonly string[]): string[] => [
    `entities.${entity.name}`,
    `tables.${entity.table.name}`,
    ...places.flatMap((place) => [`keys.${entity.name}.${place}`, `tables.${entity.table.name}.indexes.${place}`]),
  ];
  if (plan === undefined) return new Set();
  switch (plan.kind) {
    case 'query':
      return new Set(
        plan.parts.flatMap(({ entity }) =>
          paths(
            entity,
            plan.streams.map(({ place }) => place.name),
          ),
        ),
      );
    case 'scan':
      return new Set(paths(plan.part.entity, [plan.place.name]));
    case 'write':
      return new Set(plan.writes.flatMap(({ entity }) => paths(entity, [entity.table.name])));
    default:
      return new Set(paths(plan.part.entity, [plan.part.entity.table.name]));
  }
}

function patternText({ patterns, served }: Snapshot, name: string): string | undefined {
  return patterns[name] === undefined ? undefined : canonical([patterns[name], served[name] ?? null]);
}
