/**
 * Faults planted in a copy of the driver: each check that finds nothing in the real driver must find the fault that it is for.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { skewBetween } from '../testing/process-suite.ts';
import { StoreProcess, type StoreProcessOptions } from '../testing/store-process-client.ts';
import { bytes, put, testKey, textsOf, valueText } from '../testing/store-probe.ts';
import type { openPostgresStore } from './postgres-store.ts';
import { ConnectionProxy } from './testing/connection-proxy.ts';
import { findPostgres, noPostgres, PostgresServer } from './testing/postgres-server.ts';

interface Fault {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly planted: string;
  readonly check: (
    open: (url?: string) => Promise<Store>,
    server: PostgresServer,
    schema: string,
    rounds: number,
    inProcess: StoreProcessOptions,
  ) => Promise<number>;
}

const faults: readonly Fault[] = [
  {
    name: 'a lock on what was read that lets other processes change it',
    file: 'group-statement.ts',
    text: 'AND NOT k.changes FOR SHARE',
    planted: 'AND NOT k.changes FOR KEY SHARE',
    check: async (open, _server, _schema, rounds, inProcess) => {
      const children = [new StoreProcess(inProcess), new StoreProcess(inProcess)] as const;
      try {
        await Promise.all(children.map(async (child) => child.ready()));
        return await skewBetween(await open(), children, { rounds: rounds / 10 });
      } finally {
        await Promise.all(children.map(async (child) => child.kill()));
      }
    },
  },
  {
    name: 'what was read and not written is not looked at again',
    file: 'group-plan.ts',
    text: 'else if (written === undefined) shared.push({ columns, version, value: undefined });',
    planted: 'else if (written === undefined) continue;',
    check: async (open, _server, _schema, rounds) => skewOfRows(await open(), await open(), rounds),
  },
  {
    name: 'absence is not held until the commit',
    file: 'group-plan.ts',
    text: 'if (version === undefined) created.push({ columns, value });',
    planted: 'if (version === undefined) value === undefined || created.push({ columns, value });',
    check: async (open, _server, _schema, rounds) => skewOfAbsence(await open(), await open(), rounds),
  },
  {
    name: 'a group whose answer was lost is made again without a look',
    file: 'write-lane.ts',
    text: "if (session.position.groups === groupsAfter(position)) return { kind: 'done', plan };",
    planted: '',
    check: async (open, server, schema) => madeTwice(open, server, schema),
  },
  {
    name: 'a group whose answer was lost counts as made without a look',
    file: 'write-lane.ts',
    text: 'if (session.position.groups === groupsAfter(position)) return',
    planted: 'return',
    check: async (open, server, schema) => neverMade(open, server, schema),
  },
  {
    name: 'a second attempt locks only what it changes, and so not in the order of the keys',
    file: 'write-lane.ts',
    text: '...shared.map(({ columns }) => ({ columns, changes: false })),',
    planted: '',
    check: async (open, server, _schema, limit) => {
      let found = 0;
      for (let made = 0; found === 0 && made < limit; made += rounds)
        found = await deadlocks([await open(), await open()], server);
      return found;
    },
  },
];

const programs = findPostgres();
const title = `faults planted in the PostgreSQL driver${programs === undefined ? ` (${noPostgres})` : ''}`;

describe.skipIf(programs === undefined)(title, () => {
  let server: PostgresServer;
  let folder: string;

  beforeAll(async () => {
    server = await PostgresServer.start(programs!);
    folder = mkdtempSync(join(tmpdir(), 'singlet-planted-'));
    symlinkSync(fileURLToPath(new URL('../../../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });

  afterAll(async () => {
    await server.dispose();
    rmSync(folder, { recursive: true });
  });

  test.each(faults.map((fault, index) => ({ ...fault, index })))('$name: found', async (fault) => {
    expect(await violations(fault, false)).toBe(0);
    expect(await violations(fault, true)).toBeGreaterThan(0);
  });

  /** Runs a check on a copy of the driver, unchanged or with the fault. */
  async function violations(
    { index, file, text, planted, check }: Fault & { readonly index: number },
    isPlanted: boolean,
  ): Promise<number> {
    const schema = `planted_${index}_${isPlanted ? 'faulty' : 'right'}`;
    const copy = join(folder, schema);
    cpSync(fileURLToPath(new URL('..', import.meta.url)), copy, { recursive: true });
    if (isPlanted) {
      const path = join(copy, 'postgres', file);
      const source = readFileSync(path, 'utf8');
      expect(source.split(text)).toHaveLength(2);
      writeFileSync(path, source.replace(text, planted));
    }
    const url = pathToFileURL(join(copy, 'postgres', 'postgres-store.ts')).href;
    // The copy has the driver's exports.
    const driver = (await import(url)) as { readonly openPostgresStore: typeof openPostgresStore };
    const opened: Store[] = [];
    try {
      const open = async (storeUrl = server.url(schema)): Promise<Store> => {
        const store = await driver.openPostgresStore({ url: storeUrl });
        opened.push(store);
        return store;
      };
      const inProcess = { module: url, open: 'openPostgresStore', options: { url: server.url(schema) } };
      return await check(open, server, schema, isPlanted ? longest : rounds, inProcess);
    } finally {
      await Promise.all(opened.map(async (store) => store.close()));
    }
  }
});

const rounds = 40;

/** Most rounds with a fault of the checks of skew and of deadlocks. They end when they have found it, which takes two groups at one time. */
const longest = 4000;

/** @returns how often PostgreSQL found two groups that waited for each other in {@link rounds}. All decisions read all keys; each changes one. */
async function deadlocks(stores: readonly [Store, Store], server: PostgresServer): Promise<number> {
  const client = await server.client();
  await client.query(`ALTER SYSTEM SET deadlock_timeout = '10ms'`);
  await client.query('SELECT pg_reload_conf()');
  const counted = async (): Promise<number> => {
    const text = 'SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()';
    await client.query('SELECT pg_stat_clear_snapshot()');
    return (await client.query<{ count: number }>(text)).rows[0]?.count ?? 0;
  };
  const before = await counted();
  const keys = Array.from({ length: 8 }, (_, partition) => testKey(1, partition));
  await put(stores[0], ...keys.map((key) => ({ key, value: bytes('0') })));
  const change = async (store: Store, key: Uint8Array): Promise<void> => {
    for (let step = 0; step < rounds; step += 1) {
      await store.write(keys, () => ({ answer: undefined, writes: [{ key, value: bytes(`${step}`) }] }));
    }
  };
  await Promise.all(keys.map((key, at) => change(stores[at % 2 === 0 ? 0 : 1], key)));
  // A connection reports what it has counted at the latest when it ends.
  await Promise.all(stores.map((store) => store.close()));
  await server.sessionsEnded();
  const found = (await counted()) - before;
  await client.end();
  return found;
}

/** @returns 1 if both changed in a round, each depending on the other being unchanged. */
async function skewOfRows(one: Store, other: Store, limit: number): Promise<number> {
  const stores = [one, other] as const;
  for (let round = 0; round < limit; round += 1) {
    const keys = [testKey(1, round), testKey(2, round)] as const;
    await put(stores[0], ...keys.map((key) => ({ key, value: bytes('old') })));
    await bothTry(stores, keys, (value) => value !== undefined && valueText(value) === 'old');
    const texts = await textsOf(stores[0], keys);
    if (texts.every((text) => text === 'new')) return 1;
  }
  return 0;
}

/** @returns 1 if both were added in a round, each depending on the other being absent. */
async function skewOfAbsence(one: Store, other: Store, limit: number): Promise<number> {
  const stores = [one, other] as const;
  for (let round = 0; round < limit; round += 1) {
    const keys = [testKey(1, round), testKey(2, round)] as const;
    await bothTry(stores, keys, (value) => value === undefined);
    const texts = await textsOf(stores[0], keys);
    if (texts.every((text) => text === 'new')) return 1;
  }
  return 0;
}

async function bothTry(
  stores: readonly [Store, Store],
  keys: readonly [Uint8Array, Uint8Array],
  mayGo: (other: Uint8Array | undefined) => boolean,
): Promise<void> {
  const go = async (index: 0 | 1): Promise<void> =>
    stores[index].write(keys, (values) => ({
      answer: undefined,
      writes: mayGo(values[1 - index]) ? [{ key: keys[index], value: bytes('new') }] : [],
    }));
  await Promise.all([go(0), go(1)]);
}

const counter: Uint8Array = testKey(9, 9);

async function increment(store: Store): Promise<void> {
  await store.write([counter], ([value]) => ({
    answer: undefined,
    writes: [{ key: counter, value: bytes(`${Number(valueText(value ?? bytes('0'))) + 1}`) }],
  }));
}

/** A commit waits for a lock, loses its connection, then the lock is released, and the commit is made. @returns how many times it was made again. */
async function madeTwice(
  open: (url?: string) => Promise<Store>,
  server: PostgresServer,
  schema: string,
): Promise<number> {
  return interrupted(open, server, schema, (proxy) => proxy.cutAnswers());
}

/** The connection is lost before PostgreSQL has received anything. @returns how many acknowledged increments are missing. */
async function neverMade(
  open: (url?: string) => Promise<Store>,
  server: PostgresServer,
  schema: string,
): Promise<number> {
  const proxy = await ConnectionProxy.start(server.port);
  try {
    const store = await open(viaProxy(server, schema, proxy));
    await increment(store);
    let acknowledged = 1;
    for (let round = 0; round < rounds; round += 1) {
      // At random moments, so that some statements are lost before they arrive.
      const writing = increment(store).then(
        () => (acknowledged += 1),
        (error: unknown) => {
          // An error of the copy's own class.
          if (!(error instanceof Error && error.name === 'StorageError')) throw error;
        },
      );
      await delay(round % 3);
      proxy.cut();
      await writing;
    }
    const [total] = await textsOf(store, [counter]);
    return Math.max(0, acknowledged - Number(total));
  } finally {
    await proxy.close();
  }
}

async function interrupted(
  open: (url?: string) => Promise<Store>,
  server: PostgresServer,
  schema: string,
  interrupt: (proxy: ConnectionProxy) => void,
): Promise<number> {
  const proxy = await ConnectionProxy.start(server.port);
  const holder = await server.client();
  try {
    const store = await open(viaProxy(server, schema, proxy));
    await increment(store);
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM "${schema}".kv FOR UPDATE`);
    const writing = increment(store);
    await expect.poll(() => waitingCount(server)).toBe(1);
    interrupt(proxy);
    await expect.poll(() => waitingCount(server)).toBe(2);
    await holder.query('COMMIT');
    await writing;
    const [total] = await textsOf(store, [counter]);
    return Number(total) - 2;
  } finally {
    await holder.end();
    await proxy.close();
  }
}

function viaProxy(server: PostgresServer, schema: string, proxy: ConnectionProxy): string {
  return server.url(schema).replace(`:${server.port}/`, `:${proxy.port}/`);
}

/** How many sessions wait for a lock. */
async function waitingCount(server: PostgresServer): Promise<number> {
  const client = await server.client();
  try {
    const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    const { rows } = await client.query<{ waiting: number }>(text);
    return rows[0]?.waiting ?? 0;
  } finally {
    await client.end();
  }
}
