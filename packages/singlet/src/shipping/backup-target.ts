import { buffer } from 'node:stream/consumers';
import { type Bucket, BucketError, type ObjectSummary } from '../transfer/buckets/index.ts';
import { BackupError } from './backup-error.ts';
import { type BackupObject, decodeObject, encodeObject, hashOf } from './backup-object.ts';

/** Sends a request, once or until it succeeds. */
export type Attempt = <T>(request: () => Promise<T>) => Promise<T>;

/** The place where backups are stored: a bucket, or a prefix in one. */
export class BackupTarget {
  /** The URL as the user gave it. */
  readonly url: string;
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #attempt: Attempt;

  /**
   * @param prefix - empty, or ends in a slash.
   * @param attempt - sends each request: once by default.
   */
  constructor(url: string, bucket: Bucket, prefix = '', attempt: Attempt = (request) => request()) {
    this.url = url;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#attempt = attempt;
  }

  /** The same target with a different way of sending requests. */
  withAttempts(attempt: Attempt): BackupTarget {
    return new BackupTarget(this.url, this.#bucket, this.#prefix, attempt);
  }

  /** Names below a prefix, in order. */
  async *names(prefix: string): AsyncGenerator<string> {
    let last = '';
    let listing: AsyncIterator<ObjectSummary> | undefined;
    // A listing that fails in the middle is restarted after the last name received.
    const next = async (): Promise<string | undefined> => {
      try {
        listing ??= this.#bucket.list(this.#prefix + prefix)[Symbol.asyncIterator]();
        for (;;) {
          const { done, value } = await listing.next();
          if (done === true) return undefined;
          if (last === '' || Buffer.compare(Buffer.from(value.key), Buffer.from(last)) > 0) return (last = value.key);
        }
      } catch (error) {
        listing = undefined;
        throw error;
      }
    };
    for (;;) {
      const key = await this.#attempt(next);
      if (key === undefined) return;
      yield key.slice(this.#prefix.length);
    }
  }

  /** @returns undefined if there is no such object. */
  find(name: string): Promise<Buffer | undefined> {
    return this.#attempt(async () => {
      try {
        return await buffer(await this.#bucket.read(this.#prefix + name));
      } catch (error) {
        if (error instanceof BucketError && error.code === 'no-such-key') return undefined;
        throw error;
      }
    });
  }

  /** @throws {BackupError} `missing`, `damaged`, `format`. */
  async read<H extends object>(name: string): Promise<BackupObject<H>> {
    return decodeObject<H>(name, await this.readBytes(name));
  }

  /** @throws {BackupError} `missing`. */
  async readBytes(name: string): Promise<Buffer> {
    const bytes = await this.find(name);
    if (bytes === undefined) throw new BackupError('missing', `The object ${name} is missing in ${this.url}.`);
    return bytes;
  }

  /**
   * Writes an object that must not exist yet.
   *
   * @returns its hash.
   * @throws {BackupError} `conflict` if a different object exists.
   */
  async create(name: string, object: Buffer): Promise<string> {
    try {
      await this.#attempt(() => this.#bucket.create(this.#prefix + name, object));
    } catch (error) {
      if (!(error instanceof BucketError) || error.code !== 'exists') throw error;
      // It may be our own: the answer was lost, or the process was killed before receiving it.
      const present = await this.find(name);
      if (present === undefined || !present.equals(object)) {
        const message = `The object ${name} in ${this.url} was written by another process.`;
        throw new BackupError('conflict', message, { cause: error });
      }
    }
    return hashOf(object);
  }

  /** Writes a small object, replacing an existing one. */
  async replace(name: string, header: object): Promise<void> {
    const object = encodeObject(name, header);
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      yield object;
    };
    await this.#attempt(() => this.#bucket.write(this.#prefix + name, chunks()));
  }

  async remove(name: string): Promise<void> {
    await this.#attempt(() => this.#bucket.remove(this.#prefix + name));
  }
}
