/** `singlet store verify` as an operator runs it: real servers, real kills. */
import { expect, test } from 'vitest';
import { createDatabase, serve } from '../src/index.ts';
import { SingletProcess } from './singlet-process.ts';

interface PrintedReport {
  readonly killCount: number;
  readonly anomalies: readonly unknown[];
  readonly undecidedKeys: readonly string[];
  readonly listOperations: { readonly ok: number };
  readonly registerOperations: { readonly ok: number };
}

test.each([
  ['two workers', '2'],
  ['a single process with its write-ahead log', '1'],
])('%s, killed meanwhile', async (_name, workers) => {
  const command = new SingletProcess(['store', 'verify', '--kill', '--seconds', '5', '--workers', workers, '--json']);
  expect(await command.ended).toEqual({ code: 0, signal: null });
  const report = JSON.parse(command.stdout) as PrintedReport;
  expect(report.anomalies).toEqual([]);
  expect(report.undecidedKeys).toEqual([]);
  expect(report.killCount).toBeGreaterThan(0);
  expect(report.listOperations.ok).toBeGreaterThan(0);
  expect(report.registerOperations.ok).toBeGreaterThan(0);
});

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
