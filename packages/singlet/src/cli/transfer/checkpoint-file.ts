import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { UsageError } from '../usage-error.ts';
import { errorCodeOf } from '../../storage/files/node-file-system.ts';

/** The version of the files below. */
const checkpointFormat = 1;

/**
 * A file that records the progress of a command. It belongs to one `work` (what is copied from where to where) and cannot be used for another.
 */
export class CheckpointFile<T> {
  readonly #path: string;
  readonly #work: string;

  constructor(path: string, work: string) {
    this.#path = path;
    this.#work = work;
  }

  /**
   * The recorded state; undefined if there is none.
   *
   * @throws {UsageError} if the file is not a checkpoint, or belongs to another work.
   */
  async read(): Promise<T | undefined> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    const found = parse(text);
    if (found?.format !== checkpointFormat) throw new UsageError(`${this.#path} is not a checkpoint of this version.`);
    if (found.work !== this.#work) {
      throw new UsageError(
        `${this.#path} belongs to another run (${String(found.work)}): remove it, or finish that run first.`,
      );
    }
    return found.state as T; // written by write()
  }

  /** Records the state atomically. */
  async write(state: T): Promise<void> {
    const partial = `${this.#path}.partial`;
    await writeFile(partial, JSON.stringify({ format: checkpointFormat, work: this.#work, state }));
    await rename(partial, this.#path);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

function parse(
  text: string,
): { readonly format?: unknown; readonly work?: unknown; readonly state?: unknown } | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
