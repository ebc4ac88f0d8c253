import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

/** Two servers as started from the command line, each with its own region and directory. */
let parent: string;
let ports: readonly [number, number];
let started: SingletProcess[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-processes-'));
  await writeFile(join(parent, 'secret'), 'known to both of the processes\n');
  ports = [await freePort(), await freePort()];
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await rm(parent, { recursive: true });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const regions = ['us-east-1', 'eu-west-1'] as const;

async function start(at: 0 | 1): Promise<{ readonly process: SingletProcess; readonly url: string }> {
  const other = at === 0 ? 1 : 0;
  const process = new SingletProcess(
    [
      ['serve', '--port', String(ports[at]), '--data', join(parent, regions[at]), '--region', regions[at]],
      ['--replica-secret-file', join(parent, 'secret'), '--replication-interval', '20'],
      ['--replica-endpoint', `${regions[other]}=http://127.0.0.1:${ports[other]}`],
    ].flat(),
    { cwd: parent },
  );
  started.push(process);
  return { process, url: await process.ready() };
}

/** Repeats the request until the answer arrives. The test's own time limit ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(10);
}

test('processes replicate by themselves, and continue after one was killed', async () => {
  const [east, ireland] = [await start(0), await start(1)];
  await wireResult(east.url, 'CreateTable', {
    TableName: 'Things',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  await wireResult(east.url, 'UpdateTable', {
    TableName: 'Things',
    ReplicaUpdates: [{ Create: { RegionName: 'eu-west-1' } }],
  });
  const put = async (url: string, pk: string) =>
    wireCall(url, 'PutItem', { TableName: 'Things', Item: { pk: { S: pk } } });
  const has = async (url: string, pk: string) => {
    const { status, body } = await wireCall(url, 'GetItem', { TableName: 'Things', Key: { pk: { S: pk } } });
    return status === 200 && JSON.stringify(body).includes('Item');
  };
  // As soon as the replica accepts writes, they reach the other region, too.
  await until(async () => (await put(ireland.url, 'from-ireland')).status === 200);
  await until(() => has(east.url, 'from-ireland'));

  await ireland.process.end('SIGKILL');
  for (let n = 0; n < 40; n++) expect((await put(east.url, `while-away-${n}`)).status).toBe(200);
  const again = await start(1);
  for (let n = 0; n < 40; n++) await until(() => has(again.url, `while-away-${n}`));
  await put(again.url, 'after-it');
  await until(() => has(east.url, 'after-it'));
});
