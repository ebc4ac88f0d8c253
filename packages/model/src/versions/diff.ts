import { canonical } from '../run/cursor.ts';
import type { Change } from './change.ts';
import { changesOfEntity, changesOfNewEntity } from './diff-entity.ts';
import { changesOfTables } from './diff-tables.ts';
import { pairEntities } from './pair.ts';
import { type Snapshot, versionOf } from './snapshot.ts';

/**
 * What lies between two versions of a model, each difference with what it asks of the items that are stored. Only what decides
 * how items are stored matters: a new attribute is no work unless a key is made of it.
 */
export function diff(before: Snapshot, after: Snapshot): readonly Change[] {
  const versions = { before: versionOf(before), after: versionOf(after) };
  const { added, removed, kept } = pairEntities(versions.before, versions.after);
  return [
    ...changesOfTables(versions.before, versions.after),
    ...added.flatMap((entity) => changesOfNewEntity(versions, entity)),
    ...removed.map(({ name, type }): Change => ({
      class: 'nothing',
      code: 'entity-removed',
      path: `entities.${name}`,
      message: `Items of type "${type}" stay where they are; reading one that a pattern comes across is an error. Delete them with the old version first.`,
      deploy: 'any',
    })),
    ...kept.flatMap((pair) => changesOfEntity(versions, pair)),
    ...changesOfPatterns(before, after),
  ];
}

function changesOfPatterns(before: Snapshot, after: Snapshot): Change[] {
  const names = new Set([...Object.keys(before.patterns), ...Object.keys(after.patterns)]);
  return [...names].flatMap((name): Change[] => {
    const old = patternText(before, name);
    const next = patternText(after, name);
    if (old === next) return [];
    const [code, message] =
      old === undefined
        ? ['pattern-added', 'A new pattern; what it reads by is among the changes of keys and indexes.']
        : next === undefined
          ? ['pattern-removed', 'No item changes.']
          : ['pattern-changed', 'No item changes; its callers may.'];
    return [{ class: 'nothing', code, path: `patterns.${name}`, message, deploy: 'any' }];
  });
}

function patternText({ patterns, served }: Snapshot, name: string): string | undefined {
  return patterns[name] === undefined ? undefined : canonical([patterns[name], served[name] ?? null]);
}
