import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { metricList } from '../src/cli/metrics/metric-list.ts';
import { KinesisReceiver } from './kinesis-receiver.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

/** Metrics as Prometheus reads them, from servers in their own processes. */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const names = Object.keys(metricList);
// Each starts several processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

let folder: string;
const servers: SingletProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-metrics-'));
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.end('SIGTERM')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serve(...args: readonly string[]): Promise<string> {
  const server = new SingletProcess(['serve', '--port', '0', ...args]);
  servers.push(server);
  return await server.ready();
}

/** The lines of the page, by the text before the value. */
async function metricsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

const table = {
  TableName: 'Things',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'kind', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byKind',
      KeySchema: [{ AttributeName: 'kind', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
};

const thing = (pk: string): object => ({ TableName: 'Things', Item: { pk: { S: pk }, kind: { S: 'k' } } });

const isAboveZero = (number: number): boolean => number > 0;

describe('the page', () => {
  test('counts requests, and measures tables, indexes, streams, files and the process', async () => {
    const url = await serve('--data', join(folder, 'one'), '--metrics');
    await wireResult(url, 'CreateTable', table);
    for (const pk of ['a', 'b', 'c']) await wireResult(url, 'PutItem', thing(pk));
    await wireResult(url, 'GetItem', { TableName: 'Things', Key: { pk: { S: 'a' } }, ConsistentRead: true });
    await wireCall(url, 'GetItem', { TableName: 'Nothing', Key: { pk: { S: 'a' } } });
    const metrics = await metricsOf(url);
    const value = (name: string): number | undefined => metrics.get(name);
    expect(value('singlet_requests_total{action="PutItem",status="200",error=""}')).toBe(3);
    expect(value('singlet_requests_total{action="GetItem",status="400",error="ResourceNotFoundException"}')).toBe(1);
    expect(value('singlet_request_duration_seconds_count{action="GetItem"}')).toBe(2);
    expect(value('singlet_request_duration_seconds_bucket{le="+Inf",action="GetItem"}')).toBe(2);
    expect(value('singlet_request_bytes_total{action="GetItem"}')).toBeGreaterThan(50);
    const things = 'account="000000000000",region="us-east-1",table="Things"';
    expect(value(`singlet_items{${things},index=""}`)).toBe(3);
    expect(value(`singlet_items{${things},index="byKind"}`)).toBe(3);
    expect(value(`singlet_consumed_write_units_total{${things},index=""}`)).toBe(3);
    expect(value(`singlet_consumed_write_units_total{${things},index="byKind"}`)).toBe(3);
    expect(value(`singlet_consumed_read_units_total{${things},index=""}`)).toBe(1);
    expect(value(`singlet_stream_records{${things}}`)).toBe(3);
    // No reader has a checkpoint, and nothing goes to Kinesis.
    expect([...metrics.keys()].filter((name) => /unread_records|stream_lag|kinesis_lag/.test(name))).toEqual([]);
    expect(value('singlet_data_file_bytes')).toBeGreaterThan(0);
    expect(value('singlet_log_file_bytes')).toBeGreaterThan(0);
    // A checkpoint may have happened meanwhile. The test of the log holds it back.
    expect(value('singlet_checkpoint_lag_bytes')).toBeGreaterThanOrEqual(0);
    expect(value('singlet_checkpoint_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(value('singlet_event_loop_delay_seconds{quantile="1"}')).toBeGreaterThan(0);
    expect(value('singlet_process_resident_bytes')).toBeGreaterThan(1e7);
    expect(value('singlet_workers')).toBe(1);
    // Totals that are kept elsewhere are reported again, not added again.
    const again = await metricsOf(url);
    expect(again.get(`singlet_consumed_write_units_total{${things},index=""}`)).toBe(3);
  });

  test('counts what is throttled, and items that have expired', async () => {
    const url = await serve('--memory', '--metrics', '--throttle', '--expiry-sweep', '999999999');
    const { BillingMode: _onDemand, GlobalSecondaryIndexes: _indexes, ...small } = table;
    const [pk] = table.AttributeDefinitions;
    const ProvisionedThroughput = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
    await wireResult(url, 'CreateTable', { ...small, AttributeDefinitions: [pk], ProvisionedThroughput });
    const TimeToLiveSpecification = { AttributeName: 'until', Enabled: true };
    await wireResult(url, 'UpdateTimeToLive', { TableName: 'Things', TimeToLiveSpecification });
    const until = { N: String(Math.floor(Date.now() / 1000) - 60) };
    await wireResult(url, 'PutItem', { TableName: 'Things', Item: { pk: { S: 'a' }, until } });
    let refused = 0;
    const large = { TableName: 'Things', Item: { pk: { S: 'b' }, text: { S: 'x'.repeat(100_000) } } };
    for (let tries = 0; refused === 0 && tries < 20; tries += 1) {
      if ((await wireCall(url, 'PutItem', large)).status !== 200) refused += 1;
    }
    const metrics = await metricsOf(url);
    const throttled = '{action="PutItem",error="ProvisionedThroughputExceededException"}';
    expect(metrics.get(`singlet_throttled_requests_total${throttled}`)).toBe(1);
    const things = '{account="000000000000",region="us-east-1",table="Things"}';
    expect(metrics.get(`singlet_expired_items${things}`)).toBe(1);
    expect(metrics.get(`singlet_oldest_expired_item_seconds${things}`)).toBeGreaterThanOrEqual(60);
  });

  test('measures how far readers of a stream are behind, and deliveries to Kinesis', async () => {
    const kinesis = await KinesisReceiver.open();
    kinesis.streams.set('changes', 'ACTIVE');
    const url = await serve('--memory', '--metrics', '--kinesis-endpoint', kinesis.url);
    const { TableDescription } = (await wireResult(url, 'CreateTable', table)) as {
      TableDescription: { LatestStreamArn: string };
    };
    const StreamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/changes';
    await wireResult(url, 'EnableKinesisStreamingDestination', { TableName: 'Things', StreamArn });
    const destinations = (): Promise<unknown> =>
      wireResult(url, 'DescribeKinesisStreamingDestination', { TableName: 'Things' });
    await expect
      .poll(destinations)
      .toMatchObject({ KinesisDataStreamDestinations: [{ StreamArn, DestinationStatus: 'ACTIVE' }] });
    // From now on, nothing can be delivered.
    await kinesis.close();
    await wireResult(url, 'CreateTable', {
      TableName: 'mailer',
      AttributeDefinitions: ['streamArn', 'shardId'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'streamArn', KeyType: 'HASH' },
        { AttributeName: 'shardId', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    });
    const start = { streamArn: { S: TableDescription.LatestStreamArn }, shardId: { S: '#start' } };
    await wireResult(url, 'PutItem', { TableName: 'mailer', Item: start });
    const things = 'account="000000000000",region="us-east-1",table="Things"';
    const reader = `${things},reader="mailer"`;
    const before = await metricsOf(url);
    expect(before.get(`singlet_stream_unread_records{${reader}}`)).toBe(0);
    expect(before.get(`singlet_stream_lag_seconds{${reader}}`)).toBe(0);
    expect(before.get(`singlet_kinesis_lag_seconds{${things}}`)).toBe(0);
    for (const pk of ['a', 'b', 'c']) await wireResult(url, 'PutItem', thing(pk));
    const lags = async (): Promise<readonly (number | undefined)[]> => {
      const metrics = await metricsOf(url);
      expect(metrics.get(`singlet_stream_unread_records{${reader}}`)).toBe(3);
      return [`singlet_stream_lag_seconds{${reader}}`, `singlet_kinesis_lag_seconds{${things}}`].map((name) =>
        metrics.get(name),
      );
    };
    await expect.poll(lags).toEqual([expect.toSatisfy(isAboveZero), expect.toSatisfy(isAboveZero)]);
  });

  test('is the sum over workers, whichever of them answers', async () => {
    const url = await serve('--data', join(folder, 'two'), '--workers', '2', '--metrics');
    await wireResult(url, 'CreateTable', table);
    for (let count = 0; count < 8; count += 1) await wireResult(url, 'PutItem', thing(`t${count}`));
    for (let times = 0; times < 4; times += 1) {
      const metrics = await metricsOf(url);
      expect(metrics.get('singlet_workers')).toBe(2);
      expect(metrics.get('singlet_requests_total{action="PutItem",status="200",error=""}')).toBe(8);
      const things = 'account="000000000000",region="us-east-1",table="Things"';
      expect(metrics.get(`singlet_items{${things},index=""}`)).toBe(8);
      expect(metrics.get(`singlet_consumed_write_units_total{${things},index=""}`)).toBe(8);
    }
  });

  test('is not there without --metrics', async () => {
    const url = await serve('--memory');
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });
});

describe('with --auth', () => {
  const auth = (): string => join(folder, 'auth.json');

  test('a request brings the token', async () => {
    await new SingletProcess(['identity', 'create', 'ann', '--auth', auth()]).ended;
    const token = 'a-token-of-some-length';
    const file = join(folder, 'token');
    writeFileSync(file, `${token}\n`);
    const url = await serve('--memory', '--auth', auth(), '--metrics-token-file', file);
    const ask = async (authorization?: string): Promise<number> =>
      (await fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } })).status;
    expect(await ask()).toBe(401);
    expect(await ask('Bearer wrong')).toBe(401);
    expect(await ask(`Bearer ${token}x`)).toBe(401);
    expect(await ask(`Basic ${token}`)).toBe(401);
    expect(await ask(`Bearer ${token}`)).toBe(200);
  });

  test('a server without a token for it does not start', async () => {
    const server = new SingletProcess(['serve', '--memory', '--port', '0', '--auth', auth(), '--metrics']);
    const { code } = await server.ended;
    expect(code).toBe(1);
    expect(server.stderr).toContain('--metrics needs --metrics-token-file');
  });
});

describe('what is written about them', () => {
  const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');

  test('the page lists every metric, once, with type, labels and meaning', () => {
    const rows = [...page.matchAll(/^\| `(singlet_\w+)` +\| (\w+) +\| (.*?) *\| (.*?) *\|$/gm)].map(
      ([, name, type, labels = '', help]) => ({ name, type, labels: labels.match(/\w+/g) ?? [], help }),
    );
    expect(rows).toEqual(
      Object.entries(metricList).map(([name, { type, labels, help }]) => ({ name, type, labels, help })),
    );
  });

  test('the dashboard asks for every metric, and for no other', () => {
    const dashboard = readFileSync(join(root, 'deploy/grafana/singlet.json'), 'utf8');
    const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] };
    const asked = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/singlet_\w+/g) ?? []));
    expect(asked.map((name) => name.replace(/_bucket$/, '')).toSorted()).toEqual(names.toSorted());
  });
});
