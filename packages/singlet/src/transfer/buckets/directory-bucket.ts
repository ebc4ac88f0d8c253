import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { open, readdir, link, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Bucket, BucketError, type ObjectStore, type ObjectSummary, type WrittenObject } from './bucket.ts';
import { makeDirectories } from './make-directories.ts';

/**
 * A directory that represents buckets: `DIRECTORY/<bucket>/<key>`. A bucket exists if its directory does.
 *
 * Keys that are not a relative path below the bucket (`../x`, `/x`, `a//b`, an empty part, a NUL) are refused, and symbolic links are not
 * followed when objects are listed.
 */
export function directoryObjectStore(directory: string): ObjectStore {
  const root = resolve(directory);
  return {
    async open(bucketName) {
      if (!isBucketName(bucketName)) throw noSuchBucket(bucketName);
      const path = join(root, bucketName);
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory() !== true) throw noSuchBucket(bucketName);
      return new DirectoryBucket(path);
    },
  };
}

export interface DirectoryBucketOptions {
  /** The mode of new files; by default that of the process. */
  readonly fileMode?: number;
}

/** A directory as a bucket, with any name. */
export function directoryBucket(path: string, options?: DirectoryBucketOptions): Bucket {
  return new DirectoryBucket(resolve(path), options);
}

/** Files with this prefix are being written. They are not objects. */
const partialPrefix = '.singlet-partial-';

class DirectoryBucket implements Bucket {
  readonly #path: string;
  readonly #fileMode: number | undefined;

  constructor(path: string, { fileMode }: DirectoryBucketOptions = {}) {
    this.#path = path;
    this.#fileMode = fileMode;
  }

  async *list(prefix: string): AsyncGenerator<ObjectSummary> {
    yield* this.#walk('', prefix);
  }

  async read(key: string): Promise<AsyncIterable<Uint8Array>> {
    const path = this.#pathOf(key);
    const found = await stat(path).catch((error: unknown) => {
      if (isSystemError(error) && absentCodes.has(error.code)) return undefined;
      throw ioError(key, error); // it may well exist
    });
    if (found?.isFile() !== true) throw new BucketError('no-such-key', `The bucket has no object ${key}.`);
    return readFile(path, key);
  }

  async write(key: string, chunks: AsyncIterable<Uint8Array>): Promise<WrittenObject> {
    return this.#place(key, chunks, rename);
  }

  async create(key: string, bytes: Uint8Array): Promise<void> {
    // Not renamed, because that would replace an object that another process has written meanwhile.
    await this.#place(key, [bytes], async (partial, path) => {
      await link(partial, path).catch((error: unknown) => {
        if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
        throw new BucketError('exists', `The bucket has an object ${key} already.`, { cause: error });
      });
      await rm(partial);
    });
  }

  async remove(key: string): Promise<void> {
    try {
      await rm(this.#pathOf(key), { force: true });
    } catch (error) {
      throw isSystemError(error) ? ioError(key, error) : error;
    }
  }

  /** Writes a file under a temporary name, and then gives it its final name. Both are durable when this resolves. */
  async #place(
    key: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    place: (partial: string, path: string) => Promise<void>,
  ): Promise<WrittenObject> {
    const path = this.#pathOf(key);
    const partial = join(dirname(path), `${partialPrefix}${randomUUID()}`);
    const md5 = createHash('md5');
    let bytes = 0;
    try {
      const created = await makeDirectories(dirname(path));
      const file = await open(partial, 'wx', this.#fileMode);
      try {
        for await (const chunk of chunks) {
          await file.writeFile(chunk);
          md5.update(chunk);
          bytes += chunk.length;
        }
        await file.sync();
      } finally {
        await file.close();
      }
      await place(partial, path);
      await syncNames(dirname(path), created);
    } catch (error) {
      await rm(partial, { force: true });
      throw isSystemError(error) ? ioError(key, error) : error;
    }
    const digest = md5.digest();
    return { bytes, md5: digest.toString('base64'), etag: digest.toString('hex') };
  }

  /** Walks directories in the order of the keys below them, as if their names ended in a slash. */
  async *#walk(folder: string, prefix: string): AsyncGenerator<ObjectSummary> {
    const entries = (await this.#entriesOf(folder))
      .filter((entry) => (entry.isDirectory() || entry.isFile()) && !entry.name.startsWith(partialPrefix))
      .map((entry) => ({ key: folder + entry.name + (entry.isDirectory() ? '/' : ''), isFile: entry.isFile() }))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
    for (const { key, isFile } of entries) {
      if (isFile) {
        if (!key.startsWith(prefix)) continue;
        const found = await stat(join(this.#path, key)).catch(() => undefined);
        if (found !== undefined) yield { key, bytes: found.size };
      } else if (key.startsWith(prefix) || prefix.startsWith(key)) {
        yield* this.#walk(key, prefix);
      }
    }
  }

  async #entriesOf(folder: string): Promise<readonly Dirent[]> {
    try {
      return await readdir(join(this.#path, folder), { withFileTypes: true });
    } catch (error) {
      throw ioError(folder, error);
    }
  }

  #pathOf(key: string): string {
    const parts = key.split('/');
    const isPath = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\0\\]/.test(part));
    if (!isPath)
      throw new BucketError('invalid-key', `${JSON.stringify(key)} cannot be the name of a file in a bucket.`);
    return join(this.#path, ...parts);
  }
}

/** Makes the entries of a directory durable, and those of newly created directories above it, from `created` down. */
async function syncNames(directory: string, created: string | undefined): Promise<void> {
  const last = created === undefined ? directory : dirname(created);
  for (let path = directory; ; path = dirname(path)) {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (path === last || path === dirname(path)) return;
  }
}

/** The chunk size for reading files. With Node's default of 64 KB, every fifty items would wait for the disk once. */
const chunkBytes = 512 * 1024;

async function* readFile(path: string, key: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw ioError(key, error);
  }
}

/** Errors that only a path without a file has. */
const absentCodes: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

function isBucketName(name: string): boolean {
  return /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

function ioError(key: string, error: unknown): BucketError {
  const code = isSystemError(error) && (error.code === 'EACCES' || error.code === 'EPERM') ? 'access-denied' : 'io';
  return new BucketError(code, `${key}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

function noSuchBucket(bucketName: string): BucketError {
  return new BucketError('no-such-bucket', `There is no bucket ${bucketName}.`);
}
