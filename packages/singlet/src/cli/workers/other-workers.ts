import { DynamoError } from '../../values/service-error.ts';
import type { PrimaryMessage, Question, WorkerMessage } from './worker-message.ts';

/** How long this process waits for the primary: longer than that waits for the others, milliseconds. */
const patienceMs = 5000;

/** A worker's view of the others: asks them by way of the primary, and answers what they ask. */
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

  /** Says who answers the questions to someone in this process. */
  answer(to: Question['to'], answer: (what: unknown) => Promise<unknown>): void {
    this.#answers.set(to, answer);
  }

  /** The answers of the other workers, of those that have answered in time. */
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

  /** @returns whether the message was about questions. */
  heard(message: PrimaryMessage): boolean {
    if (message.singlet === 'answered') {
      this.#waiting.get(message.id)?.(message.answers);
      return true;
    }
    if (message.singlet !== 'asked') return false;
    void this.#answer(message.id, message.question);
    return true;
  }

  /** One without an answer says so, so that the worker which asks does not wait for it. */
  async #answer(id: number, { to, what }: Question): Promise<void> {
    this.#send({ singlet: 'answers', id, answer: await this.#answerTo(to, what) });
  }

  async #answerTo(to: Question['to'], what: unknown): Promise<unknown> {
    try {
      return await this.#answers.get(to)?.(what);
    } catch (error) {
      // The worker that asks refuses it, too.
      if (!(error instanceof DynamoError)) this.#onError(error);
      return undefined;
    }
  }
}
