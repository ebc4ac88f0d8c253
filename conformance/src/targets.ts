import type { Capability } from './row.ts';
import { httpTransport, inProcessTransport, isAmazonEndpoint } from './transport.ts';
import type { Transport } from './transport.ts';

/** What our own database cannot do yet; the rows that need it are left out of its runs. Empty when all is built. */
export const capabilitiesNotYet: readonly Capability[] = [];

/** An endpoint to run rows against. */
export interface Target {
  readonly name: string;
  readonly transport: Transport;
  /** Moves the endpoint's clock forward, where that is possible. */
  readonly advanceClock: ((milliseconds: number) => void) | undefined;
  /** Deletes what has expired now, where that can be asked for. */
  readonly sweepExpiredItems: (() => Promise<unknown>) | undefined;
  /** Whether requests for any region may be sent here. */
  readonly servesAllRegions: boolean;
  close(): Promise<void>;
}

export interface DatabaseTargetOptions {
  /** Call the database directly, or over HTTP on a port of its own. */
  readonly via: 'in process' | 'http';
  /** Where data is kept; in memory when absent. */
  readonly directory?: string;
}

/** A database of our own, for the duration of a run. */
export async function databaseTarget(options: DatabaseTargetOptions): Promise<Target> {
  // Loaded only here: a run against an endpoint needs no built database.
  const { createDatabase, serve } = await import('singlet');
  let offsetMs = 0;
  const database = await createDatabase({
    ...(options.directory === undefined ? {} : { directory: options.directory }),
    clock: { nowMs: () => Date.now() + offsetMs },
    replicationMs: 20,
  });
  const name = `${options.via}, ${options.directory === undefined ? 'memory' : 'directory'}`;
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
    close: async () => {
      await transport.close();
      await server.close();
      await database.close();
    },
  };
}

/** Whatever answers at a URL. */
export function endpointTarget(url: string): Target {
  const transport = httpTransport(url);
  return {
    name: url,
    transport,
    advanceClock: undefined,
    sweepExpiredItems: undefined,
    servesAllRegions: !isAmazonEndpoint(url),
    close: () => transport.close(),
  };
}
