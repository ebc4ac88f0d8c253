import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SingletProcess } from './singlet-process.ts';

/** A server with `--traces`, and a tracer provider that writes each span to standard error. */

let folder: string;
const servers: SingletProcess[] = [];

/** The minimum that the OpenTelemetry API requires of a provider and a propagator. */
const provider = `
import { propagation, trace } from ${JSON.stringify(import.meta.resolve('@opentelemetry/api'))};
propagation.setGlobalPropagator({
  inject() {},
  fields: () => ['traceparent'],
  extract: (context, carrier) => context.setValue(Symbol.for('parent'), carrier.traceparent),
});
trace.setGlobalTracerProvider({
  getTracer: (tracer) => ({
    startSpan(name, { kind, startTime, attributes }, context) {
      const span = { tracer, name, kind, attributes, parent: context.getValue(Symbol.for('parent')) };
      return {
        setStatus: (status) => Object.assign(span, { status }),
        end: (endTime) => process.stderr.write('span ' + JSON.stringify({ ...span, isInOrder: startTime <= endTime }) + '\\n'),
      };
    },
  }),
});
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-traces-'));
  writeFileSync(join(folder, 'tracing.mjs'), provider);
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.end('SIGTERM')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function serve(env: NodeJS.ProcessEnv = {}): SingletProcess {
  const server = new SingletProcess(['serve', '--memory', '--port', '0', '--traces'], {
    env: { ...process.env, ...env },
  });
  servers.push(server);
  return server;
}

test('a request has a span, in the trace of the client', async () => {
  const server = serve({ NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'tracing.mjs')).href}` });
  const url = await server.ready();
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const ask = async (action: string, input: object, headers: Record<string, string> = {}): Promise<string> => {
    const target = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` };
    const body = JSON.stringify(input);
    return await (await fetch(url, { method: 'POST', headers: { ...target, ...headers }, body })).text();
  };
  await ask('ListTables', {}, { traceparent: parent });
  await ask('DescribeTable', { TableName: 'Missing' });
  const spans = (): readonly string[] => server.stderr.split('\n').filter((line) => line.startsWith('span '));
  await server.until(() => spans().length >= 2);
  const [listed, described] = spans().map((line) => JSON.parse(line.slice(5)) as object);
  expect(listed).toMatchObject({
    tracer: 'singlet',
    name: 'DynamoDB.ListTables',
    kind: 1,
    parent,
    attributes: { 'rpc.method': 'ListTables', 'http.response.status_code': 200 },
    isInOrder: true,
  });
  expect(listed).not.toHaveProperty('status');
  expect(described).toMatchObject({
    name: 'DynamoDB.DescribeTable',
    attributes: { 'aws.dynamodb.table_names': ['Missing'], 'error.type': 'ResourceNotFoundException' },
    status: { code: 2, message: 'ResourceNotFoundException' },
  });
});

test('without a tracer provider the server does not start', async () => {
  const server = serve();
  expect((await server.ended).code).toBe(1);
  expect(server.stderr).toMatch(/^singlet: --traces finds no tracer provider of OpenTelemetry/);
});
