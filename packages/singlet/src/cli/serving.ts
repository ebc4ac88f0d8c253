import { readFileSync } from 'node:fs';
import type { EngineLogEvent } from '../engine/index.ts';
import { ListenError } from '../server/index.ts';
import { StorageError } from '../storage/index.ts';
import { createDatabase, type Database } from './create-database.ts';
import { collectSeldom } from './heap-growth.ts';
import type { LogFormat, LogLevel } from './logger.ts';
import { openStore, type StoreLocation, storeLocationOf } from './open-store.ts';
import { type DatabaseServer, serve } from './serve.ts';
import { UsageError } from './usage-error.ts';

/** The options of `singlet serve`, as they were given or by default. */
export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly workers: number;
  readonly data: string;
  readonly memory?: boolean;
  readonly store?: string;
  readonly region: string;
  readonly account: string;
  readonly lifecycleDelay: number;
  readonly expirySweep: number;
  readonly replicaEndpoint: Readonly<Record<string, string>>;
  readonly replicaSecretFile?: string;
  readonly replicationInterval: number;
  readonly throttle?: true | readonly string[];
  readonly kinesisEndpoint?: string;
  readonly buckets?: string;
  readonly s3Endpoint?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** A database and the server in front of it, in this process. */
export interface Serving {
  readonly server: DatabaseServer;
  readonly database: Database;
}

/**
 * Opens the database and listens.
 *
 * @throws {UsageError} | {StorageError} one sentence about what is in the way; nothing is left open then.
 */
export async function startServing(
  flags: ServeFlags,
  options: {
    readonly log: (event: EngineLogEvent) => void;
    readonly backgroundWork: 'at-once' | 'on-demand';
  },
): Promise<Serving> {
  const { log, backgroundWork } = options;
  collectSeldom();
  const replicaSecret = secretOf(flags);
  const store = await openStore(locationOf(flags), { shared: flags.workers > 1 });
  if (flags.workers > 1 && !store.manifest.multiProcess) {
    await store.close();
    throw notShared();
  }
  const database = await createDatabase({
    store,
    region: flags.region,
    accountId: flags.account,
    lifecycleDelayMs: flags.lifecycleDelay,
    expirySweepMs: flags.expirySweep,
    replicaEndpoints: flags.replicaEndpoint,
    replicaSecret,
    replicationMs: flags.replicationInterval,
    throttle: flags.throttle === undefined || flags.throttle === true ? flags.throttle : { tables: flags.throttle },
    kinesisEndpoint: flags.kinesisEndpoint,
    buckets: flags.s3Endpoint === undefined ? flags.buckets : { s3: { endpoint: flags.s3Endpoint } },
    backgroundWork,
    log,
    ...(flags.logLevel === 'debug' && {
      onRequest: (request) => log({ level: 'debug', event: 'request', ...request }),
    }),
  });
  const server = await listenOrClose(database, flags, (error) =>
    log({ level: 'error', event: 'listening failed', error: error.message }),
  );
  return { server, database };
}

/** Finishes what is running, flushes, and ends this process: with exit code 0 if that went well. */
export async function finish({ server, database }: Serving, log: (event: EngineLogEvent) => void): Promise<never> {
  try {
    await server.close();
    await database.close();
  } catch (error) {
    log({ level: 'error', event: 'stopping failed', error });
    process.exit(1);
  }
  process.exit(0);
}

/** @throws {UsageError} for a store that there is not. */
export function locationOf(flags: ServeFlags): StoreLocation {
  if (flags.memory === true) return { kind: 'memory' };
  if (flags.store !== undefined) {
    try {
      return storeLocationOf(flags.store);
    } catch (error) {
      throw error instanceof StorageError ? new UsageError(error.message, { cause: error }) : error;
    }
  }
  return { kind: 'directory', directory: flags.data };
}

/** Said where several processes are asked for and each would have data of its own. */
export function notShared(): UsageError {
  return new UsageError(
    '--workers needs data that several processes can share: keep it in a directory (--data), or serve with one process.',
  );
}

/** @throws {UsageError} when there is none and it is needed, or it cannot be read, or is too short to be one. */
export function secretOf({ replicaEndpoint, replicaSecretFile }: ServeFlags): string | undefined {
  if (replicaSecretFile === undefined) {
    if (Object.keys(replicaEndpoint).length === 0) return undefined;
    throw new UsageError('--replica-endpoint needs --replica-secret-file: the other servers have to know this one.');
  }
  let secret: string;
  try {
    secret = readFileSync(replicaSecretFile, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`The replica secret cannot be read from ${replicaSecretFile}.`, { cause: error });
  }
  if (secret.length < secretLengthMin) {
    throw new UsageError(`The replica secret in ${replicaSecretFile} has fewer than ${secretLengthMin} characters.`);
  }
  return secret;
}

const secretLengthMin = 16;

/** A port that is taken must not leave the database open behind. */
async function listenOrClose(
  database: Database,
  flags: ServeFlags,
  onError: (error: Error) => void,
): Promise<DatabaseServer> {
  try {
    return await serve(database, { port: flags.port, host: flags.host, onError });
  } catch (error) {
    await database.close();
    throw error instanceof ListenError ? new UsageError(listenProblem(error, flags), { cause: error }) : error;
  }
}

function listenProblem(error: ListenError, { host, port }: ServeFlags): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free one.`;
    case 'EACCES':
      return `Port ${port} may not be used by this user: choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}: use --host 127.0.0.1.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`;
  }
}
