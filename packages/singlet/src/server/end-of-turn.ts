/**
 * Runs what it is given together, at the end of this turn of the event loop, in the order in which it came.
 *
 * Answers are sent this way. To send one wakes the client's process, and waking costs more than answering; a client that is
 * given its answers one by one, each some microseconds after the other, falls asleep in between and is woken for each.
 * Sent in a burst, the first wakes it and the others find it awake: measured with 32 connections on two cores, twice the
 * requests per second. A single answer waits for the requests that arrived with it, a few microseconds.
 */
export class EndOfTurn {
  #waiting: (() => void)[] = [];

  run(action: () => void): void {
    if (this.#waiting.push(action) === 1) setImmediate(this.#runAll);
  }

  readonly #runAll = (): void => {
    const actions = this.#waiting;
    this.#waiting = [];
    for (const action of actions) action();
  };
}
