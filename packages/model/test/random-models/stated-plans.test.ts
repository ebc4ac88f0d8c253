import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RangeRequest } from '../../src/check/index.ts';
import { explainAll, type Explanation } from '../../src/cost/index.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { fastClient } from './fast-client.ts';
import { modelOf } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';
import { compareReads } from './stated-reads.ts';
import { compareWrites, withLargeItems } from './stated-writes.ts';

/** The number of drawn models, which are the same in each run. */
const drawnToRead = Number(process.env['DRAWN_STATED_READS'] ?? 50);
const drawnToWrite = Number(process.env['DRAWN_STATED_WRITES'] ?? 8);
const from = Number(process.env['STATED_MODELS_FROM'] ?? 0);

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.close();
});

function seedsFrom(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}

interface Compared {
  readonly accepted: number;
  readonly wrong: readonly string[];
  readonly requests: number;
  readonly examined: number;
  readonly dropped: number;
}

async function readsOf(
  seeds: readonly number[],
  explained?: (model: Parameters<typeof explainAll>[0]) => readonly Explanation[],
): Promise<Compared> {
  const sum = { accepted: 0, requests: 0, examined: 0, dropped: 0 };
  const wrong: string[] = [];
  for (const seed of seeds) {
    const script = randomModel(new RandomSource(seed));
    const model = modelOf(seed % 2 === 0 ? withLargeItems(script) : script);
    if (refusals(model).length > 0) continue;
    const compared = await compareReads(model, fastClient(database), seed, explained);
    wrong.push(...compared.wrong.slice(0, 3).map((each) => `model ${seed}: ${each}`));
    sum.accepted += 1;
    for (const name of ['requests', 'examined', 'dropped'] as const) sum[name] += compared[name];
  }
  return { ...sum, wrong };
}

async function writesOf(
  seeds: readonly number[],
  explained?: (model: Parameters<typeof explainAll>[0]) => readonly Explanation[],
): Promise<{ readonly wrong: readonly string[]; readonly accepted: number; calls: number; exact: number }> {
  const sum = { accepted: 0, calls: 0, exact: 0 };
  const wrong: string[] = [];
  for (const seed of seeds) {
    const script = randomWriteModel(new RandomSource(seed));
    const model = modelOf(seed % 2 === 0 ? withLargeItems(script) : script);
    if (refusals(model).length > 0) continue;
    const compared = await compareWrites(model, fastClient(database), seed, explained);
    wrong.push(...compared.wrong.slice(0, 3).map((each) => `model ${seed}: ${each}`));
    sum.accepted += 1;
    sum.calls += compared.calls;
    sum.exact += compared.exact;
  }
  return { ...sum, wrong };
}

test(`what is stated of the reads of ${drawnToRead} random models is what the service examines`, async () => {
  const { wrong, accepted, requests, examined, dropped } = await readsOf(seedsFrom(drawnToRead));
  expect(wrong).toEqual([]);
  expect(accepted).toBeGreaterThan(drawnToRead / 6);
  expect(requests).toBeGreaterThan(accepted * 3);
  expect(examined).toBeGreaterThan(accepted * 3);
  expect(dropped).toBeGreaterThan(accepted / 2);
});

test(`what is stated of the writes of ${drawnToWrite} random models is what they send and consume`, async () => {
  const { wrong, accepted, calls, exact } = await writesOf(seedsFrom(drawnToWrite));
  expect(wrong).toEqual([]);
  expect(accepted).toBeGreaterThan(drawnToWrite / 3);
  expect(calls).toBeGreaterThan(accepted * 5);
  expect(exact).toBeGreaterThan(calls / 5);
});

/** The explanations with one part that is wrong. */
function changed(change: (explanation: Explanation) => Explanation): typeof explainAll {
  return (model, options) => explainAll(model, options).map(change);
}

function withRequests(change: (request: RangeRequest) => RangeRequest): typeof explainAll {
  return changed((explanation) => {
    const { ranges } = explanation;
    if (ranges === undefined) return explanation;
    const cases = ranges.cases.map((each) => ({ ...each, requests: each.requests.map(change) }));
    return { ...explanation, ranges: { ...ranges, cases } };
  });
}

/** Models are drawn until one shows the fault. */
const seedsMost = 200;

async function isFound(what: string, wrongOf: (seed: number) => Promise<readonly string[]>): Promise<boolean> {
  for (let seed = 0; seed < seedsMost; seed += 1)
    if ((await wrongOf(seed)).some((each) => each.includes(what))) return true;
  return false;
}

describe('a wrong statement of a read is found', () => {
  test.each<[string, typeof explainAll, string]>([
    ['of the place', withRequests((each) => ({ ...each, place: 'Data', operation: 'Query' })), 'is not stated'],
    [
      'of the partition key',
      withRequests((each) => ({
        ...each,
        partition: Object.fromEntries(Object.entries(each.partition).map(([name, text]) => [name, `${text}~`])),
      })),
      'is not stated',
    ],
    [
      'of the first sort key',
      withRequests((each) => ({
        ...each,
        ...(each.range && { range: { ...each.range, from: `${each.range.from}~` } }),
      })),
      'is not from',
    ],
    [
      'of the last sort key',
      withRequests((each) => ({
        ...each,
        ...(each.range && { range: { ...each.range, toBeginnings: false, to: '!' } }),
      })),
      'is not from',
    ],
    ['of what is there', withRequests((each) => ({ ...each, reads: each.reads.slice(1) })), 'is not there'],
    [
      'of a filter that is not',
      withRequests((each) => ({ ...each, filter: [...each.filter, 'id = "none"'] })),
      'does not meet',
    ],
    ['without a filter', withRequests((each) => ({ ...each, filter: [] })), 'is not answered'],
    [
      'of fewer requests',
      changed((each) => ({ ...each, ...(each.served && { served: { ...each.served, requests: 0 } }) })),
      'are stated',
    ],
    ['of fewer requests to one place', withRequests((each) => ({ ...each, times: 0 })), 'are stated'],
    [
      'of fewer items that are evaluated',
      changed((each) => ({
        ...each,
        ...(each.ranges && { ranges: { ...each.ranges, pages: { ...each.ranges.pages, looksAt: 1 } } }),
      })),
      'evaluates',
    ],
    [
      'that a page takes one request',
      changed((each) => ({
        ...each,
        ...(each.ranges && { ranges: { ...each.ranges, pages: { ...each.ranges.pages, readsOn: false } } }),
      })),
      'reads on',
    ],
    [
      'of lower costs',
      changed((each) => ({
        ...each,
        ...(each.cost && { cost: { ...each.cost, readUnits: each.cost.readUnits / 4 } }),
      })),
      'read units',
    ],
  ])('%s', async (_, explained, what) => {
    expect(await isFound(what, async (seed) => (await readsOf([seed], explained)).wrong)).toBe(true);
  });
});

describe('a wrong statement of a write is found', () => {
  test.each<[string, typeof explainAll, string]>([
    [
      'without a key',
      changed((each) => ({ ...each, ...(each.writes && { writes: each.writes.slice(1) }) })),
      'is not among',
    ],
    [
      'without the last key',
      changed((each) => ({ ...each, ...(each.writes && { writes: each.writes.slice(0, 1) }) })),
      'is not among',
    ],
    [
      'of another operation',
      changed((each) => ({ ...each, ...(each.served && { served: { ...each.served, operation: 'DeleteItem' } }) })),
      'is stated',
    ],
    [
      'of fewer requests',
      changed((each) => ({ ...each, ...(each.served && { served: { ...each.served, requests: 0 } }) })),
      'are stated',
    ],
    [
      'of lower costs of reading',
      changed((each) => ({ ...each, ...(each.cost && { cost: { ...each.cost, readUnits: 0 } }) })),
      'read units',
    ],
    [
      'of lower costs of writing',
      changed((each) => ({
        ...each,
        ...(each.cost && { cost: { ...each.cost, writeUnits: each.cost.writeUnits - 0.05 } }),
      })),
      'write units',
    ],
  ])('%s', async (_, explained, what) => {
    expect(await isFound(what, async (seed) => (await writesOf([seed], explained)).wrong)).toBe(true);
  });
});
