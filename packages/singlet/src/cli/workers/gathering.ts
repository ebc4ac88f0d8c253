/** Values that one worker asks for, of all workers: what the primary has of them. */
interface Gathering {
  /** Who has not answered yet. */
  readonly missing: Set<object>;
  readonly values: unknown[];
  readonly done: (values: readonly unknown[]) => void;
  readonly timer: NodeJS.Timeout;
}

/** How long a worker may take to tell its values: milliseconds. The values of one that takes longer are left out. */
const gatherMs = 2000;

/** Asks all workers for their values, and gives them to the one that wanted them. Lives in the primary. */
export class Gatherings<Member extends object> {
  readonly #ask: (member: Member, id: number) => void;
  readonly #open = new Map<number, Gathering>();
  #lastId = 0;

  /** @param ask - tells a worker to answer under a number. */
  constructor(ask: (member: Member, id: number) => void) {
    this.#ask = ask;
  }

  begin(members: readonly Member[], done: (values: readonly unknown[]) => void): void {
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#end(id), gatherMs).unref();
    this.#open.set(id, { missing: new Set(members), values: [], done, timer });
    for (const member of members) this.#ask(member, id);
    this.#endIfComplete(id);
  }

  told(member: Member, id: number, value: unknown): void {
    const gathering = this.#open.get(id);
    if (gathering === undefined || !gathering.missing.delete(member)) return;
    gathering.values.push(value);
    this.#endIfComplete(id);
  }

  /** A worker that has ended tells nothing any more. */
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
    gathering.done(gathering.values);
  }
}
