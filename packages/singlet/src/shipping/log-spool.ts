import { dirname, join } from 'node:path';
import type { FileSystem } from '../storage/files/file-system.ts';
import { errorCodeOf } from '../storage/files/node-file-system.ts';
import { writeDurably } from './backup-state.ts';
import { type LogPosition, type LogRun, walkRun } from './log-position.ts';

const spoolName = 'backup-spool';

/** The origin of a run in the spool. */
interface SpooledRun {
  readonly name: string;
  readonly era: string;
  readonly generation: number;
  /** The number of groups of the generation that precede it. */
  readonly groups: number;
  readonly bytes: number;
}

/**
 * Groups that are not in the backup yet and whose place in the log is reused: files in a directory beside the data, in the order of the log.
 * They are kept while the target cannot be reached.
 */
export class LogSpool {
  readonly #files: FileSystem;
  readonly #directory: string;
  #runs: SpooledRun[] = [];
  #next = 0;
  #isDirectoryThere = false;

  private constructor(files: FileSystem, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** @param dataDirectory - contains the spool. */
  static async open(files: FileSystem, dataDirectory: string): Promise<LogSpool> {
    const directory = join(dataDirectory, spoolName);
    const spool = new LogSpool(files, directory);
    const names = await files.readDirectory(directory).catch((error: unknown) => {
      if (errorCodeOf(error) === 'ENOENT') return [];
      throw error;
    });
    for (const name of [...names].sort()) {
      const [, number, era, generation, groups, bytes] = /^(\d{10})-([0-9a-f]{32})-(\d+)-(\d+)-(\d+)$/.exec(name) ?? [];
      if (number === undefined || era === undefined) continue;
      spool.#runs.push({ name, era, generation: Number(generation), groups: Number(groups), bytes: Number(bytes) });
      spool.#next = Number(number) + 1;
    }
    return spool;
  }

  get bytes(): number {
    return this.#runs.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Whether the spool has a generation or a part of it. */
  has(era: string, generation: number): boolean {
    return this.#runs.some((run) => run.era === era && run.generation === generation);
  }

  /** Keeps a run, durably once this resolves. @param groups - the number of groups of the generation that precede it. */
  async add({ era, generation, groups: bytes }: LogRun, groups: number): Promise<void> {
    if (bytes.length === 0) return;
    const number = String(this.#next++).padStart(10, '0');
    const name = `${number}-${era}-${generation}-${groups}-${bytes.length}`;
    await this.#makeDirectory();
    await writeDurably(this.#files, this.#directory, name, bytes);
    this.#runs.push({ name, era, generation, groups, bytes: bytes.length });
  }

  /** Its contents are durable only once its own name is. */
  async #makeDirectory(): Promise<void> {
    if (this.#isDirectoryThere) return;
    await this.#files.makeDirectory(this.#directory);
    await this.#files.syncDirectory(dirname(this.#directory));
    this.#isDirectoryThere = true;
  }

  /**
   * The oldest run that is not before a position, without the groups before the position.
   *
   * @returns undefined if the spool has nothing more; `'gap'` if the next run does not follow.
   */
  async after(position: LogPosition | undefined): Promise<LogRun | undefined | 'gap'> {
    await this.#dropEarlierEras(position);
    for (;;) {
      const [run] = this.#runs;
      if (run === undefined) return undefined;
      const { era, generation } = run;
      const isSame = position?.era === era && position.generation === generation;
      const isBehind = position?.era === era && generation < position.generation;
      const bytes = isBehind ? undefined : await this.#files.readFile(join(this.#directory, run.name));
      if (!isBehind && bytes === undefined) return 'gap';
      const rest = bytes && (isSame ? behind({ era, generation, groups: bytes }, run.groups, position) : bytes);
      if (bytes !== undefined && rest === undefined) return 'gap';
      if (rest !== undefined && rest.length > 0) return { era, generation, groups: rest };
      await this.#drop(run);
    }
  }

  async clear(): Promise<void> {
    for (const run of this.#runs) await this.#drop(run);
  }

  /** Everything before the era of a position is in the chain already. */
  async #dropEarlierEras(position: LogPosition | undefined): Promise<void> {
    const first = this.#runs.findIndex(({ era }) => era === position?.era);
    for (const run of this.#runs.slice(0, Math.max(0, first))) await this.#drop(run);
  }

  async #drop(run: SpooledRun): Promise<void> {
    await this.#files.unlink(join(this.#directory, run.name));
    this.#runs = this.#runs.filter((other) => other !== run);
  }
}

/** The groups of a run that come after a position of the same generation; undefined if the position is not in the run. */
function behind(run: LogRun, groupsBefore: number, { end }: LogPosition): Buffer | undefined {
  const walked = walkRun(run, undefined, { chain: false });
  if (walked === undefined) return undefined;
  const index = end.groups - groupsBefore;
  if (index < 0) return undefined;
  // The position is in a later run of the same generation.
  if (index > walked.heads.length) return Buffer.alloc(0);
  const next = walked.heads[index];
  if (next !== undefined)
    return next.number > 0 && next.before !== end.checksum ? undefined : run.groups.subarray(next.offset);
  return walked.position.end.checksum === end.checksum ? Buffer.alloc(0) : undefined;
}
