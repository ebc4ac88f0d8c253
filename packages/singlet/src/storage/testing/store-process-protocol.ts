import { hex, testKey } from './store-probe.ts';

/** A command of the parent, with a number that the answer repeats. Keys are hexadecimal. */
export type ProcessCommand =
  | { readonly do: 'read'; readonly key: string }
  | { readonly do: 'put'; readonly key: string; readonly value: string }
  /** Removes a key. */
  | { readonly do: 'remove'; readonly key: string }
  /** Increments a decimal counter `times` times, all at once. Answers with the values it took, in any order. */
  | { readonly do: 'increment'; readonly key: string; readonly times: number }
  /** Removes the first of two keys if the second one is there, pair after pair. */
  | { readonly do: 'leave'; readonly pairs: readonly (readonly string[])[] }
  /** Writes until it is killed: see `crashKeys`. */
  | { readonly do: 'write-forever'; readonly writers: number }
  /** Ends the process after a while, at any point, and without closing the store. */
  | { readonly do: 'exit'; readonly afterMs: number }
  | { readonly do: 'close' };

/** A process that has opened a store and follows commands. */
export interface OtherProcess {
  /** Resolves once the store is open. */
  ready(): Promise<void>;
  /** @returns the answer to a command. */
  call(command: ProcessCommand): Promise<unknown>;
  /** Begins a command that never ends by itself. */
  start(command: ProcessCommand): void;
  /** Resolves once the process has written to its standard output. */
  output(): Promise<void>;
  /** Kills the process without warning. @returns all of its standard output. */
  kill(): Promise<string>;
}

/**
 * What `write-forever` writes. Its writers are independent, and each makes one write after the other. Every write is one
 * decision: it counts for its writer and for all, and adds an entry with its number in two places. Each acknowledgement
 * is reported on standard output at once, `writer count` on a line, so that the parent knows what has to be present
 * when the process is gone.
 */
interface CrashKeys {
  /** One per write, equal on both sides. */
  readonly entry: (side: 'left' | 'right', writer: number, count: number) => Uint8Array;
  /** How many writes a writer has done. */
  readonly count: (writer: number) => Uint8Array;
  /** How many writes all writers have done. */
  readonly total: Uint8Array;
}

export const crashKeys: CrashKeys = {
  entry: (side: 'left' | 'right', writer: number, count: number): Uint8Array =>
    testKey(side === 'left' ? 1 : 2, writer, [count >> 16, (count >> 8) & 255, count & 255]),
  count: (writer: number): Uint8Array => testKey(3, writer),
  total: testKey(4, 0),
};

/** A key as a command carries it. */
export function commandKey(key: Uint8Array): string {
  return hex(key);
}
