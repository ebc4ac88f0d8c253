/** A server that temporarily has no file descriptor left. Work that needs none continues, and nothing is broken afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SingletProcess } from './singlet-process.ts';
import { wireResult } from './wire-call.ts';

const program = fileURLToPath(new URL('../bin/singlet.js', import.meta.url));

/** Few enough that they are soon used up. A start needs about thirty. */
const descriptors = 80;

const table = {
  TableName: 'Late',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'Id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'Id', KeyType: 'HASH' }],
};

/** Calls an action over the connections of an agent. */
async function call(
  url: string,
  agent: Agent,
  action: string,
  input: object,
): Promise<{ status: number; body: string }> {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` };
  const outgoing = request(url, { method: 'POST', agent, headers });
  outgoing.end(JSON.stringify(input));
  const [response] = await once(outgoing, 'response');
  return { status: response.statusCode, body: await text(response) };
}

test('what is first needed at the limit is there', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'singlet-descriptors-'));
  const data = join(directory, 'data');
  const before = new SingletProcess(['serve', '--data', data, '--port', '0']);
  await wireResult(await before.ready(), 'CreateTable', table);
  await before.end('SIGTERM');
  const args = [program, 'serve', '--data', data, '--port', '0', '--log-level', 'debug'];
  const child = spawn('/bin/sh', ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, process.execPath, ...args]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const held: Socket[] = [];
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) {
      if (child.exitCode !== null) throw new Error(`ended too soon: ${errors}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  try {
    await until(() => /ready on \S+\n/.test(output));
    const [, url = ''] = /ready on (\S+)/.exec(output) ?? [];
    // The first write opens the files of the write-ahead log.
    expect(await call(url, agent, 'PutItem', { TableName: 'Late', Item: { Id: { S: 'b' } } })).toMatchObject({
      status: 200,
    });
    await until(() => errors.includes('deferred-code-loaded'));
    // Connections are accepted as long as descriptors are left. Later ones wait in the kernel.
    const { port } = new URL(url);
    for (let at = 0; at < descriptors; at += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      held.push(socket);
    }
    // Neither has been requested before.
    expect(await call(url, agent, 'ListBackups', {})).toEqual({ status: 200, body: '{"BackupSummaries":[]}' });
    expect(
      await call(url, agent, 'PutItem', { TableName: 'Late', Item: { Id: { S: 'a' }, Name: { S: 'b' } } }),
    ).toEqual({
      status: 200,
      body: '{}',
    });
    // Background work: the index is filled.
    const index = {
      IndexName: 'ByName',
      KeySchema: [{ AttributeName: 'Name', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    };
    const update = {
      TableName: 'Late',
      AttributeDefinitions: [...table.AttributeDefinitions, { AttributeName: 'Name', AttributeType: 'S' }],
      GlobalSecondaryIndexUpdates: [{ Create: index }],
    };
    expect(await call(url, agent, 'UpdateTable', update)).toMatchObject({ status: 200 });
    for (const socket of held) socket.destroy();
    for (let isActive = false; !isActive;) {
      const { body } = await call(url, agent, 'DescribeTable', { TableName: 'Late' });
      isActive = body.includes('"IndexStatus":"ACTIVE"');
    }
    const scan = await call(url, agent, 'Scan', { TableName: 'Late', IndexName: 'ByName' });
    expect(scan.body).toContain('"Count":1');
    expect(errors).not.toContain('background-work-failed');
    expect(errors).not.toContain('background-task-failed');
  } finally {
    for (const socket of held) socket.destroy();
    agent.destroy();
    child.kill('SIGTERM');
    await once(child, 'close');
    rmSync(directory, { recursive: true, force: true });
  }
});
