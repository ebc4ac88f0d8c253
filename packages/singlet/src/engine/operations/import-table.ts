import { ImportConflictException, ResourceInUseException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { spawnLoad } from '../jobs/background-work.ts';
import { validateTableDefinition } from '../schema/validate-table-definition.ts';
import {
  describeImportRecord,
  type ImportTableDescription,
  type InputFormatOptions,
  type S3BucketSource,
  type TableCreationParameters,
} from '../transfer/describe-import-record.ts';
import { beginLoad, checkLoadCount, digestOf, findByToken, forgetOldLoads } from '../transfer/find-loads.ts';
import { newLoadId } from '../transfer/load-arn.ts';
import { loadReference, tokenKey } from '../transfer/load-keys.ts';
import { isOpen, loadFormat, type LoadRecord, nothingDone } from '../transfer/load-record.ts';
import { requireObjectStore } from '../transfer/require-object-store.ts';
import { createTableRecord, newTableId } from './create-table.ts';

export interface ImportTableRequest {
  readonly clientToken: string;
  readonly s3BucketSource: S3BucketSource;
  readonly inputFormat: 'CSV' | 'DYNAMODB_JSON' | 'ION';
  readonly inputFormatOptions?: InputFormatOptions | undefined;
  readonly inputCompressionType?: 'GZIP' | 'NONE' | 'ZSTD' | undefined;
  readonly tableCreationParameters: TableCreationParameters;
}

export interface ImportTableResult {
  readonly importTableDescription: ImportTableDescription;
}

/** Its table is CREATING until the import is finished, however long that takes. */
const noEndMs = Number.MAX_SAFE_INTEGER;

/**
 * Starts an import of a bucket's objects into a new table. The answer shows the import in progress. The table is CREATING until
 * the import is finished, then ACTIVE, even if some items could not be imported.
 *
 * The same client token returns the same import while it runs, whatever the rest of the request; only another table is a
 * conflict.
 *
 * @throws {ValidationException} if the table's definition or the request is invalid.
 * @throws {ResourceInUseException} if a table has the name.
 * @throws {ImportConflictException} if the client token belongs to the import of another table.
 * @throws {LimitExceededException} above a quota of the account.
 * @see Amazon DynamoDB API Reference, ImportTable
 */
export async function importTable(
  services: EngineServices,
  request: ImportTableRequest,
  context: RequestContext,
): Promise<ImportTableResult> {
  if (request.inputFormatOptions !== undefined && request.inputFormat !== 'CSV') {
    throw new ValidationException(
      `Invalid Request: Unsupported InputFormatOptions for the given input format: ${request.inputFormat}.`,
    );
  }
  requireObjectStore(services);
  const { tableCreationParameters } = request;
  validateTableDefinition(tableCreationParameters, context.region, services.limits);
  const known = await repeatedImport(services, request, context);
  if (known !== undefined) return { importTableDescription: describeImportRecord(known) };
  await checkLoadCount(services, 'import', context);
  await forgetOldLoads(services, 'import', context);
  const load = newImport(services, request, context);
  const begun = await createTableRecord(services, tableCreationParameters, context, {
    tableId: load.tableId,
    nowMs: load.startedAtMs,
    untilMs: noEndMs,
    alongside: {
      keys: [tokenKey('import', context, request.clientToken)],
      decide: () => beginLoad(load),
    },
  }).catch(async (error: unknown) => {
    // Two requests with one token may arrive at the same time: the second finds the table of the first.
    const twin = error instanceof ResourceInUseException ? await repeatedImport(services, request, context) : undefined;
    if (twin === undefined) throw error;
    return twin;
  });
  const answered = 'loadId' in begun ? begun : load;
  spawnLoad(services, loadReference('import', context, answered.loadId));
  return { importTableDescription: describeImportRecord(answered) };
}

/**
 * The import that was started with the same token. Once it is finished its table exists, and the request is refused for
 * that reason, unless the table was deleted since.
 *
 * @throws {ImportConflictException} if it imports into another table.
 */
async function repeatedImport(
  services: EngineServices,
  { clientToken, tableCreationParameters: { tableName } }: ImportTableRequest,
  context: RequestContext,
): Promise<LoadRecord | undefined> {
  const known = await findByToken(services, 'import', context, clientToken);
  const table = await services.catalog.load(context, tableName);
  if (known !== undefined && known.tableName === tableName && isOpen(known)) return known;
  if (table !== undefined && table.status(services.environment.clock.nowMs()) !== 'CREATING') {
    throw new ResourceInUseException(`Table already exists: ${tableName}`);
  }
  if (known === undefined) return undefined;
  if (known.tableName !== tableName) throw new ImportConflictException();
  return table === undefined ? known : undefined;
}

function newImport(services: EngineServices, request: ImportTableRequest, context: RequestContext): LoadRecord {
  const { environment } = services;
  const { s3BucketSource: source, inputFormatOptions } = request;
  const nowMs = environment.clock.nowMs();
  return {
    format: loadFormat,
    kind: 'import',
    accountId: context.accountId,
    region: context.region,
    loadId: newLoadId(nowMs, environment.random.bytes(4)),
    tableName: request.tableCreationParameters.tableName,
    tableId: newTableId(services),
    clientToken: request.clientToken,
    requestDigest: digestOf(request),
    input: {
      bucket: source.s3Bucket,
      bucketOwner: source.s3BucketOwner,
      keyPrefix: source.s3KeyPrefix,
      format: request.inputFormat,
      compression: request.inputCompressionType ?? 'NONE',
      csv: inputFormatOptions?.csv,
    },
    tableCreationParameters: request.tableCreationParameters,
    status: 'IN_PROGRESS',
    startedAtMs: nowMs,
    ...nothingDone,
  };
}
