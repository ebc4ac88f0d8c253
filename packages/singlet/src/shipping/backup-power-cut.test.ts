/**
 * Power cuts while groups wait to be shipped: in the log, in the spool, or in the shared log of several processes. Every image that the
 * simulated disk may be left in is recovered, shipped and restored: no acknowledged write is missing, and the chain has no gap.
 */
import { expect, test } from 'vitest';
import { SeededRandom } from '../randomness/seeded-random.ts';
import { ensureMarker } from '../storage/lmdb/data-directory.ts';
import { LmdbEnvironment, type LmdbHost } from '../storage/lmdb/lmdb-environment.ts';
import type { LogArchive } from '../storage/lmdb/log-archive.ts';
import { WriteAheadLog } from '../storage/lmdb/write-ahead-log.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Decision, Store, StoreValue } from '../storage/store.ts';
import { ManualAlarm } from '../storage/testing/manual-alarm.ts';
import { SimulatedFiles, subsets } from '../storage/testing/simulated-files.ts';
import { SimulatedLmdb } from '../storage/testing/simulated-lmdb.ts';
import { bytes, testKey, textsOf } from '../storage/testing/store-probe.ts';
import { MemoryBuckets } from '../transfer/buckets/testing/memory-buckets.ts';
import { BackupTarget } from './backup-target.ts';
import { LogShipper } from './log-shipper.ts';
import { restore } from './restore.ts';

/** More images: `POWER_CUT_IMAGES=10000 npx vitest run …/backup-power-cut.test.ts`. Replay: `POWER_CUT_SEED=…`. */
const imagesMin = Number(process.env['POWER_CUT_IMAGES'] ?? 150);
const seed = Number(process.env['POWER_CUT_SEED'] ?? Math.floor(Math.random() * 1e9));

const directory = '/data';
const bucketName = 'backups';
const steps = 60;
const imagesPerMoment = 4;
const momentShare = 0.15;
/** The number of images after which a planted bug counts as not found. */
const imagesToFind = 3_000;

type Form = 'one process' | 'several processes';

interface Plant {
  readonly archive?: (shipper: LogShipper) => LogArchive;
  readonly files?: (files: SimulatedFiles) => void;
  readonly environment?: (environment: LmdbEnvironment) => void;
}

interface Server {
  readonly environments: readonly LmdbEnvironment[];
  readonly shipper: LogShipper;
  readonly close: () => Promise<void>;
}

class Run {
  readonly problems: string[] = [];
  images = 0;
  readonly #form: Form;
  readonly #plant: Plant;
  readonly #random: SeededRandom;
  readonly #files = new SimulatedFiles();
  readonly #lmdb = new SimulatedLmdb();
  readonly #buckets = new MemoryBuckets(bucketName);
  readonly #alarms: ManualAlarm[] = [];
  readonly #acknowledged = new Set<number>();
  #issued = 0;

  constructor(form: Form, runSeed: number, plant: Plant) {
    this.#form = form;
    this.#random = new SeededRandom(runSeed);
    this.#plant = plant;
  }

  async play(): Promise<void> {
    this.#files.isInstant = true;
    await ensureMarker(directory, this.#files);
    const server = await this.#open(this.#files, this.#buckets, this.#plant);
    await this.#write(server.environments[0]!);
    await server.shipper.snapshot();
    this.#files.isInstant = false;
    this.#plant.files?.(this.#files);
    const writes: Promise<void>[] = [];
    for (let step = 0; step < steps && this.problems.length === 0; step += 1) {
      const drawn = this.#random.next();
      const { environments } = server;
      if (drawn < 0.45) writes.push(this.#write(environments[this.#below(environments.length)]!));
      else if (drawn < 0.52) this.#ring();
      else if (drawn < 0.54) await this.#ship(server.shipper);
      else this.#complete();
      await progress();
      if (this.#random.next() < momentShare) await this.#look();
    }
    this.#files.isInstant = true;
    await this.#until(Promise.all(writes));
    await this.#until(server.close());
  }

  async #open(files: SimulatedFiles, buckets: MemoryBuckets, plant: Plant, events: string[] = []): Promise<Server> {
    const transactions = this.#lmdb.transactions(files);
    const options = {
      directory,
      url: bucketName,
      openTarget: async () => new BackupTarget(bucketName, await buckets.open(bucketName)),
      settings: { everyMs: 1e8, snapshotEveryMs: 1e12, keepMs: 1e12 },
      files,
      lastTransaction: () => transactions(directory).last(),
      log: ({ event }: { readonly event: string }) => void events.push(event),
    };
    const host: LmdbHost = { ...this.#host(files), openTransactions: transactions };
    if (this.#form === 'one process') {
      const shipper = await LogShipper.open(options);
      const archive = plant.archive?.(shipper) ?? shipper;
      const environment = await LmdbEnvironment.open(directory, false, { ...host, archive });
      await shipper.begin(storeOf(environment));
      return { environments: [environment], shipper, close: () => shipper.close(() => environment.close()) };
    }
    const environments: LmdbEnvironment[] = [];
    for (let count = 0; count < 2; count += 1) {
      const environment = await LmdbEnvironment.open(directory, true, { ...host, hasSharedLog: true });
      plant.environment?.(environment);
      environments.push(environment);
    }
    const [first, second] = environments as [LmdbEnvironment, LmdbEnvironment];
    const shipper = await LogShipper.open({ ...options, sharedLog: first.sharedLog! });
    await shipper.begin(storeOf(first));
    const close = async (): Promise<void> => {
      await second.close();
      await shipper.close(() => first.close());
    };
    return { environments, shipper, close };
  }

  #host(files: SimulatedFiles): LmdbHost {
    return {
      files,
      openDatabase: this.#lmdb.opener(files),
      makeLog: (options) => new WriteAheadLog({ ...options, growthBytes: 8 * 1024 }),
      log: {
        // So small that the log files are reused constantly.
        limits: { bytes: 2_000, entries: 20 },
        alarm: (action) => {
          const alarm = new ManualAlarm(action);
          if (files === this.#files) this.#alarms.push(alarm);
          return alarm;
        },
      },
    };
  }

  async #write(environment: LmdbEnvironment): Promise<void> {
    const number = (this.#issued += 1);
    const value = bytes(`${number} ${'x'.repeat(this.#random.integer(0, 500))}`);
    const writes = [{ key: keyOf(number), value }];
    await environment.commits.write([], () => ({ answer: undefined, writes }));
    this.#acknowledged.add(number);
  }

  #ring(): void {
    const set = this.#alarms.filter(({ isSet }) => isSet);
    set[this.#below(set.length)]?.ring();
  }

  /** The live process may come upon what is wrong before any image does. */
  async #ship(shipper: LogShipper): Promise<void> {
    try {
      await this.#until(shipper.shipAll());
    } catch (error) {
      this.problems.push(`not shipped: ${String(error)}`);
    }
  }

  #complete(): void {
    const { waitingCount } = this.#files;
    if (waitingCount > 0) this.#files.complete(this.#below(waitingCount));
  }

  async #until<T>(work: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settled = work.finally(() => (state.isSettled = true));
    settled.catch(() => undefined); // it is awaited below, which may be some turns after it has failed
    while (!state.isSettled) {
      this.#complete();
      await progress();
    }
    return settled;
  }

  async #look(): Promise<void> {
    const acknowledged = [...this.#acknowledged];
    const objects = new Map(this.#buckets.buckets.get(bucketName));
    for (const isOnDisk of subsets(this.#files.uncertainCount, imagesPerMoment, this.#random)) {
      const isCommitted = this.#random.chance(0.5);
      const image = this.#files.image(isOnDisk, (old, made) => this.#lmdb.leave(old, made, isCommitted));
      const buckets = new MemoryBuckets();
      buckets.buckets.set(bucketName, new Map(objects));
      this.images += 1;
      await this.#recover(image, buckets, acknowledged).catch((error: unknown) => this.problems.push(String(error)));
    }
  }

  /** The next process ships what was left; then the machine is lost. */
  async #recover(image: SimulatedFiles, buckets: MemoryBuckets, acknowledged: readonly number[]): Promise<void> {
    const events: string[] = [];
    await ensureMarker(directory, image);
    const server = await this.#open(image, buckets, {}, events);
    const hasEnded = (): boolean => events.includes('backup-chain-ended');
    while (server.shipper.report().coveredUntilMs === undefined && !hasEnded()) await progress();
    if (hasEnded()) {
      this.problems.push('the chain has ended');
      void server.close();
      return;
    }
    await server.close();
    if (hasEnded()) this.problems.push('the chain has ended');
    const store = openMemoryStore();
    await restore(new BackupTarget(bucketName, await buckets.open(bucketName)), store, { atMs: undefined });
    const numbers = Array.from({ length: this.#issued }, (_, at) => at + 1);
    const texts = await textsOf(store, numbers.map(keyOf));
    const found = new Set(texts.flatMap((text) => (text === undefined ? [] : [Number(text.split(' ')[0])])));
    const missing = acknowledged.filter((number) => !found.has(number));
    if (missing.length > 0) this.problems.push(`acknowledged, and not restored: ${missing.join(', ')}`);
    await store.close();
  }

  #below(bound: number): number {
    return bound === 0 ? 0 : this.#random.integer(0, bound - 1);
  }
}

function keyOf(number: number): Uint8Array {
  return testKey(1, 1, [number >> 8, number & 0xff]);
}

/** The production driver, without the real directory that its lease is for. */
function storeOf(environment: LmdbEnvironment): Store {
  return {
    manifest: { name: 'simulated', durability: 'disk', multiProcess: true, keyBytesMax: 1978 },
    read: (keys, body) => environment.reader.read(keys, body),
    range: (request, visit) => environment.reader.range(request, visit),
    write: <T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>) =>
      environment.commits.write(keys, decide),
    close: () => environment.close(),
  };
}

/** Lets all work run until it waits for the disk. */
async function progress(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function problemsOf(form: Form, images: number, plant: Plant = {}): Promise<readonly string[]> {
  for (let made = 0, at = 0; made < images; at += 1) {
    const run = new Run(form, seed + at, plant);
    await run.play();
    made += run.images;
    if (run.problems.length > 0) return run.problems;
  }
  return [];
}

test.each<Form>(['one process', 'several processes'])(
  `a power cut leaves no gap in the backup: %s (POWER_CUT_SEED=${seed})`,
  async (form) => {
    expect(await problemsOf(form, imagesMin)).toEqual([]);
  },
);

/** The shipper as an archive, except for the methods that a planted bug replaces. */
function archiveOf(shipper: LogShipper, changed: Partial<LogArchive>): LogArchive {
  return {
    recovered: (log) => shipper.recovered(log),
    leftBySeveral: (log) => shipper.leftBySeveral(log),
    began: (log) => shipper.began(log),
    beforeReuse: (generation) => shipper.beforeReuse(generation),
    ended: (why) => shipper.ended(why),
    ...changed,
  };
}

test.each<[string, Form, Plant]>([
  [
    'the file of a generation is used again before its groups are in the spool',
    'one process',
    {
      archive: (shipper) =>
        archiveOf(shipper, { beforeReuse: async (generation) => void shipper.beforeReuse(generation) }),
    },
  ],
  [
    'the name of the spool is not synced',
    'one process',
    {
      files: (files) => {
        const sync = files.syncDirectory.bind(files);
        files.syncDirectory = async (path) => (path === directory ? undefined : sync(path));
      },
    },
  ],
  [
    'groups of the shared log are left out now and then',
    'several processes',
    {
      environment: ({ sharedLog }) => {
        const append = sharedLog!.append.bind(sharedLog);
        let count = 0;
        sharedLog!.append = (group) => ((count += 1) % 5 === 0 ? undefined : append(group));
      },
    },
  ],
])('a bug is found: %s', async (_, form, plant) => {
  expect(await problemsOf(form, imagesToFind, plant)).not.toEqual([]);
});
