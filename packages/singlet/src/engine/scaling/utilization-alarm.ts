import type { TargetTracking } from './scaling-record.ts';

/** Minutes in a row above the target after which throughput is raised. Developer Guide, "Managing throughput capacity automatically" */
const highMinutes = 2;
/** Minutes in a row at least {@link lowMargin} below it after which it is lowered. Knowledge Center, "dynamodb-auto-scaling" */
const lowMinutes = 15;
/** Percent of the provisioned capacity. */
const lowMargin = 20;

/** The capacity that a policy requires. */
export interface WantedCapacity {
  readonly direction: 'out' | 'in';
  readonly capacity: number;
}

/** The two alarms of a target tracking policy, which evaluate each minute's consumption. */
export class UtilizationAlarm {
  #high = 0;
  #low = 0;

  /**
   * Records a minute.
   *
   * @param unitsPerSecond - consumed on average. For the service, a minute without consumption has no data; it then leaves the throughput alone.
   * @param capacity - the provisioned capacity.
   * @returns the capacity at which this consumption would be the target; undefined if there is no reason for a change.
   */
  minute(unitsPerSecond: number, capacity: number, { targetValue }: TargetTracking): WantedCapacity | undefined {
    if (unitsPerSecond <= 0) {
      this.clear();
      return undefined;
    }
    const percent = (100 * unitsPerSecond) / capacity;
    this.#high = percent > targetValue ? this.#high + 1 : 0;
    this.#low = percent <= targetValue - lowMargin ? this.#low + 1 : 0;
    const wanted = Math.ceil((100 * unitsPerSecond) / targetValue);
    if (this.#high >= highMinutes && wanted > capacity) return { direction: 'out', capacity: wanted };
    if (this.#low >= lowMinutes && wanted < capacity) return { direction: 'in', capacity: wanted };
    return undefined;
  }

  /** Starts counting from zero, for example after a change of throughput. */
  clear(): void {
    this.#high = 0;
    this.#low = 0;
  }
}
