import type { Question } from './worker-message.ts';

/** A question of one worker to the others, with the answers received by the primary so far. */
interface Gathering {
  /** The workers that have not answered yet. */
  readonly missing: Set<object>;
  readonly answers: unknown[];
  readonly done: (answers: readonly unknown[]) => void;
  readonly timer: NodeJS.Timeout;
}

/** How long a worker may take to answer: milliseconds. Slower ones are left out. */
const gatherMs = 2000;

/** Asks workers, and returns their answers to the worker that asked. Runs in the primary. */
export class Gatherings<Member extends object> {
  readonly #ask: (member: Member, id: number, question: Question) => void;
  readonly #open = new Map<number, Gathering>();
  #lastId = 0;

  /** @param ask - asks a worker to answer under a number. */
  constructor(ask: (member: Member, id: number, question: Question) => void) {
    this.#ask = ask;
  }

  begin(members: readonly Member[], question: Question, done: (answers: readonly unknown[]) => void): void {
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#end(id), gatherMs).unref();
    this.#open.set(id, { missing: new Set(members), answers: [], done, timer });
    for (const member of members) this.#ask(member, id, question);
    this.#endIfComplete(id);
  }

  /** @param answer - undefined from a worker that has none. */
  answered(member: Member, id: number, answer: unknown): void {
    const gathering = this.#open.get(id);
    if (gathering === undefined || !gathering.missing.delete(member)) return;
    if (answer !== undefined) gathering.answers.push(answer);
    this.#endIfComplete(id);
  }

  /** A worker that has exited will not answer any more. */
  lost(member: Member): void {
    for (const [id, { missing }] of this.#open) if (missing.delete(member)) this.#endIfComplete(id);
  }

  #endIfComplete(id: number): void {
    if (this.#open.get(id)?.missing.size === 0) this.#end(id);
  }

  #end(id: number): void {
    const gathering = this.#open.get(id);
    if (gathering === undefined) return;
    this.#open.delete(id);
    clearTimeout(gathering.timer);
    gathering.done(gathering.answers);
  }
}
