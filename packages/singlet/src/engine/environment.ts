/**
 * What the engine needs from its environment. Everything is passed in: with a scripted clock, a seeded random source and
 * tasks run in a chosen order, a whole database is a deterministic function of its inputs.
 */
export interface EngineEnvironment {
  readonly clock: Clock;
  readonly random: Random;
  readonly tasks: Tasks;
  readonly log: (event: EngineLogEvent) => void;
}

/** The engine's source of the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
}

export interface Random {
  /** Fresh random bytes. */
  bytes(count: number): Uint8Array;
}

/** Background work: backfills, purges, sweeps. */
export interface Tasks {
  /** Starts work that no request waits for. A rejection is logged, never lost. */
  spawn(name: string, work: () => Promise<void>): void;
  /**
   * Lets other work run, then resolves: after `delayMs`, or at once when `signal` aborts. 0 means as soon as the work that is
   * waiting now has run. Background work passes the signal that ends it, and does not keep the process alive meanwhile. A request passes none.
   */
  pause(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when no spawned work is running any more. */
  settle(): Promise<void>;
}

/** A log event. docs/logging.md lists all of them. */
export interface EngineLogEvent {
  /** The severity. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Its name, in lower case with hyphens: `worker-lost`. */
  readonly event: string;
  /** Further fields, depending on the event: a table, a count, an error. */
  readonly [detail: string]: unknown;
}

/** Who sends the request, and where. The account and region are name spaces for tables and are part of every ARN. */
export interface RequestContext {
  readonly accountId: string;
  readonly region: string;
  /**
   * The ARN of the user, role session or root user that sends the request, if verified. Refusals name it, and the request
   * may name tables of other accounts.
   */
  readonly callerArn?: string;
  /** Where the request was sent, host and port, when the answer depends on it. */
  readonly host?: string;
}
