import { InputError } from '../model-error.ts';
import type { Page, PageOptions, WriteOperation } from '../patterns/signature.ts';
import { contextOf } from '../run/connect.ts';
import type { Context } from '../run/context.ts';
import type { Values } from '../run/item-codec.ts';
import { RuleError } from '../run/rule-error.ts';
import { isSameValue } from '../run/same-value.ts';
import { turnedItem } from '../run/coded.ts';
import { operationTasks, transactTasks } from '../run/write.ts';
import type { WriteTask } from '../run/write-actions.ts';
import { copiedValues, type Copies, copiesOf, isBehind, type PlannedCopies } from './copies.ts';
import { changeOf, type ImageRecord } from './stream.ts';

const actionsMax = 100;
const transactionBytesMax = 4_000_000;
const passesMax = 100;

/** Options of propagation. */
export interface PropagationOptions {
  /** How long indexes may lag, in milliseconds. After that time, the copies are checked again. 2,000 by default. */
  readonly settle?: number;
  /** Copies rewritten at the same time. 25 by default. */
  readonly atOnce?: number;
}

/** One page of copies. */
export interface CopiesPage {
  /** Copies on this page. */
  readonly found: number;
  /** How many of them were out of date and are now rewritten. */
  readonly rewritten: number;
  /** Where to continue; undefined at the end. */
  readonly cursor: string | undefined;
}

/** Keeps duplicated attributes equal to their sources. Every step is idempotent: a repetition has no effect. */
export interface Propagation {
  /** The copies of an entity's attributes. */
  copies(source: string): readonly Copies[];
  /** Finds one page of copies and rewrites those that are out of date, each in its own request. */
  page(copies: Copies, source: Values, options?: PageOptions): Promise<CopiesPage>;
  /** Rewrites all copies of a source, page by page, until a pass after the settle time finds none out of date. */
  rewrite(copies: Copies, source: Values): Promise<number>;
  /**
   * Makes a change and rewrites the copies with it: in one transaction if all fit, otherwise the change first and
   * then the copies in transactions of a hundred.
   *
   * @param change - an operation of a pattern that changes the source: `db.renameAuthor.op({...})`.
   * @param after - the source as it will be.
   * @throws {RuleError} if the change is rejected; then nothing is written.
   */
  together(change: WriteOperation, source: string, after: Values): Promise<{ copies: number; atomic: boolean }>;
  /** Handles records of the stream: for every source that has changed, rewrites the copies whose rule is `stream`. */
  handle(records: readonly ImageRecord[]): Promise<void>;
}

/** Propagation over a connection, as `duplicates` declares it in the model. */
export function propagation(db: object, options: PropagationOptions = {}): Propagation {
  return new ModelPropagation(db, options);
}

type FindPage = (input: Values, options: PageOptions) => Promise<Page<Values>>;

class ModelPropagation implements Propagation {
  readonly #db: object;
  readonly #context: Context;
  readonly #settle: number;
  readonly #atOnce: number;
  readonly #planned = new Map<string, readonly PlannedCopies[]>();

  constructor(db: object, { settle = 2000, atOnce = 25 }: PropagationOptions) {
    this.#db = db;
    this.#context = contextOf(db);
    this.#settle = settle;
    this.#atOnce = atOnce;
  }

  copies(source: string): readonly PlannedCopies[] {
    const planned = this.#planned.get(source) ?? copiesOf(this.#context.resolved, source);
    this.#planned.set(source, planned);
    return planned;
  }

  async page(copies: Copies, source: Values, options: PageOptions = {}): Promise<CopiesPage> {
    const planned = this.#plannedOf(copies);
    const { items, cursor } = await this.#find(planned, source, options);
    const values = copiedValues(planned, source);
    const behind = items.filter((item) => isBehind(planned, item, values));
    let rewritten = 0;
    for (let at = 0; at < behind.length; at += this.#atOnce) {
      const written = await Promise.all(
        behind.slice(at, at + this.#atOnce).map(async (copy) => this.#rewriteOne(planned, copy, values)),
      );
      rewritten += written.filter(Boolean).length;
    }
    return { found: items.length, rewritten, cursor };
  }

  async rewrite(copies: Copies, source: Values): Promise<number> {
    let rewritten = 0;
    for (let pass = 0; pass < passesMax; pass++) {
      const inPass = await this.#pass(copies, source);
      rewritten += inPass;
      if (pass > 0 && inPass === 0) break;
      await this.#context.pause(this.#settle);
    }
    return rewritten;
  }

  async together(change: WriteOperation, source: string, after: Values): Promise<{ copies: number; atomic: boolean }> {
    const own = operationTasks(this.#context, change);
    const tasks: WriteTask[] = [];
    let bytes = 0;
    for (const planned of this.copies(source)) {
      const values = copiedValues(planned, after);
      let cursor: string | undefined;
      do {
        const found = await this.#find(planned, after, { cursor });
        for (const copy of found.items) {
          tasks.push(taskOf(planned, copy, values));
          bytes += JSON.stringify({ ...copy, ...values }, plainly).length;
        }
        ({ cursor } = found);
      } while (cursor !== undefined);
    }
    const name = change.pattern;
    if (own.length + tasks.length <= actionsMax && bytes <= transactionBytesMax) {
      await transactTasks(this.#context, name, [...own, ...tasks]);
      return { copies: tasks.length, atomic: true };
    }
    await transactTasks(this.#context, name, own);
    const size = Math.max(1, Math.min(actionsMax, Math.floor((transactionBytesMax * tasks.length) / bytes)));
    for (let at = 0; at < tasks.length; at += size) {
      await transactTasks(this.#context, name, tasks.slice(at, at + size));
    }
    return { copies: tasks.length, atomic: false };
  }

  async handle(records: readonly ImageRecord[]): Promise<void> {
    for (const record of records) {
      const { entity, before, after } = changeOf(this.#db, record) ?? {};
      if (entity === undefined || before === undefined || after === undefined) continue;
      for (const copies of this.copies(entity)) {
        const changed = !isSameValue(copiedValues(copies, before), copiedValues(copies, after));
        if (copies.rule === 'stream' && changed) await this.rewrite(copies, after);
      }
    }
  }

  async #pass(copies: Copies, source: Values): Promise<number> {
    let rewritten = 0;
    let cursor: string | undefined;
    do {
      const page = await this.page(copies, source, { cursor });
      rewritten += page.rewritten;
      ({ cursor } = page);
    } while (cursor !== undefined);
    return rewritten;
  }

  /** Copies in their stored form. */
  async #find({ found, inputs, plan }: PlannedCopies, source: Values, options: PageOptions): Promise<Page<Values>> {
    // `copiesOf` has made sure that the pattern reads pages.
    const find = (this.#db as Readonly<Record<string, FindPage>>)[found];
    if (find === undefined) throw new InputError('unknown-pattern', found, 'is not a pattern of the model');
    const page = await find(Object.fromEntries(inputs.map(([input, name]) => [input, source[name]])), options);
    return { ...page, items: page.items.map((item) => turnedItem('encode', plan.entity, item)) };
  }

  /** @returns false if the copy is gone, or is newer than these values. */
  async #rewriteOne(planned: PlannedCopies, copy: Values, values: Values): Promise<boolean> {
    try {
      await transactTasks(this.#context, `copies of ${planned.source}`, [
        { ...taskOf(planned, copy, values), plan: { ...planned.plan, droppable: false } },
      ]);
      return true;
    } catch (error) {
      if (error instanceof RuleError && (error.code === 'condition-failed' || error.code === 'not-found')) return false;
      throw error;
    }
  }

  #plannedOf(copies: Copies): PlannedCopies {
    const planned = this.copies(copies.source).find(
      (each) => each.entity === copies.entity && each.found === copies.found,
    );
    if (planned === undefined)
      throw new InputError('unknown-copies', copies.entity, `has no copies of ${copies.source}`);
    return planned;
  }
}

function taskOf({ plan }: PlannedCopies, copy: Values, values: Values): WriteTask {
  const key = Object.fromEntries((plan.need.by ?? []).map((name) => [name, copy[name]]));
  return { plan, input: { ...key, ...values }, old: undefined };
}

function plainly(_: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  return typeof value === 'bigint' ? String(value) : value;
}
