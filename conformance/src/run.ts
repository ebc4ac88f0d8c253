import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Capability, Row } from './row.ts';
import { rowsBySubject } from './rows/index.ts';
import { runRows } from './run-rows.ts';
import type { RowResult } from './run-rows.ts';
import { capabilitiesNotYet, databaseTarget, endpointTarget } from './targets.ts';
import type { Target } from './targets.ts';
import { isAmazonEndpoint } from './transport.ts';

const HELP = `Runs the rows of service behaviour against an endpoint.

  npm run conformance -- [--endpoint URL] [options]

  --endpoint URL       where to send requests. Without it a database is made in this process.
                       Endpoints of Amazon itself are signed for with the credentials of the AWS SDK.
  --directory          keep the database of this process in a temporary directory, encrypted, instead of memory
  --store URL          keep the database of this process in a store, encrypted, such as postgres://HOST/DATABASE?schema=empty
  --http               talk to the database of this process over HTTP
  --filter TEXT        only rows whose id, subject or requirement id contains the text
  --without LIST       capabilities the endpoint does not have, separated by commas:
                       ttl, slow, aggregated-validation
  --concurrency N      rows at a time (8)
  --patience MS        how long to wait for what follows after a moment (10000; 60000 for Amazon)
  --json FILE          write all results to a file
  --help               this text

Exit code 1 when a row does not hold.
`;

const { values: options } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    directory: { type: 'boolean', default: false },
    store: { type: 'string' },
    http: { type: 'boolean', default: false },
    filter: { type: 'string', default: '' },
    without: { type: 'string', default: '' },
    concurrency: { type: 'string', default: '8' },
    patience: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) {
  process.stdout.write(HELP);
} else {
  process.exitCode = await main();
}

async function main(): Promise<number> {
  const selected = selectRows(options.filter);
  const directory = options.directory ? await mkdtemp(join(tmpdir(), 'conformance-')) : undefined;
  const target = await openTarget(directory);
  const started = performance.now();
  try {
    const results = await runRows(selected, target, {
      concurrency: Number(options.concurrency),
      without: capabilitiesMissing(),
      patienceMs: patienceMs(),
      onResult: showProgress,
    });
    report(target.name, results, performance.now() - started);
    if (options.json !== undefined)
      await writeFile(options.json, `${JSON.stringify({ target: target.name, results }, undefined, 2)}\n`);
    return results.some((result) => result.outcome === 'failed') ? 1 : 0;
  } finally {
    await target.close();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }
}

async function openTarget(directory: string | undefined): Promise<Target> {
  if (options.endpoint !== undefined) return endpointTarget(options.endpoint);
  return await databaseTarget({
    via: options.http ? 'http' : 'in process',
    ...(options.store === undefined ? {} : { store: options.store, encrypted: true }),
    ...(directory === undefined ? {} : { directory, encrypted: true }),
  });
}

function capabilitiesMissing(): readonly Capability[] {
  const named = options.without.split(',').filter((part) => part !== '') as Capability[];
  return options.endpoint === undefined ? [...named, ...capabilitiesNotYet] : named;
}

function patienceMs(): number {
  if (options.patience !== undefined) return Number(options.patience);
  return options.endpoint !== undefined && isAmazonEndpoint(options.endpoint) ? 60_000 : 10_000;
}

function selectRows(filter: string): Readonly<Record<string, readonly Row[]>> {
  const chosen = Object.entries(rowsBySubject).map(
    ([subject, rows]) =>
      [
        subject,
        rows.filter((row) => subject.includes(filter) || row.id.includes(filter) || row.covers.includes(filter)),
      ] as const,
  );
  return Object.fromEntries(chosen.filter(([, rows]) => rows.length > 0));
}

function showProgress(result: RowResult, done: number, of: number): void {
  if (!process.stderr.isTTY) return;
  const text = `${done}/${of} ${result.id}`.slice(0, (process.stderr.columns ?? 80) - 1);
  process.stderr.write(done === of ? '\r\u001b[K' : `\r\u001b[K${text}`);
}

function report(target: string, results: readonly RowResult[], milliseconds: number): void {
  const count = (some: readonly RowResult[], outcome: RowResult['outcome']): number =>
    some.filter((result) => result.outcome === outcome).length;
  for (const result of results) if (result.outcome === 'failed') console.log(`\n✗ ${result.message ?? result.id}`);
  console.log(`\n${target}\n`);
  const line = (name: string, some: readonly RowResult[]): string =>
    `${name.padEnd(26)}${[count(some, 'passed'), count(some, 'failed'), count(some, 'left out')].map((n) => String(n).padStart(9)).join('')}`;
  console.log(`${'subject'.padEnd(26)}${['passed', 'failed', 'left out'].map((name) => name.padStart(9)).join('')}`);
  for (const subject of new Set(results.map((result) => result.subject))) {
    console.log(
      line(
        subject,
        results.filter((result) => result.subject === subject),
      ),
    );
  }
  console.log(line('all', results));
  console.log(`\n${(milliseconds / 1000).toFixed(1)} s`);
}
