import { LmdbEnvironment, type LmdbHost } from '../../src/storage/lmdb/lmdb-environment.ts';
import { ensureMarker } from '../../src/storage/lmdb/data-directory.ts';
import { WriteAheadLog } from '../../src/storage/lmdb/write-ahead-log.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Decision, RangeEnd, RangeRequest, RangeVisitor, Store, StoreValue } from '../../src/storage/store.ts';
import { ManualAlarm } from '../../src/storage/testing/manual-alarm.ts';
import type { SimulatedFiles } from '../../src/storage/testing/simulated-files.ts';
import type { SimulatedLmdb } from '../../src/storage/testing/simulated-lmdb.ts';
import { testServices, type TestServices } from '../../src/engine/testing/test-services.ts';

export const directory = '/data';
export const simulatedTable = 'simulated';

/** So small that checkpoints and switches between log files happen all the time. */
const logLimits = { bytes: 24_000, entries: 300 };
const logGrowthBytes = 8 * 1024;

/** Where the tables of a history are stored, from their creation. */
export interface TableSpaces {
  items?: number;
  globalIndex?: number;
  stream?: number;
  changeLog?: number;
  /** The items of the table that comes and goes. */
  other?: number;
  /** The items of those that had its name. */
  readonly formerOthers: number[];
}

/** The parts of a server that a planted bug changes. */
export interface Plant {
  /** Wraps the store for the engine. */
  readonly store?: (inner: Store, spaces: TableSpaces) => Store;
  readonly host?: (host: LmdbHost) => Partial<LmdbHost>;
  /** Deletes expired items. */
  readonly sweep?: (services: TestServices) => Promise<unknown>;
  /** How its histories end, if only one ending can reveal it. */
  readonly ending?: Ending;
}

/** How the last server ends, and what is damaged then. */
export type Ending = (typeof endings)[number];

export const endings = ['death', 'closed', 'damaged-log', 'damaged-value'] as const;

export interface ServerOptions {
  readonly processId: string;
  readonly files: SimulatedFiles;
  readonly lmdb: SimulatedLmdb;
  readonly seed: number;
  readonly nowMs: number;
  readonly plant: Plant;
  readonly spaces: TableSpaces;
  /** Whether others have the directory open, too: then there is no write-ahead log. */
  readonly isShared: boolean;
}

/**
 * One process: the engine, the LMDB driver and its write-ahead log, over a simulated disk. The history controls time, randomness, alarms and
 * the completion of every write.
 */
export class SimulatedServer {
  readonly services: TestServices;
  readonly #environment: LmdbEnvironment;
  readonly #store: EnvironmentStore;
  readonly #alarms: ManualAlarm[];

  private constructor(
    services: TestServices,
    environment: LmdbEnvironment,
    alarms: ManualAlarm[],
    store: EnvironmentStore,
  ) {
    this.#store = store;
    this.services = services;
    this.#environment = environment;
    this.#alarms = alarms;
  }

  /** @throws {StorageError} `damaged` for a directory that may lack acknowledged writes. */
  static async open({
    files,
    lmdb,
    seed,
    nowMs,
    processId,
    plant,
    spaces,
    isShared,
  }: ServerOptions): Promise<SimulatedServer> {
    const alarms: ManualAlarm[] = [];
    const host: LmdbHost = {
      files,
      openDatabase: lmdb.opener(files),
      makeLog: (options) => new WriteAheadLog({ ...options, growthBytes: logGrowthBytes, now: () => 1 }),
      log: {
        limits: logLimits,
        alarm: (action) => {
          const alarm = new ManualAlarm(action);
          alarms.push(alarm);
          return alarm;
        },
      },
    };
    await ensureMarker(directory, files);
    const environment = await LmdbEnvironment.open(directory, isShared, { ...host, ...plant.host?.(host) });
    const store = new EnvironmentStore(environment);
    const services = testServices({ store: plant.store?.(store, spaces) ?? store, seed, nowMs, processId });
    return new SimulatedServer(services, environment, alarms, store);
  }

  /** Triggers an alarm that is set: a checkpoint begins, or the log is sealed. @param draw - chooses one of the given number. */
  ring(draw: (count: number) => number): void {
    const set = this.#alarms.filter(({ isSet }) => isSet);
    set[draw(set.length)]?.ring();
  }

  /** Dies immediately: its disk requests may complete, and nothing more. */
  kill(): void {
    this.services.close();
    this.#store.isDead = true;
  }

  /** Shuts down as a process does on request. */
  async close(): Promise<void> {
    this.services.close();
    await this.#environment.close();
  }
}

/** The real driver, without the real directory that its lease needs. */
class EnvironmentStore implements Store {
  readonly manifest = { name: 'simulated', durability: 'disk', multiProcess: false, keyBytesMax: 1978 } as const;
  /** The error of a killed process. */
  isDead = false;
  readonly #environment: LmdbEnvironment;

  constructor(environment: LmdbEnvironment) {
    this.#environment = environment;
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    return this.#environment.reader.read(keys, body);
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    return this.#environment.reader.range(request, visit);
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    return this.#environment.commits.write(keys, (values) => {
      if (this.isDead) throw new StorageError('closed', 'the process has been killed');
      return decide(values);
    });
  }

  async close(): Promise<void> {
    await this.#environment.close();
  }
}
