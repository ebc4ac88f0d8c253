import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createDatabase } from '../database/create-database.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Decision, Store, StoreValue } from '../storage/store.ts';
import { SeededRandom } from '../randomness/seeded-random.ts';
import { type Answer, answerOf, type Call } from './call.ts';
import { type IsolationReport, verifyIsolation } from './verify-isolation.ts';

let closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

describe('isolation of a database in this process', () => {
  test.each([1, 2, 3])('in memory, seed %i', async (seed) => {
    const report = await verified(openMemoryStore(), { seed });
    expect(report.anomalies).toEqual([]);
    expect(report.undecidedKeys).toEqual([]);
    expect(report.listOperations.ok).toBeGreaterThan(200);
    expect(report.registerOperations.ok).toBeGreaterThan(200);
  });

  test('on disk', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'singlet-isolation-'));
    closing.unshift(() => rm(directory, { recursive: true }));
    const report = await verified(undefined, { seed: 4, directory });
    expect(report.anomalies).toEqual([]);
  });

  test('with answers that are lost after the write was done', async () => {
    const report = await verified(openMemoryStore(), { seed: 5, lostAnswerShare: 0.05 });
    expect(report.listOperations.unknown).toBeGreaterThan(10);
    expect(report.anomalies).toEqual([]);
  });
});

/** Stores with one planted bug each. Each must be found within a few seeds. */
const faults: Readonly<
  Record<string, { readonly break: (store: Store, random: SeededRandom) => Store; readonly found: RegExp }>
> = {
  'reads that miss the last write': { break: staleReads, found: /stale read|not linearisable/ },
  'an acknowledged write that is dropped': { break: droppedWrites, found: /lost append|not linearisable/ },
  'a transaction that is visible in part': { break: partialWrites, found: /read skew|stale read|partial|incompatible/ },
  'a decision on values that another write has changed': {
    break: staleDecisions,
    found: /incompatible order|lost append/,
  },
  'conditions on items that are not locked': { break: unlockedReads, found: /write skew|read skew|stale/ },
  'a write that takes effect twice': { break: doubledWrites, found: /duplicate append|incompatible order/ },
};

describe('planted faults are found', () => {
  test.each(Object.keys(faults))('%s', async (name) => {
    const { break: breakStore, found } = faults[name]!;
    const names: string[] = [];
    for (let seed = 1; seed <= 8 && !names.some((text) => found.test(text)); seed += 1) {
      const report = await verified(breakStore(openMemoryStore(), new SeededRandom(seed)), { seed });
      names.push(...report.anomalies.map((anomaly) => anomaly.name));
    }
    expect(names.filter((text) => found.test(text))).not.toEqual([]);
  });
});

async function verified(
  store: Store | undefined,
  {
    seed,
    directory,
    lostAnswerShare = 0,
  }: { readonly seed: number; readonly directory?: string; readonly lostAnswerShare?: number },
): Promise<IsolationReport> {
  const database = await createDatabase({ store, directory });
  closing.unshift(() => database.close());
  const random = new SeededRandom(seed);
  const call: Call = async (action, input) => {
    // Otherwise clients of a database in this process would simply alternate.
    for (let turns = random.integer(0, 2); turns > 0; turns -= 1) await nextTurn();
    const answer = await answered(async () => database.request(action, input));
    const isLost = random.chance(lostAnswerShare) && /Item/.test(action);
    return isLost ? { kind: 'unknown', cause: 'lost' } : answer;
  };
  let operations = 0;
  return verifyIsolation({
    call,
    tableName: 'Isolation',
    clientCount: 6,
    seed,
    isOver: () => operations >= 900,
    pause: nextTurn,
    onProgress: (count) => (operations = count),
  });
}

async function answered(request: () => Promise<unknown>): Promise<Answer> {
  try {
    return answerOf(200, (await request()) as Readonly<Record<string, unknown>>);
  } catch (error) {
    if (!(error instanceof Error) || !('status' in error)) throw error;
    const { status, name, item } = error as Error & { readonly status: number; readonly item?: unknown };
    return answerOf(status, { __type: name, message: error.message, Item: item });
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const copied = (value: StoreValue): StoreValue => value && Uint8Array.from(value);

/** Remembers what each key held before its last write. */
function withPast(store: Store): { readonly past: Map<string, StoreValue>; readonly write: Store['write'] } {
  const past = new Map<string, StoreValue>();
  const write: Store['write'] = (keys, decide) =>
    store.write(keys, (values) => {
      const decision = decide(values);
      keys.forEach((key, at) => {
        if (decision.writes.some((change) => Buffer.compare(change.key, key) === 0))
          past.set(nameOf(key), copied(values[at]));
      });
      return decision;
    });
  return { past, write };
}

const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1');

/** The entries of items: the first space of a table is far from those of the engine's internal lists. */
const isItem = (value: StoreValue): boolean => value !== undefined && value.length > 40;

function staleReads(store: Store, random: SeededRandom): Store {
  const { past, write } = withPast(store);
  return {
    ...forwarded(store),
    write,
    read: (keys, body) =>
      store.read(keys, (values) =>
        body(
          values.map((value, at) =>
            isItem(value) && random.chance(0.05) ? (past.get(nameOf(keys[at]!)) ?? value) : value,
          ),
        ),
      ),
  };
}

function droppedWrites(store: Store, random: SeededRandom): Store {
  return {
    ...forwarded(store),
    write: (keys, decide) =>
      store.write(keys, (values) => {
        const decision = decide(values);
        return decision.writes.some(({ value }) => isItem(value)) && random.chance(0.02)
          ? { ...decision, writes: [] }
          : decision;
      }),
  };
}

function partialWrites(store: Store, random: SeededRandom): Store {
  return {
    ...forwarded(store),
    write: async (keys, decide) => {
      let later: Decision<unknown>['writes'] = [];
      const answer = await store.write(keys, (values) => {
        const decision = decide(values);
        const isSplit = decision.writes.length > 1 && random.chance(0.3);
        later = isSplit
          ? decision.writes.slice(1).map(({ key, value }) => ({ key: Uint8Array.from(key), value: copied(value) }))
          : [];
        return isSplit ? { ...decision, writes: decision.writes.slice(0, 1) } : decision;
      });
      if (later.length > 0) {
        await nextTurn();
        await nextTurn();
        await store.write([], () => ({ answer: undefined, writes: later }));
      }
      return answer;
    },
  };
}

function staleDecisions(store: Store, random: SeededRandom): Store {
  return {
    ...forwarded(store),
    write: async (keys, decide) => {
      if (!random.chance(0.2)) return store.write(keys, decide);
      const before = await store.read(keys, (values) => values.map(copied));
      await nextTurn();
      return store.write(keys, () => decide(before));
    },
  };
}

/** Snapshot isolation: written items are current, items that are only read may be stale. */
function unlockedReads(store: Store, random: SeededRandom): Store {
  return {
    ...forwarded(store),
    write: async (keys, decide) => {
      if (!random.chance(0.5)) return store.write(keys, decide);
      const before = await store.read(keys, (values) => values.map(copied));
      await nextTurn();
      await nextTurn();
      return store.write(keys, (values) => {
        const written = new Set(
          decide(values.map((value, at) => before[at] ?? value)).writes.map(({ key }) => nameOf(key)),
        );
        return decide(values.map((value, at) => (written.has(nameOf(keys[at]!)) ? value : before[at])));
      });
    },
  };
}

function doubledWrites(store: Store, random: SeededRandom): Store {
  return {
    ...forwarded(store),
    write: async (keys, decide) => {
      const answer = await store.write(keys, decide);
      return random.chance(0.05) ? store.write(keys, decide) : answer;
    },
  };
}

function forwarded(store: Store): Store {
  return {
    manifest: store.manifest,
    read: (keys, body) => store.read(keys, body),
    range: (request, visit) => store.range(request, visit),
    write: (keys, decide) => store.write(keys, decide),
    close: () => store.close(),
  };
}
