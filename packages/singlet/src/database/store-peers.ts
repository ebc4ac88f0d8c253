/**
 * Servers that share a store, and nothing else, find each other in the store: each keeps entries of its own there, which the others read.
 *
 *     servers space | server 16               the beat: a number that increases about once a second
 *     servers space | server 16 | number 8    a post: consumed throughput, a question, or an answer
 *
 * Every server reads all these entries five times a second. A beat that does not change for some seconds, by the reader's own monotonic clock,
 * belongs to a server that has stopped; so no two clocks are compared. The entries of a stopped server are removed by the others, and the
 * background work that it has left unfinished is taken over. Leases between servers depend on the same beats (`engine/background/lease.ts`).
 *
 * Posts are removed after some seconds, read or not: a server that could not read them meanwhile misses them, like a worker that was just starting.
 *
 * Decision 0071 says why, and decision 0128 why leases depend on the beats.
 */
import { type ConsumptionNote, space, spaceStart, storeKey } from '../engine/index.ts';
import type { Peers } from '../inspect/index.ts';
import type { Store, StoreWrite } from '../storage/index.ts';
import { DynamoError } from '../values/service-error.ts';

/** Pause between two readings, milliseconds; shorter while an answer is awaited. */
const readMs = { idle: 200, asking: 50 };
/** How often the beat increases, milliseconds. */
const beatMs = 1_000;
/** After this long without a change of its beat, a server has stopped, milliseconds. */
const stoppedMs = 5_000;
/** How long posts are kept, milliseconds. */
const postKeptMs = 5_000;
/** How long to wait for the answers of the others, milliseconds. */
const patienceMs = 3_000;
/** The longest post, bytes: a longer answer is left out. */
const postBytesMax = 4 * 1024 * 1024;
/** Servers that are not seen any more are remembered, at most this many. */
const absentMax = 1_000;
/** Most entries that are read at once: servers that post more than this are too many to be added up. */
const entriesMax = 20_000;

const idBytes = 16;
const format = 1;

type Post =
  | { readonly kind: 'consumed'; readonly notes: readonly ConsumptionNote[] }
  | { readonly kind: 'asks'; readonly ask: number; readonly question: unknown }
  /** `answer` is absent when there is none, so that the asking server does not wait for it. */
  | { readonly kind: 'answers'; readonly ask: number; readonly to: string; readonly answer?: unknown };

interface KnownServer {
  beat: number;
  /** When the beat was last seen to change, monotonic milliseconds. */
  changedMs: number;
  /** All posts up to this number have been read. */
  lastPost: number;
}

interface OpenQuestion {
  readonly missing: Set<string>;
  readonly answers: unknown[];
  readonly untilMs: number;
  readonly done: (answers: readonly unknown[]) => void;
}

export interface StorePeersOptions {
  readonly store: Store;
  /** 16 bytes that no other server has. */
  readonly id: Uint8Array;
  readonly monotonicMs: () => number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. Does not keep the process alive. */
  readonly pause: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** What this server has consumed since the last call. */
  readonly takeConsumption: () => readonly ConsumptionNote[];
  /** Adds what another server has consumed. */
  readonly addConsumption: (notes: readonly ConsumptionNote[]) => Promise<void>;
  /** Called when another server has stopped. */
  readonly onStopped: () => Promise<void>;
  /** Called when the store did not answer, or the answer to a question failed. The next reading makes up for it. */
  readonly onError: (error: unknown) => void;
}

/** A server's place among those that share its store. */
export class StorePeers implements Peers {
  readonly #options: StorePeersOptions;
  readonly #id: string;
  readonly #servers = new Map<string, KnownServer>();
  /** Servers that were asked about and not found, with when that was, monotonic milliseconds. */
  readonly #absentSince = new Map<string, number>();
  readonly #questions = new Map<number, OpenQuestion>();
  readonly #closing = new AbortController();
  #wake = new AbortController();
  #answer: (question: unknown) => Promise<unknown> = async () => undefined;
  #outgoing: Post[] = [];
  /** Own posts in the store, the oldest first. */
  #posted: { readonly number: number; readonly atMs: number }[] = [];
  #lastNumber = 0;
  #lastAsk = 0;
  #beat = 0;
  #beatAtMs = Number.NEGATIVE_INFINITY;
  #readAtMs: number | undefined;
  /** What is in the store from before is not for this server. */
  #hasRead = false;
  #running: Promise<void> | undefined;

  constructor(options: StorePeersOptions) {
    this.#options = options;
    this.#id = serverName(options.id);
  }

  /** Joins the others. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Leaves: the others need not wait until the beat has stopped for long. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake.abort();
    await this.#running;
    for (const ask of this.#questions.keys()) this.#end(ask);
    try {
      await this.#removeAll(this.#id);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** How many other servers are known to be running. */
  get count(): number {
    return this.#servers.size;
  }

  /**
   * Whether a server is running, as far as is known. One that has never been seen counts as running for some seconds, since it may have started
   * only now.
   *
   * @param id - see {@link serverName}.
   */
  isRunning(id: string): boolean {
    if (id === this.#id || this.#servers.has(id)) return true;
    const nowMs = this.#options.monotonicMs();
    const sinceMs = this.#absentSince.get(id) ?? nowMs;
    this.#noteAbsent(id, sinceMs);
    return nowMs - sinceMs < stoppedMs;
  }

  async ask(question: object): Promise<readonly unknown[]> {
    if (this.#servers.size === 0 || this.#closing.signal.aborted) return [];
    const ask = ++this.#lastAsk;
    const untilMs = this.#options.monotonicMs() + patienceMs;
    return new Promise((done) => {
      this.#questions.set(ask, { missing: new Set(this.#servers.keys()), answers: [], untilMs, done });
      this.#post({ kind: 'asks', ask, question });
    });
  }

  answerWith(answer: (question: unknown) => Promise<unknown>): void {
    this.#answer = answer;
  }

  /** One reading and writing. For tests, which call it instead of {@link start}. */
  async turn(): Promise<void> {
    const notes = this.#options.takeConsumption();
    // Without others there is no one to tell.
    if (notes.length > 0 && this.#servers.size > 0) this.#outgoing.push({ kind: 'consumed', notes });
    await this.#write();
    const stopped = await this.#read();
    for (const [ask, { untilMs }] of this.#questions) if (this.#options.monotonicMs() >= untilMs) this.#end(ask);
    for (const id of stopped) await this.#removeAll(id);
    if (stopped.length > 0) await this.#options.onStopped();
  }

  async #run(): Promise<void> {
    const { pause, onError } = this.#options;
    while (!this.#closing.signal.aborted) {
      try {
        await this.turn();
      } catch (error) {
        onError(error);
      }
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      const isUrgent = this.#outgoing.length > 0;
      const pauseMs = isUrgent ? 0 : this.#questions.size > 0 ? readMs.asking : readMs.idle;
      if (!this.#closing.signal.aborted) await pause(pauseMs, this.#wake.signal);
    }
  }

  #post(post: Post): void {
    this.#outgoing.push(post);
    this.#wake.abort();
  }

  async #write(): Promise<void> {
    const { store, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    const writes: StoreWrite[] = [];
    const posts = this.#outgoing;
    const posted = posts.map((post, index) => ({ number: this.#lastNumber + 1 + index, post }));
    for (const { number, post } of posted) writes.push({ key: this.#postKey(number), value: encoded(post) });
    const old = this.#posted.filter(({ atMs }) => nowMs - atMs >= postKeptMs);
    for (const { number } of old) writes.push({ key: this.#postKey(number), value: undefined });
    const isBeatDue = nowMs - this.#beatAtMs >= beatMs;
    if (isBeatDue) writes.push({ key: serverKey(this.#id), value: encoded({ beat: this.#beat + 1 }) });
    if (writes.length === 0) return;
    await store.write([], () => ({ answer: undefined, writes }));
    this.#lastNumber += posted.length;
    this.#outgoing = this.#outgoing.slice(posts.length);
    this.#posted = [...this.#posted.slice(old.length), ...posted.map(({ number }) => ({ number, atMs: nowMs }))];
    if (isBeatDue) {
      this.#beat += 1;
      this.#beatAtMs = nowMs;
    }
  }

  /** Reads the entries of the others. @returns the servers that have stopped. */
  async #read(): Promise<readonly string[]> {
    const { store, monotonicMs } = this.#options;
    const present = new Set<string>();
    const posts: { readonly from: string; readonly post: Post }[] = [];
    const nowMs = monotonicMs();
    await store.range({ ...everyServer, limit: entriesMax }, (key, value) => {
      const { id, number } = placeOf(key);
      if (id === this.#id) return true;
      if (number === undefined) {
        present.add(id);
        const content = decoded(value) as { readonly beat: number } | undefined; // written by `encoded`
        if (content !== undefined) this.#sawBeat(id, content.beat, nowMs);
        return true;
      }
      const server = this.#servers.get(id);
      if (server === undefined || number <= server.lastPost) return true;
      server.lastPost = number;
      const post = decoded(value) as Post | undefined; // written by `encoded`
      if (this.#hasRead && post !== undefined) posts.push({ from: id, post });
      return true;
    });
    this.#hasRead = true;
    this.#allowForSilence(nowMs);
    for (const { from, post } of posts) await this.#heard(from, post);
    return this.#stoppedServers(present, nowMs);
  }

  /** While nothing could be read, the beats of the others could not be seen to change: of the time between two readings, one beat counts. */
  #allowForSilence(nowMs: number): void {
    const silentMs = nowMs - (this.#readAtMs ?? nowMs) - beatMs;
    this.#readAtMs = nowMs;
    if (silentMs <= 0) return;
    for (const server of this.#servers.values()) server.changedMs = Math.min(nowMs, server.changedMs + silentMs);
    for (const [id, sinceMs] of this.#absentSince) {
      // A server that is known to have stopped stays so.
      if (Number.isFinite(sinceMs)) this.#absentSince.set(id, Math.min(nowMs, sinceMs + silentMs));
    }
  }

  #noteAbsent(id: string, sinceMs: number): void {
    if (this.#absentSince.size >= absentMax && !this.#absentSince.has(id)) {
      const [oldest = ''] = this.#absentSince.keys();
      this.#absentSince.delete(oldest);
    }
    this.#absentSince.set(id, sinceMs);
  }

  #sawBeat(id: string, beat: number, nowMs: number): void {
    this.#absentSince.delete(id);
    const server = this.#servers.get(id);
    if (server === undefined) this.#servers.set(id, { beat, changedMs: nowMs, lastPost: 0 });
    else if (server.beat !== beat) Object.assign(server, { beat, changedMs: nowMs });
  }

  #stoppedServers(present: ReadonlySet<string>, nowMs: number): readonly string[] {
    const stopped = [...this.#servers]
      .filter(([id, { changedMs }]) => !present.has(id) || nowMs - changedMs >= stoppedMs)
      .map(([id]) => id);
    for (const id of stopped) {
      this.#servers.delete(id);
      this.#noteAbsent(id, Number.NEGATIVE_INFINITY);
      for (const ask of this.#questions.keys()) this.#answered(ask, id, undefined);
    }
    return stopped;
  }

  async #heard(from: string, post: Post): Promise<void> {
    switch (post.kind) {
      case 'consumed':
        await this.#options.addConsumption(post.notes);
        return;
      case 'asks':
        // Not awaited: an answer may take longer than a turn.
        void this.#answerTo(from, post);
        return;
      case 'answers':
        if (post.to === this.#id) this.#answered(post.ask, from, post.answer);
    }
  }

  async #answerTo(to: string, { ask, question }: Extract<Post, { kind: 'asks' }>): Promise<void> {
    let answer: unknown;
    try {
      answer = await this.#answer(question);
    } catch (error) {
      // After an error of the service, the asking server refuses the request with the same error.
      if (!(error instanceof DynamoError)) this.#options.onError(error);
    }
    const post: Post = { kind: 'answers', ask, to, ...(answer !== undefined && { answer }) };
    this.#post(encoded(post).length > postBytesMax ? { kind: 'answers', ask, to } : post);
  }

  #answered(ask: number, from: string, answer: unknown): void {
    const question = this.#questions.get(ask);
    if (question === undefined || !question.missing.delete(from)) return;
    if (answer !== undefined) question.answers.push(answer);
    if (question.missing.size === 0) this.#end(ask);
  }

  #end(ask: number): void {
    this.#questions.get(ask)?.done(this.#questions.get(ask)?.answers ?? []);
    this.#questions.delete(ask);
  }

  /** Removes the entries of a server that has stopped. If it was only slow, it writes its beat again. */
  async #removeAll(id: string): Promise<void> {
    const { store } = this.#options;
    const from = serverKey(id);
    const to = Buffer.concat([from, new Uint8Array(9).fill(0xff)]);
    const keys: Uint8Array[] = [];
    await store.range({ from, to, limit: entriesMax }, (key) => {
      keys.push(Uint8Array.from(key));
      return true;
    });
    if (keys.length === 0) return;
    const writes = keys.map((key) => ({ key, value: undefined }));
    await store.write([], () => ({ answer: undefined, writes }));
  }

  #postKey(number: number): Uint8Array {
    const suffix = Buffer.alloc(8);
    suffix.writeBigUInt64BE(BigInt(number));
    return Buffer.concat([serverKey(this.#id), suffix]);
  }
}

/** How a server is named to the others, and as the holder of leases. */
export function serverName(id: Uint8Array): string {
  return Buffer.from(id).toString('hex');
}

const everyServer = { from: spaceStart(space.servers), to: spaceStart(space.servers + 1) };
const prefixBytes = serverKey('').length;

function serverKey(id: string): Uint8Array {
  return storeKey(space.servers, undefined, Buffer.from(id, 'hex'));
}

/** Whose entry this is, and the number of a post; undefined for a beat. */
function placeOf(key: Uint8Array): { readonly id: string; readonly number: number | undefined } {
  const rest = Buffer.from(key.buffer, key.byteOffset + prefixBytes, key.length - prefixBytes);
  const id = rest.toString('hex', 0, idBytes);
  return { id, number: rest.length === idBytes ? undefined : Number(rest.readBigUInt64BE(idBytes)) };
}

function encoded(content: object): Buffer {
  return Buffer.from(JSON.stringify({ format, ...content }), 'utf8');
}

/** @returns undefined for an entry of another version of Singlet: the two do not add up their figures. */
function decoded(value: Uint8Array): unknown {
  const content = JSON.parse(Buffer.from(value).toString('utf8')) as { readonly format: number }; // written by `encoded`
  return content.format === format ? content : undefined;
}
