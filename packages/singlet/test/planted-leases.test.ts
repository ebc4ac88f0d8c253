/**
 * Faults planted in a copy of the leases, which two servers over one PostgreSQL then use: a server that was paused, and wakes up when another has
 * taken over, must write nothing.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as HeldWork from '../src/engine/background/held-work.ts';
import type { StoredLeases } from '../src/engine/background/lease.ts';
import { storeKey } from '../src/engine/layout/spaces.ts';
import { testServices } from '../src/engine/testing/test-services.ts';
import type { Store } from '../src/storage/index.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';

const faults = [
  {
    name: 'a write under a lease does not look at the lease',
    text: 'if (!this.holds(key, value, grant)) return { answer: false, writes: [] };',
    planted: '',
  },
  {
    name: 'the token of a grant is not compared',
    text: 'return present?.holder === holder && (present.token ?? 0) === token;',
    planted: 'return present?.holder === holder;',
  },
  {
    name: 'the token stays the same when a lease passes on',
    text: 'const token = (present?.token ?? 0) + (isTaken ? 0 : 1);',
    planted: 'const token = 1;',
  },
] as const;

const workFaults = [
  {
    name: 'a decision does not look at the lease',
    text: 'if (!leases.holds(this.#key, lease, this.#grant)) throw new LeaseLostError();',
    planted: '',
  },
  {
    name: 'the work writes past the store that looks at the lease',
    text: 'return { ...services, store: new HeldStore(services.store, leaseKey(name), grant) };',
    planted: 'return services;',
  },
] as const;

interface Fault {
  readonly text: string;
  readonly planted: string;
}

const durationMs = 1_000;
const programs = findPostgres();
const title = `faults planted in leases${programs === undefined ? ` (${noPostgres})` : ''}`;

describe.skipIf(programs === undefined)(title, () => {
  let postgres: PostgresServer;
  let folder: string;
  let one: Store;
  let two: Store;
  let copies = 0;

  beforeAll(async () => {
    postgres = await PostgresServer.start(programs!);
    folder = mkdtempSync(join(tmpdir(), 'singlet-planted-leases-'));
    symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const url = postgres.url('leases');
    one = await openPostgresStore({ url });
    two = await openPostgresStore({ url });
  });

  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
    await postgres.dispose();
    rmSync(folder, { recursive: true });
  });

  test('without a fault nothing is written late', async () => {
    expect(await lateWrites(await leasesWith())).toBe(0);
  });

  test.each(faults)('$name: found', async (fault) => {
    expect(await lateWrites(await leasesWith(fault))).toBeGreaterThan(0);
  });

  test('work of one server at a time: without a fault nothing is written late', async () => {
    expect(await lateWork(await heldWorkWith())).toBe(0);
  });

  test.each(workFaults)('work of one server at a time: $name: found', async (fault) => {
    expect(await lateWork(await heldWorkWith(fault))).toBeGreaterThan(0);
  });

  /** A copy of the leases with a fault. */
  async function leasesWith(fault?: Fault): Promise<StoredLeases> {
    // The copy has the same exports.
    const { StoredLeases: Leases } = (await copyOf('lease.ts', fault)) as { StoredLeases: typeof StoredLeases };
    return new Leases('A lease of the test', durationMs);
  }

  /** A copy of the work that one server at a time does, with a fault. */
  async function heldWorkWith(fault?: Fault): Promise<typeof HeldWork> {
    return (await copyOf('held-work.ts', fault)) as typeof HeldWork; // the copy has the same exports
  }

  async function copyOf(file: string, fault?: Fault): Promise<unknown> {
    const source = new URL(`../src/engine/background/${file}`, import.meta.url);
    let text = readFileSync(source, 'utf8');
    if (fault !== undefined) {
      expect(text.split(fault.text)).toHaveLength(2);
      text = text.replace(fault.text, fault.planted);
    }
    text = text.replaceAll(/from '(\.[^']+)'/g, (_, path: string) => `from '${fileURLToPath(new URL(path, source))}'`);
    const copy = join(folder, `copy-${++copies}.ts`);
    writeFileSync(copy, text);
    return import(pathToFileURL(copy).href);
  }

  /** Server a is taken for stopped in the middle of its work, and b does the work. @returns how many writes a makes afterwards. */
  async function lateWork({ asHolder, asHolderOnce }: typeof HeldWork): Promise<number> {
    const stopped = new Set<string>();
    const servers = { isRunning: (id: string): boolean => !stopped.has(id) };
    const [a, b] = [
      testServices({ store: one, processId: 'a', servers }),
      testServices({ store: two, processId: 'b', servers }),
    ];
    const key = storeKey(3_000 + copies);
    const write = async ({ store }: { readonly store: Store }, text: string): Promise<void> =>
      store.write([], () => ({ answer: undefined, writes: [{ key, value: Buffer.from(text) }] }));
    let late = 0;
    for (const does of [asHolder, asHolderOnce]) {
      stopped.clear();
      const name = `work ${copies} ${does.name}`;
      await does(a, name, async (held) => {
        await write(held, 'of a');
        stopped.add('a');
        await does(b, name, async (other) => write(other, 'of b'));
        await write(held, 'late').catch(() => undefined);
      });
      late += await one.read([key], ([value]) => (Buffer.from(value ?? []).toString() === 'late' ? 1 : 0));
    }
    return late;
  }

  /** @returns how many writes a server has made under a lease that had passed on. */
  async function lateWrites(leases: StoredLeases): Promise<number> {
    const [a, b] = [testServices({ store: one, processId: 'a' }), testServices({ store: two, processId: 'b' })];
    const key = storeKey(1_000 + copies);
    const entry = { key: storeKey(2_000 + copies), value: Buffer.from('late') };
    const late = async (grant: { readonly holder: string; readonly token: number }): Promise<number> =>
      (await leases.writeHeld(a, key, grant, [entry])) ? 1 : 0;
    const paused = await leases.acquire(a, key, 'a');
    // Server a is paused: its clock stays, and b takes over.
    b.clock.advance(durationMs);
    const successor = await leases.acquire(b, key, 'b');
    expect(paused).toBeDefined();
    expect(successor).toBeDefined();
    let count = await late(paused!);
    // Server b ends, and a acquires the lease again; a write of its first lease is still on its way.
    await leases.release(b, key, successor!);
    for (const { clock } of [a, b]) clock.advance(2 * durationMs);
    await leases.acquire(a, key, 'a');
    count += await late(paused!);
    return count;
  }
});
