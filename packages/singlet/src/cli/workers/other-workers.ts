import { DynamoError } from '../../values/service-error.ts';
import type { PrimaryMessage, Question, WorkerMessage } from './worker-message.ts';

/** The timeout for the primary's answer; longer than the primary's own timeout for the others. Milliseconds. */
const patienceMs = 5000;

/** A worker's connection to the others: asks them through the primary, and answers their questions. */
export class OtherWorkers {
  readonly #send: (message: WorkerMessage) => void;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<number, (answers: readonly unknown[]) => void>();
  readonly #answers = new Map<Question['to'], (what: unknown) => Promise<unknown>>();
  #lastId = 0;

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

  /** Sets the function that answers the questions for one recipient. */
  answer(to: Question['to'], answer: (what: unknown) => Promise<unknown>): void {
    this.#answers.set(to, answer);
  }

  /** The answers of those workers that have answered in time. */
  async ask(question: Question): Promise<readonly unknown[]> {
    const id = ++this.#lastId;
    const answers = await new Promise<readonly unknown[]>((resolve) => {
      const timer = setTimeout(() => resolve([]), patienceMs).unref();
      this.#waiting.set(id, (gathered) => {
        clearTimeout(timer);
        resolve(gathered);
      });
      this.#send({ singlet: 'asks', id, question });
    });
    this.#waiting.delete(id);
    return answers;
  }

  /** @returns whether the message was a question or an answer. */
  heard(message: PrimaryMessage): boolean {
    if (message.singlet === 'answered') {
      this.#waiting.get(message.id)?.(message.answers);
      return true;
    }
    if (message.singlet !== 'asked') return false;
    void this.#answer(message.id, message.question);
    return true;
  }

  /** A worker without an answer says so, so that the asking worker does not wait for it. */
  async #answer(id: number, { to, what }: Question): Promise<void> {
    this.#send({ singlet: 'answers', id, answer: await this.#answerTo(to, what) });
  }

  async #answerTo(to: Question['to'], what: unknown): Promise<unknown> {
    try {
      return await this.#answers.get(to)?.(what);
    } catch (error) {
      // The asking worker refuses the request with the same error.
      if (!(error instanceof DynamoError)) this.#onError(error);
      return undefined;
    }
  }
}
