import type { PageRequest } from '../connection.ts';
import { GitHubError } from '../errors.ts';
import { HttpProblem } from './problem.ts';
import type { Answer } from './route.ts';

// What the handlers of several routes do alike.

/** @throws {HttpProblem} 404 */
export function found<Value>(value: Value | undefined, noun: string): Value {
  if (value === undefined) {
    throw new HttpProblem(404, 'NotFound', `There is no such ${noun}`);
  }
  return value;
}

/** A page of a list. What the list belongs to is on the first page, or it is not there at all. */
export function list(before: string | undefined, parent: unknown, body: unknown[], cursor: string | undefined): Answer {
  if (before === undefined) {
    found(parent, 'account or repository');
  }
  return { status: 200, body, cursor };
}

/**
 * Where a list does not come with what it belongs to: a list that is empty from the beginning is of something that is empty,
 * or of nothing. Only then one has to look.
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

/** What has been done already is as good as done: whether it was, is the answer. */
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
