import { InputError, RuleError } from '@singlet/model';
import type { z } from 'zod';
import { GitHubError, type GitHubErrorCode } from '../errors.ts';
import type { AnswerOf } from './schemas.ts';

type Details = AnswerOf<'Problem'>['errors'];

/** A request that is answered with a status other than success. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly code: string;
  readonly details: Details;

  constructor(status: number, code: string, message: string, details?: Details) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** What the schemas found wrong, field by field. */
export function invalid(where: string, { issues }: z.ZodError): HttpProblem {
  const details = issues.map(({ path, message }) => ({ field: [where, ...path].join('.'), message }));
  return new HttpProblem(422, 'invalid', `The ${where} is not valid`, details);
}

const STATUSES: Readonly<Record<GitHubErrorCode, number>> = {
  NotFound: 404,
  AlreadyExists: 422,
  AlreadyDone: 422,
  LimitExceeded: 422,
};

/** How an error is answered; undefined for those that are nobody's fault but ours. */
export function problemOf(error: unknown): HttpProblem | undefined {
  if (error instanceof HttpProblem) {
    return error;
  }
  if (error instanceof GitHubError) {
    return new HttpProblem(STATUSES[error.code], error.code, error.message);
  }
  if (error instanceof InputError) {
    return new HttpProblem(422, error.code, error.message);
  }
  if (error instanceof RuleError && error.code === 'busy') {
    return new HttpProblem(503, 'busy', 'Too many want to write the same; try again');
  }
  return undefined;
}
