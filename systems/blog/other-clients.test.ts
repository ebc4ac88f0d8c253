import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tableDefinitions } from '@singlet/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenDatabase } from '../testing/databases.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import { sendOverWire } from '../testing/wire.ts';
import { Workbench } from '../testing/workbench.ts';
import { fixture } from './fixture.ts';
import { blog } from './model.ts';

// BL-A14: requests of other SDKs and the AWS CLI get the answers of BL-A1 to BL-A8. Their recorded requests are
// replayed here unchanged. If Python with boto3, or the AWS CLI, is installed, it also sends them itself.

const run = promisify(execFile);
const hasBoto3 = spawnSync('python3', ['-c', 'import boto3']).status === 0;
const hasAwsCli = spawnSync('aws', ['--version']).status === 0;
const ENVIRONMENT = {
  ...process.env,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_PAGER: '',
};

type Item = Record<string, { readonly S: string }>;

describe('BL-A14: other clients', () => {
  let database: OpenDatabase;
  let workbench: Workbench;
  let url = '';
  let TableName = '';

  beforeAll(async () => {
    database = await twoDatabases[0]!.open();
    workbench = new Workbench(database);
    url = database.url!;
    const [definition] = tableDefinitions(blog);
    const table = await workbench.createTable(definition!);
    TableName = table.name;
    await table.putAll(fixture({ suffixed: false }));
  });
  afterAll(async () => {
    await workbench.close();
  });

  const query = async (input: object): Promise<{ Items: Item[]; LastEvaluatedKey?: object }> =>
    (await sendOverWire(url, 'Query', { TableName, ...input })) as never;
  const sortKeys = (items: readonly Item[]): readonly (string | undefined)[] => items.map((item) => item['SK']?.S);

  const NEWEST_FIRST = ['POST#2024-04-01T09:15:00', 'POST#2024-03-20T14:30:00', 'POST#2024-03-15T10:00:00'];

  test('items by their keys, as an SDK with condition objects asks for them', async () => {
    const get = async (PK: string, SK: string): Promise<object> =>
      await sendOverWire(url, 'GetItem', { TableName, Key: { PK: { S: PK }, SK: { S: SK } }, ConsistentRead: false });
    expect(await get('USER#u123', 'PROFILE')).toMatchObject({ Item: { name: { S: 'Maria' } } });
    expect(await get('USER#u999', 'PROFILE')).toEqual({}); // no Item, rather than an empty one
    expect(await get('POST#p456', 'METADATA')).toMatchObject({ Item: { post_id: { S: 'p456' } } });
    expect(await get('POST#p456', 'COMMENT#u789')).toMatchObject({ Item: { user_id: { S: 'u789' } } });
  });

  test('queries, as an SDK with condition objects writes them', async () => {
    const beginsWith = {
      KeyConditionExpression: '(#n0 = :v0 AND begins_with(#n1, :v1))',
      ExpressionAttributeNames: { '#n0': 'PK', '#n1': 'SK' },
      ExpressionAttributeValues: { ':v0': { S: 'USER#u123' }, ':v1': { S: 'POST#' } },
      ScanIndexForward: false,
    };
    expect(sortKeys((await query({ ...beginsWith, Limit: 20 })).Items)).toEqual(NEWEST_FIRST);
    const first = await query({ ...beginsWith, Limit: 2 });
    expect(first.LastEvaluatedKey).toEqual({ PK: { S: 'USER#u123' }, SK: { S: NEWEST_FIRST[1] } });
    const second = await query({ ...beginsWith, Limit: 2, ExclusiveStartKey: first.LastEvaluatedKey });
    expect(sortKeys(second.Items)).toEqual(NEWEST_FIRST.slice(2));
    expect(second).not.toHaveProperty('LastEvaluatedKey');

    const between = async (from: string, to: string): Promise<readonly unknown[]> => {
      const { Items } = await query({
        KeyConditionExpression: '(#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2)',
        ExpressionAttributeNames: { '#n0': 'PK', '#n1': 'SK' },
        ExpressionAttributeValues: { ':v0': { S: 'USER#u123' }, ':v1': { S: from }, ':v2': { S: to } },
        ScanIndexForward: false,
      });
      return sortKeys(Items);
    };
    expect(await between('POST#2024-04-01T00:00:00', 'POST#2024-04-30T23:59:59')).toEqual(NEWEST_FIRST.slice(0, 1));
    expect(await between('POST#2024-03-01', 'POST#2024-04-01')).toEqual(NEWEST_FIRST.slice(1));
  });

  test('a put with a condition in text', async () => {
    const put = {
      TableName,
      Item: { PK: { S: 'USER#u123' }, SK: { S: 'PROFILE' } },
      ConditionExpression: 'attribute_not_exists(PK)',
    };
    expect(await sendOverWire(url, 'PutItem', put)).toMatchObject({
      __type: expect.stringContaining('ConditionalCheckFailedException') as string,
    });
  });

  test.runIf(hasBoto3)('the functions in Python', async () => {
    const script = fileURLToPath(new URL('python/blog.py', import.meta.url));
    const { stdout } = await run('python3', [script, '--endpoint', url, '--table', TableName, '--write'], {
      env: ENVIRONMENT,
    });
    const result = JSON.parse(stdout) as Record<string, Record<string, string> & Record<string, string>[]>;
    const keys = (name: string): readonly (string | undefined)[] => result[name]!.map((item) => item['SK']);
    expect(result['user']).toMatchObject({ name: 'Maria' });
    expect(result['absent']).toBeNull();
    expect(result['post']).toMatchObject({ post_id: 'p456' });
    expect(keys('posts')).toEqual(NEWEST_FIRST);
    expect(result['pages']!.map((page) => (page as unknown as object[]).length)).toEqual([2, 1]);
    expect(result['end']).toBeNull();
    expect(keys('april')).toEqual(NEWEST_FIRST.slice(0, 1));
    expect(keys('march')).toEqual(NEWEST_FIRST.slice(1));
    expect(keys('comments')).toEqual(['COMMENT#u321', 'COMMENT#u789']);
    expect(result['comment']).toMatchObject({ user_id: 'u789' });
    expect(keys('profile')).toEqual(['PROFILE', ...NEWEST_FIRST]);
    expect(result['written']).toEqual(['p-py2', 'p-py1']);
    expect(result['refused']).toEqual([true, true]);
  });

  test.runIf(hasAwsCli)('the commands of the AWS CLI', async () => {
    const aws = async (...args: readonly string[]): Promise<{ Item?: Item; Items?: Item[] } | undefined> => {
      const command = ['dynamodb', ...args, '--table-name', TableName, '--endpoint-url', url, '--output', 'json'];
      const { stdout } = await run('aws', command, { env: ENVIRONMENT });
      return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as { Item?: Item; Items?: Item[] });
    };
    const key = '{"PK": {"S": "USER#u123"}, "SK": {"S": "PROFILE"}}';
    const queryPosts = ['query', '--key-condition-expression', 'PK = :pk AND begins_with(SK, :prefix)'];
    const values = '{":pk": {"S": "USER#u123"}, ":prefix": {"S": "POST#"}}';
    const between = '{":pk": {"S": "USER#u123"}, ":from": {"S": "POST#2024-04-01"}, ":to": {"S": "POST#2024-05-01"}}';
    const [user, latest, april] = await Promise.all([
      aws('get-item', '--key', key, '--consistent-read'),
      aws(...queryPosts, '--expression-attribute-values', values, '--no-scan-index-forward', '--limit', '10'),
      aws(
        'query',
        '--key-condition-expression',
        'PK = :pk AND SK BETWEEN :from AND :to',
        '--expression-attribute-values',
        between,
      ),
    ]);
    expect(user?.Item?.['name']?.S).toBe('Maria');
    expect(sortKeys(latest?.Items ?? [])).toEqual(NEWEST_FIRST);
    expect(sortKeys(april?.Items ?? [])).toEqual(NEWEST_FIRST.slice(0, 1));
  });
});
