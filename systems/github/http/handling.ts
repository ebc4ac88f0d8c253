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
