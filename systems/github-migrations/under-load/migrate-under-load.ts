import type { ConnectOptions } from '@singlet/model';
import type { MigrateOptions, SegmentCount, VerifyReport } from '@singlet/model/migrate';
import { ManualClock } from '../../clock.ts';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { sampleSite } from '../../github/sample-site.ts';
import { seedGitHub } from '../../github/seed.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { openMigratedGitHub, type MigratedGitHub } from '../migrated-github.ts';
import { MIGRATIONS, runMigration, type SiteMigrationOptions, SWITCHED_BY, verifyMigration } from '../migrations.ts';
import { type Readers, READERS_OFF, READERS_ON } from '../readers.ts';
import type { MigrationName } from '../versions.ts';
import { compareSites, type CompareTally } from './compare.ts';
import { MemorySite } from './memory-site.ts';
import { takingTurns } from './taking-turns.ts';
import { write, type WriterTally } from './writer.ts';

export interface UnderLoadOptions {
  /** A client for each concurrent user: the migration, and every writer. */
  readonly newClient: () => ConnectOptions['client'];
  /** A table of the first model, empty. */
  readonly tableName: string;
  /** 1 is 1,000 repositories with 200,000 issues and 1,000,000 reactions and stars. */
  readonly scale: number;
  /** The number of repositories, if not the same share. */
  readonly repos?: number | undefined;
  readonly writers: number;
  /** The minimum work of the writers, also if the migrations end before. */
  readonly actsMin: number;
  /** The number of items to read individually in the comparison. */
  readonly samplesMax: number;
  /** Milliseconds, for figures. */
  readonly nowMs: () => number;
  readonly seed?: number;
  readonly migrate?: Partial<Pick<MigrateOptions, 'segments' | 'concurrency' | 'pageItems' | 'pause'>>;
  readonly onPhase?: (phase: string) => void;
}

/** The results of one migration, and its duration. */
export interface MigrationFigures {
  readonly name: MigrationName;
  readonly seconds: number;
  /** Of its scan; absent if nothing is written. */
  readonly count: SegmentCount | undefined;
  readonly verifiedInSeconds: number;
  readonly indexes: VerifyReport['indexes'];
  /** The writers' actions meanwhile, including refused ones and reads. */
  readonly acts: number;
}

export interface UnderLoadReport {
  readonly seeded: Readonly<Record<string, number>>;
  readonly seededInSeconds: number;
  readonly migrations: readonly MigrationFigures[];
  readonly acts: WriterTally;
  readonly verifiedAtRestInSeconds: number;
  readonly compared: CompareTally;
  readonly comparedInSeconds: number;
  /** Repos whose counter may have advanced without a new item. */
  readonly numbersLost: number;
}

/** A verification that found faults. */
export class FaultsFound extends Error {
  override readonly name = 'FaultsFound';
  readonly report: VerifyReport;

  constructor(migration: MigrationName, report: VerifyReport) {
    const shown = report.faults
      .slice(0, 5)
      .map(({ code, message, key }) => `${code} ${JSON.stringify(key)} ${message}`);
    super(`${migration}: ${report.faultCount} faults.\n${shown.join('\n')}`);
    this.report = report;
  }
}

const NAMES: readonly MigrationName[] = ['MIG-1', 'MIG-2', 'MIG-3', 'MIG-4', 'MIG-5'];

/**
 * Loads a site in the form before the migrations, runs them all during concurrent writes, and compares every access pattern with the
 * site in plain memory.
 *
 * @throws {FaultsFound} if a verification finds any.
 * @throws {AssertionError} if an access pattern returns a wrong answer.
 */
export async function migrateUnderLoad(options: UnderLoadOptions): Promise<UnderLoadReport> {
  const { tableName, scale, repos, nowMs, onPhase = () => undefined } = options;
  const newClient = (): ConnectOptions['client'] => takingTurns(options.newClient());
  const timed = async <Result>(phase: string, work: () => Promise<Result>): Promise<[Result, number]> => {
    onPhase(phase);
    const startedAtMs = nowMs();
    const result = await work();
    return [result, (nowMs() - startedAtMs) / 1_000];
  };
  const client = newClient();
  const [seeded, seededInSeconds] = await timed(
    'seeding',
    async () => await seedGitHub({ client, tableName, scale, repos }),
  );
  const meant = new MemorySite(sampleSite(scale, { repos }));
  const readers: Record<keyof Readers, boolean> = { ...READERS_OFF };
  const crowd = new Crowd(options, meant, readers);
  const settings: SiteMigrationOptions = { ...options.migrate, client, tableName };
  const migrations: MigrationFigures[] = [];
  crowd.begin();
  try {
    for (const name of NAMES) {
      const before = crowd.acts;
      const [report, seconds] = await timed(name, async () => await runMigration(MIGRATIONS[name], settings));
      const acts = crowd.acts - before;
      // Without writes, nothing can be wrong.
      const [verified, verifiedInSeconds] =
        report.steps.length === 0
          ? [undefined, 0]
          : await timed(`verifying ${name}`, async () => await verifyWhole(name, false));
      for (const reader of SWITCHED_BY[name]) {
        readers[reader] = true;
      }
      const count = report.steps.find(({ step }) => step.kind === 'items')?.count;
      migrations.push({ name, seconds, count, verifiedInSeconds, indexes: verified?.indexes ?? {}, acts });
    }
  } finally {
    await crowd.end();
  }
  const [, verifiedAtRestInSeconds] = await timed('verifying at rest', async () => await verifyWhole('MIG-5', true));
  const [compared, comparedInSeconds] = await timed('comparing', async () => {
    const site = (readersOfSite: Readers): MigratedGitHub => openSite(options, newClient(), readersOfSite, 0);
    const { samplesMax } = options;
    return await compareSites({ filtered: site(READERS_OFF), byKey: site(READERS_ON), meant, samplesMax });
  });
  return {
    seeded,
    seededInSeconds,
    migrations,
    acts: crowd.tally,
    verifiedAtRestInSeconds,
    compared,
    comparedInSeconds,
    numbersLost: meant.numbersLost.size,
  };

  async function verifyWhole(name: MigrationName, atRest: boolean): Promise<VerifyReport> {
    const report = await verifyMigration(MIGRATIONS[name], { ...settings, atRest });
    if (!report.ok) {
      throw new FaultsFound(name, report);
    }
    return report;
  }
}

/** Concurrent writers, each with its own client. */
class Crowd {
  readonly tally: WriterTally = {};
  readonly #options: UnderLoadOptions;
  readonly #meant: MemorySite;
  readonly #readers: Readers;
  #goesOn = true;
  #isOver = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: UnderLoadOptions, meant: MemorySite, readers: Readers) {
    this.#options = options;
    this.#meant = meant;
    this.#readers = readers;
  }

  get acts(): number {
    return Object.values(this.tally).reduce((sum, count) => sum + count, 0);
  }

  begin(): void {
    const { writers, newClient, actsMin, seed = 1 } = this.#options;
    const goesOn = (): boolean => !this.#isOver && (this.#goesOn || this.acts < actsMin);
    const clock = new ManualClock('2020-02-01T00:00:00Z');
    const work = Array.from({ length: writers }, async (_, id) => {
      const site = openSite(this.#options, takingTurns(newClient()), this.#readers, id, clock);
      const random = new SeededRandom(seed + id);
      await write({ site, meant: this.#meant, random, clock, id, writers }, goesOn, this.tally);
    });
    this.#work = Promise.all(work);
    // `end` throws it. Until then it is not awaited, and the others need not continue.
    this.#work.catch(() => {
      this.#isOver = true;
    });
  }

  /** Waits until all have ended. @throws the error of any of them. */
  async end(): Promise<void> {
    this.#goesOn = false;
    await this.#work;
  }
}

function openSite(
  { tableName, seed = 1 }: UnderLoadOptions,
  client: ConnectOptions['client'],
  readers: Readers,
  id: number,
  clock: ManualClock = new ManualClock('2021-01-01T00:00:00Z'),
): MigratedGitHub {
  const random = new SeededRandom(1_000 + seed + id);
  const newId = createKsuidGenerator({ clock, randomBytes: (count) => random.bytes(count) });
  return openMigratedGitHub({ client, tableName, clock, newCommentId: newId, newGistId: newId, readers });
}
