/** A broken invariant: a bug in Singlet, never the caller's fault. The operation stops and nothing commits. */
export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantError';
  }
}

/** @throws {InvariantError} when the condition, which must hold, is false. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
