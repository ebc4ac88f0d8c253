import type { Awaitable } from '../../values/awaitable.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import type { Limits } from '../../values/limits.ts';
import { ThroughputExceededError, TransactionCanceledException } from '../../values/service-error.ts';
import { type ItemOutput, StoredItem } from '../layout/stored-item.ts';
import { batchGetItem } from '../operations/batch-get-item.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { type CapacityReport, capacityReport } from '../operations/capacity-report.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';
import { getItem } from '../operations/get-item.ts';
import { putItem } from '../operations/put-item.ts';
import { keys, provisionedTable, strings, units } from './table-requests.ts';
import { createdTable } from './test-engine.ts';
import { testContext, type TestServices, testServices, type TestServicesOptions } from './test-services.ts';

/** The outcome of a request: `done`, or the reasons for its throttling, separated by blanks. */
export type Served = string;

/** A table whose throughput is enforced, under a clock that does not move, and requests to it in few words. */
export class ThrottledTable {
  readonly services: TestServices;

  constructor(services: TestServices) {
    this.services = services;
  }

  /** With keys PK and SK, provisioned with this many units unless the request says otherwise. */
  static async open(
    throughput: { readonly reads?: number; readonly writes?: number },
    options: TestServicesOptions & { readonly request?: Partial<CreateTableRequest> } = {},
  ): Promise<ThrottledTable> {
    const { request, ...serviceOptions } = options;
    const services = testServices({ throttle: true, ...serviceOptions });
    await createdTable(services, {
      ...provisionedTable({
        keySchema: keys('PK', 'SK'),
        attributeDefinitions: strings('PK', 'SK'),
        provisionedThroughput: units(throughput.reads ?? 1000, throughput.writes ?? 1000),
      }),
      billingMode: 'PROVISIONED',
      ...request,
    });
    return new ThrottledTable(services);
  }

  wait(seconds: number): void {
    this.services.clock.advance(seconds * 1000);
  }

  async put(pk: string, sk = 'item', attributes: AttributeMap = {}): Promise<Served> {
    const item = { PK: { S: pk }, SK: { S: sk }, ...attributes };
    return served(() => putItem(this.services, { tableName: 'Table', item }, testContext));
  }

  async get(pk: string, sk = 'item', consistentRead = true): Promise<Served> {
    const key = { PK: { S: pk }, SK: { S: sk } };
    return served(() => getItem(this.services, { tableName: 'Table', key, consistentRead }, testContext));
  }

  /** How many of this many requests, one after the other, were served. */
  async count(requestCount: number, request: (n: number) => Promise<Served>): Promise<number> {
    let done = 0;
    for (let n = 0; n < requestCount; n += 1) if ((await request(n)) === 'done') done += 1;
    return done;
  }

  /** @returns the partition keys that were not processed. */
  async batchPut(partitionKeys: readonly string[]): Promise<readonly string[]> {
    const requests = partitionKeys.map((pk) => ({ putRequest: { item: { PK: { S: pk }, SK: { S: 'item' } } } }));
    const { unprocessedItems } = await batchWriteItem(
      this.services,
      { requestItems: { Table: requests } },
      testContext,
    );
    return (unprocessedItems['Table'] ?? []).map(({ putRequest }) => partitionKeyOf(putRequest?.item));
  }

  /** @returns the partition keys that were not processed, and how many items were found. */
  async batchGet(partitionKeys: readonly string[]): Promise<{ left: readonly string[]; found: number }> {
    const keysOf = partitionKeys.map((pk) => ({ PK: { S: pk }, SK: { S: 'item' } }));
    const { responses, unprocessedKeys } = await batchGetItem(
      this.services,
      { requestItems: { Table: { keys: keysOf, consistentRead: true } } },
      testContext,
    );
    return {
      left: (unprocessedKeys['Table']?.keys ?? []).map((key) => key['PK']?.S ?? ''),
      found: responses['Table']?.length ?? 0,
    };
  }

  async report(): Promise<CapacityReport> {
    return capacityReport(this.services, { tableName: 'Table' }, testContext);
  }
}

/** Limits of a hundredth of the service's: 30 reads and 10 writes a second for a partition, which is hot after 5 seconds. */
export const smallPartitions: Partial<Limits> = {
  partitionReadCapacityUnitsMax: 30,
  partitionWriteCapacityUnitsMax: 10,
  partitionHeatSeconds: 5,
};

/** `done`, or the reasons for which the request was throttled. Other failures are rethrown. */
export async function served(request: Promise<unknown> | (() => Awaitable<unknown>)): Promise<Served> {
  try {
    await (typeof request === 'function' ? request() : request);
    return 'done';
  } catch (error) {
    if (error instanceof ThroughputExceededError) {
      return error.throttlingReasons.map(({ reason }) => reason).join(' ');
    }
    if (error instanceof TransactionCanceledException) {
      return error.cancellationReasons.map(({ code }) => code).join(' ');
    }
    throw error;
  }
}

/** The partition key of an item that was sent above. */
function partitionKeyOf(item: ItemOutput | undefined): string {
  const value = item instanceof StoredItem ? item.getAttribute('PK') : item?.['PK'];
  return value !== undefined && 'S' in value ? value.S : '';
}
