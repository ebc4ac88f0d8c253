import type { PageRequest } from '../connection.ts';
import { GitHubError } from '../errors.ts';
import { found } from './found.ts';
import type { Answer } from './route.ts';

// What the handlers of several routes share.

/** Said of operations that take a key. */
export const repeated = 'With an Idempotency-Key, a repeated request is answered with what the first one has created.';

/** A page of a list. The list's owner is on the first page, or does not exist. */
export function list(before: string | undefined, parent: unknown, body: unknown[], cursor: string | undefined): Answer {
  if (before === undefined) {
    found(parent, 'account or repository');
  }
  return { status: 200, body, cursor };
}

/**
 * For a list that is returned without its owner. If it is empty from the beginning, its owner is either empty or does not
 * exist. Only then the owner must be read.
 */
export async function unlessEmpty(
  page: PageRequest,
  items: readonly unknown[],
  look: () => Promise<unknown>,
): Promise<void> {
  if (page.cursor === undefined && items.length === 0) {
    await look();
  }
}

/** An action that was already done counts as success. The answer says whether it was. */
export async function onceIsEnough(write: Promise<void>): Promise<'done' | 'before'> {
  try {
    await write;
    return 'done';
  } catch (error) {
    if (error instanceof GitHubError && error.code === 'AlreadyDone') {
      return 'before';
    }
    throw error;
  }
}
