import { constants, fdatasync, write } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import type { FileSystem, OpenFile, OpenOptions } from './file-system.ts';

/** Whether a write is on the disk when it returns. On other systems that takes a second call. */
const writesThrough = process.platform === 'linux' && constants.O_DSYNC !== undefined;

/** Data belongs to the user who runs the process. */
const fileMode = 0o600;

/** The file system of the machine. */
export const nodeFileSystem: FileSystem = {
  async open(path: string, { create = false, isDurable = false }: OpenOptions): Promise<OpenFile> {
    const flags =
      constants.O_RDWR | (create ? constants.O_CREAT : 0) | (isDurable && writesThrough ? constants.O_DSYNC : 0);
    return new NodeFile(await open(path, flags, fileMode), isDurable && !writesThrough);
  },

  async readFile(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(path);
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  readDirectory: (path: string) => readdir(path),
  rename,

  async link(existing: string, name: string): Promise<boolean> {
    try {
      await link(existing, name);
      return true;
    } catch (error) {
      if (errorCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
  },

  async unlink(path: string): Promise<void> {
    await rm(path, { force: true });
  },

  async makeDirectory(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },

  async syncDirectory(path: string): Promise<void> {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

/** The code of a system error, such as `ENOENT`; undefined for anything else. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

class NodeFile implements OpenFile {
  readonly #handle: FileHandle;
  readonly #syncsWrites: boolean;

  constructor(handle: FileHandle, syncsWrites: boolean) {
    this.#handle = handle;
    this.#syncsWrites = syncsWrites;
  }

  /** Uses callbacks, which cost half as much as the promises of a file handle. */
  write(bytes: Uint8Array, position: number): Promise<void> {
    const { fd } = this.#handle;
    return new Promise((resolve, reject) => {
      const done = (error: Error | null): void => (error === null ? resolve() : reject(error));
      const writeFrom = (at: number): void =>
        write(fd, bytes, at, bytes.length - at, position + at, (error, written) => {
          if (error !== null) reject(error);
          // A disk that becomes full writes what fits, and fails the next write.
          else if (at + written < bytes.length) writeFrom(at + written);
          else if (this.#syncsWrites) fdatasync(fd, done);
          else resolve();
        });
      writeFrom(0);
    });
  }

  async read(length: number, position: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await this.#handle.read(bytes, 0, length, position);
    return bytes.subarray(0, bytesRead);
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
