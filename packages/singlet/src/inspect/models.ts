import { DynamoError, ResourceNotFoundException, ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { objectOf } from './members.ts';
import type { MigrationSource } from './migrations.ts';

/** The models that a server was started with. Files that have changed are read again before an answer. */
export interface ModelSource {
  /** All of them, in the order of their files. */
  list(): Promise<readonly ModelSummary[]>;
  /** One with all that is known of it; undefined for a name that there is not. */
  find(name: string): Promise<object | undefined>;
  /**
   * Runs a pattern on this database.
   *
   * @throws {DynamoError} for a model, a pattern or input that is refused; what the database refuses is part of the answer.
   */
  run(name: string, pattern: string, request: PatternRequest): Promise<object | undefined>;
  /** From one version of a model to the next. */
  readonly migrations: MigrationSource;
}

/** A model in short. */
export interface ModelSummary {
  /** As the model calls itself; of a file that could never be read, the file. */
  readonly name: string;
  /** Relative to the working directory of the server. */
  readonly file: string;
  /** Rises when the file has changed. */
  readonly version: number;
  /** Whether all patterns are proven; of the last version that could be read. */
  readonly ok: boolean;
  /** How many patterns it has. */
  readonly patterns: number;
  /** Findings that refute it. */
  readonly errors: number;
  /** Findings that do not. */
  readonly warnings: number;
  /** Why the file cannot be read as it is now. */
  readonly fault: ModelFault | null;
}

/** What is wrong with a file, and where. */
export interface ModelFault {
  /** The file that the fault is in, which may be one that the model imports. */
  readonly file: string;
  /** From 1; null where it is not known. */
  readonly line: number | null;
  /** From 1; null where it is not known. */
  readonly column: number | null;
  /** A sentence that begins with the place. */
  readonly message: string;
}

/** How a pattern is to be run. */
export interface PatternRequest {
  /** What the pattern takes; it checks that itself. */
  readonly input: unknown;
  /** Where a page ended, to continue there. */
  readonly cursor: string | undefined;
  /** Only the requests that it would send first. */
  readonly dryRun: boolean;
}

/** The models and their verdicts, and the running of patterns. */
export const modelEndpoints: readonly Endpoint[] = [
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
    // A pattern runs with the server's own hand, whatever the caller may do.
    permission: undefined,
    async answer({ json }, { models }, [name = '', pattern = '']) {
      const { input = {}, cursor = null, dryRun = false } = objectOf(json);
      if (cursor !== null && typeof cursor !== 'string') throw new ValidationException('"cursor" must be a text.');
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

/** A model, a pattern or an input that cannot be run. */
export function modelRefused(message: string): DynamoError {
  return new DynamoError('ModelRefused', message);
}
