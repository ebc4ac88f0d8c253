import type { ConnectOptions } from '@singlet/model';
import { type MigrateOptions, status } from '@singlet/model/migrate';
import { HttpError } from '../../http/http-error.ts';
import {
  MIGRATIONS,
  resumeMigration,
  runMigration,
  SWITCHED_BY,
  undoMigration,
  verifyMigration,
} from '../migrations.ts';
import { type Readers, READERS_OFF } from '../readers.ts';
import type { MigrationName } from '../versions.ts';

export const NAMES = ['MIG-1', 'MIG-2', 'MIG-3', 'MIG-4', 'MIG-5'] as const;
export const ACTS = ['run', 'resume', 'verify', 'undo'] as const;
export type Act = (typeof ACTS)[number];
export const LISTS = Object.keys(READERS_OFF) as readonly (keyof Readers)[];

/** Items to read per request. Progress is shown, and an interruption noticed, between two requests. */
const PAGE_ITEMS = 50;
const SEGMENTS = 2;

export type MoveState = 'ready' | 'running' | 'interrupted' | 'done' | 'verified' | 'faulty' | 'failed';

/** A migration in displayed form. */
export interface Move {
  readonly id: MigrationName;
  readonly state: MoveState;
  /** The current step, while the state is `running`. */
  readonly act: Act | undefined;
  readonly read: number;
  readonly written: number;
  /** The error, if there was one. */
  readonly detail: string | undefined;
}

type Mutable<Each> = { -readonly [Name in keyof Each]: Each[Name] };

export interface MovesOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  /** Starts work that outlasts the request that started it. */
  readonly apart: (begin: () => Promise<void>) => Promise<void>;
}

/** The migrations of the year, one at a time and in order, and the readers that they switch. */
export class Moves {
  readonly #options: MovesOptions;
  readonly #moves: readonly Mutable<Move>[];
  readonly readers: Record<keyof Readers, boolean> = { ...READERS_OFF };
  #stop: AbortController | undefined;
  #work: Promise<void> = Promise.resolve();

  private constructor(options: MovesOptions, states: ReadonlyMap<MigrationName, MoveState>) {
    this.#options = options;
    this.#moves = NAMES.map((id) => ({
      id,
      state: states.get(id) ?? 'ready',
      act: undefined,
      read: 0,
      written: 0,
      detail: undefined,
    }));
  }

  /** The progress of each, from the table's own checkpoints. */
  static async open(options: MovesOptions): Promise<Moves> {
    const { client, tableName } = options;
    const states = new Map<MigrationName, MoveState>();
    for (const id of NAMES) {
      const known = await status(MIGRATIONS[id], { client, tables: { GitHubTable: tableName } });
      if (known === undefined || (known.direction === 'undo' && known.endedAt !== undefined)) continue;
      states.set(id, known.endedAt === undefined ? 'interrupted' : 'done');
    }
    return new Moves(options, states);
  }

  list(): readonly Move[] {
    return this.#moves;
  }

  /** Starts a step, which outlasts the answer. @throws {HttpError} 409 out of order. */
  begin(id: MigrationName, act: Act, writeUnits: number | undefined): Move {
    const move = this.#moveOf(id);
    this.#requireOrder(move, act);
    Object.assign(move, { state: 'running', act, read: 0, written: 0, detail: undefined });
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#work = this.#options.apart(
      async () => await this.#do(move, act, { signal, ...(writeUnits !== undefined && { writeUnits }) }),
    );
    return move;
  }

  /** Ends the running step after the request in flight, as the end of the process would. @throws {HttpError} 409 */
  async interrupt(id: MigrationName): Promise<Move> {
    const move = this.#moveOf(id);
    if (move.state !== 'running') throw notNow('It is not running.');
    this.#stop?.abort();
    await this.#work;
    return move;
  }

  /** Switches a list to the keys of its migration, or back. @throws {HttpError} 409 before verification. */
  switchReader(list: keyof Readers, byKey: boolean): void {
    const id = NAMES.find((each) => SWITCHED_BY[each].includes(list));
    if (byKey && (id === undefined || this.#moveOf(id).state !== 'verified')) {
      throw notNow(`${id ?? 'Its migration'} has not been verified.`);
    }
    this.readers[list] = byKey;
  }

  /** Whether the keys of a list exist. */
  hasKeys(id: MigrationName): boolean {
    return isDone(this.#moveOf(id));
  }

  async close(): Promise<void> {
    this.#stop?.abort();
    await this.#work;
  }

  async #do(move: Mutable<Move>, act: Act, pace: Pick<MigrateOptions, 'signal' | 'writeUnits'>): Promise<void> {
    const { client, tableName } = this.#options;
    const options = {
      client,
      tableName,
      pageItems: PAGE_ITEMS,
      segments: SEGMENTS,
      onProgress: ({ count }: { readonly count: { readonly scanned: number; readonly written: number } }) => {
        Object.assign(move, { read: count.scanned, written: count.written });
      },
      ...pace,
    };
    const migration = MIGRATIONS[move.id];
    try {
      if (act === 'verify') {
        const { ok, scanned, faultCount } = await verifyMigration(migration, { ...options, atRest: false });
        Object.assign(move, { state: ok ? 'verified' : 'faulty', read: scanned });
        if (!ok) move.detail = `${faultCount} items are not as they should be.`;
      } else {
        const work = { run: runMigration, resume: resumeMigration, undo: undoMigration }[act];
        await work(migration, options);
        move.state = act === 'undo' ? 'ready' : 'done';
      }
    } catch (error) {
      const isStopped = pace.signal?.aborted === true;
      move.state = isStopped ? (act === 'verify' ? 'done' : 'interrupted') : 'failed';
      move.detail = isStopped ? undefined : String(error instanceof Error ? error.message : error);
    }
    move.act = undefined;
  }

  #moveOf(id: MigrationName): Mutable<Move> {
    const move = this.#moves.find((each) => each.id === id);
    if (move === undefined) throw new HttpError(404, 'not-found', 'There is no such migration.');
    return move;
  }

  #requireOrder(move: Move, act: Act): void {
    const { id, state } = move;
    const running = this.#moves.find((each) => each.state === 'running');
    if (running !== undefined) throw notNow(`${running.id} is running.`);
    const at = NAMES.indexOf(id);
    const before = this.#moves[at - 1];
    const after = this.#moves[at + 1];
    if (act === 'run' && state !== 'ready') throw notNow(`${id} was begun before.`);
    if (act === 'run' && before !== undefined && !isDone(before)) throw notNow(`${before.id} comes first.`);
    if (act === 'resume' && state !== 'interrupted' && state !== 'failed') throw notNow(`${id} was not interrupted.`);
    if (act === 'verify' && !isDone(move)) throw notNow(`${id} is not done.`);
    if (act !== 'undo') return;
    if (state === 'ready') throw notNow(`${id} was not begun.`);
    if (after !== undefined && after.state !== 'ready') throw notNow(`${after.id} was built on it: undo that first.`);
    if (SWITCHED_BY[id].some((list) => this.readers[list])) throw notNow('Its readers are on: switch them back first.');
  }
}

function isDone({ state }: Move): boolean {
  return state === 'done' || state === 'verified' || state === 'faulty';
}

function notNow(detail: string): HttpError {
  return new HttpError(409, 'not-now', detail);
}
