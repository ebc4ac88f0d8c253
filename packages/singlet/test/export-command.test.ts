import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CreateTableCommand, DynamoDBClient, ScanCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exportCommand } from '../src/cli/export-command.ts';
import { importCommand } from '../src/cli/import-command.ts';
import { UsageError } from '../src/cli/usage-error.ts';
import { startSmallS3 } from '../src/transfer/buckets/testing/small-s3.ts';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

let directory: string;
let database: Database;
let server: DatabaseServer;
let printed: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'singlet-transfer-'));
  database = await createDatabase();
  server = await serve(database);
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

async function createTable(name: string, changes: object = {}): Promise<void> {
  await database.request('CreateTable', {
    TableName: name,
    AttributeDefinitions: [
      { AttributeName: 'PK', AttributeType: 'S' },
      { AttributeName: 'SK', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    ...changes,
  });
}

type Item = Readonly<Record<string, AttributeValue>>;

async function put(table: string, ...items: readonly object[]): Promise<void> {
  for (const Item of items) await database.request('PutItem', { TableName: table, Item });
}

async function itemsOf(table: string): Promise<readonly Item[]> {
  const client = new DynamoDBClient(database.clientConfig());
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: table, ExclusiveStartKey }));
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}

async function runExport(...args: readonly string[]): Promise<void> {
  await exportCommand().parseAsync([...args, '--endpoint', server.url], { from: 'user' });
}

async function runImport(...args: readonly string[]): Promise<void> {
  const checkpoint = join(directory, 'import.checkpoint');
  await importCommand().parseAsync([...args, '--endpoint', server.url, '--checkpoint', checkpoint], { from: 'user' });
}

async function query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

describe('singlet export --parquet (DB-011, DB-271)', () => {
  const S = (text: string): object => ({ S: text });
  const N = (text: string): object => ({ N: text });

  beforeEach(async () => {
    await createTable('Shop', {
      AttributeDefinitions: ['PK', 'SK', 'GSI1PK', 'GSI1SK', 'email'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'GSI1',
          KeySchema: [
            { AttributeName: 'GSI1PK', KeyType: 'HASH' },
            { AttributeName: 'GSI1SK', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
        {
          IndexName: 'byEmail',
          KeySchema: [{ AttributeName: 'email', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });

  test('a file for each entity type, which DuckDB joins, with sums that are equal', async () => {
    let cents = 0n;
    for (let user = 0; user < 3; user += 1) {
      await put('Shop', {
        PK: S(`USER#${user}`),
        SK: S('PROFILE'),
        Type: S('User'),
        id: N(String(user)),
        fn: S(`User ${user}`),
        email: S(`u${user}@example.com`),
      });
      for (let order = 0; order < 4; order += 1) {
        const amount = BigInt(1000 * user + 7 * order + 1);
        cents += amount;
        await put('Shop', {
          PK: S(`USER#${user}`),
          SK: S(`ORDER#${order}`),
          GSI1PK: S('ORDERS'),
          GSI1SK: S(`${order}`),
          Type: S('Order'),
          userId: N(String(user)),
          amount: N(`${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`),
        });
      }
    }
    await put('Shop', { PK: S('ORG#1'), SK: S('ORG'), Type: S('Org'), name: S('One') }, { PK: S('x'), SK: S('y') });
    await runExport('Shop', '--parquet', '--out', directory, '--rename', 'fn=firstName');
    expect(readdirSync(directory).sort()).toEqual(['Order.parquet', 'Org.parquet', 'User.parquet', 'untyped.parquet']);
    expect(printed.at(-1)).toBe('17 items of Shop written\n');
    const [orders, users] = [join(directory, 'Order.parquet'), join(directory, 'User.parquet')];
    expect(await query(`describe select * from '${users}'`)).toMatchObject([
      { column_name: 'Type', column_type: 'VARCHAR' },
      { column_name: 'email', column_type: 'VARCHAR' },
      { column_name: 'firstName', column_type: 'VARCHAR' },
      { column_name: 'id', column_type: 'BIGINT' },
    ]);
    expect(await query(`describe select * from '${orders}'`)).toMatchObject([
      { column_name: 'Type', column_type: 'VARCHAR' },
      { column_name: 'amount', column_type: 'DECIMAL(4,2)' },
      { column_name: 'userId', column_type: 'BIGINT' },
    ]);
    const sums = await query(
      `select u.firstName, count(*)::int as orders, sum(o.amount)::varchar as total
       from '${orders}' o join '${users}' u on o.userId = u.id group by all order by 1`,
    );
    expect(sums.map(({ firstName, orders: count }) => [firstName, count])).toEqual([
      ['User 0', 4],
      ['User 1', 4],
      ['User 2', 4],
    ]);
    const total = sums.reduce((sum, row) => sum + BigInt(String(row['total']).replace('.', '')), 0n);
    expect(total).toBe(cents);
    // Nothing but keys: they are kept.
    expect(await query(`select * from '${join(directory, 'untyped.parquet')}'`)).toEqual([{ PK: 'x', SK: 'y' }]);
  });

  test('values keep their types and every digit', async () => {
    const big = '12345678901234567890123456789012345678';
    const key = (sk: string): object => ({ PK: S('a'), SK: S(sk), Type: S('Thing') });
    await put(
      'Shop',
      {
        ...key('1'),
        text: S('é🦑'),
        flag: { BOOL: true },
        bytes: { B: 'AP8=' },
        none: { NULL: true },
        int: N('-9223372036854775808'),
        dec: N('0.1'),
        wide: N(big),
        huge: N('1E100'),
        exact: N('1E100'),
        mixed: S('45g'),
        any: { BOOL: true },
        tags: { SS: ['b', 'a'] },
        nums: { NS: ['1', '2.5'] },
        blobs: { BS: ['AQ=='] },
        list: { L: [S('x'), N(big), { NULL: true }, { B: 'AQ==' }, { NS: ['1'] }] },
        map: { M: { a: { M: { b: N('1.50') } } } },
      },
      {
        ...key('2'),
        int: N('9223372036854775807'),
        dec: N('123456789012345678.01'),
        wide: N('0.5'),
        huge: N('0.1'),
        exact: N(`${big}1E50`.replace('781E50', '78E50')),
        mixed: N('45'),
        any: S('text'),
        tags: { SS: ['c'] },
      },
      { ...key('3'), exact: N('1E-100') },
    );
    await runExport('Shop', '--parquet', '--out', directory, '--keep', 'SK');
    const file = join(directory, 'Thing.parquet');
    const types = Object.fromEntries(
      (await query(`describe select * from '${file}'`)).map(({ column_name, column_type }) => [
        column_name,
        column_type,
      ]),
    );
    expect(types).toEqual({
      SK: 'VARCHAR',
      Type: 'VARCHAR',
      any: 'VARCHAR',
      blobs: 'BLOB[]',
      bytes: 'BLOB',
      dec: 'DECIMAL(20,2)',
      exact: 'VARCHAR',
      flag: 'BOOLEAN',
      huge: 'DOUBLE',
      int: 'BIGINT',
      list: 'VARCHAR',
      map: 'VARCHAR',
      mixed: 'VARCHAR',
      none: 'VARCHAR',
      nums: 'DECIMAL(2,1)[]',
      tags: 'VARCHAR[]',
      text: 'VARCHAR',
      wide: 'VARCHAR',
    });
    const columns = Object.keys(types).map((name) =>
      types[name] === 'BLOB' ? `hex("${name}") as "${name}"` : `"${name}"`,
    );
    const rows = await query(`select ${columns.join(', ')} from '${file}' order by SK`);
    expect(rows[0]).toMatchObject({
      text: 'é🦑',
      flag: true,
      bytes: '00FF',
      none: null,
      int: '-9223372036854775808',
      dec: '0.10',
      wide: big,
      huge: 1e100,
      exact: `1${'0'.repeat(100)}`,
      mixed: '45g',
      any: 'true',
      tags: ['a', 'b'],
      nums: ['1.0', '2.5'],
      list: `["x",${big},null,"AQ==",[1]]`,
      map: '{"a":{"b":1.5}}',
    });
    expect(rows[1]).toMatchObject({
      int: '9223372036854775807',
      dec: '123456789012345678.01',
      wide: '0.5',
      huge: 0.1,
      mixed: '45',
      any: '"text"',
      tags: ['c'],
      text: null,
    });
    expect(await query(`select sum(dec)::varchar as total from '${file}'`)).toEqual([
      { total: '123456789012345678.11' },
    ]);
    expect(await query(`select list->>1 as number from (select list::json as list from '${file}')`)).toHaveLength(3);
  });

  test('two organisations, three users and four tickets are three files of two, three and four rows', async () => {
    for (const [type, count] of [
      ['Org', 2],
      ['User', 3],
      ['Ticket', 4],
    ] as const) {
      for (let at = 0; at < count; at += 1)
        await put('Shop', { PK: S(type), SK: S(String(at)), Type: S(type), at: N(String(at)) });
    }
    await runExport('Shop', '--parquet', '--out', directory);
    for (const [type, count] of [
      ['Org', 2],
      ['User', 3],
      ['Ticket', 4],
    ] as const) {
      expect(
        await query(`select count(*)::int as n, sum("at")::int as s from '${join(directory, `${type}.parquet`)}'`),
      ).toEqual([{ n: count, s: (count * (count - 1)) / 2 }]);
    }
  });

  test('names of types become names of files that cannot lead elsewhere', async () => {
    await put('Shop', { PK: S('1'), SK: S('1'), Type: S('../a/b') }, { PK: S('2'), SK: S('1'), Type: S('../a\\b') });
    await runExport('Shop', '--parquet', '--out', join(directory, 'out'));
    expect(readdirSync(join(directory, 'out')).sort()).toEqual(['__a_b-2.parquet', '__a_b.parquet'].sort());
    expect(readdirSync(directory)).toEqual(['out']);
  });
});

describe('singlet export and import (DB-011, DB-139)', () => {
  const items = Array.from({ length: 230 }, (_, at) => ({
    PK: { S: `p${at % 9}` },
    SK: { S: String(at) },
    n: { N: `${at}.25` },
    b: { B: Buffer.from([at]).toString('base64') },
    l: { L: [{ BOOL: at % 2 === 0 }, { NULL: true }, { BS: ['AQ=='] }] },
  }));

  test.each(['dynamodb-json', 'ion'])('what is exported as %s is imported again', async (format) => {
    await createTable('From');
    await createTable('Into');
    await put('From', ...items);
    await runExport('From', '--out', directory, '--format', format, '--segments', '3');
    expect(readdirSync(directory)).toHaveLength(3);
    await runImport(directory, '--table', 'Into', '--concurrency', '2');
    expect(printed.at(-1)).toBe('230 items written to Into\n');
    const sorted = (found: readonly Item[]): readonly Item[] =>
      found.toSorted((a, b) => Number(a['SK']?.S) - Number(b['SK']?.S));
    expect(sorted(await itemsOf('Into'))).toEqual(sorted(await itemsOf('From')));
  });

  test('an export replaces an earlier one of the table with more segments', async () => {
    await createTable('Old');
    await createTable('New');
    await put('Old', { PK: { S: 'deleted' }, SK: { S: 'a' } }, { PK: { S: 'kept' }, SK: { S: 'a' } });
    writeFileSync(join(directory, 'Old-notes.json.gz'), 'of somebody else');
    await runExport('Old', '--out', directory, '--segments', '8');
    await database.request('DeleteItem', { TableName: 'Old', Key: { PK: { S: 'deleted' }, SK: { S: 'a' } } });
    await runExport('Old', '--out', directory, '--segments', '2');
    expect(readdirSync(directory)).toEqual(['Old-0000.json.gz', 'Old-0001.json.gz', 'Old-notes.json.gz']);
    rmSync(join(directory, 'Old-notes.json.gz'));
    await runImport(directory, '--table', 'New');
    expect(await itemsOf('New')).toEqual([{ PK: { S: 'kept' }, SK: { S: 'a' } }]);
  });

  test('CSV has a column for every attribute', async () => {
    await createTable('From');
    await put(
      'From',
      { PK: { S: 'a' }, SK: { S: '1' }, text: { S: 'one, "two"' }, n: { N: '1.50' } },
      { PK: { S: 'a' }, SK: { S: '2' }, map: { M: { x: { N: '2' } } } },
    );
    await runExport('From', '--out', directory, '--format', 'csv');
    expect(readFileSync(join(directory, 'From.csv'), 'utf8')).toBe(
      'PK,SK,map,n,text\na,1,,1.5,"one, ""two"""\na,2,"{""x"":2}",,\n',
    );
  });

  test('CSV is imported with the types of the keys', async () => {
    await createTable('People', {
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    });
    const file = join(directory, 'people.csv.gz');
    writeFileSync(file, gzipSync('1,Ann\n2,Bob\n1,Ann again\n'));
    await runImport(file, '--table', 'People', '--header', 'id,name');
    expect((await itemsOf('People')).toSorted((a, b) => Number(a['id']?.N) - Number(b['id']?.N))).toEqual([
      { id: { N: '1' }, name: { S: 'Ann again' } },
      { id: { N: '2' }, name: { S: 'Bob' } },
    ]);
  });

  test('items come from an S3 prefix, too', async () => {
    await createTable('Into');
    const s3 = await startSmallS3(['backups']);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    try {
      const text = items.map((item) => JSON.stringify({ Item: item })).join('\n');
      s3.objects.set('backups/music/data/a.json.gz', gzipSync(text));
      s3.objects.set('backups/music/manifest-summary.json', Buffer.from('{"version":"2020-06-30"}'));
      s3.objects.set('backups/other/b.json', Buffer.from('not items'));
      await runImport('s3://backups/music/', '--table', 'Into', '--s3-endpoint', s3.url);
      expect(await itemsOf('Into')).toHaveLength(items.length);
      await expect(runImport('s3://nowhere/x', '--table', 'Into', '--s3-endpoint', s3.url)).rejects.toThrow(
        'There is no bucket nowhere.',
      );
    } finally {
      vi.unstubAllEnvs();
      await s3.close();
    }
  });

  test('a bad line ends the import where it is, and the same command continues when it is put right', async () => {
    await createTable('Into');
    const lines = items.map((item) => JSON.stringify({ Item: item }));
    const file = join(directory, 'items.jsonl');
    writeFileSync(file, lines.with(100, 'oops').join('\n'));
    const failure = await runImport(file, '--table', 'Into', '--concurrency', '1').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as UsageError).message).toMatch(/^items\.jsonl, line 101: not JSON/);
    expect(await itemsOf('Into')).toHaveLength(100);
    writeFileSync(file, lines.join('\n'));
    await database.request('DeleteItem', { TableName: 'Into', Key: { PK: items[0]?.PK, SK: items[0]?.SK } });
    await runImport(file, '--table', 'Into');
    // Completed work is not repeated.
    expect(await itemsOf('Into')).toHaveLength(229);
    expect(printed.at(-1)).toBe('230 items written to Into\n');
    expect(readdirSync(directory)).toEqual(['items.jsonl']);
  });

  test('a condition is not dropped in silence', async () => {
    await createTable('Into');
    const file = join(directory, 'items.json');
    writeFileSync(file, '{"Item":{"PK":{"S":"a"},"SK":{"S":"1"}},"ConditionExpression":"attribute_not_exists(PK)"}');
    await expect(runImport(file, '--table', 'Into')).rejects.toThrow(/^items\.json, line 1: it has a condition/);
    expect(await itemsOf('Into')).toEqual([]);
  });

  test('an item that the table refuses is named, or put down', async () => {
    await createTable('Into');
    const file = join(directory, 'items.json');
    writeFileSync(file, `{"Item":{"PK":{"S":"a"},"SK":{"S":"1"}}}\n{"Item":{"PK":{"S":"no sort key"}}}\n`);
    await expect(runImport(file, '--table', 'Into')).rejects.toThrow(/^items\.json, line 2: .*\(--rejected FILE/);
    const rejected = join(directory, 'rejected');
    await runImport(file, '--table', 'Into', '--rejected', rejected);
    expect(JSON.parse(readFileSync(rejected, 'utf8'))).toMatchObject({
      Item: { PK: { S: 'no sort key' } },
      File: 'items.json',
      Line: 2,
    });
    expect(await itemsOf('Into')).toHaveLength(1);
  });

  test('of an item that is in a file more than once, the last stays', async () => {
    await createTable('Into');
    const file = join(directory, 'items.json');
    // Each three times in a row, across the ends of batches, and once again some batches later.
    const numbers = Array.from({ length: 300 }, (_, at) => Math.floor((at % 150) / 3));
    const lines = numbers.map((sk, at) => `{"Item":{"PK":{"S":"a"},"SK":{"S":"${sk}"},"line":{"N":"${at}"}}}`);
    writeFileSync(file, lines.join('\n'));
    // Every third batch reaches the table long after the batches that were sent later.
    const { handle } = database;
    let batches = 0;
    vi.spyOn(database, 'handle').mockImplementation(async (request) => {
      if (String(request.headers['x-amz-target']).endsWith('BatchWriteItem') && (batches += 1) % 3 === 1) {
        for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      return handle.call(database, request);
    });
    await runImport(file, '--table', 'Into');
    expect(batches).toBeGreaterThan(12);
    const found = (await itemsOf('Into')).map(({ SK, line }) => [Number(SK?.S), Number(line?.N)]);
    expect(found.toSorted(([a = 0], [b = 0]) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, sk) => [sk, numbers.lastIndexOf(sk)]),
    );
  });

  test('an import that is refused by the endpoint says so, and how to continue', async () => {
    await createTable('Into');
    const file = join(directory, 'items.json');
    const lines = Array.from({ length: 300 }, (_, sk) => `{"Item":{"PK":{"S":"a"},"SK":{"S":"${sk}"}}}`);
    writeFileSync(file, lines.join('\n'));
    const { handle } = database;
    let batches = 0;
    const refusing = vi.spyOn(database, 'handle').mockImplementation(async (request) => {
      const isBatch = String(request.headers['x-amz-target']).endsWith('BatchWriteItem');
      if (!isBatch || (batches += 1) < 4) return handle.call(database, request);
      const body = Buffer.from('{"__type":"com.amazon.coral.service#AccessDeniedException","message":"not any more"}');
      const headers = ['content-type', 'application/x-amz-json-1.0', 'content-length', String(body.length)];
      return { status: 400, headers, body };
    });
    await expect(runImport(file, '--table', 'Into')).rejects.toThrow(
      'AccessDeniedException: not any more. Its progress is saved: repeat the command to continue.',
    );
    refusing.mockRestore();
    await runImport(file, '--table', 'Into');
    expect(await itemsOf('Into')).toHaveLength(300);
  });

  test('an export that was cut off continues with its page, and has every item once', async () => {
    await createTable('From');
    const large = 'x'.repeat(100_000);
    await put('From', ...items.slice(0, 60).map((item) => ({ ...item, large: { S: large } })));
    const staging = join(directory, '.singlet-export-From');
    // Interrupted as by Ctrl-C, after the first pages.
    let requests = 0;
    const { handle } = database;
    vi.spyOn(database, 'handle').mockImplementation(async (request) => {
      requests += 1;
      if (requests === 4) process.emit('SIGINT');
      return handle.call(database, request);
    });
    await runExport('From', '--out', directory, '--segments', '1');
    expect(process.exitCode).toBe(130);
    process.exitCode = undefined;
    expect(readdirSync(staging).sort()).toEqual(['segment-0000.json.checkpoint', 'segment-0000.json.gz']);
    // A page that was written but not recorded.
    writeFileSync(join(staging, 'segment-0000.json.gz'), gzipSync('half a page'), { flag: 'a' });
    await runExport('From', '--out', directory, '--segments', '1');
    const text = gunzipSync(readFileSync(join(directory, 'From-0000.json.gz'))).toString('utf8');
    expect(text.trimEnd().split('\n')).toHaveLength(60);
    expect(readdirSync(directory)).toEqual(['From-0000.json.gz']);
    // 7 pages; the four that were read before are not read again. And two descriptions.
    expect(requests).toBeLessThanOrEqual(10);
  });

  test('a table that is missing is named with its region, because another region may have it', async () => {
    await createTable('Here');
    await expect(runExport('Here', '--region', 'eu-west-1', '--out', directory)).rejects.toThrow(
      `There is no table Here at ${server.url} in the region eu-west-1.`,
    );
  });

  test('what was written to one table is not left out of another with its name', async () => {
    const file = join(directory, 'two.json');
    const line = (id: string): string => JSON.stringify({ Item: { PK: { S: id }, SK: { S: id } } });
    writeFileSync(file, `${line('a')}\nbroken\n`);
    await createTable('Into');
    await expect(runImport(file, '--table', 'Into')).rejects.toThrow('two.json, line 2: not JSON');
    writeFileSync(file, `${line('a')}\n${line('b')}\n`);
    // In another region, and then in a table that has taken the place of the first.
    const elsewhere = new DynamoDBClient({ ...database.clientConfig(), region: 'eu-north-1' });
    await elsewhere.send(
      new CreateTableCommand({
        TableName: 'Into',
        AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
        KeySchema: [
          { AttributeName: 'PK', KeyType: 'HASH' },
          { AttributeName: 'SK', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await expect(runImport(file, '--table', 'Into', '--region', 'eu-north-1')).rejects.toThrow(
      'belongs to another run',
    );
    await database.request('DeleteTable', { TableName: 'Into' });
    await createTable('Into');
    await expect(runImport(file, '--table', 'Into')).rejects.toThrow('belongs to another run');
    rmSync(join(directory, 'import.checkpoint'));
    await runImport(file, '--table', 'Into');
    expect(await itemsOf('Into')).toHaveLength(2);
  });

  test('an import that has written nothing leaves no checkpoint', async () => {
    await createTable('Into');
    writeFileSync(join(directory, 'wrong.json'), 'Resources:\n');
    await expect(runImport(join(directory, 'wrong.json'), '--table', 'Into')).rejects.toThrow('line 1: not JSON');
    writeFileSync(join(directory, 'right.json'), '{"Item":{"PK":{"S":"a"},"SK":{"S":"a"}}}\n');
    await runImport(join(directory, 'right.json'), '--table', 'Into');
    expect(await itemsOf('Into')).toHaveLength(1);
  });

  test('what makes no sense is said in a sentence', async () => {
    await createTable('Into');
    writeFileSync(join(directory, 'notes.txt'), 'x');
    await expect(runImport(join(directory, 'missing'), '--table', 'Into')).rejects.toThrow(
      /^There is no file or directory/,
    );
    await expect(runImport(join(directory, 'notes.txt'), '--table', 'Into')).rejects.toThrow(
      /does not follow from the name .*: use --format/,
    );
    await expect(runImport(directory, '--table', 'Into')).rejects.toThrow(/has no file of items/);
    writeFileSync(join(directory, 'x.json'), '');
    await expect(runImport(directory, '--table', 'None')).rejects.toThrow(/^There is no table None at http/);
    await expect(runExport('None', '--out', directory)).rejects.toThrow(/^There is no table None at http/);
    for (const [command, ...args] of [
      [exportCommand(), 'None'],
      [importCommand(), directory, '--table', 'None'],
    ] as const) {
      const answer = command.parseAsync([...args, '--endpoint', 'http://127.0.0.1:1'], { from: 'user' });
      await expect(answer).rejects.toThrow(
        'Nothing answers at http://127.0.0.1:1: start a server with singlet serve, or name another --endpoint.',
      );
    }
    writeFileSync(
      join(directory, 'import.checkpoint'),
      JSON.stringify({ format: 1, work: 'something else', state: {} }),
    );
    await expect(runImport(join(directory, 'x.json'), '--table', 'Into')).rejects.toThrow(/belongs to another run/);
  });
});
