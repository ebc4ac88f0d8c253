import type { PrimaryMessage, WorkerMessage } from './worker-message.ts';

/** How long this process waits for the primary: longer than that waits for the others, milliseconds. */
const patienceMs = 5000;

/** A worker's side of gathering: asks the primary for the values of all workers, and tells it those of this one. */
export class WorkerValues {
  readonly #send: (message: WorkerMessage) => void;
  readonly #waiting = new Map<number, (values: readonly unknown[]) => void>();
  #own: (() => Promise<unknown>) | undefined;
  #lastId = 0;

  readonly #onError: (error: unknown) => void;

  constructor({
    send,
    onError,
  }: {
    readonly send: (message: WorkerMessage) => void;
    readonly onError: (error: unknown) => void;
  }) {
    this.#send = send;
    this.#onError = onError;
  }

  /** What this process tells when it is asked. */
  provide(own: () => Promise<unknown>): void {
    this.#own = own;
  }

  /** The values of all workers that have told theirs; of this one at least. */
  async gather(): Promise<readonly unknown[]> {
    const id = ++this.#lastId;
    const values = await new Promise<readonly unknown[]>((resolve) => {
      const timer = setTimeout(() => resolve([]), patienceMs).unref();
      this.#waiting.set(id, (gathered) => {
        clearTimeout(timer);
        resolve(gathered);
      });
      this.#send({ singlet: 'values wanted', id });
    });
    this.#waiting.delete(id);
    return values.length > 0 || this.#own === undefined ? values : [await this.#own()];
  }

  /** @returns whether the message was about values. */
  heard(message: PrimaryMessage): boolean {
    if (message.singlet === 'values gathered') {
      this.#waiting.get(message.id)?.(message.values);
      return true;
    }
    if (message.singlet !== 'tell values') return false;
    void this.#tell(message.id);
    return true;
  }

  /** A process whose values cannot be told is left out, as one that takes too long. */
  async #tell(id: number): Promise<void> {
    try {
      if (this.#own !== undefined) this.#send({ singlet: 'values told', id, value: await this.#own() });
    } catch (error) {
      this.#onError(error);
    }
  }
}
