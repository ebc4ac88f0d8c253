import { describe, expect, test } from 'vitest';
import { type PowerCutOptions, type PowerCutResult, runPowerCuts } from '../testing/power-cut-run.ts';
import type { LmdbHost } from './lmdb-environment.ts';
import { WriteAheadLog } from './write-ahead-log.ts';
import type { GroupHead } from './write-ahead-log-format.ts';

/** More images: `POWER_CUT_IMAGES=100000 npx vitest run …/power-cut.test.ts`. Replay: `POWER_CUT_SEED=…`. */
const imagesMin = Number(process.env['POWER_CUT_IMAGES'] ?? 3_000);
const seed = Number(process.env['POWER_CUT_SEED'] ?? Math.floor(Math.random() * 1e9));

async function runUntil(
  images: number,
  options: Partial<PowerCutOptions>,
  isEnough: (result: PowerCutResult) => boolean = () => false,
): Promise<PowerCutResult> {
  const problems = new Set<string>();
  let count = 0;
  for (let history = 0; count < images; history += 1) {
    const result = await runPowerCuts({
      seed: seed + history,
      steps: 60,
      imagesPerMoment: imagesMin > 10_000 ? 512 : 12,
      momentShare: imagesMin > 10_000 ? 1 : 0.5,
      ...options,
    });
    count += result.images;
    for (const problem of result.problems) problems.add(problem);
    if (isEnough({ images: count, problems: [...problems] })) break;
  }
  return { images: count, problems: [...problems] };
}

test(
  `no image of a power cut is refused, and none loses an acknowledged write (POWER_CUT_SEED=${seed})`,
  { timeout: Math.max(600_000, imagesMin * 20) },
  async () => {
    const { images, problems } = await runUntil(imagesMin, {});
    expect(problems).toEqual([]);
    expect(images).toBeGreaterThanOrEqual(imagesMin);
  },
);

/** Claims falsely that all earlier groups are on disk. */
class OverstatingLog extends WriteAheadLog {
  protected override writeHead(group: Buffer, head: GroupHead): number {
    return super.writeHead(group, { ...head, durable: head.number });
  }
}

/** Claims that the next generation has begun before it is on disk. */
class HastyLog extends WriteAheadLog {
  #hasBegun = false;

  override async begun(): Promise<void> {
    const begun = super.begun();
    if (!this.#hasBegun) await begun;
    this.#hasBegun = true;
    begun.catch(() => undefined);
  }
}

const withLog =
  (Log: typeof WriteAheadLog): NonNullable<PowerCutOptions['plant']> =>
  () => ({ makeLog: (options) => new Log({ ...options, growthBytes: 8 * 1024, now: () => 1 }) });

const stateOf = (value: Buffer | undefined): number | undefined =>
  value?.length === 68 ? value.readUInt32LE(12) : undefined;

describe('a bug is found:', () => {
  const bugs: readonly [string, NonNullable<PowerCutOptions['plant']>, RegExp][] = [
    ['a group says that all before it are durable', withLog(OverstatingLog), /refused: .* is damaged/],
    ['a checkpoint is marked before the next generation has begun', withLog(HastyLog), /refused: .* is incomplete/],
    [
      'the log is removed before LMDB says that it is closed',
      ({ lmdb }) => {
        lmdb.reportsEarly = (writes) => stateOf(writes.get('\0')) === 2;
        return {};
      },
      /refused: .*(is incomplete|is missing)/,
    ],
    [
      'names in the directory are not synced',
      ({ files }): Partial<LmdbHost> => {
        files.syncDirectory = async () => undefined;
        return {};
      },
      /refused: |lost/,
    ],
    [
      'the marker says ready before the data file is synced',
      ({ lmdb, files }): Partial<LmdbHost> => {
        const { syncDirectory } = files;
        let isReady = false;
        lmdb.reportsEarly = () => !isReady;
        files.syncDirectory = async (path) => {
          await syncDirectory.call(files, path);
          isReady = (files.inode('/data/singlet.json')?.bytes.includes('ready') ?? false) || isReady;
        };
        return {};
      },
      /refused: .*(is missing|is not a data file)/,
    ],
  ];

  test.each(bugs)('%s', async (_, plant, found) => {
    const isFound = ({ problems }: PowerCutResult): boolean => problems.some((problem) => found.test(problem));
    const result = await runUntil(20_000, { plant, momentShare: 1 }, isFound);
    expect(result.problems.filter((problem) => found.test(problem))).not.toEqual([]);
  });
});
