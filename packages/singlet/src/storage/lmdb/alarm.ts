/** Something to be done after a time in which it was not put off. */
export interface Alarm {
  /** In so many milliseconds from now, and not before. */
  set(ms: number): void;
  clear(): void;
}

export type AlarmFactory = (action: () => void) => Alarm;

/** Alarms by the timers of Node.js. They do not keep a process from ending. */
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
      // Costs a fraction of a new one.
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
