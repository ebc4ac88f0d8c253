/** `singlet store verify` as an operator runs it: real servers, real kills. */
import { expect, test } from 'vitest';
import { createDatabase, serve } from '../src/index.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';
import { SingletProcess } from './singlet-process.ts';

/** For how long each database is verified: `ISOLATION_SECONDS=300 npx vitest run …/store-verify.test.ts` for more. */
const seconds = process.env['ISOLATION_SECONDS'] ?? '3';

interface PrintedReport {
  readonly killCount: number;
  readonly anomalies: readonly unknown[];
  readonly undecidedKeys: readonly string[];
  readonly listOperations: { readonly ok: number };
  readonly registerOperations: { readonly ok: number };
}

async function expectSound(...args: readonly string[]): Promise<void> {
  const command = new SingletProcess(['store', 'verify', '--kill', '--seconds', seconds, ...args, '--json']);
  expect(await command.ended).toEqual({ code: 0, signal: null });
  const report = JSON.parse(command.stdout) as PrintedReport;
  expect(report.anomalies).toEqual([]);
  expect(report.undecidedKeys).toEqual([]);
  expect(report.killCount).toBeGreaterThan(0);
  expect(report.listOperations.ok).toBeGreaterThan(0);
  expect(report.registerOperations.ok).toBeGreaterThan(0);
}

test.each([
  ['two workers', '2'],
  ['a single process with its write-ahead log', '1'],
])('%s, killed meanwhile', async (_name, workers) => {
  await expectSound('--workers', workers);
});

const programs = findPostgres();

test.skipIf(programs === undefined)(
  `two servers over one PostgreSQL, killed meanwhile${programs === undefined ? ` (${noPostgres})` : ''}`,
  async () => {
    const postgres = await PostgresServer.start(programs!);
    try {
      await expectSound('--store', postgres.url('verified'));
    } finally {
      await postgres.dispose();
    }
  },
);

test.each(['nowhere', 'postgres://nowhere/shop'])('%s is not an endpoint', async (endpoint) => {
  const command = new SingletProcess(['store', 'verify', '--endpoint', endpoint, '--seconds', '1']);
  expect(await command.ended).toEqual({ code: 1, signal: null });
  expect(command.stderr).toBe(`singlet: --endpoint takes a URL, not "${endpoint}".\n`);
});

test('a server that carries out nothing is not called sound', async () => {
  const database = await createDatabase({ weather: { everywhere: { internalErrorRate: 1 } } });
  const server = await serve(database);
  const command = new SingletProcess(['store', 'verify', '--endpoint', server.url, '--seconds', '1']);
  expect(await command.ended).toEqual({ code: 1, signal: null });
  expect(command.stdout).toContain('Nothing was verified: no operation succeeded.');
  expect(command.stdout).not.toContain('No anomaly');
  await server.close();
  await database.close();
});
