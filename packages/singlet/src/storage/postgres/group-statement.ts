/**
 * The one statement that commits a group: it checks what the decisions depend on, writes, and fails as a whole when any of it has changed.
 *
 * It is one statement so that no lock is held during a round trip: a server that stops in the middle does not block the others.
 *
 * - Rows that were read are locked until the commit, in the order of their keys: `FOR SHARE` if they stay, `FOR NO KEY UPDATE` if they
 *   change. (`FOR KEY SHARE` would let others change what this group depends on.) A row with another version is not found, and the counts differ.
 * - A lock on a missing row locks nothing. So when a read found no row, one is inserted, dead if it is to stay absent, and the unique
 *   index makes others wait. Dead rows are removed later (`dead-rows.ts`).
 * - Writes insert a row, or replace the one in the index. A removal makes the row dead, because a DELETE sees the state
 *   in which the statement began, and would miss an entry that another writer committed while this one waited for a lock.
 * - The writer's own row counts its groups. After a lost connection the count tells whether the group was committed (`lane-session.ts`).
 *
 * PostgreSQL runs this in READ COMMITTED: after waiting for a lock it sees the row as it is then.
 */
import type { ExpectedRow, GroupPlan, NewRow } from './group-plan.ts';
import type { KeyColumns } from './key-columns.ts';
import type { TableNames } from './schema.ts';

/** Identifies a writer's groups. */
export interface LanePosition {
  readonly id: string;
  readonly epoch: string;
  /** How many groups it has committed. */
  readonly groups: string;
}

/** A statement and its parameters, as the client takes it. */
export interface Statement {
  /** PostgreSQL keeps it prepared under this name. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** @param version - the version of all rows that the group writes: no other rows have it. */
export function groupStatement(tables: TableNames, plan: GroupPlan, lane: LanePosition, version: string): Statement {
  const statement = new StatementBuilder();
  statement.part('l', [lane.id, lane.epoch, lane.groups], ([id = '', epoch = '', groups = '']) => ({
    name: 'lane',
    text: `UPDATE ${tables.lane} SET groups = groups + 1, used_at = now() WHERE id = ${id}::uuid AND epoch = ${epoch}::int8 AND groups = ${groups}::int8 RETURNING 1`,
  }));
  if (plan.shared.length + plan.changed.length > 0) {
    statement.part('e', lockParameters(plan), lockedPart(tables));
    if (plan.changed.length > 0) statement.part('c', [version], updatedPart(tables));
  }
  if (plan.created.length > 0) {
    statement.part('n', [...newParameters(plan.created), version], createdPart(tables));
  }
  if (plan.blind.length > 0) statement.part('b', [...newParameters(plan.blind), version], blindPart(tables));
  return statement.build(plan);
}

type Part = (parameters: readonly string[]) => { readonly name: string; readonly text: string };

class StatementBuilder {
  #name = 'group_';
  readonly #ctes: string[] = [];
  readonly #values: unknown[] = [];

  /** @param letter - the same letter for the same text: the letters of all parts form the statement's name. */
  part(letter: string, values: readonly unknown[], part: Part): void {
    const first = this.#values.length + 1;
    const { name, text } = part(values.map((_, index) => `$${first + index}`));
    this.#name += letter;
    this.#values.push(...values);
    this.#ctes.push(`${name} AS MATERIALIZED (${text})`);
  }

  build({ shared, changed, created, blind }: GroupPlan): Statement {
    const expected: readonly (readonly [string, number])[] = [
      ['locked', shared.length + changed.length],
      ['created', created.length],
      ['blind', blind.length],
    ];
    const first = this.#values.length + 1;
    const counted = expected.filter(([, count]) => count > 0);
    this.#values.push(...counted.map(([, count]) => count));
    const isAsExpected = counted
      .map(([name], index) => `(SELECT count(*) FROM ${name}) = $${first + index}::int8`)
      .join(' AND ');
    // The failure depends on counts that are known only at the end: PostgreSQL must not compute it during planning.
    const text = `WITH ${this.#ctes.join(',\n')}
SELECT 1 / (SELECT count(*) FROM lane) AS lane, CASE WHEN ${isAsExpected} THEN 0 ELSE ('changed ' || (SELECT count(*) FROM lane))::int END AS written`;
    return { name: this.#name, text, values: this.#values };
  }
}

/** One after the other in key order, whichever lock each needs: two groups that conflict wait for each other in one direction only. */
function lockedPart({ kv }: TableNames): Part {
  return ([heads = '', digests = '', versions = '', changes = '', tails = '', values = '']) => {
    const row = `FROM ${kv} AS e WHERE e.head = k.head AND e.digest = k.digest AND e.version = k.version`;
    return {
      name: 'locked',
      text: `SELECT k.* FROM (SELECT * FROM unnest(${heads}::bytea[], ${digests}::bytea[], ${versions}::int8[], ${changes}::boolean[], ${tails}::bytea[], ${values}::bytea[])
    AS u (head, digest, version, changes, tail, value) ORDER BY head, digest) AS k
  LEFT JOIN LATERAL (SELECT true AS found ${row} AND k.changes FOR NO KEY UPDATE) AS changed ON true
  LEFT JOIN LATERAL (SELECT true AS found ${row} AND NOT k.changes FOR SHARE) AS shared ON true
  WHERE changed.found OR shared.found`,
    };
  };
}

function updatedPart({ kv }: TableNames): Part {
  return ([version = '']) => ({
    name: 'updated',
    text: `${insertInto(kv, '(SELECT * FROM locked WHERE changes)', version)} ${replacing}`,
  });
}

function createdPart({ kv }: TableNames): Part {
  return ([heads = '', digests = '', tails = '', values = '', version = '']) => ({
    name: 'created',
    text: `${insertInto(kv, unnested([heads, digests, tails, values]), version)} ON CONFLICT (head, digest) DO NOTHING RETURNING 1`,
  });
}

function blindPart({ kv }: TableNames): Part {
  return ([heads = '', digests = '', tails = '', values = '', version = '']) => ({
    name: 'blind',
    text: `${insertInto(kv, unnested([heads, digests, tails, values]), version)} ${replacing}`,
  });
}

/** Uses the index and not a join, which PostgreSQL might plan as a scan of the whole table. */
const replacing = `ON CONFLICT (head, digest)
  DO UPDATE SET version = excluded.version, dead = excluded.dead, value = excluded.value RETURNING 1`;

function insertInto(kv: string, source: string, version: string): string {
  return `INSERT INTO ${kv} AS e (head, digest, tail, version, dead, value)
  SELECT i.head, i.digest, i.tail, ${version}::int8, i.value IS NULL, i.value FROM ${source} AS i ORDER BY i.head, i.digest`;
}

function unnested(arrays: readonly string[]): string {
  const columns = arrays.map((array) => `${array}::bytea[]`).join(', ');
  return `(SELECT * FROM unnest(${columns}) AS u (head, digest, tail, value))`;
}

function lockParameters({ shared, changed }: GroupPlan): readonly unknown[] {
  const rows: readonly ExpectedRow[] = [...shared, ...changed];
  return [
    ...columnsOf(rows, ['head', 'digest']),
    rows.map(({ version }) => version),
    rows.map((_, index) => index >= shared.length),
    ...newValues(rows),
  ];
}

function newParameters(rows: readonly NewRow[]): readonly unknown[] {
  return [...columnsOf(rows, ['head', 'digest']), ...newValues(rows)];
}

function newValues(rows: readonly NewRow[]): readonly unknown[] {
  return [...columnsOf(rows, ['tail']), rows.map(({ value }) => value ?? null)];
}

function columnsOf(
  rows: readonly { readonly columns: KeyColumns }[],
  names: readonly (keyof KeyColumns)[],
): readonly (readonly string[])[] {
  return names.map((name) => rows.map(({ columns }) => columns[name]));
}
