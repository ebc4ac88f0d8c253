import { readFileSync } from 'node:fs';

// The examples in descriptions are recorded by tests: decision 0114.

/** A request that an operation has answered, and the answer: an example in the description. */
export interface Example {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  /** Absent for an operation without a body. */
  readonly body?: unknown;
  readonly status: number;
  /** Absent for an answer without a body. */
  readonly answer?: unknown;
}

/** By operation. */
export type Examples = Readonly<Record<string, Example>>;

/** Receives what operations have answered. */
export type OnAnswer = (operationId: string, example: Example) => void;

/** The examples of an application. The tests of its operations made them, and make the same requests again. */
export function examplesIn(file: URL): Examples {
  // Written by the tests, in this format.
  return JSON.parse(readFileSync(file, 'utf8')) as Examples;
}
