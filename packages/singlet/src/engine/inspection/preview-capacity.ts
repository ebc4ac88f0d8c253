import type { ConditionalCheckFailedException } from '../../values/service-error.ts';
import { writeCapacityUnits } from '../../values/capacity-units.ts';
import { CapacityModel } from '../capacity/capacity-model.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import { RecentClock } from '../recent-clock.ts';
import type { EngineServices } from '../services.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';

/** One write of a request, and its result. */
export interface PreviewedWrite {
  readonly write: ItemWrite;
  /** Undefined for a write that was refused, alone or with its transaction. */
  outcome: ItemWriteOutcome | undefined;
  /** Units of the table itself. */
  tableUnits: number;
}

/**
 * Records the writes of a request instead of counting them. A preview costs nothing and is not throttled, so that it shows
 * what a write would do when there is throughput for it.
 */
export class PreviewCapacity extends CapacityModel {
  /** In the order of the request. */
  readonly writes: PreviewedWrite[] = [];
  readUnits = 0;

  constructor({ store, environment, limits }: EngineServices) {
    super({ store, environment: { ...environment, clock: new RecentClock(environment.clock) }, limits });
  }

  override admitWrite(write: ItemWrite): void {
    // A request whose table has just changed starts over with a new record of the table.
    const stale = this.writes.findIndex(
      (one) =>
        one.write.key.storeKey.equals(write.key.storeKey) ||
        (one.write.table !== write.table && one.write.table.arn === write.table.arn),
    );
    if (stale >= 0) this.writes.splice(stale);
    this.writes.push({ write, outcome: undefined, tableUnits: 0 });
  }

  override consumeWrite(write: ItemWrite, outcome: ItemWriteOutcome, transactional: boolean): void {
    const units = outcome.tableCapacityUnits * (transactional ? 2 : 1);
    const known = this.#entryOf(write);
    known.outcome = outcome;
    known.tableUnits = units;
  }

  /** A refused write costs what a write of the item would have cost. */
  override consumeRefusedWrite(write: ItemWrite, { sizeBytes }: ConditionalCheckFailedException): void {
    this.#entryOf(write).tableUnits = writeCapacityUnits(sizeBytes, false);
  }

  /** For a transaction whose token was used before: it reads what it wrote, and writes nothing. */
  override consumeRead(_table: Table, _key: ItemKey, units: number): void {
    this.readUnits += units;
  }

  #entryOf(write: ItemWrite): PreviewedWrite {
    const known = this.writes.find((one) => one.write === write);
    if (known !== undefined) return known;
    const added: PreviewedWrite = { write, outcome: undefined, tableUnits: 0 };
    this.writes.push(added);
    return added;
  }
}
