import { uuidOf } from '../layout/uuid.ts';
import { IdempotentParameterMismatchException, ResourceInUseException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { spawnLoad } from '../jobs/background-work.ts';
import { checkFence } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import {
  type BulkOperationDescription,
  describeBulkRecord,
  type InputS3Configuration,
  type OutputS3Configuration,
} from '../transfer/describe-bulk-record.ts';
import {
  beginLoad,
  checkLoadCount,
  digestOf,
  findByToken,
  forgetOldLoads,
  listOpenLoads,
  findLoad,
} from '../transfer/find-loads.ts';
import { newLoadId } from '../transfer/load-arn.ts';
import { loadReference, tokenKey } from '../transfer/load-keys.ts';
import { loadFormat, type LoadRecord, nothingDone } from '../transfer/load-record.ts';
import { requireObjectStore } from '../transfer/require-object-store.ts';

export interface StartBulkPutItemsRequest {
  readonly clientToken?: string | undefined;
  readonly inputS3Configuration: InputS3Configuration;
  readonly outputS3Configuration: OutputS3Configuration;
  readonly tableName: string;
  readonly maxWriteRequestUnits?: number | undefined;
  readonly performanceTier?: 'STANDARD' | 'ACCELERATED' | undefined;
}

export interface StartBulkPutItemsResult {
  readonly bulkOperationDescription: BulkOperationDescription;
}

/**
 * Starts putting the items in a bucket's objects into an existing table. It continues in the background, and can be
 * cancelled.
 *
 * @throws {ResourceNotFoundException} if there is no such table, or it is not usable yet.
 * @throws {ResourceInUseException} while an index of the table is being created, or another operation runs on it.
 * @throws {IdempotentParameterMismatchException} if the client token belongs to another request.
 * @throws {LimitExceededException} above a quota of the account.
 * @see Amazon DynamoDB API Reference, StartBulkPutItems
 */
export async function startBulkPutItems(
  services: EngineServices,
  request: StartBulkPutItemsRequest,
  context: RequestContext,
): Promise<StartBulkPutItemsResult> {
  requireObjectStore(services);
  const { clientToken: givenToken, ...asked } = request;
  const clientToken = givenToken ?? uuidOf(services.environment.random.bytes(16));
  const requestDigest = digestOf(asked);
  await forgetOldLoads(services, 'bulk', context);
  return services.catalog.withTable(context, request.tableName, async (table) => {
    const known = await findByToken(services, 'bulk', context, clientToken);
    if (known !== undefined) {
      if (known.requestDigest !== requestDigest) throw new IdempotentParameterMismatchException();
      return { bulkOperationDescription: describe(known, table) };
    }
    await checkTable(services, table, context);
    await checkLoadCount(services, 'bulk', context);
    const load = newOperation(services, table, { ...request, clientToken }, requestDigest);
    await services.store.write([table.fenceKey, tokenKey('bulk', context, clientToken)], ([fence]) => {
      checkFence(table, fence);
      return { answer: undefined, writes: beginLoad(load) };
    });
    spawnLoad(services, loadReference('bulk', context, load.loadId));
    return { bulkOperationDescription: describe(load, table) };
  });
}

function describe(load: LoadRecord, table: Table): BulkOperationDescription {
  return describeBulkRecord(load, new Set(table.localIndexes.map(({ indexName }) => indexName)));
}

/** Assumed: the texts, and that a table has one operation at a time. That there is a quota is known. */
async function checkTable(services: EngineServices, table: Table, context: RequestContext): Promise<void> {
  const { tableName } = table;
  const inUse = (detail: string): ResourceInUseException =>
    new ResourceInUseException(`Attempt to change a resource which is still in use: ${detail}`);
  if (table.record.globalIndexes.some(({ phase }) => phase === 'backfilling')) {
    throw inUse(`An index of the table is being created. Table: ${tableName}`);
  }
  for (const { loadId } of await listOpenLoads(services, 'bulk', context)) {
    const other = await findLoad(services, 'bulk', context, loadId);
    if (other?.tableId === table.record.tableId) {
      throw inUse(`A bulk operation on the table is in progress. Table: ${tableName}`);
    }
  }
}

function newOperation(
  services: EngineServices,
  table: Table,
  request: StartBulkPutItemsRequest & { readonly clientToken: string },
  requestDigest: string,
): LoadRecord {
  const { environment } = services;
  const { inputS3Configuration: input, outputS3Configuration: output } = request;
  const nowMs = environment.clock.nowMs();
  return {
    format: loadFormat,
    kind: 'bulk',
    accountId: table.record.accountId,
    region: table.record.region,
    loadId: newLoadId(nowMs, environment.random.bytes(4)),
    tableName: table.tableName,
    tableId: table.record.tableId,
    clientToken: request.clientToken,
    requestDigest,
    input: {
      bucket: input.s3Bucket,
      bucketOwner: input.s3BucketOwner,
      keyPrefix: input.s3KeyPrefix,
      format: input.inputFormat,
      compression: input.inputCompressionType ?? 'NONE',
    },
    bulk: {
      output: {
        bucket: output.s3Bucket,
        bucketOwner: output.s3BucketOwner,
        keyPrefix: output.s3KeyPrefix,
        sseAlgorithm: output.s3SseAlgorithm,
        sseKmsKeyId: output.s3SseKmsKeyId,
        outputTypes: output.outputType,
      },
      maxWriteRequestUnits: request.maxWriteRequestUnits,
      performanceTier: request.performanceTier ?? 'STANDARD',
    },
    status: 'IN_PROGRESS',
    startedAtMs: nowMs,
    ...nothingDone,
  };
}
