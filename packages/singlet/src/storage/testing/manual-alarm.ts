import type { Alarm } from '../lmdb/alarm.ts';

/** An alarm that a test triggers. */
export class ManualAlarm implements Alarm {
  readonly #action: () => void;
  isSet = false;

  constructor(action: () => void) {
    this.#action = action;
  }

  set(): void {
    this.isSet = true;
  }

  clear(): void {
    this.isSet = false;
  }

  ring(): void {
    this.isSet = false;
    this.#action();
  }
}
