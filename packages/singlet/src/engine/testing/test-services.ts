import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import type { ObjectStore } from '../../transfer/buckets/bucket.ts';
import { type Limits, serviceLimits } from '../../values/limits.ts';
import { CapacityModel, type Throttle } from '../capacity/capacity-model.ts';
import type { Clock, EngineLogEvent, Random, RequestContext, Tasks } from '../environment.ts';
import { RecentClock } from '../recent-clock.ts';
import type { ChangeSink } from '../kinesis/change-sink.ts';
import type { EngineServices } from '../services.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { ServersOfStore } from '../catalog/catalog-services.ts';
import type { LoadVectorGraphs } from '../vectors/vector-graph.ts';
import { VectorGraphs } from '../vectors/vector-graphs.ts';

/** Support for tests of the engine: services whose time, randomness and background work the test controls. */
export interface TestServices extends EngineServices {
  readonly clock: ManualClock;
  readonly tasks: TestTasks;
  /** Everything that was logged, oldest first. */
  readonly logged: readonly EngineLogEvent[];
  /** Does what closing an engine does: background work is asked to stop. */
  close(): void;
}

export interface TestServicesOptions {
  /** A store to share or reopen; without it a new one in memory. */
  readonly store?: Store;
  readonly limits?: Partial<Limits>;
  readonly lifecycleDelayMs?: number;
  readonly nowMs?: number;
  readonly seed?: number;
  readonly processId?: string;
  readonly servers?: ServersOfStore;
  readonly replicaLinks?: EngineServices['replicaLinks'];
  /** `immediate` (default): background work starts when it is spawned. `held`: it waits for `tasks.run()`. */
  readonly tasks?: 'immediate' | 'held';
  readonly loadVectorGraphs?: LoadVectorGraphs;
  readonly throttle?: Throttle;
  /** Whether other services on the same store are told about consumed capacity. */
  readonly isShared?: boolean;
  readonly changeSink?: ChangeSink;
  /** Buckets for exports and imports; none by default. */
  readonly objects?: ObjectStore;
}

/** A requester, for tests that do not depend on who it is. */
export const testContext: RequestContext = { accountId: '000000000000', region: 'us-east-1' };

/** Monday, 2024-01-01T00:00:00Z. */
export const testStartMs = 1_704_067_200_000;

export function testServices(options: TestServicesOptions = {}): TestServices {
  const store = options.store ?? openMemoryStore();
  const clock = new ManualClock(options.nowMs ?? testStartMs);
  const logged: EngineLogEvent[] = [];
  const log = (event: EngineLogEvent): void => void logged.push(event);
  const tasks = new TestTasks(clock, log, options.tasks ?? 'immediate');
  const closing = new AbortController();
  const environment = { clock: new RecentClock(clock), random: seededRandom(options.seed ?? 1), tasks, log };
  const limits = { ...serviceLimits, ...options.limits };
  return {
    store,
    catalog: new Catalog(store, clock),
    backgroundJobs: new Set(),
    processId: options.processId ?? 'process',
    ...(options.servers !== undefined && { servers: options.servers }),
    replicationLeases: new Map(),
    ...(options.replicaLinks !== undefined && { replicaLinks: options.replicaLinks }),
    vectorGraphs: new VectorGraphs(options.loadVectorGraphs),
    environment,
    limits,
    capacity: new CapacityModel({ store, environment, limits, throttle: options.throttle, isShared: options.isShared }),
    ...(options.changeSink !== undefined && { changeSink: options.changeSink }),
    objects: options.objects,
    lifecycleDelayMs: options.lifecycleDelayMs ?? 0,
    closing: closing.signal,
    clock,
    tasks,
    logged,
    close: () => closing.abort(),
  };
}

/** Time does not move until the test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  #waiting: { readonly dueMs: number; readonly wake: () => void }[] = [];

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** How many tasks wait for time to move. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Moves time forward and wakes the tasks that waited for less. */
  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#waiting.filter((waiter) => waiter.dueMs <= this.#nowMs);
    this.#waiting = this.#waiting.filter((waiter) => waiter.dueMs > this.#nowMs);
    for (const waiter of due) waiter.wake();
  }

  /** Resolves once time has been moved to `dueMs`, or when the signal aborts. */
  async until(dueMs: number, signal?: AbortSignal): Promise<void> {
    if (dueMs <= this.#nowMs || signal?.aborted === true) return;
    await new Promise<void>((wake) => {
      this.#waiting.push({ dueMs, wake });
      signal?.addEventListener('abort', () => wake(), { once: true });
    });
  }
}

/** Background work that starts at once or on demand, can be observed at each pause, and can be killed. */
export class TestTasks implements Tasks {
  readonly #clock: ManualClock;
  readonly #log: (event: EngineLogEvent) => void;
  #held: boolean;
  #queue: { readonly name: string; readonly work: () => Promise<void> }[] = [];
  readonly #running = new Set<Promise<void>>();
  #pausesUntilDeath = Infinity;
  readonly #death = new AbortController();
  /** Called at every pause, before the work continues: simulates other processes. */
  atPause: (() => void | Promise<void>) | undefined;

  constructor(clock: ManualClock, log: (event: EngineLogEvent) => void, mode: 'immediate' | 'held') {
    this.#clock = clock;
    this.#log = log;
    this.#held = mode === 'held';
  }

  /** Names of work that was spawned and waits for {@link run}. */
  get waiting(): readonly string[] {
    return this.#queue.map(({ name }) => name);
  }

  spawn(name: string, work: () => Promise<void>): void {
    if (this.#held) {
      this.#queue.push({ name, work });
    } else {
      this.#start(name, work);
    }
  }

  async pause(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#pausesUntilDeath-- <= 0) {
      this.#death.abort();
      await new Promise<never>(() => undefined);
    }
    if (delayMs > 0) await this.#clock.until(this.#clock.nowMs() + delayMs, signal);
    await this.atPause?.();
  }

  /** Starts the waiting work, and resolves once no work runs, including work that work has spawned. */
  async run(): Promise<void> {
    const wasHeld = this.#held;
    this.#held = false;
    const queue = this.#queue;
    this.#queue = [];
    for (const { name, work } of queue) this.#start(name, work);
    await this.settle();
    this.#held = wasHeld;
  }

  /** Resolves when no started work runs any more. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Simulates a power cut: after this many more pauses, work never continues. Then use a new services object on the same store. */
  killAfterPauses(count: number): void {
    this.#pausesUntilDeath = count;
  }

  /** Resolves when work has been killed. */
  get died(): Promise<void> {
    const { signal } = this.#death;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
  }

  #start(name: string, work: () => Promise<void>): void {
    const running = work()
      .catch((cause: unknown) => this.#log({ level: 'error', event: 'task-failed', name, cause }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

/** The same bytes for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const nextByte = (): number => {
    // Mulberry32: random enough for tests, and nothing here is secret.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) & 0xff;
  };
  return { bytes: (count) => Uint8Array.from({ length: count }, nextByte) };
}
