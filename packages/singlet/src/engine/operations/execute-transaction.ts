import type { AttributeMap, AttributeValue, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { readCapacityUnits } from '../../values/capacity-units.ts';
import { attributeValueSizeBytes } from '../../values/item-size.ts';
import {
  type CancellationReason,
  ResourceNotFoundException,
  TransactionCanceledException,
  ValidationException,
} from '../../values/service-error.ts';
import { utf8ByteLength } from '../../values/utf8.ts';
import type { Projection } from '../../expressions/index.ts';
import { type SelectStatement, type Statement, statementProblems } from '../../partiql/index.ts';
import type { StoreWrite } from '../../storage/store.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import { writeConsumedCapacity } from '../capacity/write-capacity.ts';
import type { RequestContext } from '../environment.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { type ItemKey, itemKeyOfKey } from '../catalog/item-key.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import { ItemWritePlan } from '../items/item-write-plan.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import { checkParameters, type ParameterizedStatement, readStatement } from '../partiql/prepare-statement.ts';
import { selectKey } from '../partiql/select-key.ts';
import { planProjection } from '../partiql/select-plan.ts';
import {
  DuplicateItemException,
  planWrite,
  selectItem,
  statementError,
  type WriteStatement,
} from '../partiql/write-plan.ts';
import type { EngineServices } from '../services.ts';
import { checkFence } from '../catalog/catalog.ts';
import type { Table } from '../catalog/table.ts';
import { cancelForConflict } from './store-conflict.ts';
import { IdempotencyToken } from '../transactions/idempotency-token.ts';
import {
  admitActions,
  cancellationReason,
  checkDistinct,
  consumeRepeated,
  consumeWrites,
  distinctTableNames,
} from '../transactions/transaction-actions.ts';

export interface TransactStatement {
  readonly statement: string;
  readonly parameters?: readonly UncheckedAttributeValue[] | undefined;
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

export interface ExecuteTransactionRequest {
  readonly transactStatements: readonly TransactStatement[];
  readonly clientRequestToken?: string | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface ExecuteTransactionResult {
  /** For reads, in request order, without `item` if there is none. Empty for writes. */
  readonly responses: readonly { readonly item?: ItemOutput }[];
  readonly consumedCapacity?: readonly ConsumedCapacity[];
}

/**
 * Executes up to a hundred statements on distinct items: all of them read, from one snapshot, or all of them write or
 * check (EXISTS), all or none.
 *
 * Errors are found in the order of the service: parameters; for each statement, its text and how it fits
 * an existing table; missing tables; keys; then the contents of the items.
 *
 * @throws {ValidationException} if the request is invalid; the text usually names the statement.
 * @throws {TransactionCanceledException} with a reason per statement in request order.
 * @throws {IdempotentParameterMismatchException} if the client token was used for another request in the last ten minutes.
 * @see DynamoDB API Reference, ExecuteTransaction; conformance/partiql-transactions
 */
export async function executeTransaction(
  services: EngineServices,
  request: ExecuteTransactionRequest,
  context: RequestContext,
): Promise<ExecuteTransactionResult> {
  const requests = request.transactStatements;
  const parameters = requests.map(checkParameters);
  checkPayload(requests, parameters, services.limits.transactionBytesMax);
  const statements = requests.map((one, at) => inStatement(at, () => readStatement(one, parameters[at] ?? [])));
  const selects = statements.filter((statement) => statement.kind === 'select');
  if (selects.length > 0 && selects.length < statements.length) {
    throw new ValidationException(
      'ExecuteTransaction API does not support both read and write operations in the same request.',
    );
  }
  return services.catalog.retryWhenStale(async () => {
    const tables = await presentTables(services, statements, context);
    statements.forEach((statement, at) => {
      const table = tables.get(statement.tableName);
      if (table !== undefined) inStatement(at, () => checkAgainstTable(table, statement));
    });
    if (tables.size < distinctTableNames(statements).length) throw missingTables(statements, tables);
    return selects.length > 0
      ? readAll(services, request, selects, tables)
      : writeAll(services, request, statements as readonly WriteStatement[], tables, context); // none is a SELECT
  });
}

/** Adds the statement's number to errors in it. */
function inStatement<T>(at: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ValidationException)) throw error;
    throw new ValidationException(`Validation failed in TransactStatements[${at}]: ${error.message}`);
  }
}

/** Assumed: statements and parameters count. */
function checkPayload(
  requests: readonly ParameterizedStatement[],
  parameters: readonly (readonly AttributeValue[])[],
  bytesMax: number,
): void {
  let bytes = 0;
  for (const { statement } of requests) bytes += utf8ByteLength(statement);
  for (const values of parameters) for (const value of values) bytes += attributeValueSizeBytes(value);
  if (bytes > bytesMax) {
    throw new ValidationException('Collective item size in the transaction request exceeds the limit of 4 MB');
  }
}

/** The existing tables, by name. */
async function presentTables(
  services: EngineServices,
  statements: readonly Statement[],
  context: RequestContext,
): Promise<ReadonlyMap<string, Table>> {
  const tables = new Map<string, Table>();
  for (const tableName of distinctTableNames(statements)) {
    try {
      tables.set(tableName, await services.catalog.withTable(context, tableName, (table) => table));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  }
  return tables;
}

/** The errors that refuse the request as a whole, rather than cancel it. */
function checkAgainstTable(table: Table, statement: Statement): void {
  if ('returning' in statement && statement.returning !== undefined) {
    throw new ValidationException('RETURNING clause is not supported in ExecuteTransaction.');
  }
  if (statement.kind === 'select') {
    selectKey(table, statement, 'ExecuteTransaction');
    planProjection(table, undefined, statement);
  }
  if (statement.kind === 'exists') {
    if (statement.select.indexName !== undefined) throw new ValidationException(statementProblems.existsNotOneItem);
    selectItem(table, statement.select.where, 'exists', 'transaction');
  }
}

function missingTables(
  statements: readonly Statement[],
  tables: ReadonlyMap<string, Table>,
): TransactionCanceledException {
  return new TransactionCanceledException(
    statements.map(({ tableName }) =>
      tables.has(tableName) ? { code: 'None' } : { code: 'ResourceNotFound', message: 'Requested resource not found' },
    ),
  );
}

/** @throws {TransactionCanceledException} with the reasons of all statements for which `prepare` throws. */
function prepareAll<S, T>(statements: readonly S[], prepare: (statement: S) => T): readonly T[] {
  const reasons: CancellationReason[] = statements.map(() => ({ code: 'None' }));
  const prepared: T[] = [];
  statements.forEach((statement, at) => {
    try {
      prepared.push(prepare(statement));
    } catch (error) {
      reasons[at] = cancellationReason(error);
    }
  });
  if (prepared.length < statements.length) throw new TransactionCanceledException(reasons);
  return prepared;
}

function tableOf(tables: ReadonlyMap<string, Table>, { tableName }: Statement): Table {
  return tables.get(tableName) as Table; // all were found
}

interface PlannedGet {
  readonly table: Table;
  readonly key: ItemKey;
  readonly projection: Projection | undefined;
}

async function readAll(
  services: EngineServices,
  request: ExecuteTransactionRequest,
  statements: readonly SelectStatement[],
  byName: ReadonlyMap<string, Table>,
): Promise<ExecuteTransactionResult> {
  const gets = prepareAll(statements, (statement): PlannedGet => {
    const table = tableOf(byName, statement);
    const key: AttributeMap = selectKey(table, statement, 'ExecuteTransaction');
    return { table, key: itemKeyOfKey(table, key), projection: planProjection(table, undefined, statement) };
  });
  checkDistinct(gets.map(({ key }) => key));
  admitActions(gets, ({ table, key }) => services.capacity.admitRead(table, key));
  const unitsOf: number[] = [];
  const tables = [...byName.values()];
  const storeKeys = [...tables.map((table) => table.fenceKey), ...gets.map(({ key }) => key.storeKey)];
  const result = await services.store.read(storeKeys, (values): ExecuteTransactionResult => {
    tables.forEach((table, at) => checkFence(table, values[at]));
    const units = new Map<Table, number>();
    let sizeBytes = 0;
    const responses = gets.map(({ table, key, projection }, at) => {
      const value = values[tables.length + at];
      const item = value && copyStoredItem(key.storeKey, value);
      sizeBytes += item?.sizeBytes ?? 0;
      const itemUnits = readCapacityUnits(item?.sizeBytes ?? 0, 'transactional');
      unitsOf[at] = itemUnits;
      units.set(table, (units.get(table) ?? 0) + itemUnits);
      if (item === undefined) return {};
      return { item: projection === undefined ? item : projection.project(item) };
    });
    if (sizeBytes > services.limits.transactionBytesMax) {
      throw new ValidationException('Collective item size in the transaction request exceeds the limit of 4 MB');
    }
    const consumedCapacity = tables.flatMap((table) => {
      const tableUnits = units.get(table) ?? 0;
      return readConsumedCapacity(table, { tableUnits }, request.returnConsumedCapacity, { transactional: true }) ?? [];
    });
    return { responses, ...(consumedCapacity.length > 0 && { consumedCapacity }) };
  });
  gets.forEach(({ table, key }, at) => services.capacity.consumeRead(table, key, unitsOf[at] ?? 0));
  return result;
}

type TransactionAnswer =
  | { readonly kind: 'done'; readonly outcomes: readonly ItemWriteOutcome[] }
  /** The same request was executed before, on items of these sizes (bytes). */
  | { readonly kind: 'repeated'; readonly sizesBytes: readonly number[] };

async function writeAll(
  services: EngineServices,
  request: ExecuteTransactionRequest,
  statements: readonly WriteStatement[],
  byName: ReadonlyMap<string, Table>,
  context: RequestContext,
): Promise<ExecuteTransactionResult> {
  const { limits, store, environment } = services;
  const requests = request.transactStatements;
  const writes = prepareAll(
    statements.map((statement, at) => ({ statement, at })),
    ({ statement, at }) => {
      const returnOldOnFailure = requests[at]?.returnValuesOnConditionCheckFailure === 'ALL_OLD';
      return planWrite(tableOf(byName, statement), statement, limits, { surface: 'transaction', returnOldOnFailure });
    },
  );
  checkDistinct(writes.map(({ key }) => key));
  admitActions(writes, (write) => services.capacity.admitWrite(write));
  const token =
    request.clientRequestToken === undefined
      ? undefined
      : new IdempotencyToken(context, request.clientRequestToken, JSON.stringify(requests), {
          nowMs: environment.clock.nowMs(),
          validMs: limits.clientRequestTokenMinutes * 60_000,
        });
  const plan = new ItemWritePlan(writes, services, environment.clock.nowMs());
  await plan.prepare(store);
  const tokenAt = plan.keys.length;
  const keys = token === undefined ? plan.keys : [...plan.keys, token.key];
  const written = store.write(keys, (values): { answer: TransactionAnswer; writes: StoreWrite[] } => {
    const repeatedSizes = token?.check(values[tokenAt]);
    if (repeatedSizes !== undefined) return { answer: { kind: 'repeated', sizesBytes: repeatedSizes }, writes: [] };
    const reasons: CancellationReason[] = writes.map(() => ({ code: 'None' }));
    const decided = plan.decide(values, (error, at) => {
      reasons[at] = reasonOf(statements[at] as WriteStatement, error); // one statement per write
    });
    if (reasons.some(({ code }) => code !== 'None')) throw new TransactionCanceledException(reasons);
    admitActions(
      writes.map((write, at) => ({ write, outcome: decided.outcomes[at] as ItemWriteOutcome })), // one for each
      ({ write, outcome }) => services.capacity.admitIndexChanges(write, outcome.indexChanges),
    );
    const sizesBytes = decided.outcomes.map(({ sizeBytes }) => sizeBytes);
    return {
      answer: { kind: 'done', outcomes: decided.outcomes },
      writes: token === undefined ? decided.writes : [...decided.writes, ...token.remember(sizesBytes)],
    };
  });
  const answer = await written.catch((error: unknown) => cancelForConflict(error, writes.length));
  if (answer.kind === 'done') consumeWrites(services.capacity, writes, answer.outcomes);
  else consumeRepeated(services.capacity, writes, answer.sizesBytes);
  const consumedCapacity = capacityOf(request, [...byName.values()], writes, answer);
  return { responses: [], ...(consumedCapacity.length > 0 && { consumedCapacity }) };
}

function reasonOf(statement: WriteStatement, error: unknown): CancellationReason {
  const ofStatement = statementError(statement, error);
  return ofStatement instanceof DuplicateItemException
    ? { code: 'DuplicateItem', message: ofStatement.message }
    : cancellationReason(ofStatement);
}

/** A repeated request changes nothing and counts as a transactional read of the items it wrote. */
function capacityOf(
  { returnConsumedCapacity }: ExecuteTransactionRequest,
  tables: readonly Table[],
  writes: readonly ItemWrite[],
  answer: TransactionAnswer,
): readonly ConsumedCapacity[] {
  return tables.flatMap((table) => {
    const places = writes.flatMap((write, at) => (write.table === table ? [at] : []));
    if (answer.kind === 'done') {
      const outcomes = places.map((at) => answer.outcomes[at] as ItemWriteOutcome); // one outcome per write
      return writeConsumedCapacity(table, outcomes, returnConsumedCapacity, { transactional: true }) ?? [];
    }
    const tableUnits = places.reduce(
      (units, at) => units + readCapacityUnits(answer.sizesBytes[at] ?? 0, 'transactional'),
      0,
    );
    return readConsumedCapacity(table, { tableUnits }, returnConsumedCapacity, { transactional: true }) ?? [];
  });
}
