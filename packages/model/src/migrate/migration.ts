import { sha256 } from '../keys/sha256.ts';
import type { EntityInfo, ParentInfo, TableInfo } from '../resolve/resolved.ts';
import { canonical } from '../run/cursor.ts';
import type { Change } from '../versions/change.ts';
import { diff } from '../versions/diff.ts';
import { type EntityPair, pairEntities } from '../versions/pair.ts';
import { type Snapshot, type Version, versionOf } from '../versions/snapshot.ts';
import { ItemForm, type MigrateItem } from './item-form.ts';
import { MigrationError } from './migration-error.ts';

/** The exports of a migration's file: functions for what the model cannot express, by entity of the new version. */
export interface MigrationFunctions {
  /** How to convert an item of an entity to the new version, by the new name of the entity. */
  readonly entities?: { readonly [entity: string]: MigrateItem };
  /** The conversion back, for `undo`, if an attribute that the old version has was changed. */
  readonly back?: { readonly [entity: string]: MigrateItem };
  /**
   * Entities whose stored items may lack the type attribute, because they are older than it. Items whose key is the one that
   * their attributes produce are converted as well, including their type.
   */
  readonly untyped?: readonly string[];
  /** Paths of the changes that no migration does and that the operator handles in another way: `tables.Shop.stream`. */
  readonly byHand?: readonly string[];
}

/** One step. Steps run in order, and each may be interrupted. */
export type Step =
  | { readonly kind: 'create-table'; readonly table: string }
  | { readonly kind: 'create-index'; readonly table: string; readonly index: string }
  | { readonly kind: 'time-to-live'; readonly table: string; readonly attribute: string; readonly on: boolean }
  /** One scan of a table for the items of several entities, by type, and for guards to delete. */
  | {
      readonly kind: 'items';
      readonly table: string;
      readonly types: readonly string[];
      readonly sweeps: readonly string[];
    }
  | { readonly kind: 'counts'; readonly parent: string; readonly counter: string; readonly child: string }
  /** Removes a counter. */
  | { readonly kind: 'uncount'; readonly parent: string; readonly counter: string }
  | { readonly kind: 'drop-index'; readonly table: string; readonly index: string };

/** Counters of one parent to set to the number of its children. */
export interface Counting {
  readonly parent: EntityInfo;
  readonly child: EntityInfo;
  readonly link: ParentInfo;
  readonly counter: string;
}

/** The way from one version of a model to another. It is computed from their difference and is always the same. */
export interface Migration {
  /** Identifies the migration: the same for the same two versions. */
  readonly id: string;
  /** The model's name. */
  readonly model: string;
  /** What differs between the versions. */
  readonly changes: readonly Change[];
  /** The version of the stored items. */
  readonly before: Version;
  /** The version to convert them to. */
  readonly after: Version;
  /** The functions for what only code can supply. */
  readonly functions: MigrationFunctions;
  /** Entities whose stored items change, by name in the new version. */
  readonly pairs: ReadonlyMap<string, EntityPair>;
  /** Counters that are recounted. */
  readonly counts: readonly Counting[];
  /** What a run does, in order. */
  readonly steps: readonly Step[];
}

const idHexDigits = 12;

/** Computes a migration. It never throws for something that is missing; `refusals` reports it. */
export function migration(before: Snapshot, after: Snapshot, functions: MigrationFunctions = {}): Migration {
  const versions = { before: versionOf(before), after: versionOf(after) };
  const changes = diff(before, after);
  const moved = new Set(
    changes.flatMap((change) => (isOfItems(change, functions) && change.entity !== undefined ? [change.entity] : [])),
  );
  for (const name of [...Object.keys(functions.entities ?? {}), ...(functions.untyped ?? [])]) moved.add(name);
  const kept = pairEntities(versions.before, versions.after).kept.filter((pair) => moved.has(pair.after.name));
  const pairs = new Map(kept.map((pair) => [pair.after.name, pair]));
  const counts = countsOf(versions.after, changes);
  const base = { id: idOf(before, after), model: after.model, changes, ...versions, functions, pairs, counts };
  return { ...base, steps: stepsOf(base) };
}

/** Why a migration cannot run as it is, in one sentence each. */
export function refusals(migrated: Migration): string[] {
  const left = migrated.changes.filter(
    (change) => change.class === 'by-hand' && migrated.functions.byHand?.includes(change.path) !== true,
  );
  return [...left.map(({ path, message }) => `${path}: ${message}`), ...missingFunctions(migrated)];
}

/** What the functions of a migration's file leave open, in one sentence each. */
export function missingFunctions({ changes, functions, pairs }: Migration): string[] {
  const missing = changes.filter(
    ({ needsFunction, entity = '' }) => needsFunction === true && functions.entities?.[entity] === undefined,
  );
  const unknown = Object.keys(functions.entities ?? {}).filter((name) => !pairs.has(name));
  const untyped = (functions.untyped ?? []).filter((name) => !pairs.has(name));
  return [
    ...missing.map(
      ({ path, entity = '', message }) => `${path}: ${message} The migration's file has no function for ${entity}.`,
    ),
    ...unknown.map(
      (name) => `The migration's file has a function for ${name}, which is not an entity of both versions.`,
    ),
    ...untyped.map(
      (name) => `The migration's file says that ${name} is untyped, which is not an entity of both versions.`,
    ),
  ];
}

/** One direction of a migration: forward, or back. */
export interface Course {
  readonly direction: 'run' | 'undo';
  /** The version whose tables and indexes must exist. */
  readonly target: Version;
  readonly steps: readonly Step[];
  /** The entities whose items are converted. */
  readonly forms: readonly ItemForm[];
}

/** The forward direction. */
export function courseOf(migrated: Migration): Course {
  return {
    direction: 'run',
    target: migrated.after,
    steps: migrated.steps,
    forms: [...formsOf(migrated).values()],
  };
}

/**
 * The way back, which removes what was added. Tables that were created stay, because they may hold new items.
 *
 * Decision 0023 explains the design.
 *
 * @throws {MigrationError} `function-missing` if an attribute changed its kind and no function says how to undo it.
 */
export function courseBack(migrated: Migration): Course {
  assertWayBack(migrated);
  const { before, after, functions, counts } = migrated;
  const forward = formsOf(migrated);
  const pairs = new Map([...migrated.pairs].map(([name, pair]) => [name, { before: pair.after, after: pair.before }]));
  const forms = [...pairs].map(
    ([name, pair]) => new ItemForm(pair, { migrate: functions.back?.[name], reverse: forward.get(name) }),
  );
  const steps = stepsOf({ before: after, after: before, pairs, counts: [] });
  const uncounted = counts.map(({ parent, counter }): Step => ({ kind: 'uncount', parent: parent.name, counter }));
  return { direction: 'undo', target: before, steps: [...uncounted, ...steps], forms };
}

/** @throws {MigrationError} `function-missing` if an attribute changed its kind and no function says how to undo it. */
export function assertWayBack({ changes, functions }: Migration): void {
  const changed = changes.filter(
    ({ code, entity = '' }) => code === 'attribute-kind' && functions.back?.[entity] === undefined,
  );
  if (changed.length === 0) return;
  throw new MigrationError(
    'function-missing',
    changed
      .map(({ path }) => `${path} changed its kind: the migration's file needs a function under "back".`)
      .join('\n'),
  );
}

/** The forms of the entities that a migration changes, by name in the new version. */
export function formsOf({ pairs, functions }: Migration): Map<string, ItemForm> {
  return new Map(
    [...pairs].map(([name, pair]) => {
      const untyped = functions.untyped?.includes(name) === true;
      return [name, new ItemForm(pair, { migrate: functions.entities?.[name], untyped })];
    }),
  );
}

/** The attribute in which connections of `connectDuring` record that a counter was written. */
export function activityAttribute(counter: string): string {
  return `${counter}#writes`;
}

function isOfItems(change: Change, { entities = {} }: MigrationFunctions): boolean {
  if (change.code === 'count-added') return false;
  return change.class === 'backfill' || change.class === 're-key' || entities[change.entity ?? ''] !== undefined;
}

function countsOf({ resolved }: Version, changes: readonly Change[]): Counting[] {
  return changes
    .filter(({ code }) => code === 'count-added')
    .flatMap(({ entity = '', path }) => {
      const child = resolved.entities.get(entity);
      return (child?.parents ?? []).flatMap((link): Counting[] => {
        const parent = resolved.entities.get(link.entity);
        const { count } = link.rules;
        if (child === undefined || parent === undefined || count === undefined) return [];
        return path === `relationships.${parent.name}.${child.name}` ? [{ parent, child, link, counter: count }] : [];
      });
    });
}

function stepsOf({ before, after, pairs, counts }: Pick<Migration, 'before' | 'after' | 'pairs' | 'counts'>): Step[] {
  const tablesBefore = before.resolved.tables;
  const tablesAfter = [...after.resolved.tables.values()];
  const made = tablesAfter.flatMap(({ name }): Step[] =>
    tablesBefore.has(name) ? [] : [{ kind: 'create-table', table: name }],
  );
  const indexed = tablesAfter.flatMap((table) => indexSteps('create-index', table, tablesBefore.get(table.name)));
  const dropped = tablesAfter.flatMap((table) => indexSteps('drop-index', tablesBefore.get(table.name), table));
  const expiring = tablesAfter.flatMap(({ name, expires }): Step[] => {
    const old = tablesBefore.get(name);
    const former = old?.expires;
    // The service would continue to delete items that no longer expire.
    if (expires === undefined && former !== undefined)
      return [{ kind: 'time-to-live', table: name, attribute: former, on: false }];
    const switched = expires !== undefined && old !== undefined && former === undefined;
    return switched ? [{ kind: 'time-to-live', table: name, attribute: expires, on: true }] : [];
  });
  const used = new Set(
    [...after.resolved.entities.values()].flatMap((entity) => [entity.type, ...entity.unique.map(({ type }) => type)]),
  );
  const tables = new Set([...pairs.values()].map((pair) => pair.before.table.name));
  const items = [...tables].map((table): Step => {
    const own = [...pairs.values()].filter((pair) => pair.before.table.name === table);
    // Guards of a type that the new version has as well may be in use. Their items release those that are not.
    const sweeps = own.flatMap((pair) =>
      pair.before.unique
        .filter(
          ({ attribute, type }) => !used.has(type) && !pair.after.unique.some((each) => each.attribute === attribute),
        )
        .map(({ type }) => type),
    );
    // Items that have left the table have their new type elsewhere.
    const types = own.flatMap((pair) => [pair.before, pair.after].filter((entity) => entity.table.name === table));
    return { kind: 'items', table, types: [...new Set(types.map(({ type }) => type))], sweeps };
  });
  const counting = counts.map(({ parent, child, counter }): Step => ({
    kind: 'counts',
    parent: parent.name,
    counter,
    child: child.name,
  }));
  return [...made, ...indexed, ...expiring, ...items, ...counting, ...dropped];
}

/** The global indexes of one version's table that the other's lacks. */
function indexSteps(
  kind: 'create-index' | 'drop-index',
  table: TableInfo | undefined,
  other: TableInfo | undefined,
): Step[] {
  if (table === undefined || other === undefined) return [];
  const lacking = table.indexes.filter(
    ({ name, kind: made }) => made === 'global' && !other.indexes.some((index) => index.name === name),
  );
  return lacking.map((index) => ({ kind, table: table.name, index: index.name }));
}

function idOf(before: Snapshot, after: Snapshot): string {
  const digest = sha256(new TextEncoder().encode(canonical([before, after])));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.slice(0, idHexDigits);
}

/** @throws {MigrationError} if a migration cannot run as it is, with every reason. */
export function assertRunnable(migrated: Migration): void {
  const reasons = refusals(migrated);
  if (reasons.length === 0) return;
  const code = migrated.changes.some((change) => change.class === 'by-hand') ? 'by-hand' : 'function-missing';
  throw new MigrationError(code, reasons.join('\n'));
}
