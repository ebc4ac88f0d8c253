import { type AttributeMap, type AttributeValue, type UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { type ReadConsistency, readCapacityUnits } from '../../values/capacity-units.ts';
import { ConditionalCheckFailedException, DynamoError, ValidationException } from '../../values/service-error.ts';
import { type SelectStatement, type Statement, statementProblems } from '../../partiql/index.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import { writeConsumedCapacity } from '../capacity/write-capacity.ts';
import type { RequestContext } from '../environment.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { type ItemKey, itemKeyOfKey } from '../catalog/item-key.ts';
import type { ItemWriteOutcome } from '../followers/item-write.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import { checkParameters, readStatement } from '../partiql/prepare-statement.ts';
import { selectKey } from '../partiql/select-key.ts';
import { planProjection } from '../partiql/select-plan.ts';
import { planWrite, returnedItem, statementError, type WriteStatement } from '../partiql/write-plan.ts';
import type { EngineServices } from '../services.ts';
import { RefusedStatement } from './refused-statement.ts';
import { checkFence, StaleTableError } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import { readsOf } from '../items/reads-of.ts';
import { writeItem } from '../items/write-item.ts';

export interface BatchStatementRequest {
  readonly statement: string;
  readonly parameters?: readonly UncheckedAttributeValue[] | undefined;
  readonly consistentRead?: boolean | undefined;
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

export interface BatchExecuteStatementRequest {
  readonly statements: readonly BatchStatementRequest[];
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface BatchStatementError {
  readonly code: string;
  readonly message: string;
  readonly item?: AttributeMap;
}

export interface BatchStatementResponse {
  readonly error?: BatchStatementError;
  /** Present for every statement that got as far as its item. */
  readonly tableName?: string;
  readonly item?: ItemOutput;
}

export interface BatchExecuteStatementResult {
  /** In request order. */
  readonly responses: readonly BatchStatementResponse[];
  readonly consumedCapacity?: readonly ConsumedCapacity[];
}

/** A statement during preparation: parsed and bound to its table, or failed. */
type Prepared =
  | { readonly kind: 'failed'; readonly response: BatchStatementResponse }
  | {
      readonly kind: 'ready';
      readonly request: BatchStatementRequest;
      readonly statement: SelectStatement | WriteStatement;
    };

/** The result of a statement. */
interface Done {
  readonly response: BatchStatementResponse;
  readonly table?: Table;
  readonly readUnits?: number;
  readonly outcome?: ItemWriteOutcome;
}

/**
 * Executes up to 25 statements, each on an item of its own and independently: an error of one is answered at its position.
 * All of them read, or all of them write.
 *
 * @throws {ValidationException} if reads and writes are mixed, or two statements address one item.
 * @see DynamoDB API Reference, BatchExecuteStatement; conformance/partiql-batch
 */
export async function batchExecuteStatement(
  services: EngineServices,
  request: BatchExecuteStatementRequest,
  context: RequestContext,
): Promise<BatchExecuteStatementResult> {
  const prepared = request.statements.map(prepare);
  checkOneKind(prepared);
  await checkDistinctItems(services, prepared, context);
  const done = await Promise.all(prepared.map((one) => run(services, one, context)));
  const consumedCapacity = capacityOf(done, request.returnConsumedCapacity);
  return {
    responses: done.map(({ response }) => response),
    ...(consumedCapacity.length > 0 && { consumedCapacity }),
  };
}

function prepare(request: BatchStatementRequest): Prepared {
  if (request instanceof RefusedStatement) return { kind: 'failed', response: failure(request.refusal) };
  try {
    const parameters: readonly AttributeValue[] = checkParameters(request);
    const statement: Statement = readStatement(request, parameters);
    if (statement.kind === 'exists') throw new ValidationException(statementProblems.existsOutsideTransaction);
    return { kind: 'ready', request, statement };
  } catch (error) {
    return { kind: 'failed', response: failure(error) };
  }
}

/** Assumed: the text is that of ExecuteTransaction, with the name of this action. */
function checkOneKind(prepared: readonly Prepared[]): void {
  const kinds = prepared.flatMap((one) => (one.kind === 'ready' ? [one.statement.kind === 'select'] : []));
  if (kinds.includes(true) && kinds.includes(false)) {
    throw new ValidationException(
      'BatchExecuteStatement API does not support both read and write operations in the same request.',
    );
  }
}

/** Assumed: the text is that of BatchGetItem and BatchWriteItem. */
async function checkDistinctItems(
  services: EngineServices,
  prepared: readonly Prepared[],
  context: RequestContext,
): Promise<void> {
  if (prepared.length < 2) return;
  const seen = new Set<string>();
  for (const one of prepared) {
    if (one.kind === 'failed') continue;
    const name = await itemName(services, one, context);
    if (name === undefined) continue;
    if (seen.has(name)) throw new ValidationException('Provided list of item keys contains duplicates');
    seen.add(name);
  }
}

/** A name that is unique to the item of a statement; undefined if the statement names no item. */
async function itemName(
  services: EngineServices,
  { statement }: Extract<Prepared, { kind: 'ready' }>,
  context: RequestContext,
): Promise<string | undefined> {
  try {
    return await services.catalog.withTable(context, statement.tableName, (table) => {
      const key =
        statement.kind === 'select'
          ? readKey(table, statement)
          : planWrite(table, statement, services.limits, { surface: 'statement', returnOldOnFailure: false }).key;
      return key.storeKey.toString('latin1');
    });
  } catch (error) {
    if (error instanceof DynamoError) return undefined; // it is reported when the statement runs
    throw error;
  }
}

function readKey(table: Table, statement: SelectStatement): ItemKey {
  return itemKeyOfKey(table, selectKey(table, statement, 'BatchExecuteStatement'));
}

async function run(services: EngineServices, prepared: Prepared, context: RequestContext): Promise<Done> {
  if (prepared.kind === 'failed') return { response: prepared.response };
  const { request, statement } = prepared;
  try {
    return await services.catalog.withTable(context, statement.tableName, (table) =>
      statement.kind === 'select'
        ? read(services, table, statement, request)
        : write(services, table, statement, request),
    );
  } catch (error) {
    return { response: failure(error) };
  }
}

async function read(
  services: EngineServices,
  table: Table,
  statement: SelectStatement,
  request: BatchStatementRequest,
): Promise<Done> {
  const key = readKey(table, statement);
  const projection = planProjection(table, undefined, statement);
  services.capacity.admitRead(table, key);
  const consistency: ReadConsistency = request.consistentRead === true ? 'strong' : 'eventual';
  const done = await readsOf(services, { table, isGlobalIndex: false, consistency }).read(
    [table.fenceKey, key.storeKey],
    ([fence, value]) => {
      checkFence(table, fence);
      const item = value && copyStoredItem(key.storeKey, value);
      const row = item === undefined || projection === undefined ? item : projection.project(item);
      return {
        table,
        readUnits: readCapacityUnits(item?.sizeBytes ?? 0, consistency),
        response: { tableName: table.tableName, ...(row !== undefined && { item: row }) },
      };
    },
  );
  services.capacity.consumeRead(table, key, done.readUnits);
  return done;
}

async function write(
  services: EngineServices,
  table: Table,
  statement: WriteStatement,
  request: BatchStatementRequest,
): Promise<Done> {
  const returnOldOnFailure = request.returnValuesOnConditionCheckFailure === 'ALL_OLD';
  const planned = planWrite(table, statement, services.limits, { surface: 'statement', returnOldOnFailure });
  const { tableName } = table;
  try {
    const outcome = await writeItem(services, planned);
    const item = returnedItem(statement, outcome);
    return { table, outcome, response: { tableName, ...(item !== undefined && { item }) } };
  } catch (error) {
    if (error instanceof StaleTableError) throw error;
    // The statement got as far as its item, so the answer names its table.
    return { response: { ...failure(statementError(statement, error)), tableName } };
  }
}

/** @throws any error that is not an error of the statement itself. */
function failure(error: unknown): BatchStatementResponse {
  if (!(error instanceof DynamoError)) throw error;
  const item = error instanceof ConditionalCheckFailedException ? error.item : undefined;
  return { error: { code: codeOf(error), message: error.message, ...(item !== undefined && { item }) } };
}

/** Names of errors without `Exception`; validation and throttling have different names here. */
export function codeOf({ name }: DynamoError): string {
  if (name === 'ValidationException') return 'ValidationError';
  return name === 'ThrottlingException' ? 'ThrottlingError' : name.replace(/Exception$/, '');
}

function capacityOf(
  done: readonly Done[],
  returnConsumedCapacity: ReturnConsumedCapacity | undefined,
): readonly ConsumedCapacity[] {
  const byTable = new Map<string, { readonly table: Table; readonly parts: Done[] }>();
  for (const one of done) {
    if (one.table === undefined) continue;
    const known = byTable.get(one.table.tableName);
    if (known === undefined) byTable.set(one.table.tableName, { table: one.table, parts: [one] });
    else known.parts.push(one);
  }
  return [...byTable.values()].flatMap(({ table, parts }) => {
    const outcomes = parts.flatMap(({ outcome }) => outcome ?? []);
    if (outcomes.length > 0) return writeConsumedCapacity(table, outcomes, returnConsumedCapacity) ?? [];
    const tableUnits = parts.reduce((units, { readUnits }) => units + (readUnits ?? 0), 0);
    return readConsumedCapacity(table, { tableUnits }, returnConsumedCapacity) ?? [];
  });
}
