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
  /** From 0: the lowest number that no other current member has. */
  readonly number: number;
  readonly startedAtMs: number;
  isListening: boolean;
  /** Why it could not start, in its own words. */
  refusal: string | undefined;
}

export interface WorkerPoolOptions {
  readonly count: number;
  /** 0 selects any free port, the same for all. */
  readonly port: number;
  readonly log: (event: EngineLogEvent) => void;
  /** Called once, when the first workers are all listening. */
  readonly onReady: (url: string) => void;
}

interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why the process could not even be created. */
  readonly error?: Error;
}

/**
 * The processes that serve one directory, as managed by the primary, which serves no requests itself. It accepts connections and distributes
 * them in turn, replaces workers that have exited, and assigns the background work to one of them.
 *
 * Decision 0024 says why.
 */
export class WorkerPool {
  /**
   * Resolves when all have exited as requested, with whether all exited gracefully. Rejects with a {@link UsageError}, after all workers have
   * exited, when starting others would be useless.
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
  /** The worker that runs the background work. */
  #caretaker: Member | undefined;
  /** The port of the current workers. 0 means the same free port in all of them. */
  #askedPort: number;
  #listensOn: { readonly url: string; readonly port: number } | undefined;
  #isReady = false;
  #isStopping = false;
  #hasEndedInOrder = true;
  /** Why the pool has given up. */
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

  /** Call this once. */
  start(): void {
    // Round-robin. With a shared socket instead, most connections would go to the worker that wakes first, and stay there.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    for (let started = 0; started < this.#options.count; started += 1) this.#startWorker();
  }

  /** Lets all workers finish running requests and exit. */
  stop(): void {
    this.#isStopping = true;
    for (const start of this.#pendingStarts) clearTimeout(start);
    for (const member of this.#members) {
      // A message to a process that is not listening yet may be lost. It is sent once the process listens.
      if (member.isListening) this.#tell(member, { singlet: 'stop' });
    }
    this.#endIfEmpty();
  }

  /** Passes a signal on to all listening workers; one that is still starting could not handle it. */
  signal(signal: NodeJS.Signals): void {
    for (const { worker, isListening } of this.#members) if (isListening) worker.process.kill(signal);
  }

  /** Kills all workers at once. */
  kill(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL');
  }

  #startWorker(): void {
    // The socket is closed with the last worker. The next one must listen on the same port.
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
      // A process that could not be created emits no exit event. All others do.
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
        this.#tellOthers(member, message);
        break;
      case 'limits':
        this.#tellOthers(member, { singlet: 'limits of', worker: member.number, report: message.report });
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
      // All the others exited while this one was starting, and the system chose another port for it.
      this.#askedPort = this.#listensOn.port;
      member.worker.process.kill('SIGKILL');
      return;
    }
    member.isListening = true;
    this.#tellOthers(member, { singlet: 'report limits' });
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
    this.#tellOthers(member, { singlet: 'worker lost', worker: member.number });
    if (this.#caretaker === member) this.#caretaker = undefined;
    const { refusal } = member;
    if (this.#isStopping) {
      // A worker that was not listening yet has nothing to finish.
      if (member.isListening && end.code !== 0) this.#reportLoss(member, end);
      this.#endIfEmpty();
      return;
    }
    // A problem that exists from the beginning is reported once, in the worker's own words.
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

  /** If a worker already has the background work, this tells it to check for work that the lost worker had begun. */
  #giveBackgroundWork(): void {
    if (this.#caretaker === undefined) {
      this.#caretaker = [...this.#members].find(({ isListening }) => isListening);
      if (this.#caretaker === undefined) return; // assigned to the next one that listens
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

  #tellOthers(member: Member, message: PrimaryMessage): void {
    for (const other of this.#members) if (other !== member && other.isListening) this.#tell(other, message);
  }

  #tell({ worker }: Member, message: PrimaryMessage): void {
    // A worker that has just exited receives nothing. Its exit is reported separately.
    if (worker.isConnected()) worker.send(message, () => undefined);
  }
}

function endText({ code, signal, error }: WorkerEnd): string {
  if (error !== undefined) return `with ${error.message}`;
  return signal === null ? `with exit code ${code}` : `by ${signal}`;
}
