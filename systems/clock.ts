/** The source of an application's time. It is passed in, so that a test or a demo controls the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
}

/** A clock that moves only when told to. */
export class ManualClock implements Clock {
  #nowMs: number;

  /** @param startsAt - an ISO-8601 instant with its zone, such as `2020-02-01T15:55:34Z`. */
  constructor(startsAt: string) {
    this.#nowMs = Date.parse(startsAt);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  setToMs(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  setToEpochSeconds(epochSeconds: number): void {
    this.#nowMs = epochSeconds * 1000;
  }
}

/** The time of this machine, or of another clock, plus an adjustable offset: to see the effects of time now. */
export class MovedClock implements Clock {
  readonly #base: Clock;
  #movedMs = 0;

  constructor(base: Clock = { nowMs: Date.now }) {
    this.#base = base;
  }

  nowMs(): number {
    return this.#base.nowMs() + this.#movedMs;
  }

  moveOn(ms: number): void {
    this.#movedMs += ms;
  }
}

/** The present whole second of a clock, as seconds since 1970-01-01T00:00:00Z. */
export function epochSecondsOf(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}

/** An instant of whole seconds in stored form: ISO-8601, UTC, no fraction, so that text order is time order. */
export function isoSeconds(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
}
