import type { AttributeMap, AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';
import { announceWritten } from '../../app/written-items.ts';
import { effectsOf } from '../../effects/write-effects.ts';
import { keyOf, writeRequest } from '../../effects/write-request.ts';
import { ValueError } from '../../values/value-problem.ts';
import { call, type Exchange } from '../../wire/client.ts';
import { inFlight } from '../../wire/in-flight.ts';
import { keyNamesOf, type TableDescription } from '../../wire/table-description.ts';

/** What is done to each of many items. */
export type BulkChange =
  | { readonly kind: 'set'; readonly name: string; readonly value: AttributeValue }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'delete' };

/** An item before and after; `after` is undefined if it is deleted. */
export interface ChangedItem {
  readonly before: AttributeMap;
  readonly after: AttributeMap | undefined;
}

/** @throws {ValueError} for a change of a key: that is a move, of one item at a time. */
export function changedItem(table: TableDescription, before: AttributeMap, change: BulkChange): ChangedItem {
  if (change.kind === 'delete') return { before, after: undefined };
  if (Object.values(keyNamesOf(table)).includes(change.name))
    throw new ValueError(`${change.name} is part of the key: an item is moved by itself, in its form`);
  const { [change.name]: _, ...others } = before;
  return { before, after: change.kind === 'remove' ? others : { ...before, [change.name]: change.value } };
}

/** The effects of a change on many items, added up. Items that are already so are not written. */
export interface BulkEffects {
  readonly items: readonly ChangedItem[];
  readonly writeUnits: number;
  /** By index: the entries that each kind of change has. */
  readonly indexes: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** @throws {ValueError} */
export function bulkEffects(table: TableDescription, items: readonly AttributeMap[], change: BulkChange): BulkEffects {
  const changed: ChangedItem[] = [];
  const indexes: Record<string, Record<string, number>> = {};
  let writeUnits = 0;
  for (const item of items) {
    const next = changedItem(table, item, change);
    if (writeRequest(table, next.before, next.after) === undefined) continue;
    changed.push(next);
    const effects = effectsOf(table, next.before, next.after);
    writeUnits += effects.writeUnits;
    for (const index of effects.indexes) {
      const kinds = (indexes[index.name] ??= {});
      kinds[index.change] = (kinds[index.change] ?? 0) + 1;
    }
  }
  return { items: changed, writeUnits, indexes };
}

export interface BulkProgress {
  readonly written: readonly ChangedItem[];
  readonly failures: readonly BulkFailure[];
  readonly durationMs: number;
  readonly isDone: boolean;
}

export interface BulkFailure {
  readonly item: ChangedItem;
  readonly error: Error;
}

interface BulkOptions {
  readonly table: TableDescription;
  readonly items: readonly ChangedItem[];
  readonly signal: AbortSignal;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onProgress: (progress: BulkProgress) => void;
}

/** The page shows progress so often, in items. */
const progressItems = 20;

/**
 * Writes many items, several at once, each on condition that it is still as it was read. What fails is listed, and the others are written. If the
 * signal aborts, what has begun is finished.
 */
export async function writeMany({ table, items, signal, onExchange, onProgress }: BulkOptions): Promise<BulkProgress> {
  const startedMs = performance.now();
  const written: ChangedItem[] = [];
  const failures: BulkFailure[] = [];
  let announced = 0;
  const tell = (isDone: boolean): BulkProgress => {
    const fresh = written.slice(announced);
    announced = written.length;
    if (fresh.length > 0)
      announceWritten(
        ...fresh.map(({ before, after }) => ({
          tableName: table.TableName,
          key: keyOf(table, before),
          item: after,
        })),
      );
    const progress = {
      written: [...written],
      failures: [...failures],
      durationMs: performance.now() - startedMs,
      isDone,
    };
    onProgress(progress);
    return progress;
  };
  const write = async (item: ChangedItem): Promise<void> => {
    try {
      const request = writeRequest(table, item.before, item.after);
      if (request) await call(request.operation, request.input, { onExchange });
      written.push(item);
    } catch (error) {
      failures.push({ item, error: error as Error }); // call() throws errors only
    }
    if ((written.length + failures.length) % progressItems === 0) tell(false);
  };
  tell(false);
  await inFlight(items, write, signal);
  return tell(true);
}

/** The changes of some items could not be undone. */
class NotUndoneError extends Error {
  override readonly name = 'NotUndoneError';
}

/**
 * Takes back what was written, on condition that it has not changed since.
 *
 * @throws {NotUndoneError} the others are taken back.
 */
export async function takeBackMany(
  table: TableDescription,
  written: readonly ChangedItem[],
  onExchange: (exchange: Exchange) => void,
): Promise<void> {
  let [failed, error] = [0, undefined as Error | undefined];
  const undone: ChangedItem[] = [];
  const undo = async (item: ChangedItem): Promise<void> => {
    try {
      const request = writeRequest(table, item.after, item.before);
      if (request) await call(request.operation, request.input, { onExchange });
      undone.push(item);
    } catch (cause) {
      failed += 1;
      error = cause as Error; // call() throws errors only
    }
  };
  await inFlight(written, undo, new AbortController().signal);
  announceWritten(
    ...undone.map(({ before }) => ({ tableName: table.TableName, key: keyOf(table, before), item: before })),
  );
  if (failed > 0) {
    const why = error?.name === 'ConditionalCheckFailedException' ? 'changed since' : (error?.name ?? '');
    throw new NotUndoneError(`${failed} of ${written.length} items, ${why}`, { cause: error });
  }
}
