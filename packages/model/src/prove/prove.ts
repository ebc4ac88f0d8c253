import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { check } from '../check/check.ts';
import { ModelError } from '../model-error.ts';
import type { Model, Needs } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { Entities } from '../entities/entity.ts';
import { drawState, Pools } from './data.ts';
import { type Counterexample, counterexampleOf } from './counterexample.ts';
import { differenceKinds } from './oracle/index.ts';
import { anyTablePrefix, ProvingTables } from './proving-tables.ts';
import { proveWrites, type WriteCounterexample } from './prove-writes.ts';
import { RandomSource } from './random-source.ts';
import { ReadCalls } from './read-call.ts';
import { ReadRunner } from './read-run.ts';
import { type ReadCase, smallestRead } from './smallest-read.ts';

/** Options of `prove`. */
export interface ProveOptions {
  /** The endpoint: tables are created there, filled, and removed. An in-process database is the fastest. */
  readonly client: DynamoDBClient;
  /** The same seed gives the same items and calls. 1 by default. */
  readonly seed?: number;
  /** Sets of items to try, each with calls of every pattern. 20 by default. */
  readonly runs?: number;
  /** Ends after this many seconds, whatever the number of runs. */
  readonly seconds?: number;
  /** Repeats one call that a counterexample named: `3.openOrders.2`. */
  readonly path?: string;
  /** The prefix of the table names. A new random one each time by default. */
  readonly tablePrefix?: string;
  /** Names of the patterns to test, all of which read. All patterns that read by default. */
  readonly patterns?: readonly string[];
  /** Calls of each pattern per run. 6 by default. */
  readonly calls?: number;
  /** Also tests patterns that write: a sequence of writes with each set of items. */
  readonly writes?: boolean;
  /** Ends early, after the current call. Tables are still removed. */
  readonly signal?: AbortSignal;
  /** Called after each run. */
  readonly onProgress?: (progress: ProveProgress) => void;
}

/** The progress of a proof. */
export interface ProveProgress {
  /** Runs that are complete. */
  readonly run: number;
  /** Runs in all. */
  readonly runs: number;
  /** Calls made so far. */
  readonly calls: number;
  /** Patterns with faults, and sequences of writes with faults. */
  readonly wrong: number;
}

/** The result for one pattern. */
export interface ProvenPattern {
  /** The pattern's name. */
  readonly pattern: string;
  /**
   * `agrees`: each answer matched the oracle's. `differs`: one did not. `unproven`: the model says why it is not proven; of its
   * answers, only what holds for any read was compared. `not run`: `check` rejects it, or it writes and writes were not requested.
   */
  readonly verdict: 'agrees' | 'differs' | 'unproven' | 'not run';
  /** The codes of the findings for which `check` rejects it, if it was not run because of them. */
  readonly refusedBy?: readonly string[];
  /** Calls that were compared. */
  readonly calls: number;
}

/** The result of a proof. */
export interface ProveReport {
  /** The model's name. */
  readonly model: string;
  /** Reproduces the same runs. */
  readonly seed: number;
  /** Sets of items that were tried. */
  readonly runs: number;
  /** Calls that were compared, of all patterns. */
  readonly calls: number;
  /** Whether every answer was correct. */
  readonly ok: boolean;
  /** The patterns that were called. */
  readonly patterns: readonly ProvenPattern[];
  /** Reads with wrong answers. */
  readonly counterexamples: readonly Counterexample[];
  /** A sequence of writes that went wrong. */
  readonly wrongWrites: WriteCounterexample | undefined;
}

const runsUsual = 20;
const callsUsual = 6;

/**
 * Searches for a wrong answer. Fills tables with adversarial items, calls every pattern that reads with inputs at and next to their values,
 * over pages of every size, and compares each answer with that of an oracle that has entities, patterns and the clock, but no
 * keys. A wrong answer is reduced as far as possible.
 *
 * Decision 0052 explains the oracle.
 *
 * @throws {ModelError} if the model cannot be run as declared.
 * @throws {InputError} if a table that is to be created already exists.
 */
export async function prove<D extends Entities, P extends Needs>(
  typed: Model<D, P>,
  options: ProveOptions,
): Promise<ProveReport> {
  const model = typed as unknown as Model;
  const { problems } = resolve(model);
  if (problems.length > 0) throw new ModelError(problems);
  const { client, seed = 1, runs = runsUsual, calls = callsUsual, tablePrefix = anyTablePrefix() } = options;
  const started = Date.now();
  const isOver = (): boolean =>
    options.signal?.aborted === true ||
    (options.seconds !== undefined && Date.now() - started > options.seconds * 1000);
  const refused = refusals(model);
  const reads = Object.entries(model.patterns).filter(
    ([name, { reads: read }]) => read !== undefined && !refused.has(name) && (options.patterns?.includes(name) ?? true),
  );
  const counts = new Map<string, number>();
  const count = (pattern: string): void => void counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  let wrongWrites: WriteCounterexample | undefined;
  const found = new Map<string, Counterexample>();
  const tables = new ProvingTables(model, client, tablePrefix);
  let done = 0;
  await tables.create();
  try {
    const [onlyRun, onlyPattern, onlyCall] = options.path?.split('.') ?? [];
    for (let run = Number(onlyRun ?? 0); run < (onlyRun === undefined ? runs : Number(onlyRun) + 1); run += 1) {
      if (isOver()) break;
      const random = new RandomSource(seed).fork(run);
      const now = clockStart + random.below(1000);
      const pools = new Pools(model, random.fork(1), now);
      const state = await tables.store(drawState(model, pools, random.fork(2), random.between(8, 40)));
      const runner = new ReadRunner(model, { client, tables: tables.names, now: () => now, random: () => 0.5 });
      for (const [at, [pattern, need]] of reads.entries()) {
        if (isOver()) break;
        const drawn = new ReadCalls(model, pools, state, random.fork(100 + at));
        let worst: { readonly number: number; readonly found: ReadCase } | undefined;
        for (let number = 0; number < calls && !found.has(pattern); number += 1) {
          const call = drawn.draw(pattern, need);
          if (call === undefined) continue;
          if (onlyPattern !== undefined && (onlyPattern !== pattern || Number(onlyCall) !== number)) continue;
          count(pattern);
          const wrong = await runner.run(call, state);
          if (wrong === undefined) continue;
          const one = { number, found: { state, call, wrong } };
          if (worst === undefined || severity(one.found) < severity(worst.found)) worst = one;
        }
        if (worst === undefined) continue;
        const smallest = await smallestRead(worst.found, async (call, items) =>
          runner.run(call, await tables.store(items)),
        );
        found.set(pattern, counterexampleOf(model, smallest, { seed, path: `${run}.${pattern}.${worst.number}`, now }));
        await tables.store(state);
      }
      if (options.writes === true && wrongWrites === undefined && (onlyPattern ?? 'writes') === 'writes')
        wrongWrites = await proveWrites(model, {
          client,
          seed,
          run,
          tablePrefix: `${tablePrefix}w-`,
          isLeftOut: (pattern) => refused.has(pattern),
          isOver,
          onWrite: count,
        });
      done += 1;
      options.onProgress?.({
        run: run + 1,
        runs,
        calls: sum(counts),
        wrong: found.size + Number(wrongWrites !== undefined),
      });
    }
  } finally {
    await tables.remove();
  }
  const counterexamples = [...found.values()];
  const wrote = wrongWrites?.steps.at(-1)?.calls.map(({ pattern }) => pattern) ?? [];
  return {
    model: model.name,
    seed,
    runs: done,
    calls: sum(counts),
    ok: counterexamples.length === 0 && wrongWrites === undefined,
    patterns: Object.entries(model.patterns).map(([pattern, need]) => ({
      pattern,
      verdict: verdictOf(need, found.has(pattern) || wrote.includes(pattern), counts.has(pattern)),
      ...(refused.has(pattern) && { refusedBy: refused.get(pattern) ?? [] }),
      calls: counts.get(pattern) ?? 0,
    })),
    counterexamples,
    wrongWrites,
  };
}

/** The patterns that `check` rejects, with the codes of the errors. */
function refusals(model: Model): Map<string, string[]> {
  const { patterns, findings } = check(model);
  const errors = new Set(findings.filter(({ level }) => level === 'error').map(({ code }) => code));
  const refused = patterns.filter(({ verdict }) => verdict === 'refused');
  return new Map(refused.map(({ pattern, findings: codes }) => [pattern, codes.filter((code) => errors.has(code))]));
}

/** The worst first. */
function severity({ wrong }: ReadCase): number {
  return differenceKinds.indexOf(wrong.difference.kind);
}

/** A Friday at noon, so that the result does not depend on when a proof runs. */
const clockStart = Date.UTC(2024, 2, 1, 12);

function verdictOf(need: Needs[string], differs: boolean, ran: boolean): ProvenPattern['verdict'] {
  if (differs) return 'differs';
  if (!ran) return 'not run';
  return need.unproven !== undefined ? 'unproven' : 'agrees';
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
