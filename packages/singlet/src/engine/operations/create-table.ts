import type { CreateTableRequest } from '../schema/create-table-request.ts';
import type { Limits } from '../../values/limits.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { ResourceInUseException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { uuidOf } from '../layout/uuid.ts';
import { readResourcePolicy } from '../policies/check-resource-policy.ts';
import { newResourcePolicy, policyContent } from '../policies/resource-policy.ts';
import type { ResourcePolicyRecord } from '../catalog/resource-policy-record.ts';
import type { EngineServices } from '../services.ts';
import { freeStreamTime, openStream } from '../streams/stream-switch.ts';
import { streamKey } from '../streams/stream-record.ts';
import { accountUsageKey, changedUsage, decodeAccountUsage, encodeAccountUsage } from '../catalog/account-usage.ts';
import { describeTableRecord, noStatistics } from '../tables/describe.ts';
import { newTableRecord } from '../schema/new-table-record.ts';
import { stillInUse, subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import { SpaceCounter, spaceCounterKey } from '../catalog/space-counter.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from '../catalog/table.ts';
import type { GlobalSecondaryIndexInput, LocalSecondaryIndexInput } from '../schema/table-definition.ts';
import type { TableDescription } from '../catalog/table-description.ts';
import { decodeTableRecord, encodeTableRecord, type TableRecord } from '../catalog/table-record.ts';
import { checkAccountQuota } from '../schema/throughput-changes.ts';
import { checkCanEncrypt } from '../schema/encryption.ts';
import { checkNoCrossAccountParameters } from '../schema/unsupported-parameters.ts';
import { validateTableDefinition } from '../schema/validate-table-definition.ts';

export type { GlobalSecondaryIndexInput, LocalSecondaryIndexInput };

export interface CreateTableResult {
  readonly tableDescription: TableDescription;
}

const tableIdBytes = 16;

/**
 * Creates a table with its indexes. The answer shows it CREATING; the table and its indexes are ACTIVE once the lifecycle delay
 * has passed.
 *
 * @throws {ValidationException} if the definition is invalid.
 * @throws {ResourceInUseException} if a table has the name.
 * @throws {LimitExceededException} above a quota of the account.
 * @see Amazon DynamoDB API Reference, CreateTable
 */
export async function createTable(
  services: EngineServices,
  request: CreateTableRequest,
  context: RequestContext,
): Promise<CreateTableResult> {
  checkNoCrossAccountParameters(request);
  const nowMs = services.environment.clock.nowMs();
  const record = await createTableRecord(services, request, context, {
    tableId: newTableId(services),
    nowMs,
    untilMs: nowMs + services.lifecycleDelayMs,
  });
  const table = new Table(record);
  return {
    tableDescription: withoutUnaskedWarmThroughput(
      describeTableRecord({
        table,
        statistics: noStatistics,
        limits: services.limits,
        store: services.store,
        at: 'changing',
      }),
      request,
    ),
  };
}

/** The specifics of a table's creation: when CREATING ends, and the other writes of the same decision. */
export interface TableCreation {
  readonly tableId: string;
  readonly nowMs: number;
  readonly untilMs: number;
  readonly alongside?: {
    readonly keys: readonly Uint8Array[];
    /** Called with the values of the keys. Pure; an error that it throws ends the creation. */
    readonly decide: (values: readonly StoreValue[]) => readonly StoreWrite[];
  };
}

/**
 * Creates a table's record, in one decision.
 *
 * @throws as {@link createTable}.
 */
export async function createTableRecord(
  services: EngineServices,
  request: CreateTableRequest,
  context: RequestContext,
  creation: TableCreation,
): Promise<TableRecord> {
  const { store, limits } = services;
  const { tableId, nowMs, untilMs, alongside } = creation;
  const { accountId, region } = context;
  const { tableName } = request;
  const definition = validateTableDefinition(request, region, limits);
  checkCanEncrypt(request.sseSpecification, store);
  const newTable = {
    request,
    definition,
    resourcePolicy: firstPolicy(request.resourcePolicy, nowMs, limits),
    context,
    tableId,
    nowMs,
    untilMs,
    limits,
  };
  const recordKey = tableRecordKey(accountId, region, tableName);
  const usageKey = accountUsageKey(context);
  const hasStream = request.streamSpecification?.streamEnabled === true;
  const streamSinceMs = hasStream ? await freeStreamTime(services, context, tableName) : nowMs;
  const streamKeys = hasStream ? [streamKey(context, tableName, streamSinceMs)] : [];
  return store.write(
    [recordKey, usageKey, spaceCounterKey, ...streamKeys, ...(alongside?.keys ?? [])],
    ([recordValue, usageValue, counterValue, ...others]) => {
      const streamValue = hasStream ? others[0] : undefined;
      if (recordValue !== undefined) checkNameIsFree(new Table(decodeTableRecord(recordKey, recordValue)), nowMs);
      const usage = decodeAccountUsage(usageValue);
      if (usage.tableCount >= limits.tableCountMax) {
        throw subscriberLimitExceeded(`There is a limit of ${limits.tableCountMax} tables per subscriber`);
      }
      const spaces = new SpaceCounter(counterValue);
      const bare = newTableRecord(newTable, spaces);
      // A table of this name was created and deleted since the stream's label was chosen.
      if (streamValue !== undefined) throw stillInUse(`Table is being created: ${tableName}`);
      const { record: created, writes: streamWrites } = hasStream
        ? openStream(bare, { sinceMs: streamSinceMs, enabledFromMs: newTable.untilMs, spaces, limits })
        : { record: bare, writes: [] };
      const usageAfter = changedUsage(usage, undefined, created);
      checkAccountQuota(usage, usageAfter, region, limits);
      return {
        answer: created,
        writes: [
          { key: recordKey, value: encodeTableRecord(recordKey, created) },
          { key: fenceKey(accountId, region, tableName), value: fenceOf(created) },
          { key: usageKey, value: encodeAccountUsage(usageAfter) },
          ...spaces.writes,
          ...streamWrites,
          ...(alongside?.decide(others.slice(streamKeys.length)) ?? []),
        ],
      };
    },
  );
}

export function newTableId({ environment }: EngineServices): string {
  return uuidOf(environment.random.bytes(tableIdBytes));
}

function firstPolicy(text: string | undefined, nowMs: number, limits: Limits): ResourcePolicyRecord | undefined {
  if (text === undefined) return undefined;
  return newResourcePolicy(policyContent(readResourcePolicy(text, { kind: 'table' }, limits)), nowMs);
}

/** A table whose deletion is over does not keep its name; its remaining entries are in spaces of their own. */
function checkNameIsFree(table: Table, nowMs: number): void {
  if (table.isGone(nowMs)) return;
  if (table.status(nowMs) === 'CREATING') throw stillInUse(`Table is being created: ${table.tableName}`);
  throw new ResourceInUseException(`Table already exists: ${table.tableName}`);
}

/** Unlike DescribeTable, CreateTable answers warm throughput only if the request set it. */
function withoutUnaskedWarmThroughput(description: TableDescription, request: CreateTableRequest): TableDescription {
  const { warmThroughput, globalSecondaryIndexes, ...rest } = description;
  return {
    ...rest,
    ...(request.warmThroughput !== undefined && warmThroughput !== undefined && { warmThroughput }),
    ...(globalSecondaryIndexes !== undefined && {
      globalSecondaryIndexes: globalSecondaryIndexes.map((index, at) => {
        const { warmThroughput: warm, ...others } = index;
        const isAsked = request.globalSecondaryIndexes?.[at]?.warmThroughput !== undefined;
        return isAsked && warm !== undefined ? { ...others, warmThroughput: warm } : others;
      }),
    }),
  };
}
