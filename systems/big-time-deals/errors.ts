import { RuleError } from '@singlet/model';

export type RefusalCode = 'already-exists' | 'already-done' | 'not-found';

/**
 * A request that the site's rules refuse. Nothing was written. `already-exists`: a deal, brand, category or user of that name
 * exists. `already-done`: liked or watched before. `not-found`: its subject does not exist.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: RefusalCode;
  /** Its subject: `Brand`, `Deal`, … */
  readonly entity: string;

  constructor(code: RefusalCode, entity: string, cause?: unknown) {
    super(`${entity}: ${code}`, { cause });
    this.code = code;
    this.entity = entity;
  }
}

/** Waits for a write. Translates violated rules of the model into the site's own errors. */
export async function obeyed<Result>(
  write: Promise<Result>,
  whenThere: Extract<RefusalCode, 'already-exists' | 'already-done'> = 'already-exists',
): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    if (error.code === 'already-exists') throw new RefusedError(whenThere, error.entity, error);
    if (error.code === 'not-found' || error.code === 'parent-missing') {
      throw new RefusedError('not-found', error.entity, error);
    }
    throw error;
  }
}

/** The result of a read. */
export function found<Item>(item: Item | undefined, entity: string): Item {
  if (item === undefined) throw new RefusedError('not-found', entity);
  return item;
}
