import type { Limits } from '../../values/limits.ts';
import { ResourceInUseException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { uuidOf } from '../layout/uuid.ts';
import { readResourcePolicy } from '../policies/check-resource-policy.ts';
import { newResourcePolicy, policyContent, type ResourcePolicyRecord } from '../policies/resource-policy.ts';
import type { EngineServices } from '../services.ts';
import { freeStreamTime, openStream } from '../streams/stream-switch.ts';
import { streamKey } from '../streams/stream-record.ts';
import { accountUsageKey, changedUsage, decodeAccountUsage, encodeAccountUsage } from '../tables/account-usage.ts';
import { describeTableRecord, noStatistics } from '../tables/describe.ts';
import { newTableRecord } from '../tables/new-table-record.ts';
import { stillInUse, subscriberLimitExceeded } from '../tables/parameter-errors.ts';
import { SpaceCounter, spaceCounterKey } from '../tables/space-counter.ts';
import { fenceKey, fenceOf, Table, tableRecordKey } from '../tables/table.ts';
import type {
  GlobalSecondaryIndexInput,
  LocalSecondaryIndexInput,
  TableDefinitionInput,
} from '../tables/table-definition.ts';
import type { TableClass, TableDescription } from '../tables/table-description.ts';
import { decodeTableRecord, encodeTableRecord } from '../tables/table-record.ts';
import { checkAccountQuota } from '../tables/throughput-changes.ts';
import { validateTableDefinition } from '../tables/validate-table-definition.ts';

export type { GlobalSecondaryIndexInput, LocalSecondaryIndexInput };

export interface CreateTableRequest extends TableDefinitionInput {
  readonly tableClass?: TableClass | undefined;
  readonly deletionProtectionEnabled?: boolean | undefined;
  readonly resourcePolicy?: string | undefined;
}

export interface CreateTableResult {
  readonly tableDescription: TableDescription;
}

const tableIdBytes = 16;

/**
 * Creates a table with its indexes. The answer shows it CREATING; it is ACTIVE, its indexes with it, once the lifecycle delay
 * has passed.
 *
 * @throws {ValidationException} when the definition cannot be.
 * @throws {ResourceInUseException} when the name is taken.
 * @throws {LimitExceededException} above a quota of the account.
 * @see Amazon DynamoDB API Reference, CreateTable
 */
export async function createTable(
  services: EngineServices,
  request: CreateTableRequest,
  context: RequestContext,
): Promise<CreateTableResult> {
  const { store, environment, limits } = services;
  const { accountId, region } = context;
  const { tableName } = request;
  const nowMs = environment.clock.nowMs();
  const newTable = {
    request,
    definition: validateTableDefinition(request, region, limits),
    resourcePolicy: firstPolicy(request.resourcePolicy, nowMs, limits),
    context,
    tableId: uuidOf(environment.random.bytes(tableIdBytes)),
    nowMs,
    untilMs: nowMs + services.lifecycleDelayMs,
    limits,
  };
  const recordKey = tableRecordKey(accountId, region, tableName);
  const usageKey = accountUsageKey(context);
  const hasStream = request.streamSpecification?.streamEnabled === true;
  const streamSinceMs = hasStream ? await freeStreamTime(services, context, tableName) : nowMs;
  const streamKeys = hasStream ? [streamKey(context, tableName, streamSinceMs)] : [];
  const record = await store.write(
    [recordKey, usageKey, spaceCounterKey, ...streamKeys],
    ([recordValue, usageValue, counterValue, streamValue]) => {
      if (recordValue !== undefined) checkNameIsFree(new Table(decodeTableRecord(recordValue)), nowMs);
      const usage = decodeAccountUsage(usageValue);
      if (usage.tableCount >= limits.tableCountMax) {
        throw subscriberLimitExceeded(`There is a limit of ${limits.tableCountMax} tables per subscriber`);
      }
      const spaces = new SpaceCounter(counterValue);
      const bare = newTableRecord(newTable, spaces);
      // A table of this name came and went since the time was looked for.
      if (streamValue !== undefined) throw stillInUse(`Table is being created: ${tableName}`);
      const { record: created, writes: streamWrites } = hasStream
        ? openStream(bare, { sinceMs: streamSinceMs, enabledFromMs: newTable.untilMs, spaces, limits })
        : { record: bare, writes: [] };
      const usageAfter = changedUsage(usage, undefined, created);
      checkAccountQuota(usage, usageAfter, region, limits);
      return {
        answer: created,
        writes: [
          { key: recordKey, value: encodeTableRecord(created) },
          { key: fenceKey(accountId, region, tableName), value: fenceOf(created) },
          { key: usageKey, value: encodeAccountUsage(usageAfter) },
          ...spaces.writes,
          ...streamWrites,
        ],
      };
    },
  );
  const table = new Table(record);
  return {
    tableDescription: withoutUnaskedWarmThroughput(
      describeTableRecord({ table, statistics: noStatistics, limits, at: 'changing' }),
      request,
    ),
  };
}

function firstPolicy(text: string | undefined, nowMs: number, limits: Limits): ResourcePolicyRecord | undefined {
  if (text === undefined) return undefined;
  return newResourcePolicy(policyContent(readResourcePolicy(text, { kind: 'table' }, limits)), nowMs);
}

/** A table whose deletion has run out does not keep its name; what it left behind lies under space ids of its own. */
function checkNameIsFree(table: Table, nowMs: number): void {
  if (table.isGone(nowMs)) return;
  if (table.status(nowMs) === 'CREATING') throw stillInUse(`Table is being created: ${table.tableName}`);
  throw new ResourceInUseException(`Table already exists: ${table.tableName}`);
}

/** Unlike DescribeTable, the answer of CreateTable speaks of warm throughput only to whoever did so in the request. */
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
