import { randomBytes } from 'node:crypto';
import type { Capability } from './row.ts';
import { httpTransport, inProcessTransport, isAmazonEndpoint } from './transport.ts';
import type { Transport } from './transport.ts';

/** What our own database cannot do yet. Its runs skip the rows that need it. Empty when everything is implemented. */
export const capabilitiesNotYet: readonly Capability[] = [];

/** An endpoint to run rows against. */
export interface Target {
  readonly name: string;
  readonly transport: Transport;
  /** Moves the endpoint's clock forward, if that is possible. */
  readonly advanceClock: ((milliseconds: number) => void) | undefined;
  /** Deletes expired items now, if that is possible. */
  readonly sweepExpiredItems: (() => Promise<unknown>) | undefined;
  /** Whether the endpoint accepts requests for any region. */
  readonly servesAllRegions: boolean;
  /** Whether the endpoint accepts encryption settings for tables. */
  readonly encryptsAtRest: boolean;
  close(): Promise<void>;
}

export interface DatabaseTargetOptions {
  /** Call the database directly, or over HTTP on its own port. */
  readonly via: 'in process' | 'http';
  /** The directory of the data; in memory when absent. */
  readonly directory?: string;
  /** The URL of the store that keeps the data, instead of a directory. */
  readonly store?: string;
  /** Whether the data in the directory or the store is encrypted. */
  readonly encrypted?: boolean;
}

/** Our own database, for the duration of a run. */
export async function databaseTarget(options: DatabaseTargetOptions): Promise<Target> {
  // Loaded only here, because a run against an endpoint does not need a built database.
  const { createDatabase, serve } = await import('singlet');
  const isInMemory = options.directory === undefined && options.store === undefined;
  const encryptsAtRest = isInMemory || options.encrypted === true;
  let offsetMs = 0;
  const database = await createDatabase({
    ...(options.directory === undefined ? {} : { directory: options.directory }),
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(options.encrypted === true && { encryptionKeys: randomBytes(32).toString('base64') }),
    clock: { nowMs: () => Date.now() + offsetMs },
    replicationMs: 20,
  });
  const name = `${options.via}, ${placeOf(options)}`;
  const advanceClock = (milliseconds: number): void => {
    offsetMs += milliseconds;
  };
  const sweepExpiredItems = (): Promise<unknown> => database.sweepExpiredItems();
  if (options.via === 'in process') {
    return {
      name,
      transport: inProcessTransport((request) => database.handle(request)),
      advanceClock,
      sweepExpiredItems,
      servesAllRegions: true,
      encryptsAtRest,
      close: () => database.close(),
    };
  }
  const server = await serve(database, { port: 0 });
  const transport = httpTransport(server.url);
  return {
    name,
    transport,
    advanceClock,
    sweepExpiredItems,
    servesAllRegions: true,
    encryptsAtRest,
    close: async () => {
      await transport.close();
      await server.close();
      await database.close();
    },
  };
}

function placeOf({ directory, store }: DatabaseTargetOptions): string {
  if (store !== undefined) return store.slice(0, store.indexOf(':'));
  return directory === undefined ? 'memory' : 'directory';
}

/** The server at a URL. */
export function endpointTarget(url: string): Target {
  const transport = httpTransport(url);
  return {
    name: url,
    transport,
    advanceClock: undefined,
    sweepExpiredItems: undefined,
    servesAllRegions: !isAmazonEndpoint(url),
    encryptsAtRest: true,
    close: () => transport.close(),
  };
}
