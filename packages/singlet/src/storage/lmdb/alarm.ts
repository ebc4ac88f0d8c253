/** Runs an action after a delay, unless it is set again before then. */
export interface Alarm {
  /** Runs the action this many milliseconds from now, and not before. */
  set(ms: number): void;
  clear(): void;
}

export type AlarmFactory = (action: () => void) => Alarm;

/** Alarms that use the timers of Node.js. They do not keep the process alive. */
export const nodeAlarm: AlarmFactory = (action) => new NodeAlarm(action);

class NodeAlarm implements Alarm {
  readonly #action: () => void;
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;

  constructor(action: () => void) {
    this.#action = action;
  }

  set(ms: number): void {
    if (this.#timer !== undefined && ms === this.#ms) {
      // Costs a fraction of creating a new one.
      this.#timer.refresh();
      return;
    }
    this.clear();
    this.#ms = ms;
    this.#timer = setTimeout(this.#action, ms).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
