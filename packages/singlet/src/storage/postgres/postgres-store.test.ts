import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { describeStore } from '../testing/store-conformance.ts';
import { bytes, entriesOf, keysOf, hex, put, testKey, textsOf, wholeSpace } from '../testing/store-probe.ts';
import { openPostgresStore } from './postgres-store.ts';
import { StoreProcess } from '../testing/store-process-client.ts';
import { ConnectionProxy } from './testing/connection-proxy.ts';
import { findPostgres, noPostgres, PostgresServer } from './testing/postgres-server.ts';

const programs = findPostgres();
const title = `the PostgreSQL driver${programs === undefined ? ` (${noPostgres})` : ''}`;

describe.skipIf(programs === undefined)(title, () => {
  let server: PostgresServer;
  let schemas = 0;

  beforeAll(async () => {
    server = await PostgresServer.start(programs!);
  });

  afterAll(async () => server.dispose());

  function newSchema(): string {
    schemas += 1;
    return `store_${schemas}`;
  }

  async function drop(schema: string): Promise<void> {
    await sql(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  }

  async function sql(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = await server.client();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  describeStore('postgres', async () => {
    const schema = newSchema();
    const proxy = await ConnectionProxy.start(server.port);
    const url = server.url(schema).replace(`:${server.port}/`, `:${proxy.port}/`);
    let cuts = 0;
    return {
      store: await openPostgresStore({ url }),
      openAgain: async () => openPostgresStore({ url: server.url(schema) }),
      startProcess: () =>
        new StoreProcess({
          module: new URL('./postgres-store.ts', import.meta.url).href,
          open: 'openPostgresStore',
          options: { url: server.url(schema) },
        }),
      interrupt: () => {
        cuts += 1;
        if (cuts % 2 === 0) proxy.cut();
        else proxy.cutAnswers();
      },
      dispose: async () => {
        await proxy.close();
        await drop(schema);
      },
    };
  });

  describe('beyond the contract', () => {
    let schema: string;
    let opened: Store[];

    async function open(
      options: { readonly patienceMs?: number; readonly waitingMax?: number; readonly url?: string } = {},
    ): Promise<Store> {
      const store = await openPostgresStore({ url: server.url(schema), ...options });
      opened.push(store);
      return store;
    }

    async function withStore(run: () => Promise<void>): Promise<void> {
      schema = newSchema();
      opened = [];
      try {
        await run();
      } finally {
        await Promise.all(opened.map(async (store) => store.close()));
        await drop(schema);
      }
    }

    test('servers that create the same store at once all succeed', async () =>
      withStore(async () => {
        const stores = await Promise.all([open(), open(), open(), open()]);
        await Promise.all(
          stores.map(async (store, index) => put(store, { key: testKey(1, index), value: bytes('x') })),
        );
        expect((await entriesOf(stores[0], wholeSpace(1))).entries).toHaveLength(4);
      }));

    test('a store of another format is refused', async () =>
      withStore(async () => {
        await (await open()).close();
        await sql(`UPDATE "${schema}".meta SET format = 99`);
        await expect(open()).rejects.toMatchObject({ code: 'format', message: expect.stringContaining('format 99') });
      }));

    test('a server that may lose what it acknowledges is refused', async () =>
      withStore(async () => {
        await sql('ALTER SYSTEM SET full_page_writes = off');
        await sql('SELECT pg_reload_conf()');
        try {
          await expect
            .poll(async () =>
              open().then(
                () => 'opened',
                (error: unknown) => String(error),
              ),
            )
            .toContain('full_page_writes is off');
        } finally {
          await sql('ALTER SYSTEM RESET full_page_writes');
          await sql('SELECT pg_reload_conf()');
          await expect.poll(async () => (await sql('SHOW full_page_writes'))[0]).toEqual({ full_page_writes: 'on' });
        }
      }));

    test('what cannot be opened is said in a sentence, without the password', async () => {
      const url = 'postgres://user:pa55word@127.0.0.1:1/shop';
      const error: unknown = await openPostgresStore({ url }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'open' });
      expect(String(error)).toMatch(/The store at postgres:\/\/user@127\.0\.0\.1:1\/shop cannot be opened/);
      expect(String(error)).not.toContain('pa55word');
      await expect(openPostgresStore({ url: 'mysql://x:secret@y/z' })).rejects.toThrow(/not a URL of PostgreSQL/);
      await expect(openPostgresStore({ url: `${url}?schema=no-such` })).rejects.toThrow(/cannot be the schema/);
    });

    test('keys that the index does not hold are in the order of their bytes, forwards and backwards, page by page', async () =>
      withStore(async () => {
        const store = await open();
        const rests = [2_539, 2_540, 2_541, 2_700, 3_000, 3_090].flatMap((length) =>
          [1, 2, 200].map((last) => Buffer.concat([Buffer.alloc(length - 1, 9), Uint8Array.of(last)])),
        );
        const keys = [...rests, Buffer.alloc(0), Buffer.alloc(30, 9), Buffer.alloc(30, 10)].map((rest) =>
          testKey(1, 1, rest),
        );
        await put(store, ...keys.map((key) => ({ key, value: new Uint8Array(90_000) })));
        const sorted = keys.map(hex).toSorted();
        expect(await keysOf(store, wholeSpace(1))).toEqual(sorted);
        expect(await keysOf(store, { ...wholeSpace(1), reverse: true })).toEqual(sorted.toReversed());
        for (const [index, bound] of sorted.entries()) {
          const from = Buffer.from(bound, 'hex');
          expect(await keysOf(store, { ...wholeSpace(1), from, limit: 3 })).toEqual(sorted.slice(index, index + 3));
          expect(await keysOf(store, { ...wholeSpace(1), to: from, reverse: true, limit: 9 })).toEqual(
            sorted.slice(0, index).toReversed().slice(0, 9),
          );
        }
      }));

    test('answers that come late cost time and nothing else: what waits meanwhile is one group', async () =>
      withStore(async () => {
        const proxy = await ConnectionProxy.start(server.port);
        proxy.setDelay(60);
        try {
          const url = server.url(schema).replace(`:${server.port}/`, `:${proxy.port}/`);
          const stores = [await open({ url }), await open({ url })];
          const counters = [0, 1].map((at) => testKey(1, at));
          const increment = async (store: Store, key: Uint8Array): Promise<number> =>
            store.write([key], ([value]) => {
              const next = Number(value === undefined ? 0 : Buffer.from(value).toString()) + 1;
              return { answer: next, writes: [{ key, value: bytes(`${next}`) }] };
            });
          const answers = await Promise.all(
            Array.from({ length: 360 }, (_, at) => increment(stores[at % 2]!, counters[at % 2]!)),
          );
          expect(answers.toSorted((a, b) => a - b)).toEqual(
            Array.from({ length: 360 }, (_, at) => Math.floor(at / 2) + 1),
          );
          expect(await textsOf(stores[0]!, counters)).toEqual(['180', '180']);
          // A group has up to 96 decisions.
          const groups = await sql(`SELECT groups::int FROM "${schema}".lane WHERE groups > 0`);
          expect(groups.map((lane) => lane['groups'])).toEqual([2, 2]);
        } finally {
          await Promise.all(opened.map(async (store) => store.close()));
          await proxy.close();
        }
      }));

    test('no row without a value stays behind', async () =>
      withStore(async () => {
        const store = await open();
        const keys = Array.from({ length: 40 }, (_, index) => testKey(1, index));
        await put(store, ...keys.map((key) => ({ key, value: bytes('x') })));
        await put(store, ...keys.slice(1).map((key) => ({ key, value: undefined })));
        // Asserting that a key is absent takes a row, too.
        await store.write([testKey(5, 5)], ([absent]) => ({
          answer: undefined,
          writes: absent === undefined ? [{ key: testKey(5, 6), value: bytes('y') }] : [],
        }));
        await expect
          .poll(async () => (await sql(`SELECT count(*)::int AS rows FROM "${schema}".kv`))[0])
          .toEqual({ rows: 2 });
        expect(await textsOf(store, [keys[0]!, keys[1]!])).toEqual(['x', undefined]);
      }));

    test('a store that is closed leaves no row of its own behind', async () =>
      withStore(async () => {
        const store = await open();
        await put(store, { key: testKey(1, 1), value: bytes('x') });
        expect(await sql(`SELECT groups::int FROM "${schema}".lane`)).toEqual([{ groups: 1 }]);
        await store.close();
        expect(await sql(`SELECT groups::int FROM "${schema}".lane`)).toEqual([]);
      }));

    test('more writes than may wait are refused as busy, and the others are made', async () =>
      withStore(async () => {
        const store = await open({ waitingMax: 50 });
        const outcomes = await Promise.allSettled(
          Array.from({ length: 80 }, async (_, index) => put(store, { key: testKey(1, index), value: bytes('x') })),
        );
        const refused = outcomes.flatMap((outcome) =>
          outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
        );
        expect(refused).toHaveLength(30);
        for (const error of refused) expect(error).toMatchObject({ code: 'busy' });
        expect((await entriesOf(store, wholeSpace(1))).entries).toHaveLength(50);
      }));

    test('without PostgreSQL a call fails after a while, and the store works again when it is back', async () => {
      const proxy = await ConnectionProxy.start(server.port);
      await withStore(async () => {
        const url = server.url(schema).replace(`:${server.port}/`, `:${proxy.port}/`);
        const store = await open({ url, patienceMs: 300 });
        const key = testKey(1, 1);
        await put(store, { key, value: bytes('before') });
        proxy.setDown(true);
        const calls = [
          // It reads first, so the store knows that nothing was written.
          store.write([key], () => ({ answer: undefined, writes: [{ key, value: bytes('lost') }] })),
          textsOf(store, [key]),
          entriesOf(store, wholeSpace(1)),
        ];
        for (const call of await Promise.allSettled(calls)) {
          expect(call).toMatchObject({ status: 'rejected', reason: { name: 'StorageError', code: 'io' } });
        }
        proxy.setDown(false);
        expect(await textsOf(store, [key])).toEqual(['before']);
        await put(store, { key, value: bytes('after') });
        expect(await textsOf(store, [key])).toEqual(['after']);
      });
      await proxy.close();
    });

    test('a write whose outcome cannot be looked up is told so, and is not made again', async () => {
      const proxy = await ConnectionProxy.start(server.port);
      await withStore(async () => {
        const url = server.url(schema).replace(`:${server.port}/`, `:${proxy.port}/`);
        const store = await open({ url, patienceMs: 300 });
        const key = testKey(1, 1);
        let decisions = 0;
        const holder = await server.client();
        await put(store, { key, value: bytes('1') });
        // The commit waits for this lock, and loses its connection while waiting.
        await holder.query('BEGIN');
        await holder.query(`SELECT 1 FROM "${schema}".kv FOR UPDATE`);
        const writing = store.write([key], () => {
          decisions += 1;
          return { answer: 'done', writes: [{ key, value: bytes('2') }] };
        });
        const failure = expect(writing).rejects.toMatchObject({ code: 'unknown-outcome' });
        await expect.poll(async () => waitingCount()).toBe(1);
        proxy.setDown(true);
        await failure;
        proxy.setDown(false);
        await holder.query('COMMIT');
        await holder.end();
        expect(decisions).toBe(1);
        // The next write comes from a new writer that is unrelated to the previous one.
        await put(store, { key, value: bytes('3') });
        expect(await textsOf(store, [key])).toEqual(['3']);
      });
      await proxy.close();
    });

    test('a write that lost its answer is found to be made, and decided once', async () => {
      const proxy = await ConnectionProxy.start(server.port);
      await withStore(async () => {
        const url = server.url(schema).replace(`:${server.port}/`, `:${proxy.port}/`);
        const store = await open({ url });
        const key = testKey(1, 1);
        await put(store, { key, value: bytes('1') });
        const holder = await server.client();
        await holder.query('BEGIN');
        await holder.query(`SELECT 1 FROM "${schema}".kv FOR UPDATE`);
        let decisions = 0;
        const writing = store.write([key], () => {
          decisions += 1;
          return { answer: 'done', writes: [{ key, value: bytes('2') }] };
        });
        await expect.poll(async () => waitingCount()).toBe(1);
        proxy.cutAnswers();
        // The statement is still waiting for the lock; the store waits for the statement.
        await expect.poll(async () => waitingCount()).toBe(2);
        await holder.query('COMMIT');
        await holder.end();
        expect(await writing).toBe('done');
        expect(decisions).toBe(1);
        expect(await textsOf(store, [key])).toEqual(['2']);
      });
      await proxy.close();
    });

    /** How many sessions wait for a lock. */
    async function waitingCount(): Promise<unknown> {
      const [row] = await sql(`SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return row?.['waiting'];
    }
  });
});
