import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ThroughputExceededError, TransactionCanceledException } from '../../values/service-error.ts';
import type { CapacityReport, ResourceCapacityReport } from '../operations/capacity-report.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { scan } from '../operations/scan.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { testContext } from '../testing/test-services.ts';
import { ThrottledTable } from '../testing/throttled-table.ts';

/*
 * Random requests under a random clock, beside a plain model of one bucket for reads and one for writes: a request is served if
 * and only if the model has something left, and the consumption that requests report equals what is recorded.
 */

const rates = { reads: 4, writes: 3 };
const burstSeconds = 20;

/** What the table may spend, in the simplest form. */
class PlainBucket {
  level: number;
  readonly #rate: number;

  constructor(rate: number) {
    this.#rate = rate;
    this.level = rate;
  }

  wait(seconds: number): void {
    this.level = Math.min(this.level + seconds * this.#rate, this.#rate * burstSeconds);
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 40 }).map((n) => n / 4) }),
  fc.record({
    kind: fc.constantFrom('put' as const, 'delete' as const, 'get' as const, 'transact' as const),
    key: fc.nat(5),
    bytes: fc.nat(3000),
    consistentRead: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('query' as const, 'scan' as const), key: fc.nat(5), consistentRead: fc.boolean() }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Answer {
  readonly consumedCapacity?:
    undefined | { readonly capacityUnits: number } | readonly { readonly capacityUnits: number }[];
}

async function send(table: ThrottledTable, one: Exclude<Step, { kind: 'wait' }>): Promise<Answer> {
  const { services } = table;
  const common = { tableName: 'Table', returnConsumedCapacity: 'TOTAL' } as const;
  const pk = { S: `k${one.key}` };
  const key = { PK: pk, SK: { S: 'item' } };
  switch (one.kind) {
    case 'put':
      return putItem(services, { ...common, item: { ...key, data: { S: 'x'.repeat(one.bytes) } } }, testContext);
    case 'delete':
      return deleteItem(services, { ...common, key }, testContext);
    case 'get':
      return getItem(services, { ...common, key, consistentRead: one.consistentRead }, testContext);
    case 'transact': {
      const item = { ...key, data: { S: 'x'.repeat(one.bytes) } };
      const transactItems = [{ put: { tableName: 'Table', item } }];
      return transactWriteItems(services, { transactItems, returnConsumedCapacity: 'TOTAL' }, testContext);
    }
    case 'query':
      return query(
        services,
        {
          ...common,
          keyConditionExpression: 'PK = :pk',
          expressionAttributeValues: { ':pk': pk },
          consistentRead: one.consistentRead,
        },
        testContext,
      );
    case 'scan':
      return scan(services, { ...common, consistentRead: one.consistentRead }, testContext);
  }
}

/** The units of a request that was served, or that it was throttled. */
async function outcomeOf(answer: Promise<Answer>): Promise<number | 'throttled'> {
  try {
    const { consumedCapacity = [] } = await answer;
    return [consumedCapacity].flat().reduce((sum, { capacityUnits }) => sum + capacityUnits, 0);
  } catch (error) {
    if (error instanceof ThroughputExceededError || error instanceof TransactionCanceledException) return 'throttled';
    throw error;
  }
}

function isConsistent({ reads, writes, partitions }: ResourceCapacityReport): void {
  const sum = (of: (partition: (typeof partitions)[number]) => number): number =>
    partitions.reduce((total, partition) => total + of(partition), 0);
  expect(sum((partition) => partition.reads.consumedUnits)).toBeCloseTo(reads.consumedUnits, 6);
  expect(sum((partition) => partition.writes.consumedUnits)).toBeCloseTo(writes.consumedUnits, 6);
}

it('DB-107 DB-108 DB-110: requests are served while there is anything left, and all is accounted for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      // Wide partitions that neither refuse nor split, so that the sums of their units are those of the table.
      const limits = {
        burstSecondsMax: burstSeconds,
        partitionReadCapacityUnitsMax: 1e6,
        partitionWriteCapacityUnitsMax: 1e6,
      };
      const table = await ThrottledTable.open(rates, { limits });
      const buckets = { Read: new PlainBucket(rates.reads), Write: new PlainBucket(rates.writes) };
      const consumed = { Read: 0, Write: 0 };
      for (const one of steps) {
        if (one.kind === 'wait') {
          table.wait(one.seconds);
          for (const bucket of Object.values(buckets)) bucket.wait(one.seconds);
          continue;
        }
        const kind = ['get', 'query', 'scan'].includes(one.kind) ? 'Read' : 'Write';
        const isServed = buckets[kind].level > 1e-9;
        const outcome = await outcomeOf(send(table, one));
        expect(outcome === 'throttled').toBe(!isServed);
        if (outcome === 'throttled') continue;
        buckets[kind].level -= outcome;
        consumed[kind] += outcome;
      }
      const report: CapacityReport = await table.report();
      expect(report.table.reads.consumedUnits).toBeCloseTo(consumed.Read, 6);
      expect(report.table.writes.consumedUnits).toBeCloseTo(consumed.Write, 6);
      expect(report.table.reads.bucketUnits).toBeCloseTo(buckets.Read.level, 6);
      expect(report.table.writes.bucketUnits).toBeCloseTo(buckets.Write.level, 6);
      isConsistent(report.table);
    }),
    { numRuns: 60 },
  );
});
