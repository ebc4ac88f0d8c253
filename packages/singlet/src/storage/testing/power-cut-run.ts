/**
 * Power cuts while the LMDB driver works, over a simulated disk: random writes, two groups in flight that complete in any order, turns of the log,
 * checkpoints, seals, opening and closing. At every moment the legal images of the disk are built, and each is recovered.
 */
import { ensureMarker } from '../lmdb/data-directory.ts';
import { LmdbEnvironment, type LmdbHost } from '../lmdb/lmdb-environment.ts';
import { WriteAheadLog } from '../lmdb/write-ahead-log.ts';
import { ManualAlarm } from './manual-alarm.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { SimulatedFiles, subsets } from './simulated-files.ts';
import { SimulatedLmdb } from './simulated-lmdb.ts';
import { bytes, testKey, valueText } from './store-probe.ts';

const directory = '/data';
const keyCount = 6;

export interface PowerCutOptions {
  readonly seed: number;
  /** Steps of one history: a write, an operation that completes, or an alarm. */
  readonly steps: number;
  /** Most images of each moment. */
  readonly imagesPerMoment: number;
  /** Share of moments that are checked. */
  readonly momentShare: number;
  /** Changes to the parts, by which tests plant bugs. */
  readonly plant?: (parts: { readonly files: SimulatedFiles; readonly lmdb: SimulatedLmdb }) => Partial<LmdbHost>;
}

export interface PowerCutResult {
  readonly images: number;
  /** The problems found, each in a sentence. */
  readonly problems: readonly string[];
}

/** One history, from an empty directory to the end of a process that closes it. */
export async function runPowerCuts(options: PowerCutOptions): Promise<PowerCutResult> {
  const run = new PowerCutRun(options);
  try {
    await run.play();
  } catch (error) {
    run.note(error);
  }
  return run.result;
}

class PowerCutRun {
  readonly #options: PowerCutOptions;
  readonly #random: SeededRandom;
  readonly #files = new SimulatedFiles();
  readonly #lmdb = new SimulatedLmdb();
  readonly #alarms: ManualAlarm[] = [];
  /** By key: how many writes have been begun, and the highest that was acknowledged. */
  readonly #issued = Array.from({ length: keyCount }, () => 0);
  readonly #acknowledged = Array.from({ length: keyCount }, () => 0);
  readonly #problems = new Set<string>();
  #images = 0;

  constructor(options: PowerCutOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  get result(): PowerCutResult {
    return { images: this.#images, problems: [...this.#problems] };
  }

  async play(): Promise<void> {
    const planted = this.#options.plant?.({ files: this.#files, lmdb: this.#lmdb }) ?? {};
    const host = { ...this.#host(this.#files), ...planted };
    await this.#until(ensureMarker(directory, host.files));
    for (let session = 0; session < 2; session += 1) {
      const environment = await this.#until(LmdbEnvironment.open(directory, false, host));
      const writes: Promise<void>[] = [];
      for (let step = 0; step < this.#options.steps; step += 1) {
        if (this.#random.next() < 0.4)
          writes.push(this.#write(environment).catch((error: unknown) => this.note(error)));
        else if (this.#random.next() < 0.15) this.#ring();
        else this.#completeOne();
        await this.#look();
      }
      await this.#until(Promise.all(writes));
      // Writes that others wait for are done; now a pause, in which the log is sealed and perhaps checkpointed.
      for (let rings = this.#random.integer(0, 3); rings > 0; rings -= 1) {
        this.#ring();
        await this.#look();
      }
      await this.#until(environment.close());
      this.#alarms.length = 0;
    }
  }

  #host(files: SimulatedFiles): LmdbHost {
    return {
      files,
      openDatabase: this.#lmdb.opener(files),
      makeLog: (options) => new WriteAheadLog({ ...options, growthBytes: 8 * 1024, now: () => 1 }),
      log: {
        // So small that checkpoints and turns happen all the time.
        limits: { bytes: 3_000, entries: 40 },
        alarm: (action) => {
          const alarm = new ManualAlarm(action);
          this.#alarms.push(alarm);
          return alarm;
        },
      },
    };
  }

  /** Two entries with the same text: never one without the other. */
  async #write(environment: LmdbEnvironment): Promise<void> {
    const key = this.#random.integer(0, keyCount - 1);
    const number = (this.#issued[key] = this.#issued[key]! + 1);
    const value = bytes(`${number} ${'x'.repeat(this.#random.integer(0, 700))}`);
    await environment.commits.write([], () => ({
      answer: undefined,
      writes: [1, 2].map((space) => ({ key: testKey(space, key), value })),
    }));
    this.#acknowledged[key] = Math.max(this.#acknowledged[key]!, number);
  }

  #completeOne(): void {
    if (this.#files.waitingCount > 0) this.#files.complete(this.#random.integer(0, this.#files.waitingCount - 1));
  }

  #ring(): void {
    const set = this.#alarms.filter(({ isSet }) => isSet);
    if (set.length > 0) set[this.#random.integer(0, set.length - 1)]!.ring();
  }

  /** Completes waiting operations until a promise has settled, and checks the moments between. */
  async #until<T>(promise: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settled = promise.finally(() => (state.isSettled = true));
    settled.catch(() => undefined);
    await progress();
    while (!state.isSettled) {
      this.#completeOne();
      await this.#look();
    }
    return settled;
  }

  async #look(): Promise<void> {
    await progress();
    if (this.#random.next() >= this.#options.momentShare) return;
    // The current values: recovery takes its time, but nothing changes in the simulation meanwhile.
    const acknowledged = [...this.#acknowledged];
    for (const isOnDisk of subsets(this.#files.uncertainCount, this.#options.imagesPerMoment, this.#random)) {
      const isCommitted = this.#random.next() < 0.5;
      const image = this.#files.image(isOnDisk, (old, made) => this.#lmdb.leave(old, made, isCommitted));
      this.#images += 1;
      await this.#recover(image, acknowledged);
    }
  }

  async #recover(image: SimulatedFiles, acknowledged: readonly number[]): Promise<void> {
    const { rules } = this.#options.plant?.({ files: image, lmdb: new SimulatedLmdb() }) ?? {};
    const host: LmdbHost = { files: image, openDatabase: this.#lmdb.opener(image), ...(rules && { rules }) };
    try {
      await ensureMarker(directory, image);
      const environment = await LmdbEnvironment.open(directory, false, host);
      this.#check(environment, acknowledged);
      await environment.close();
    } catch (error) {
      this.note(error);
    }
  }

  /** Nothing may fail: neither the process nor a later start. */
  note(error: unknown): void {
    this.#problems.add(`refused: ${error instanceof Error ? error.message : String(error)}`);
  }

  #check(environment: LmdbEnvironment, acknowledged: readonly number[]): void {
    for (const [key, count] of acknowledged.entries()) {
      const [left, right] = environment.reader.read([testKey(1, key), testKey(2, key)], (values) =>
        values.map((value) => (value === undefined ? '' : valueText(value))),
      );
      if (left !== right) this.#problems.add('half of a write is there');
      const found = Number(left?.split(' ')[0] ?? 0);
      if (found < count) this.#problems.add('an acknowledged write is lost');
      if (found > this.#issued[key]!) this.#problems.add('there is a write that was never made');
    }
  }
}

/** Waits until every task waits for the disk. */
async function progress(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
