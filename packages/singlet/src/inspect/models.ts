import { DynamoError, ResourceNotFoundException, ValidationException } from '../values/service-error.ts';
import type { Endpoint, ModelServices } from './endpoint.ts';
import { objectOf } from './members.ts';
import type { AskedRequest } from './requests/asked-request.ts';
import type { MigrationSource } from './migrations.ts';

/** The models that a server was started with. Changed files are read again before an answer. */
export interface ModelSource {
  /** All of them, in the order of their files. */
  list(): Promise<readonly ModelSummary[]>;
  /** Everything known about one model; undefined if there is no model of that name. */
  find(name: string): Promise<object | undefined>;
  /**
   * Runs a pattern on this database.
   *
   * @throws {DynamoError} for an invalid model, pattern or input. Errors of the database are part of the answer.
   */
  run(name: string, pattern: string, request: PatternRequest): Promise<object | undefined>;
  /** Finds the patterns of requests in the models as they are now. */
  matcher(): Promise<RequestMatcher>;
  /** Migrations between versions of the models. */
  readonly migrations: MigrationSource;
}

/** The patterns that a request may belong to, the most likely ones only; none if no pattern asks like it. */
export type RequestMatcher = (asked: AskedRequest) => readonly MatchedPattern[];

/** A pattern of a model, by their names. */
export interface MatchedPattern {
  readonly model: string;
  readonly name: string;
}

/** A summary of a model. */
export interface ModelSummary {
  /** The model's own name; for a file that could never be read, the file name. */
  readonly name: string;
  /** Relative to the working directory of the server. */
  readonly file: string;
  /** Increases when the file has changed. */
  readonly version: number;
  /** Whether all patterns are proven, in the last readable version. */
  readonly ok: boolean;
  /** How many patterns it has. */
  readonly patterns: number;
  /** The number of findings that are errors. */
  readonly errors: number;
  /** The number of other findings. */
  readonly warnings: number;
  /** Why the file currently cannot be read. */
  readonly fault: ModelFault | null;
}

/** The error in a file, and its position. */
export interface ModelFault {
  /** The file with the error, which may be one that the model imports. */
  readonly file: string;
  /** Counted from 1; null if not known. */
  readonly line: number | null;
  /** Counted from 1; null if not known. */
  readonly column: number | null;
  /** A sentence that begins with the position. */
  readonly message: string;
}

/** How a pattern should be run. */
export interface PatternRequest {
  /** The input of the pattern, which checks it itself. */
  readonly input: unknown;
  /** The end of the previous page, to continue from there. */
  readonly cursor: string | undefined;
  /** Returns only the requests that it would send first. */
  readonly dryRun: boolean;
}

/** The models, their verdicts, and running their patterns. */
export const modelEndpoints: readonly Endpoint<ModelServices>[] = [
  {
    method: 'GET',
    path: ['models'],
    permission: 'GetModels',
    answer: async (_request, { models }) => ({ models: (await models?.list()) ?? [] }),
  },
  {
    method: 'GET',
    path: ['models', 'MODEL'],
    permission: 'GetModels',
    answer: async (_request, { models }, [name = '']) => (await models?.find(name)) ?? absent(name),
  },
  {
    method: 'POST',
    path: ['models', 'MODEL', 'patterns', 'PATTERN', 'run'],
    // A pattern runs with the server's own rights, not the caller's.
    permission: undefined,
    async answer({ json }, { models }, [name = '', pattern = '']) {
      const { input = {}, cursor = null, dryRun = false } = objectOf(json);
      if (cursor !== null && typeof cursor !== 'string') throw new ValidationException('"cursor" must be a string.');
      if (typeof dryRun !== 'boolean') throw new ValidationException('"dryRun" must be true or false.');
      return (await models?.run(name, pattern, { input, cursor: cursor ?? undefined, dryRun })) ?? absent(name);
    },
  },
];

function absent(name: string): never {
  throw new ResourceNotFoundException(
    `There is no model ${JSON.stringify(name.slice(0, 100))}: singlet serve --model FILE names those that there are.`,
  );
}

/** The error for a model, a pattern or an input that cannot be run. */
export function modelRefused(message: string): DynamoError {
  return new DynamoError('ModelRefused', message);
}
