import type { TableInfo } from '../../resolve/resolved.ts';
import type { StoredItem } from '../../run/attribute-value.ts';
import { pairEntities } from '../../versions/pair.ts';
import { ItemForm } from '../item-form.ts';
import { assertWayBack, type Migration, missingFunctions } from '../migration.ts';
import { MigrationError } from '../migration-error.ts';

/** There: from the old version's tables to the new one's. Back: writes to the new tables are copied to the old ones. */
export type Direction = 'there' | 'back';

/** A table that items are copied from, with both of its names. */
export interface SourceTable {
  readonly table: TableInfo;
  /** Its name at the endpoint. */
  readonly name: string;
  /** How its items are copied, by the value of their type attribute. */
  readonly forms: ReadonlyMap<string, CopiedForm>;
}

/** How the items of one entity are copied, and into which table. */
export interface CopiedForm {
  readonly form: ItemForm;
  readonly target: string;
}

/** The tables and how they are copied. */
export interface CopiedTables {
  readonly direction: Direction;
  readonly sources: readonly SourceTable[];
  /** Target tables: the model's name, and the name at the endpoint. */
  readonly targets: ReadonlyMap<TableInfo, string>;
}

/** Names of tables at the endpoint that differ from the model's. */
export interface TableNames {
  /** Of the old version. */
  readonly tables?: { readonly [table: string]: string };
  /** Of the new version. */
  readonly into?: { readonly [table: string]: string };
}

/**
 * The tables that a migration copies: those whose entities are in another table in the new version, by name at the endpoint.
 *
 * @throws {MigrationError} `nothing-to-copy` if all entities stay in their tables; `in-place` if one that stays has to change;
 *   `by-hand` and `function-missing` as for `run`.
 */
export function copiedTables(
  migrated: Migration,
  direction: Direction,
  { tables = {}, into = {} }: TableNames,
): CopiedTables {
  assertCopyable(migrated);
  if (direction === 'back') assertWayBack(migrated);
  const { before, after, functions } = migrated;
  const nameBefore = (table: TableInfo): string => tables[table.name] ?? table.name;
  const nameAfter = (table: TableInfo): string => into[table.name] ?? table.name;
  const sources = new Map<string, { table: TableInfo; name: string; forms: Map<string, CopiedForm> }>();
  const targets = new Map<TableInfo, string>();
  for (const pair of pairEntities(before, after).kept) {
    const there = new ItemForm(pair, {
      migrate: functions.entities?.[pair.after.name],
      untyped: functions.untyped?.includes(pair.after.name) === true,
    });
    if (nameBefore(pair.before.table) === nameAfter(pair.after.table)) {
      assertStays(migrated, there);
      continue;
    }
    const turned = { before: pair.after, after: pair.before };
    const form =
      direction === 'there'
        ? there
        : new ItemForm(turned, { migrate: functions.back?.[pair.after.name], reverse: there });
    const [nameFrom, nameTo] = direction === 'there' ? [nameBefore, nameAfter] : [nameAfter, nameBefore];
    const { from, to } = form;
    const name = nameFrom(from.entity.table);
    const source = sources.get(name) ?? { table: from.entity.table, name, forms: new Map<string, CopiedForm>() };
    source.forms.set(from.entity.type, { form, target: nameTo(to.entity.table) });
    sources.set(name, source);
    targets.set(to.entity.table, nameTo(to.entity.table));
  }
  if (sources.size === 0)
    throw new MigrationError(
      'nothing-to-copy',
      'Every entity stays in its table: name the new one (into: { Shop: "shop-2" }, or --into Shop=shop-2), or use run.',
    );
  return { direction, sources: [...sources.values()], targets };
}

/** How an item of a source is copied; undefined for an item whose entity does not exist in both versions. */
export function formOf({ table, forms }: SourceTable, item: StoredItem | undefined): CopiedForm | undefined {
  if (item === undefined) return undefined;
  const { typeAttribute } = table;
  return typeAttribute === undefined ? [...forms.values()][0] : forms.get(item[typeAttribute]?.S ?? '');
}

/** A new table can differ in ways that an existing one cannot be changed, so only problems with items prevent the copy. */
function assertCopyable(migrated: Migration): void {
  const { changes, functions } = migrated;
  const left = changes.filter(
    ({ class: kind, path }) =>
      kind === 'by-hand' && !path.startsWith('tables.') && functions.byHand?.includes(path) !== true,
  );
  const counted = changes.filter(({ code }) => code === 'count-added');
  const reasons = [
    ...left.map(({ path, message }) => `${path}: ${message}`),
    ...counted.map(
      ({ path }) => `${path}: items are copied and not counted; add the count with a migration of its own.`,
    ),
  ];
  if (reasons.length > 0) throw new MigrationError('by-hand', reasons.join('\n'));
  const missing = missingFunctions(migrated);
  if (missing.length > 0) throw new MigrationError('function-missing', missing.join('\n'));
}

function assertStays({ pairs }: Migration, { to }: ItemForm): void {
  if (!pairs.has(to.entity.name)) return;
  const { name } = to.entity.table;
  const example = `${name.toLowerCase()}-2`;
  throw new MigrationError(
    'in-place',
    `${to.entity.name} changes and stays in its table: name a new one (into: { ${name}: "${example}" }, or --into ${name}=${example}), or migrate it with run.`,
  );
}
