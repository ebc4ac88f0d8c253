/**
 * Shows that the suite detects what it is meant to detect. This file starts a second run of itself, in
 * which each of the stores below breaks one promise of the contract, and expects that run to fail for every one of them.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openMemoryStore } from '../memory/memory-store.ts';
import type { Decision, RangeEnd, RangeRequest, RangeVisitor, Store, StoreManifest, StoreValue } from '../store.ts';
import { describeStore } from './store-conformance.ts';
import { hex } from './store-probe.ts';

type Decide<T> = (values: readonly StoreValue[]) => Decision<T>;

/** Keeps every promise, by delegating to a memory store. */
class HonestStore implements Store {
  readonly inner: Store = openMemoryStore();
  readonly manifest: StoreManifest = this.inner.manifest;

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
    return this.inner.read(keys, body);
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
    return this.inner.range(request, visit);
  }

  async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
    return this.inner.write(keys, decide);
  }

  async close(): Promise<void> {
    return this.inner.close();
  }
}

/** The stores below, each with the test that must fail for it. */
const noticedBy: Readonly<Record<string, string>> = {
  'forgets a write now and then': 'lose no increment of shared counters',
  'lets decisions overlap': 'lose no increment of shared counters',
  'writes key by key': 'a read sees a decision whole or not at all',
  'acknowledges before it writes': 'every read and range sees what was acknowledged before it',
  'keeps the buffers of its callers': 'does not notice what happens to buffers after they were written',
  'includes the upper bound': 'includes `from` and excludes `to` (reverse: false)',
  'ignores the direction': 'visits keys in unsigned byte order, a prefix before what continues it',
  'visits one entry too many': 'visits at most `limit` entries (reverse: false)',
  'looks past the entry at which it stops': 'visits at most `limit` entries (reverse: true)',
  'forgets the guard of a range': 'visits nothing when its guard throws, and passes the error on',
  'reads the guard in another snapshot': 'see the guard of a range in the snapshot of its 2 entries',
  'takes an empty value for none': 'tells an empty value from none',
  'swallows what a decision throws': 'writes nothing when the decision throws, and rejects with that very error',
  'cuts keys off': 'keeps keys as long as its manifest says',
  'overwrites a value in place': 'leaves values that were read as they are, if it reads its own memory',
  'continues after close': 'makes every later call fail with code `closed`',
};

const brokenStores: Readonly<Record<string, () => Store>> = {
  'forgets a write now and then': () =>
    new (class extends HonestStore {
      #count = 0;

      override async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
        this.#count += 1;
        const forget = this.#count % 100 === 0;
        return this.inner.write(keys, (values) => (forget ? { ...decide(values), writes: [] } : decide(values)));
      }
    })(),
  'lets decisions overlap': () =>
    new (class extends HonestStore {
      override async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
        const { answer, writes } = await this.inner.read(keys, decide);
        await Promise.resolve();
        return this.inner.write([], () => ({ answer, writes }));
      }
    })(),
  'writes key by key': () =>
    new (class extends HonestStore {
      override async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
        const { answer, writes } = await this.inner.write(keys, (values) => {
          const decision = decide(values);
          return { answer: decision, writes: decision.writes.slice(0, 1) };
        });
        for (const write of writes.slice(1)) {
          await new Promise((resolve) => setImmediate(resolve));
          await this.inner.write([], () => ({ answer: undefined, writes: [write] }));
        }
        return answer;
      }
    })(),
  'acknowledges before it writes': () =>
    new (class extends HonestStore {
      override async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
        const { answer } = await this.inner.read(keys, decide);
        setImmediate(() => void this.inner.write(keys, decide).catch(() => undefined));
        return answer;
      }
    })(),
  'keeps the buffers of its callers': () => {
    const kept = new Map<string, Uint8Array>();
    return new (class extends HonestStore {
      override read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
        return body(keys.map((key) => kept.get(hex(key))));
      }

      override async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
        const { answer, writes } = this.read(keys, decide);
        for (const { key, value } of writes) {
          if (value === undefined) kept.delete(hex(key));
          else kept.set(hex(key), value);
        }
        return answer;
      }
    })();
  },
  'includes the upper bound': () =>
    new (class extends HonestStore {
      override range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
        return this.inner.range({ ...request, to: new Uint8Array([...request.to, 0]) }, visit);
      }
    })(),
  'ignores the direction': () =>
    new (class extends HonestStore {
      override range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
        return this.inner.range({ ...request, reverse: false }, visit);
      }
    })(),
  'visits one entry too many': () =>
    new (class extends HonestStore {
      override range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
        const { limit } = request;
        return this.inner.range(limit === undefined ? request : { ...request, limit: limit + 1 }, visit);
      }
    })(),
  'looks past the entry at which it stops': () =>
    new (class extends HonestStore {
      override range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
        let left = request.limit ?? Infinity;
        const { limit: _, ...unlimited } = request;
        return this.inner.range(unlimited, (key, value) => left > 0 && ((left -= 1), visit(key, value)));
      }
    })(),
  'forgets the guard of a range': () =>
    new (class extends HonestStore {
      override range({ guard: _, ...request }: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
        return this.inner.range(request, visit);
      }
    })(),
  'reads the guard in another snapshot': () =>
    new (class extends HonestStore {
      override async range({ guard, ...request }: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
        if (guard !== undefined) await this.inner.read(guard.keys, guard.check);
        await new Promise((resolve) => setImmediate(resolve));
        return this.inner.range(request, visit);
      }
    })(),
  'takes an empty value for none': () =>
    new (class extends HonestStore {
      override read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
        return this.inner.read(keys, (values) =>
          body(values.map((value) => (value?.length === 0 ? undefined : value))),
        );
      }
    })(),
  'swallows what a decision throws': () =>
    new (class extends HonestStore {
      override async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
        return this.inner.write(keys, decide).catch(() => undefined as T);
      }
    })(),
  'cuts keys off': () =>
    new (class extends HonestStore {
      override readonly manifest: StoreManifest = { ...this.inner.manifest, keyBytesMax: 5_000 };
    })(),
  'overwrites a value in place': () => {
    const own = new Map<string, Uint8Array>();
    return new (class extends HonestStore {
      override readonly manifest: StoreManifest = { ...this.inner.manifest, readsOwnMemory: true };

      override read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
        return this.inner.read(keys, (values) =>
          body(
            values.map((value, at) => {
              const known = own.get(hex(keys[at] as Uint8Array)); // of one value for each key
              if (value === undefined || known?.length !== value.length) return value;
              known.set(value);
              return known;
            }),
          ),
        );
      }

      override async write<T>(keys: readonly Uint8Array[], decide: Decide<T>): Promise<T> {
        return this.inner.write(keys, (values) => {
          const decision = decide(values);
          for (const { key, value } of decision.writes) {
            if (value === undefined) continue;
            const known = own.get(hex(key));
            if (known?.length === value.length) known.set(value);
            else own.set(hex(key), value.slice());
          }
          return decision;
        });
      }
    })();
  },
  'continues after close': () =>
    new (class extends HonestStore {
      override async close(): Promise<void> {
        return Promise.resolve();
      }
    })(),
};

if (process.env['SINGLET_BROKEN_STORES'] === undefined) {
  test('the suite finds every broken promise', async () => {
    const failed = await failedTests();
    expect(Object.keys(brokenStores)).toEqual(Object.keys(noticedBy));
    const missed = Object.entries(noticedBy).filter(([store, title]) => failed.get(store)?.has(title) !== true);
    expect(missed).toEqual([]);
    // And the honest store fails nothing.
    expect(failed.get('honest')).toBeUndefined();
  });
} else {
  describeStore('honest', async () => ({ store: new HonestStore() }));
  for (const [name, open] of Object.entries(brokenStores)) describeStore(name, async () => ({ store: open() }));
}

/** Runs this file with the broken stores, and of the contract the tests that must find them. @returns the titles of the tests that failed, by the name of the store. */
async function failedTests(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const titles = [...new Set(Object.values(noticedBy))].map((title) => title.replaceAll(/[^\w ]/g, '.'));
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [vitest, 'run', fileURLToPath(import.meta.url), '--reporter=json', '-t', titles.join('|')],
      { env: { ...process.env, SINGLET_BROKEN_STORES: '1' }, maxBuffer: 64 * 1024 * 1024 },
      // It is meant to fail: only its report matters.
      (_error, stdout) => resolve(stdout),
    );
  });
  const report = JSON.parse(output.slice(output.indexOf('{'))) as {
    testResults: { assertionResults: { status: string; title: string; ancestorTitles: string[] }[] }[];
  };
  const failed = new Map<string, Set<string>>();
  for (const result of report.testResults.flatMap(({ assertionResults }) => assertionResults)) {
    if (result.status !== 'failed') continue;
    const store = result.ancestorTitles[0]?.replace('store contract: ', '') ?? '';
    failed.set(store, (failed.get(store) ?? new Set()).add(result.title));
  }
  return failed;
}
