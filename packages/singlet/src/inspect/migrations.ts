import { DynamoError, ResourceNotFoundException, ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { objectOf } from './members.ts';

/** The operations on a migration. */
export const migrationWorks = ['plan', 'run', 'resume', 'pause', 'verify', 'undo', 'accept'] as const;
export type MigrationWork = (typeof migrationWorks)[number];

/** Settings of an operation, equal to the flags of `singlet migrate`. */
export interface MigrationSettings {
  /** Writes nothing; counts what would be written. */
  readonly dryRun?: boolean;
  /** Drops the indexes that the new version does not have. */
  readonly drop?: boolean;
  /** The number of segments of a table that are scanned in parallel. */
  readonly segments?: number;
  /** The maximum read rate, capacity units per second. */
  readonly readUnits?: number;
  /** The maximum write rate, capacity units per second. */
  readonly writeUnits?: number;
  /** The number of items that may fail. */
  readonly failures?: number;
}

/** The migrations of the models that a server was started with. */
export interface MigrationSource {
  /** For each model, its differences from its accepted version, and its migrations; and the current or last operation. */
  list(): Promise<object>;
  /** A migration by its id; undefined if there is none. */
  find(id: string): Promise<object | undefined>;
  /**
   * Runs an operation that is immediate (`plan`, `accept`, `pause`), or starts one that takes time.
   *
   * @throws {DynamoError} `MigrationRefused` with the reason.
   */
  work(id: string, work: MigrationWork, settings: MigrationSettings): Promise<object | undefined>;
}

/** The settings that each operation takes. */
const settingsOf: Readonly<Record<MigrationWork, readonly (keyof MigrationSettings)[]>> = {
  plan: [],
  accept: [],
  pause: [],
  run: ['dryRun', 'drop', 'segments', 'readUnits', 'writeUnits', 'failures'],
  resume: ['drop', 'readUnits', 'writeUnits', 'failures'],
  undo: ['dryRun', 'segments', 'readUnits', 'writeUnits', 'failures'],
  verify: ['segments', 'readUnits'],
};

/** The migrations of models: their contents and progress, and starting and stopping them. */
export const migrationEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: ['migrations'],
    permission: 'GetMigrations',
    answer: async (_request, { models, about }) => ({
      canRun: models !== undefined && about.workers === 1,
      ...((await models?.migrations.list()) ?? { models: [], job: null }),
    }),
  },
  {
    method: 'GET',
    path: ['migrations', 'ID'],
    permission: 'GetMigrations',
    answer: async (_request, { models }, [id = '']) => (await models?.migrations.find(id)) ?? absent(id),
  },
  {
    method: 'POST',
    path: ['migrations', 'ID', 'WORK'],
    // A migration runs with the server's own rights, not the caller's.
    permission: undefined,
    async answer({ json }, { models, about }, [id = '', name = '']) {
      const work = migrationWorks.find((each) => each === name);
      if (work === undefined)
        throw new ResourceNotFoundException(`A migration has ${migrationWorks.join(', ')}, and nothing else.`);
      const settings = readSettings(work, objectOf(json));
      if (about.workers > 1 && work !== 'plan' && work !== 'accept')
        throw migrationRefused(
          `This server has ${about.workers} processes, and work that one of them began could not be paused by another: use singlet migrate ${work} FILE --endpoint URL.`,
        );
      return (await models?.migrations.work(id, work, settings)) ?? absent(id);
    },
  },
];

/** The error for a migration that cannot do what was requested in its present state. */
export function migrationRefused(message: string): DynamoError {
  return new DynamoError('MigrationRefused', message);
}

function readSettings(work: MigrationWork, json: Readonly<Record<string, unknown>>): MigrationSettings {
  const known: readonly string[] = settingsOf[work];
  for (const [name, value] of Object.entries(json)) {
    if (!known.includes(name))
      throw new ValidationException(
        `${work} takes ${known.length === 0 ? 'no settings' : known.join(', ')}, not ${JSON.stringify(name.slice(0, 40))}.`,
      );
    const isFlag = name === 'dryRun' || name === 'drop';
    if (isFlag ? typeof value === 'boolean' : typeof value === 'number' && value >= 0) continue;
    throw new ValidationException(`"${name}" must be ${isFlag ? 'true or false' : 'a number from 0 on'}.`);
  }
  return json;
}

function absent(id: string): never {
  throw new ResourceNotFoundException(
    `There is no migration ${JSON.stringify(id.slice(0, 100))} of the models that this server was started with.`,
  );
}
