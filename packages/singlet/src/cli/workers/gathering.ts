import type { Question } from './worker-message.ts';

/** A question of one worker to the others: what the primary has of the answers. */
interface Gathering {
  /** Who has not answered yet. */
  readonly missing: Set<object>;
  readonly answers: unknown[];
  readonly done: (answers: readonly unknown[]) => void;
  readonly timer: NodeJS.Timeout;
}

/** How long a worker may take to answer: milliseconds. One that takes longer is left out. */
const gatherMs = 2000;

/** Asks workers, and gives their answers to the one that wanted them. Lives in the primary. */
export class Gatherings<Member extends object> {
  readonly #ask: (member: Member, id: number, question: Question) => void;
  readonly #open = new Map<number, Gathering>();
  #lastId = 0;

  /** @param ask - tells a worker to answer under a number. */
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

  /** @param answer - undefined of one that has none. */
  answered(member: Member, id: number, answer: unknown): void {
    const gathering = this.#open.get(id);
    if (gathering === undefined || !gathering.missing.delete(member)) return;
    if (answer !== undefined) gathering.answers.push(answer);
    this.#endIfComplete(id);
  }

  /** A worker that has ended answers nothing any more. */
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
