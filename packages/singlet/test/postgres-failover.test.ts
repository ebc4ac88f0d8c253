/**
 * A second copy: two real PostgreSQL servers with streaming replication, `singlet serve` before them, a primary that is killed, and a standby that is
 * promoted while clients write. `FAILOVER_ROUNDS=20` repeats it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { ConnectionProxy } from '../src/storage/postgres/testing/connection-proxy.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';
import { things } from './indexed-things.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

const programs = findPostgres();
const title = `a standby of PostgreSQL${programs === undefined ? ` (${noPostgres})` : ''}`;
const rounds = Number(process.env['FAILOVER_ROUNDS'] ?? 1);

interface Owned {
  readonly owner: { readonly S: string };
}

const putOf = (pk: string, owner = 'x'): object => ({
  TableName: 'Things',
  Item: { pk: { S: pk }, owner: { S: owner } },
});

describe.skipIf(programs === undefined)(title, () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let proxy: ConnectionProxy;
  let servers: SingletProcess[];

  beforeEach(async () => {
    servers = [];
    primary = await PostgresServer.start(programs!);
    standby = await primary.standby();
    proxy = await ConnectionProxy.start(primary.port);
  });

  afterEach(async () => {
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
    await proxy.close();
    await standby.dispose();
    await primary.dispose();
  });

  /** The name by which servers know PostgreSQL, wherever it is. */
  const storeUrl = (): string => `postgres://singlet@127.0.0.1:${proxy.port}/postgres?schema=singlet`;

  function serve(...flags: readonly string[]): SingletProcess {
    const place = ['--port', '0', '--store', storeUrl()];
    const server = new SingletProcess(['serve', ...place, '--log-format', 'json', ...flags]);
    servers.push(server);
    return server;
  }

  /** Writes through two servers, loses the primary, promotes the standby, and continues. @returns for each writer, what of its writes is missing. */
  async function failOver(): Promise<readonly (readonly number[])[]> {
    const urls = await Promise.all([serve().ready(), serve().ready()]);
    await wireResult(urls[0], 'CreateTable', things);
    const acknowledged = Array.from({ length: 8 }, (): number[] => []);
    const over = new AbortController();
    const write = async (writer: number): Promise<void> => {
      for (let step = 0; !over.signal.aborted; step += 1) {
        const answer = await wireCall(urls[writer % 2]!, 'PutItem', putOf(`${writer}-${step}`, `${writer}`));
        if (answer.status === 200) acknowledged[writer]!.push(step);
        else expect(answer.status).toBe(500);
      }
    };
    const writers = acknowledged.map(async (_, writer) => write(writer));
    const count = (): number => acknowledged.reduce((sum, { length }) => sum + length, 0);
    await expect.poll(count).toBeGreaterThan(60);
    await primary.kill();
    await standby.promote();
    proxy.switchTo(standby.port);
    const before = count();
    await expect.poll(count).toBeGreaterThan(before + 60);
    over.abort();
    await Promise.all(writers);
    const found = new Set<string>();
    let start: object | undefined;
    do {
      const page = (await wireResult(urls[1], 'Scan', {
        TableName: 'Things',
        ConsistentRead: true,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      })) as { readonly Items: readonly { readonly pk: { readonly S: string } }[]; readonly LastEvaluatedKey?: object };
      for (const { pk } of page.Items) found.add(pk.S);
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    await Promise.all(servers.map((server) => server.end('SIGTERM')));
    await expectConsistent();
    return acknowledged.map((steps, writer) => steps.filter((step) => !found.has(`${writer}-${step}`)));
  }

  async function expectConsistent(): Promise<void> {
    const store = await openPostgresStore({ url: storeUrl() });
    try {
      const place = { accountId: '000000000000', region: 'us-east-1' };
      const table = await new Catalog(store, { nowMs: () => Date.now() }).load(place, 'Things');
      expect(await findInconsistencies(store, table!)).toEqual([]);
    } finally {
      await store.close();
    }
  }

  test.each(Array.from({ length: rounds }, (_, round) => round))(
    'is promoted while clients write: with synchronous replication nothing acknowledged is lost (round %i)',
    async () => {
      await primary.setSynchronous(true);
      expect((await failOver()).flat()).toEqual([]);
    },
  );

  test.each(Array.from({ length: rounds }, (_, round) => round))(
    'is promoted while clients write: with asynchronous replication the last writes may be lost, and no others (round %i)',
    async () => {
      const lost = await failOver();
      if (rounds > 1) process.stdout.write(`lost ${lost.flat().length} acknowledged writes\n`);
      // Without a gap: a writer that has lost a write has lost its following ones before the failover, too.
      for (const steps of lost) {
        for (const [at, step] of steps.entries()) if (at > 0) expect(step).toBe(steps[at - 1]! + 1);
      }
    },
  );

  test('answers eventually consistent reads, as stale as it is; strong reads, and all others when it fails, go to the store', async () => {
    const writer = await serve().ready();
    await wireResult(writer, 'CreateTable', things);
    await wireResult(writer, 'PutItem', putOf('a', 'before'));
    await replayed();
    const reader = await serve('--read-store', standby.url('singlet')).ready();
    const pause = await standby.client();
    await pause.query('SELECT pg_wal_replay_pause()');
    await wireResult(writer, 'PutItem', putOf('a', 'after'));
    const Key = { pk: { S: 'a' } };
    const ownerBy = async (ConsistentRead: boolean): Promise<unknown> => {
      const { Item } = await wireResult(reader, 'GetItem', { TableName: 'Things', Key, ConsistentRead });
      return (Item as { readonly owner: { readonly S: string } }).owner.S;
    };
    const indexCount = async (owner: string): Promise<unknown> => {
      const { Count } = await wireResult(reader, 'Query', {
        TableName: 'Things',
        IndexName: 'byOwner',
        KeyConditionExpression: '#owner = :owner',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':owner': { S: owner } },
      });
      return Count;
    };
    expect(await ownerBy(true)).toBe('after');
    expect(await ownerBy(false)).toBe('before');
    expect([await indexCount('before'), await indexCount('after')]).toEqual([1, 0]);
    const ownersBy = async (ConsistentRead: boolean): Promise<readonly unknown[]> => {
      const batch = await wireResult(reader, 'BatchGetItem', {
        RequestItems: { Things: { Keys: [Key], ConsistentRead } },
      });
      const Statement = `SELECT owner FROM Things WHERE pk = 'a'`;
      const one = await wireResult(reader, 'ExecuteStatement', { Statement, ConsistentRead });
      const several = await wireResult(reader, 'BatchExecuteStatement', {
        Statements: [{ Statement, ConsistentRead }],
      });
      const { Responses } = batch as { readonly Responses: { readonly Things: readonly Owned[] } };
      const { Items } = one as { readonly Items: readonly Owned[] };
      const [response] = (several as { readonly Responses: readonly { readonly Item: Owned }[] }).Responses;
      return [Responses.Things[0], Items[0], response?.Item].map((item) => item?.owner.S);
    };
    expect(await ownersBy(true)).toEqual(['after', 'after', 'after']);
    expect(await ownersBy(false)).toEqual(['before', 'before', 'before']);
    // A table that the standby does not know yet.
    await wireResult(writer, 'CreateTable', { ...things, TableName: 'Later' });
    await wireResult(writer, 'PutItem', { ...putOf('b'), TableName: 'Later' });
    const later = { TableName: 'Later', Key: { pk: { S: 'b' } } };
    expect(await wireResult(reader, 'GetItem', later)).toHaveProperty('Item');
    const status = new SingletProcess([
      'store',
      'status',
      '--store',
      storeUrl(),
      '--read-store',
      standby.url('singlet'),
    ]);
    servers.push(status);
    await status.ended;
    expect(status.stdout).toMatch(/\n +behind +[1-9][\d,]* bytes\n/);
    await pause.query('SELECT pg_wal_replay_resume()');
    await pause.end();
    await expect.poll(async () => ownerBy(false)).toBe('after');
    await standby.kill();
    expect(await ownerBy(false)).toBe('after');
    expect(await indexCount('after')).toBe(1);
  });

  test('is refused if it is the standby of another server', async () => {
    await wireResult(await serve().ready(), 'ListTables', {});
    const other = await PostgresServer.start(programs!, { hasOwnIdentifier: true });
    try {
      await (await openPostgresStore({ url: other.url('singlet') })).close();
      const server = serve('--read-store', other.url('singlet'));
      await expect(server.ready()).rejects.toThrow('is not a standby of the one at');
    } finally {
      await other.dispose();
    }
  });

  /** Waits until the standby has applied all that the primary has written. */
  async function replayed(): Promise<void> {
    const [here, there] = [await primary.client(), await standby.client()];
    const { rows } = await here.query<{ at: string }>('SELECT pg_current_wal_lsn()::text AS at');
    const isApplied = async (): Promise<boolean> => {
      const answer = await there.query<{ yes: boolean }>('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS yes', [
        rows[0]?.at,
      ]);
      return answer.rows[0]?.yes === true;
    };
    await expect.poll(isApplied).toBe(true);
    await Promise.all([here.end(), there.end()]);
  }
});
