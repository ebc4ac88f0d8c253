import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

/*
 * Two servers with a directory each: us-east-1 and us-west-2 are on the first, eu-west-1 is on the second. They communicate
 * over HTTP, and are stopped and started between the steps.
 */

const regions = ['us-east-1', 'us-west-2', 'eu-west-1'] as const;
type Region = (typeof regions)[number];
type Side = 'first' | 'second';

const sideOf = (region: Region): Side => (region === 'eu-west-1' ? 'second' : 'first');

const replicaSecret = 'known to both servers';
let nowMs = 1_704_067_200_000;
const clock = { nowMs: () => nowMs };

let parent: string;
let ports: Record<Side, number>;
let running: Map<Side, { readonly database: Database; readonly server: DatabaseServer }>;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function start(side: Side, secret: string = replicaSecret): Promise<void> {
  const other: Side = side === 'first' ? 'second' : 'first';
  const elsewhere = regions.filter((region) => sideOf(region) === other);
  const url = `http://127.0.0.1:${ports[other]}`;
  const database = await createDatabase({
    directory: join(parent, side),
    clock,
    replicaEndpoints: Object.fromEntries(elsewhere.map((region) => [region, url])),
    replicaSecret: secret,
  });
  running.set(side, { database, server: await serve(database, { port: ports[side] }) });
}

/** A stopped server cannot be reached. */
async function stop(side: Side): Promise<void> {
  const { database, server } = running.get(side)!;
  running.delete(side);
  await server.close();
  await database.close();
}

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-replicas-'));
  ports = { first: await freePort(), second: await freePort() };
  running = new Map();
  await start('first');
  await start('second');
});

afterEach(async () => {
  for (const side of running.keys()) await stop(side);
  await rm(parent, { recursive: true });
});

type Answer = Readonly<Record<string, unknown>>;

async function call(region: Region, action: string, input: object): Promise<Answer> {
  const side = running.get(sideOf(region));
  if (side === undefined) throw new Error(`the server of ${region} is stopped`);
  return (await side.database.request(action, input, { region })) as Answer;
}

async function create(region: Region, TableName: string): Promise<void> {
  await call(region, 'CreateTable', {
    TableName,
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
}

async function addReplica(region: Region, TableName: string, RegionName: Region): Promise<void> {
  await call(region, 'UpdateTable', { TableName, ReplicaUpdates: [{ Create: { RegionName } }] });
}

/** Rounds on all running servers, until none of them has any work left. */
async function settle(): Promise<void> {
  for (let rounds = 0; ; rounds++) {
    expect(rounds).toBeLessThan(12);
    const results = [];
    for (const { database } of running.values()) results.push(await database.replicate());
    if (results.every(({ isSettled }) => isSettled)) return;
  }
}

const put = async (region: Region, TableName: string, id: string, n: number) =>
  call(region, 'PutItem', { TableName, Item: { pk: { S: id }, n: { N: String(n) } } });

async function itemsIn(region: Region, TableName: string): Promise<Record<string, number>> {
  const { Items } = (await call(region, 'Scan', { TableName })) as { Items: { pk: { S: string }; n: { N: string } }[] };
  return Object.fromEntries(Items.map(({ pk, n }) => [pk.S, Number(n.N)]));
}

const statusesIn = async (region: Region, TableName: string) => {
  const { Table } = (await call(region, 'DescribeTable', { TableName })) as {
    Table: { TableStatus: string; Replicas?: { RegionName: string; ReplicaStatus: string }[] };
  };
  const replicas = (Table.Replicas ?? []).map(({ RegionName, ReplicaStatus }) => `${RegionName} ${ReplicaStatus}`);
  return [Table.TableStatus, ...replicas];
};

describe('replicas on two servers', () => {
  test('are made, filled, written to on both, and removed', async () => {
    await create('us-east-1', 'Things');
    for (let n = 0; n < 60; n++) await put('us-east-1', 'Things', `item-${n}`, n);
    await addReplica('us-east-1', 'Things', 'eu-west-1');
    expect(await statusesIn('us-east-1', 'Things')).toEqual(['ACTIVE', 'eu-west-1 CREATING']);
    await settle();
    expect(await statusesIn('us-east-1', 'Things')).toEqual(['ACTIVE', 'eu-west-1 ACTIVE']);
    expect(await statusesIn('eu-west-1', 'Things')).toEqual(['ACTIVE', 'us-east-1 ACTIVE']);
    expect(Object.keys(await itemsIn('eu-west-1', 'Things'))).toHaveLength(60);
    await put('eu-west-1', 'Things', 'item-0', 100);
    await settle();
    expect(await itemsIn('us-east-1', 'Things')).toMatchObject({ 'item-0': 100 });
    // A third replica, requested from the second server, is on the first.
    await addReplica('eu-west-1', 'Things', 'us-west-2');
    await settle();
    expect(await statusesIn('us-west-2', 'Things')).toEqual(['ACTIVE', 'us-east-1 ACTIVE', 'eu-west-1 ACTIVE']);
    expect(await itemsIn('us-west-2', 'Things')).toEqual(await itemsIn('us-east-1', 'Things'));
    await call('us-east-1', 'UpdateTable', {
      TableName: 'Things',
      ReplicaUpdates: [{ Delete: { RegionName: 'us-west-2' } }],
    });
    await settle();
    await expect(statusesIn('us-west-2', 'Things')).rejects.toThrow('not found');
    expect(await statusesIn('eu-west-1', 'Things')).toEqual(['ACTIVE', 'us-east-1 ACTIVE']);
  });

  test('settings follow when the other server is back', async () => {
    await create('us-east-1', 'Things');
    await addReplica('us-east-1', 'Things', 'eu-west-1');
    await settle();
    await stop('second');
    await call('us-east-1', 'UpdateTimeToLive', {
      TableName: 'Things',
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
    });
    const first = running.get('first')!.database;
    expect((await first.replicate()).isSettled).toBe(false);
    expect(await first.replicationReport()).toMatchObject([{ to: 'eu-west-1', knowsSettings: false }]);
    await start('second');
    await settle();
    expect(await call('eu-west-1', 'DescribeTimeToLive', { TableName: 'Things' })).toEqual({
      TimeToLiveDescription: { AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' },
    });
  });

  test('cannot be made while the other server is away, or with another secret', async () => {
    await create('us-east-1', 'Things');
    await stop('second');
    await expect(addReplica('us-east-1', 'Things', 'eu-west-1')).rejects.toThrow(
      'Failed to access the region: ‘eu-west-1’.',
    );
    await start('second', 'a secret of its own');
    await expect(addReplica('us-east-1', 'Things', 'eu-west-1')).rejects.toThrow('AccessDeniedException');
    expect(await statusesIn('us-east-1', 'Things')).toEqual(['ACTIVE']);
  });

  test('a server that has lost everything is filled again', async () => {
    await create('us-east-1', 'Things');
    await put('us-east-1', 'Things', 'a', 1);
    await addReplica('us-east-1', 'Things', 'eu-west-1');
    await settle();
    await stop('second');
    await rm(join(parent, 'second'), { recursive: true });
    await start('second');
    await put('us-east-1', 'Things', 'b', 2);
    await settle();
    expect(await itemsIn('eu-west-1', 'Things')).toEqual({ a: 1, b: 2 });
  });

  /**
   * The last write of an item is the one with the latest time; at the same time, the one in the region that is last by
   * name. Between writes to the same item time passes, or they are made in different regions, neither of which has seen the other's.
   */
  test('agree on the last writes after a partition', async () => {
    const moment = fc.record({
      id: fc.nat(3),
      /** The writers at this moment; null deletes. */
      values: fc.dictionary(fc.constantFrom<string>(...regions), fc.option(fc.nat(9), { nil: null })),
    });
    let table = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(moment, { minLength: 1, maxLength: 12 }),
        fc.array(moment, { minLength: 1, maxLength: 12 }),
        fc.constantFrom<Side>('first', 'second'),
        async (before, during, stopped) => {
          const TableName = `Things-${table++}`;
          await create('us-east-1', TableName);
          await addReplica('us-east-1', TableName, 'us-west-2');
          await settle();
          await addReplica('us-east-1', TableName, 'eu-west-1');
          await settle();
          const last = new Map<string, number | null>();
          const write = async ({ id, values }: (typeof before)[number], isUp: (side: Side) => boolean) => {
            nowMs += 1;
            const name = `item-${id}`;
            for (const region of [...regions].toSorted()) {
              const n = values[region];
              if (n === undefined || !isUp(sideOf(region))) continue;
              // Deleting an item that does not exist is not a write, so each deletion has something to delete.
              await put(region, TableName, name, n ?? 0);
              if (n === null) await call(region, 'DeleteItem', { TableName, Key: { pk: { S: name } } });
              // The put and delete together count for more than the other puts.
              winners.set(name, [...(winners.get(name) ?? []), { atMs: nowMs, steps: n === null ? 1 : 0, region, n }]);
            }
          };
          const winners = new Map<string, { atMs: number; steps: number; region: string; n: number | null }[]>();
          for (const one of before) await write(one, () => true);
          await settle();
          await stop(stopped);
          const other: Side = stopped === 'first' ? 'second' : 'first';
          for (const one of during) await write(one, (side) => side === other);
          await running.get(other)!.database.replicate();
          await stop(other);
          await start(stopped);
          for (const one of during) await write(one, (side) => side === stopped);
          await running.get(stopped)!.database.replicate();
          await start(other);
          await settle();
          for (const [name, writes] of winners) {
            const [winner] = writes.toSorted(
              (a, b) => b.atMs - a.atMs || b.steps - a.steps || (a.region < b.region ? 1 : -1),
            );
            last.set(name, winner!.n);
          }
          const expected = Object.fromEntries([...last].filter(([, n]) => n !== null));
          for (const region of regions) expect(await itemsIn(region, TableName)).toEqual(expected);
        },
      ),
      { numRuns: 5 },
    );
  });
});
