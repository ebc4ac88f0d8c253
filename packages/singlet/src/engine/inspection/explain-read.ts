import type { AttributeMap } from '../../values/attribute-value.ts';
import { readCapacityUnits } from '../../values/capacity-units.ts';
import { compileExpressions, type CompiledExpressions } from '../../expressions/index.ts';
import { CapacityModel } from '../capacity/capacity-model.ts';
import { readSizes } from '../catalog/statistics.ts';
import type { RequestContext } from '../environment.ts';
import type { ExecuteStatementRequest } from '../operations/execute-statement.ts';
import { explainStatement } from '../operations/explain-statement.ts';
import { getItem, type GetItemRequest } from '../operations/get-item.ts';
import { query, type QueryRequest } from '../operations/query.ts';
import { scan, type ScanRequest } from '../operations/scan.ts';
import { checkParameters, readStatement } from '../partiql/prepare-statement.ts';
import { runSelect } from '../partiql/run-select.ts';
import { planSelect } from '../partiql/select-plan.ts';
import { RecentClock } from '../recent-clock.ts';
import type { EngineServices } from '../services.ts';
import { type InspectedSpace, inspectedSpace } from './inspected-space.ts';
import type { ReadExplanation, ReadOperation, ReadPage, ReadWhole } from './read-explanation.ts';
import { findingsOf } from './read-findings.ts';

/** A decoded request that reads items; a statement may also be a write. */
export type ReadCall =
  | { readonly action: 'GetItem'; readonly request: GetItemRequest }
  | { readonly action: 'Query'; readonly request: QueryRequest }
  | { readonly action: 'Scan'; readonly request: ScanRequest }
  | { readonly action: 'ExecuteStatement'; readonly request: ExecuteStatementRequest };

/** The inputs of the parts of an explanation. */
interface ExplainedRead {
  readonly table: string;
  readonly index: string | undefined;
  readonly operations: readonly ReadOperation[];
  readonly page: ReadPage | undefined;
  readonly isConsistent: boolean;
  /** Attributes that the filters test. */
  readonly filtered: ReadonlySet<string>;
}

/**
 * Explains a read. Its first page is read as the request would read it, with a capacity model of its own, so that nothing is counted or
 * throttled, and no weather applies (decision 0077). It takes as much work as the request itself: one page.
 *
 * @throws {DynamoError} the error that the request would receive.
 */
export async function explainRead(
  services: EngineServices,
  call: ReadCall,
  context: RequestContext,
): Promise<ReadExplanation> {
  const explained = await explain({ ...services, capacity: uncounted(services), weather: undefined }, call, context);
  const { table, index, operations, page } = explained;
  const subject = await inspectedSpace(services, { tableName: table, indexName: index }, context);
  const isScan = operations.some(({ operation }) => operation === 'Scan');
  const whole = isScan ? await wholeOf(services, subject, explained.isConsistent) : null;
  return {
    table,
    index: index ?? null,
    isScan,
    operations,
    firstPage: page ?? null,
    whole,
    findings: findingsOf({ subject, page, whole, filtered: explained.filtered }),
  };
}

/** A capacity model of its own, so that a read is neither counted nor throttled. */
export function uncounted({ store, environment, limits }: EngineServices): CapacityModel {
  return new CapacityModel({
    store,
    environment: { ...environment, clock: new RecentClock(environment.clock) },
    limits,
  });
}

async function explain(services: EngineServices, call: ReadCall, context: RequestContext): Promise<ExplainedRead> {
  switch (call.action) {
    case 'GetItem':
      return explainGet(services, call.request, context);
    case 'Query':
    case 'Scan':
      return explainPage(services, call, context);
    case 'ExecuteStatement':
      return explainSelect(services, call.request, context);
  }
}

async function explainGet(
  services: EngineServices,
  request: GetItemRequest,
  context: RequestContext,
): Promise<ExplainedRead> {
  const { item, consumedCapacity } = await getItem(services, { ...request, returnConsumedCapacity: 'TOTAL' }, context);
  const count = Number(item !== undefined);
  const key = request.key as AttributeMap; // getItem has checked it
  const keyConditions = Object.entries(key).map(([attributeName, value]) => ({
    attributeName,
    operator: '=',
    operands: [value],
  }));
  return {
    table: request.tableName,
    index: undefined,
    operations: [{ operation: 'GetItem', keyConditions, filter: null }],
    page: { read: count, returned: count, reads: consumedCapacity?.capacityUnits ?? 0, isLast: true },
    isConsistent: request.consistentRead === true,
    filtered: new Set(),
  };
}

async function explainPage(
  services: EngineServices,
  { action, request }: Extract<ReadCall, { readonly action: 'Query' | 'Scan' }>,
  context: RequestContext,
): Promise<ExplainedRead> {
  const counted = { ...request, returnConsumedCapacity: 'TOTAL' } as const;
  const read = await (action === 'Query' ? query(services, counted, context) : scan(services, counted, context));
  const { keyCondition, filter } = compileExpressions(request, action);
  return {
    table: request.tableName,
    index: request.indexName,
    operations: [{ operation: action, keyConditions: termsOf(keyCondition), filter: request.filterExpression ?? null }],
    page: {
      read: read.scannedCount,
      returned: read.count,
      reads: read.consumedCapacity?.capacityUnits ?? 0,
      isLast: read.lastEvaluatedKey === undefined,
    },
    isConsistent: request.consistentRead === true,
    filtered: filter?.attributeNames ?? new Set(),
  };
}

function termsOf(condition: CompiledExpressions['keyCondition']): ReadOperation['keyConditions'] {
  return (condition?.terms ?? []).map(({ attributeName, operator, operands }) => ({
    attributeName,
    operator,
    operands,
  }));
}

async function explainSelect(
  services: EngineServices,
  request: ExecuteStatementRequest,
  context: RequestContext,
): Promise<ExplainedRead> {
  const { tableName, indexName, operations } = await explainStatement(services, request, context);
  const statement = readStatement(request, checkParameters(request));
  const described = operations.map(({ operation, key, keyConditions, filter }) => ({
    operation,
    keyConditions:
      keyConditions ??
      Object.entries(key ?? {}).map(([attributeName, value]) => ({ attributeName, operator: '=', operands: [value] })),
    filter: filter ?? null,
  }));
  const isConsistent = request.consistentRead === true;
  const told = { table: tableName, index: indexName, operations: described, isConsistent };
  if (statement.kind !== 'select') return { ...told, page: undefined, filtered: new Set() };
  return services.catalog.withTable(context, tableName, async (table) => {
    const plan = planSelect(table, statement, isConsistent);
    const consistency = isConsistent ? 'strong' : 'eventual';
    const { items, scannedCount, next, units } = await runSelect(services, plan, {
      limit: request.limit,
      consistency,
      from: undefined,
    });
    return {
      ...told,
      page: {
        read: scannedCount,
        returned: items.length,
        reads: units.tableUnits + (units.index?.units ?? 0),
        isLast: next === undefined,
      },
      filtered: new Set(plan.reads.flatMap(({ filter }) => [...(filter?.attributeNames ?? [])])),
    };
  });
}

async function wholeOf(
  { store }: EngineServices,
  { table, space }: InspectedSpace,
  isConsistent: boolean,
): Promise<ReadWhole> {
  const sizes = await readSizes(store, table.record.itemSpace);
  const { itemCount, sizeBytes } = sizes.get(space) ?? { itemCount: 0, sizeBytes: 0 };
  return {
    items: itemCount,
    bytes: sizeBytes,
    reads: readCapacityUnits(sizeBytes, isConsistent ? 'strong' : 'eventual'),
  };
}
