import { DynamoError, ConditionalCheckFailedException, ValidationException } from '../../values/service-error.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { checkExpressionParameters, compileExpressions } from '../../expressions/index.ts';
import type { StoreWrite } from '../../storage/store.ts';
import { itemMapOf, type ItemRecord } from '../../transfer/formats/index.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import { incomingItem } from '../items/incoming-item.ts';
import { ItemWritePlan } from '../items/item-write-plan.ts';
import { planPut } from '../items/plan-put.ts';
import type { EngineServices } from '../services.ts';
import type { Table } from '../catalog/table.ts';
import { type LoadReference, loadKey } from './load-keys.ts';
import { encodeLoad, type LoadRecord } from './load-record.ts';
import type { LeaseGrant } from '../background/lease.ts';
import { heldLoad, OutOfOrderError } from './load-lease.ts';

/** A record that was read, and its position in its object, from 1. */
export interface ReadRecord {
  readonly ordinal: number;
  readonly record: ItemRecord;
}

/** A record that was not written, and the reason. */
export interface RefusedRecord {
  readonly line: number | undefined;
  readonly item: unknown;
  readonly error: DynamoError;
  /** For a failed condition: the item that it was tested on. */
  readonly existing?: AttributeMap | undefined;
}

export interface WrittenBatch {
  readonly outcomes: readonly ItemWriteOutcome[];
  readonly refused: readonly RefusedRecord[];
}

interface PlannedRecord extends ReadRecord {
  readonly write: ItemWrite;
}

/**
 * Writes records to a table, in one decision with the progress that this makes. A record that cannot be written is left out.
 * A record with the key of an earlier one, and all records after it, are left to the caller's next call.
 *
 * @param advance - returns the load after the batch, given the records of the batch. Pure.
 * @param sideWrites - returns further writes for the same decision. Pure.
 * @returns the processed records, and the rest.
 * @throws {StaleTableError} if the table has changed: nothing was written.
 * @throws {OutOfOrderError} if the records before these have not been processed.
 * @throws {LeaseLostError} | {LoadCancelledSignal} as {@link heldLoad}.
 */
export async function writeBatch(
  services: EngineServices,
  reference: LoadReference,
  options: {
    readonly table: Table;
    readonly grant: LeaseGrant;
    /** The object that holds the records. */
    readonly objectKey: string;
    readonly records: readonly ReadRecord[];
    readonly advance: (load: LoadRecord, done: WrittenBatch, lastOrdinal: number, count: number) => LoadRecord;
    readonly sideWrites: (load: LoadRecord, refused: readonly RefusedRecord[]) => readonly StoreWrite[];
  },
): Promise<{ readonly done: WrittenBatch; readonly rest: readonly ReadRecord[] }> {
  const { grant, objectKey, records, advance, sideWrites } = options;
  const { store, environment } = services;
  const { planned, refused, rest, lastOrdinal } = planRecords(services, {
    ...options,
    knowsConditions: reference.kind === 'bulk',
  });
  const count = records.length - rest.length;
  const key = loadKey(reference);
  for (let writes = planned; ;) {
    const nowMs = environment.clock.nowMs();
    const plan = new ItemWritePlan(
      writes.map(({ write }) => write),
      services,
      nowMs,
    );
    await plan.prepare(store);
    const answer = await store.write<{ done: WrittenBatch } | { refusals: ReadonlyMap<number, DynamoError> }>(
      [key, ...plan.keys],
      ([value, ...values]) => {
        const load = heldLoad(key, value, grant, nowMs);
        checkOrder(load, objectKey, records);
        const refusals = new Map<number, DynamoError>();
        const decided = plan.decide(values, (error, index) => {
          if (!(error instanceof DynamoError)) throw error;
          refusals.set(index, error);
        });
        if (refusals.size > 0) return { answer: { refusals }, writes: [] };
        const done: WrittenBatch = { outcomes: decided.outcomes, refused };
        const next = advance(load, done, lastOrdinal, count);
        return {
          answer: { done },
          writes: [...decided.writes, { key, value: encodeLoad(key, next) }, ...sideWrites(load, refused)],
        };
      },
    );
    if ('done' in answer) return { done: answer.done, rest };
    // The decision is made again without the records that it refuses.
    for (const [index, error] of answer.refusals) {
      const { record } = writes[index] as PlannedRecord; // the index of a write
      const existing = error instanceof ConditionalCheckFailedException ? error.item : undefined;
      refused.push({ line: record.line, item: itemMapOf(record), error, existing });
    }
    writes = writes.filter((_write, index) => !answer.refusals.has(index));
  }
}

function checkOrder({ position }: LoadRecord, objectKey: string, [first]: readonly ReadRecord[]): void {
  const isWithin = position.objectKey === objectKey && !position.isObjectDone;
  const doneCount = isWithin ? position.recordCount : 0;
  if ((!isWithin && !position.isObjectDone) || first?.ordinal !== doneCount + 1) throw new OutOfOrderError();
}

function planRecords(
  services: EngineServices,
  {
    table,
    records,
    knowsConditions,
  }: {
    readonly table: Table;
    readonly records: readonly ReadRecord[];
    readonly knowsConditions: boolean;
  },
): {
  readonly planned: readonly PlannedRecord[];
  readonly refused: RefusedRecord[];
  readonly rest: readonly ReadRecord[];
  readonly lastOrdinal: number;
} {
  const planned: PlannedRecord[] = [];
  const refused: RefusedRecord[] = [];
  const keys = new Set<string>();
  let lastOrdinal = 0;
  for (const [at, read] of records.entries()) {
    try {
      // For an import, a condition is just another member next to the item: it is ignored.
      const condition = knowsConditions ? read.record.condition : undefined;
      const write = planRecord(services, table, read.record, condition);
      const name = write.key.storeKey.toString('latin1');
      // A decision reads an item once, so a second write of the item is left to the next decision.
      if (keys.has(name)) return { planned, refused, rest: records.slice(at), lastOrdinal };
      keys.add(name);
      planned.push({ ...read, write });
    } catch (error) {
      if (!(error instanceof DynamoError)) throw error;
      refused.push({ line: read.record.line, item: itemMapOf(read.record), error });
    }
    lastOrdinal = read.ordinal;
  }
  return { planned, refused, rest: [], lastOrdinal };
}

/** @throws {ValidationException} if it cannot be an item of the table. */
function planRecord(
  { limits }: EngineServices,
  table: Table,
  record: ItemRecord,
  condition: ItemRecord['condition'],
): ItemWrite {
  if (condition !== undefined) checkExpressionParameters(condition, 'PutItem');
  const compiled = condition === undefined ? undefined : compileExpressions(condition, 'PutItem').condition;
  if (condition !== undefined && compiled === undefined) throw new ValidationException('The condition is empty');
  return {
    table,
    ...planPut(table, incomingItem(record.item, 'current'), limits),
    condition: compiled,
    returnOldOnFailure: true,
    keepBefore: false,
  };
}
