/**
 * `singlet store move` as an operator runs it: real servers, clients that write all the time, and a cut-over.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SeededRandom } from '../src/randomness/seeded-random.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

const programs = findPostgres();
const postgresTitle = `from a directory to PostgreSQL, and back${programs === undefined ? ` (${noPostgres})` : ''}`;

const orders = {
  TableName: 'Orders',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'N' },
    { AttributeName: 'owner', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  Tags: [{ Key: 'team', Value: 'shop' }],
};

const people = {
  TableName: 'People',
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'B' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' },
  BillingMode: 'PAY_PER_REQUEST',
};

const itemCount = 400;
const keyOf = (number: number): object => ({ pk: { S: `customer ${number % 20}` }, sk: { N: `${number}` } });
const orderOf = (number: number, version: number): object => ({
  ...keyOf(number),
  owner: { S: `owner ${version % 5}` },
  version: { N: `${version}` },
  tags: { SS: ['b', 'a', `${version}`] },
  nested: { M: { list: { L: [{ BOOL: true }, { NULL: true }, { NS: ['1.5', '-3'] }] }, bytes: { B: 'AAEC' } } },
  text: { S: 'x'.repeat(version % 300) },
});

describe('store move', () => {
  const command = useCommands();
  let folder: string;
  let started: SingletProcess[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'singlet-move-'));
    started = [];
  });

  afterEach(async () => {
    await Promise.all(started.map((process) => process.end('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...args: readonly string[]): SingletProcess => {
    const process = new SingletProcess(args);
    started.push(process);
    return process;
  };
  const serve = async (...place: readonly string[]): Promise<string> => run('serve', '--port', '0', ...place).ready();

  async function filled(url: string): Promise<void> {
    await wireResult(url, 'CreateTable', orders);
    await wireResult(url, 'CreateTable', people);
    await wireResult(url, 'UpdateTimeToLive', {
      TableName: 'Orders',
      TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    });
    for (let from = 0; from < itemCount; from += 25) {
      const puts = Array.from({ length: 25 }, (_, at) => ({ PutRequest: { Item: orderOf(from + at, from + at) } }));
      await wireResult(url, 'BatchWriteItem', { RequestItems: { Orders: puts } });
    }
    await wireResult(url, 'PutItem', { TableName: 'People', Item: { id: { B: 'AAAA' }, name: { S: 'Ada' } } });
  }

  /** Clients that put, update and delete, until they are stopped. @returns a function that stops them, with the number of their writes. */
  function clientsOf(url: string): () => Promise<number> {
    let isOver = false;
    const client = async (seed: number): Promise<number> => {
      const random = new SeededRandom(seed);
      for (let version = 1; ; version += 1) {
        if (isOver) return version - 1;
        // Without it the clients take both cores for as long as the move lasts.
        await pause(15);
        const number = random.integer(0, itemCount * 1.2);
        const kind = random.integer(0, 3);
        const input = { TableName: 'Orders', Key: keyOf(number) };
        if (kind === 0) await wireResult(url, 'DeleteItem', input);
        else if (kind === 1) {
          await wireResult(url, 'UpdateItem', {
            ...input,
            UpdateExpression: 'ADD version :one',
            ExpressionAttributeValues: { ':one': { N: '1' } },
          });
        } else {
          await wireResult(url, 'PutItem', { TableName: 'Orders', Item: orderOf(number, version) });
        }
      }
    };
    const clients = [1, 2, 3].map(client);
    return async () => {
      isOver = true;
      return (await Promise.all(clients)).reduce((sum, count) => sum + count, 0);
    };
  }

  async function itemsAt(url: string, IndexName?: string): Promise<readonly string[]> {
    const texts: string[] = [];
    let start: object | undefined;
    do {
      const { Items, LastEvaluatedKey } = (await wireResult(url, 'Scan', {
        TableName: 'Orders',
        ...(IndexName !== undefined && { IndexName }),
        ...(start !== undefined && { ExclusiveStartKey: start }),
      })) as { readonly Items: readonly object[]; readonly LastEvaluatedKey?: object };
      texts.push(...Items.map((item) => JSON.stringify(item)));
      start = LastEvaluatedKey;
    } while (start !== undefined);
    return texts.toSorted();
  }

  /** Moves while clients write, and stops them when the command asks for it. @returns the command's output. */
  async function moved(url: string, from: string, to: string, ...flags: readonly string[]): Promise<string> {
    const [asked, stopped] = [join(folder, 'asked'), join(folder, 'stopped')];
    const stop = clientsOf(url);
    // It ends with the folder, whatever happens.
    const cutOver = `touch '${asked}'; while [ -e '${asked}' ] && [ ! -e '${stopped}' ]; do sleep 0.05; done`;
    const move = run('store', 'move', '--from', from, '--to', to, '--settle', '1', '--cut-over', cutOver, ...flags);
    try {
      await expect.poll(() => existsSync(asked) || move.hasEnded).toBe(true);
    } finally {
      expect(await stop(), move.stderr).toBeGreaterThan(20);
    }
    writeFileSync(stopped, '');
    expect(await move.ended, move.stderr).toEqual({ code: 0, signal: null });
    for (const file of [asked, stopped]) rmSync(file);
    return move.stdout;
  }

  async function expectSame(source: string, target: string): Promise<void> {
    const items = await itemsAt(source);
    expect(items.length).toBeGreaterThan(itemCount / 2);
    expect(await itemsAt(target)).toEqual(items);
    expect(await itemsAt(target, 'byOwner')).toEqual(await itemsAt(source, 'byOwner'));
  }

  test('between two servers: items, definitions, and the source as it was', async () => {
    const [one, two] = [await serve('--memory'), await serve('--memory')];
    await filled(one);
    const output = await moved(one, one, two);
    expect(output).toMatch(/Orders: [\d,]+ items are the same in both\nPeople: 1 items are the same in both\n/);
    await expectSame(one, two);
    const { Table } = await wireResult(two, 'DescribeTable', { TableName: 'Orders' });
    expect(Table).toMatchObject({ KeySchema: orders.KeySchema, TableStatus: 'ACTIVE' });
    expect(await wireResult(two, 'DescribeTimeToLive', { TableName: 'Orders' })).toMatchObject({
      TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' },
    });
    const ResourceArn = (Table as { readonly TableArn: string }).TableArn;
    expect(await wireResult(two, 'ListTagsOfResource', { ResourceArn })).toMatchObject({ Tags: orders.Tags });
    expect((await wireResult(two, 'DescribeTable', { TableName: 'People' }))['Table']).toMatchObject({
      StreamSpecification: people.StreamSpecification,
    });
    // The stream of the source was there for the move only.
    const { Table: left } = await wireResult(one, 'DescribeTable', { TableName: 'Orders' });
    expect((left as { readonly StreamSpecification?: object }).StreamSpecification).toBeUndefined();
    // A second move into the same tables has to be meant, and removes what the source does not have.
    const again = await command(['store', 'move', '--from', one, '--to', two, '--cut-over', 'true']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('Table Orders exists at');
    await wireResult(two, 'PutItem', { TableName: 'Orders', Item: orderOf(9_999, 1) });
    await wireResult(two, 'DeleteItem', { TableName: 'People', Key: { id: { B: 'AAAA' } } });
    await moved(one, one, two, '--continue');
    await expectSame(one, two);
  });

  test('--compare finds what is missing, what is extra, and what differs, and changes nothing', async () => {
    const [one, two] = [await serve('--memory'), await serve('--memory')];
    await filled(one);
    const move = await command(['store', 'move', '--from', one, '--to', two, '--cut-over', 'true']);
    expect(move.code, move.stderr).toBe(0);
    const compare = async (): Promise<CommandEnd> =>
      command(['store', 'move', '--from', one, '--to', two, '--compare']);
    expect((await compare()).code).toBe(0);
    const added = orderOf(10_001, 1);
    await wireResult(two, 'PutItem', { TableName: 'Orders', Item: orderOf(10_000, 1) });
    await wireResult(one, 'PutItem', { TableName: 'Orders', Item: added });
    await wireResult(one, 'PutItem', { TableName: 'Orders', Item: orderOf(10_002, 1) });
    await wireResult(two, 'PutItem', { TableName: 'Orders', Item: { ...orderOf(10_002, 1), tags: { SS: ['a'] } } });
    const before = await itemsAt(two);
    const found = await compare();
    expect(found.code).toBe(1);
    expect(found.stdout).toContain('Orders: 3 items differ');
    expect(found.stdout).toMatch(/only in the source: .*"10001"/);
    expect(found.stdout).toMatch(/only in the target: .*"10000"/);
    expect(found.stdout).toMatch(/different: .*"10002"/);
    expect(await itemsAt(two)).toEqual(before);
  });

  test('refuses what cannot be moved before it has created anything', async () => {
    const [one, two] = [await serve('--memory'), await serve('--memory')];
    await wireResult(one, 'CreateTable', orders);
    await wireResult(one, 'CreateTable', people);
    const AttributeDefinitions = [{ AttributeName: 'id', AttributeType: 'S' }];
    await wireResult(two, 'CreateTable', { ...people, AttributeDefinitions });
    const refused = async (...args: readonly string[]): Promise<string> => {
      const { code, stderr } = await command(['store', 'move', ...args]);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refused('--from', one, '--to', two, '--continue')).toContain('exists in the target with another key');
    expect(await refused('--from', one, '--to', 'memory:')).toContain('--to takes a place that is kept');
    const missing = `lmdb:${join(folder, 'missing')}`;
    expect(await refused('--from', missing, '--to', two)).toBe(`singlet: There is no store at ${missing}.\n`);
    expect(await refused('--from', one, '--to', missing, '--compare')).toContain(`There is no store at ${missing}.`);
    expect(readdirSync(folder)).toEqual([]);
    expect(await refused('--from', one, '--to', two, '--table', 'Nothing')).toContain('There is no table Nothing');
    expect((await wireCall(two, 'DescribeTable', { TableName: 'Orders' })).status).toBe(400);
    // Without a cut-over the source remains the place.
    const unattended = run('store', 'move', '--from', one, '--to', two, '--table', 'Orders');
    expect(await unattended.ended).toEqual({ code: 1, signal: null });
    expect(unattended.stderr).toContain('no line was read');
  });

  describe.skipIf(programs === undefined)(postgresTitle, () => {
    let postgres: PostgresServer;

    beforeAll(async () => {
      postgres = await PostgresServer.start(programs!);
    });

    afterAll(async () => postgres.dispose());

    test('a source that is missing is not created', async () => {
      const source = postgres.url('missing');
      for (const _round of [1, 2]) {
        const { code, stderr } = await command([
          'store',
          'move',
          '--from',
          source,
          '--to',
          `lmdb:${join(folder, 'to')}`,
        ]);
        expect({ code, stderr }).toEqual({ code: 1, stderr: `singlet: There is no store at ${source}.\n` });
      }
    });

    test('under load, with a server on either side', async () => {
      const directory = join(folder, 'data');
      const one = await serve('--data', directory);
      await filled(one);
      const store = postgres.url('moved');
      await moved(one, `lmdb:${directory}`, store);
      const two = await serve('--store', store);
      await expectSame(one, two);
      const back = join(folder, 'back');
      await moved(two, store, `lmdb:${back}`);
      await expectSame(two, await serve('--data', back));
    });
  });
});
