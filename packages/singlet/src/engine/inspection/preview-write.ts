import {
  ConditionalCheckFailedException,
  DynamoError,
  TransactionCanceledException,
  ValidationException,
} from '../../values/service-error.ts';
import type { Awaitable } from '../../values/awaitable.ts';
import type { RequestContext } from '../environment.ts';
import { batchWriteItem, type BatchWriteItemRequest } from '../operations/batch-write-item.ts';
import { deleteItem, type DeleteItemRequest } from '../operations/delete-item.ts';
import { executeStatement, type ExecuteStatementRequest } from '../operations/execute-statement.ts';
import { putItem, type PutItemRequest } from '../operations/put-item.ts';
import { transactWriteItems, type TransactWriteItemsRequest } from '../operations/transact-write-items.ts';
import { updateItem, type UpdateItemRequest } from '../operations/update-item.ts';
import { checkParameters, readStatement } from '../partiql/prepare-statement.ts';
import type { EngineServices } from '../services.ts';
import { ImageBudget, itemEffect } from './item-effect.ts';
import { PreviewCapacity, type PreviewedWrite } from './preview-capacity.ts';
import { PreviewStore } from './preview-store.ts';
import type { PreviewedCapacity, PreviewedError, WritePreview } from './write-preview.ts';

/** A decoded request that writes items. */
export type WriteCall =
  | { readonly action: 'PutItem'; readonly request: PutItemRequest }
  | { readonly action: 'UpdateItem'; readonly request: UpdateItemRequest }
  | { readonly action: 'DeleteItem'; readonly request: DeleteItemRequest }
  | { readonly action: 'BatchWriteItem'; readonly request: BatchWriteItemRequest }
  | { readonly action: 'TransactWriteItems'; readonly request: TransactWriteItemsRequest }
  | { readonly action: 'ExecuteStatement'; readonly request: ExecuteStatementRequest };

/**
 * Shows what a write would do: the request is decided like any other, on a store that drops its writes. So its refusals,
 * entries and units are those of the write itself, provided that no other write comes first.
 *
 * Nothing is written or counted, no throughput is used, and no weather applies.
 *
 * @throws {ValidationException} for a statement that cannot be parsed, or only reads.
 * @throws errors that are not answers of the API: a store that fails.
 */
export async function previewWrite(
  services: EngineServices,
  call: WriteCall,
  context: RequestContext,
): Promise<WritePreview> {
  if (call.action === 'ExecuteStatement') checkWrites(call.request);
  const store = new PreviewStore(services.store);
  const capacity = new PreviewCapacity(services);
  let error: PreviewedError | undefined;
  try {
    await decide({ ...services, store, capacity, weather: undefined }, call, context);
  } catch (cause) {
    if (!(cause instanceof DynamoError)) throw cause;
    error = describe(cause);
  }
  const budget = new ImageBudget();
  return {
    ok: error === undefined,
    ...(error !== undefined && { error }),
    items: capacity.writes.map((one) => itemEffect(one, store, budget)),
    capacity: consumed(capacity),
  };
}

/** @throws {ValidationException} for a statement that writes nothing. */
function checkWrites(request: ExecuteStatementRequest): void {
  if (readStatement(request, checkParameters(request)).kind === 'select')
    throw new ValidationException(
      'A preview shows what is written, and a SELECT writes nothing: explain says what it reads.',
    );
}

function decide(services: EngineServices, call: WriteCall, context: RequestContext): Awaitable<unknown> {
  switch (call.action) {
    case 'PutItem':
      return putItem(services, call.request, context);
    case 'UpdateItem':
      return updateItem(services, call.request, context);
    case 'DeleteItem':
      return deleteItem(services, call.request, context);
    case 'BatchWriteItem':
      return batchWriteItem(services, call.request, context);
    case 'TransactWriteItems':
      return transactWriteItems(services, call.request, context);
    case 'ExecuteStatement':
      return executeStatement(services, call.request, context);
  }
}

function describe(error: DynamoError): PreviewedError {
  return {
    name: error.name,
    message: error.message,
    ...(error instanceof TransactionCanceledException && { reasons: error.cancellationReasons }),
    ...(error instanceof ConditionalCheckFailedException && error.item !== undefined && { item: error.item }),
  };
}

function consumed({ writes, readUnits }: PreviewCapacity): PreviewedCapacity {
  const tables = new Map<string, number>();
  const indexes = new Map<string, number>();
  const severalTables = new Set(writes.map(({ write }) => write.table.tableName)).size > 1;
  let total = 0;
  const add = (units: Map<string, number>, name: string, added: number): void => {
    units.set(name, (units.get(name) ?? 0) + added);
    total += added;
  };
  for (const { write, outcome, tableUnits } of writes) {
    const { tableName } = write.table;
    add(tables, tableName, tableUnits);
    for (const { index, capacityUnits } of changesOf(outcome)) {
      if (index.kind === 'vector') continue; // metered in bytes
      add(indexes, severalTables ? `${tableName}/${index.indexName}` : index.indexName, capacityUnits);
    }
  }
  return { reads: readUnits, writes: total, tables: named(tables), indexes: named(indexes) };
}

function changesOf(outcome: PreviewedWrite['outcome']): NonNullable<PreviewedWrite['outcome']>['indexChanges'] {
  return outcome?.indexChanges ?? [];
}

function named(units: ReadonlyMap<string, number>): Readonly<Record<string, { readonly writes: number }>> {
  return Object.fromEntries(Array.from(units, ([name, writes]) => [name, { writes }]));
}
