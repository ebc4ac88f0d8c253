import cluster, { type Worker } from 'node:cluster';
import type { EngineLogEvent } from '../../engine/index.ts';
import { UsageError } from '../usage-error.ts';
import { Gatherings } from './gathering.ts';
import { earlyEndsMax, RestartLimit } from './restart-limit.ts';
import { UndeliveredConnections } from './undelivered-connections.ts';
import {
  type PrimaryMessage,
  type Question,
  type WorkerMessage,
  workerMessageOf,
  workerNumberVariable,
  workerPortVariable,
} from './worker-message.ts';

interface Member {
  readonly worker: Worker;
  /** From 0: the lowest that no other present member has. */
  readonly number: number;
  readonly startedAtMs: number;
  isListening: boolean;
  /** Why it could not start, in its own words. */
  refusal: string | undefined;
}

export interface WorkerPoolOptions {
  readonly count: number;
  /** 0 takes any free one, the same for all. */
  readonly port: number;
  readonly log: (event: EngineLogEvent) => void;
  /** Told once: when the first ones all listen. */
  readonly onReady: (url: string) => void;
}

interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why the process could not even be made. */
  readonly error?: Error;
}

/**
 * The processes that serve one directory, seen from the primary, which serves no requests itself. It accepts connections and
 * hands them out in turn; it replaces a worker that has ended; and it sees to it that one of them has the background work.
 *
 * Decision 0024 says why.
 */
export class WorkerPool {
  /**
   * Resolves when all have ended as requested, with whether all ended in order. Rejects with a {@link UsageError} when
   * it is no use to start others, with all workers gone.
   */
  readonly ended: Promise<boolean>;
  readonly #options: WorkerPoolOptions;
  readonly #members: Set<Member> = new Set();
  readonly #restarts: RestartLimit = new RestartLimit();
  readonly #undelivered: UndeliveredConnections = new UndeliveredConnections();
  readonly #pendingStarts: Set<NodeJS.Timeout> = new Set();
  readonly #gatherings: Gatherings<Member> = new Gatherings((member, id, question) =>
    this.#tell(member, { singlet: 'asked', id, question }),
  );
  /** Has the background work. */
  #caretaker: Member | undefined;
  /** The port of the current workers. 0 means the same free port in all of them. */
  #askedPort: number;
  #listensOn: { readonly url: string; readonly port: number } | undefined;
  #isReady = false;
  #isStopping = false;
  #hasEndedInOrder = true;
  /** Why there is no going on. */
  #failure: UsageError | undefined;
  #end: (hasEndedInOrder: boolean) => void = () => undefined;
  #fail: (failure: UsageError) => void = () => undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#askedPort = options.port;
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
  }

  /** Called once. */
  start(): void {
    // One after the other. Where the socket is shared instead, most connections go to the worker that wakes first, and stay there.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    for (let started = 0; started < this.#options.count; started += 1) this.#startWorker();
  }

  /** Lets all of them finish what is running and end. */
  stop(): void {
    this.#isStopping = true;
    for (const start of this.#pendingStarts) clearTimeout(start);
    for (const member of this.#members) {
      // What is said to a process that does not listen yet may be lost. It will be told as soon as it does.
      if (member.isListening) this.#tell(member, { singlet: 'stop' });
    }
    this.#endIfEmpty();
  }

  /** Passes a signal on to all that serve: one that is still starting could not take it. */
  signal(signal: NodeJS.Signals): void {
    for (const { worker, isListening } of this.#members) if (isListening) worker.process.kill(signal);
  }

  /** Ends all of them at once. */
  kill(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL');
  }

  #startWorker(): void {
    // The socket is closed with the last worker. A new one must be created on the same port.
    if (this.#members.size === 0) this.#askedPort = this.#listensOn?.port ?? this.#askedPort;
    const number = this.#freeNumber();
    const worker = cluster.fork({ [workerPortVariable]: `${this.#askedPort}`, [workerNumberVariable]: `${number}` });
    const member: Member = { worker, number, startedAtMs: performance.now(), isListening: false, refusal: undefined };
    this.#members.add(member);
    this.#undelivered.watch(worker);
    worker.on('message', (value: unknown) => {
      const message = workerMessageOf(value);
      if (message !== undefined) this.#heard(member, message);
    });
    worker.once('exit', (code, signal) => this.#lost(member, { code, signal }));
    worker.on('error', (error) => {
      // A process that could not be made has no end of its own. Of all others the end will be told, too.
      if (worker.process.pid === undefined) this.#lost(member, { code: null, signal: null, error });
    });
    this.#options.log({ level: 'debug', event: 'worker-started', pid: worker.process.pid });
  }

  #freeNumber(): number {
    const taken = new Set(Array.from(this.#members, ({ number }) => number));
    let number = 0;
    while (taken.has(number)) number += 1;
    return number;
  }

  #heard(member: Member, message: WorkerMessage): void {
    switch (message.singlet) {
      case 'refused':
        member.refusal = message.sentence;
        break;
      case 'asks':
        this.#askOthers(member, message.id, message.question);
        break;
      case 'answers':
        this.#gatherings.answered(member, message.id, message.answer);
        break;
      case 'consumed':
        for (const other of this.#members) if (other !== member && other.isListening) this.#tell(other, message);
        break;
      case 'ready':
        this.#listens(member, message);
    }
  }

  #askOthers(member: Member, id: number, question: Question): void {
    const others = [...this.#members].filter((other) => other !== member && other.isListening);
    const answer = (answers: readonly unknown[]): void => this.#tell(member, { singlet: 'answered', id, answers });
    this.#gatherings.begin(others, question, answer);
  }

  #listens(member: Member, { url, port }: { readonly url: string; readonly port: number }): void {
    this.#listensOn ??= { url, port };
    if (port !== this.#listensOn.port) {
      // All the others ended while this one was starting, and the system chose another port for it.
      this.#askedPort = this.#listensOn.port;
      member.worker.process.kill('SIGKILL');
      return;
    }
    member.isListening = true;
    this.#options.log({ level: 'info', event: 'worker-listening', pid: member.worker.process.pid });
    if (this.#isStopping) return this.#tell(member, { singlet: 'stop' });
    if (this.#caretaker === undefined) this.#giveBackgroundWork();
    if (this.#isReady || [...this.#members].filter(({ isListening }) => isListening).length < this.#options.count)
      return;
    this.#isReady = true;
    this.#options.onReady(url);
  }

  #lost(member: Member, end: WorkerEnd): void {
    if (!this.#members.delete(member)) return;
    this.#gatherings.lost(member);
    if (this.#caretaker === member) this.#caretaker = undefined;
    const { refusal } = member;
    if (this.#isStopping) {
      // One that did not serve yet has nothing to bring to its end.
      if (member.isListening && end.code !== 0) this.#reportLoss(member, end);
      this.#endIfEmpty();
      return;
    }
    // What is in the way from the beginning is said in its own words, and once.
    if (refusal !== undefined && this.#listensOn === undefined) return this.#giveUp(refusal);
    this.#reportLoss(member, end);
    const delayMs = this.#restarts.ended(performance.now() - member.startedAtMs);
    if (delayMs === undefined) {
      return this.#giveUp(
        `${earlyEndsMax} workers in a row exited right after their start, the last one ${endText(end)}. ` +
          (refusal ?? 'See the log before this line for the reason.'),
      );
    }
    const start = setTimeout(() => {
      this.#pendingStarts.delete(start);
      this.#startWorker();
    }, delayMs);
    this.#pendingStarts.add(start);
    this.#giveBackgroundWork();
  }

  #reportLoss({ worker, refusal }: Member, { code, signal, error }: WorkerEnd): void {
    this.#hasEndedInOrder &&= !this.#isStopping;
    this.#options.log({
      level: 'warn',
      event: 'worker-lost',
      pid: worker.process.pid,
      ...(signal === null ? { code } : { signal }),
      ...(refusal !== undefined && { reason: refusal }),
      ...(error !== undefined && { error }),
    });
  }

  /** To whom has it, it says to look for what the one that was lost had begun. */
  #giveBackgroundWork(): void {
    if (this.#caretaker === undefined) {
      this.#caretaker = [...this.#members].find(({ isListening }) => isListening);
      if (this.#caretaker === undefined) return; // the next one that listens
      this.#options.log({ level: 'info', event: 'background-work-assigned', pid: this.#caretaker.worker.process.pid });
    }
    this.#tell(this.#caretaker, { singlet: 'background work' });
  }

  #giveUp(sentence: string): void {
    this.#failure = new UsageError(sentence);
    this.stop();
  }

  #endIfEmpty(): void {
    if (this.#members.size > 0) return;
    if (this.#failure === undefined) this.#end(this.#hasEndedInOrder);
    else this.#fail(this.#failure);
  }

  #tell({ worker }: Member, message: PrimaryMessage): void {
    // A worker that has just ended receives nothing any more. Its end is reported separately.
    if (worker.isConnected()) worker.send(message, () => undefined);
  }
}

function endText({ code, signal, error }: WorkerEnd): string {
  if (error !== undefined) return `with ${error.message}`;
  return signal === null ? `with exit code ${code}` : `by ${signal}`;
}
