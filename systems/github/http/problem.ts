import { InputError, RuleError } from '@singlet/model';
import type { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { faultsOf, inputRefusal } from '../../http/plain-words.ts';
import { GitHubError, type GitHubErrorCode } from '../errors.ts';
import type { AnswerOf } from './schemas.ts';

type Details = AnswerOf<'Problem'>['errors'];

/** A request that is answered with a status other than success. */
export class HttpProblem extends HttpError {
  readonly details: Details;

  constructor(
    status: number,
    code: string,
    message: string,
    details?: Details,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(status, code, message, headers);
    this.details = details;
  }
}

/** A refusal as the API sends it. */
export function problemResponse(refusal: HttpError): Response {
  const { status, code, message, headers } = refusal;
  const errors = refusal instanceof HttpProblem ? refusal.details : undefined;
  return Response.json({ code, message, ...(errors !== undefined && { errors }) }, { status, headers: { ...headers } });
}

/** The errors that the schemas found, field by field. */
export function invalid(where: string, error: z.ZodError): HttpProblem {
  const details = faultsOf('', error).map(({ field, detail }) => ({
    field: [where, field].filter((part) => part !== '').join('.'),
    message: detail,
  }));
  return new HttpProblem(422, 'invalid', `The ${where} is not valid`, details);
}

const STATUSES: Readonly<Record<GitHubErrorCode, number>> = {
  NotFound: 404,
  AlreadyExists: 422,
  AlreadyDone: 422,
  LimitExceeded: 422,
};

/** The answer to an error; undefined for unexpected errors. */
export function problemOf(error: unknown): HttpProblem | undefined {
  if (error instanceof HttpProblem) {
    return error;
  }
  if (error instanceof GitHubError) {
    return new HttpProblem(STATUSES[error.code], error.code, error.message);
  }
  if (error instanceof InputError) {
    return new HttpProblem(422, error.code, inputRefusal(error).message);
  }
  if (error instanceof RuleError && error.code === 'busy') {
    return new HttpProblem(503, 'busy', 'Too many want to write the same; try again');
  }
  return undefined;
}
