/**
 * Buckets of objects, as imports and exports use them: a subset of S3. A directory can represent a bucket store.
 */
export interface ObjectStore {
  /**
   * @param region - where the bucket is; by default the store decides.
   * @throws {BucketError} `no-such-bucket`.
   */
  open(bucketName: string, region?: string): Promise<Bucket>;
}

export interface Bucket {
  /** The objects whose keys begin with `prefix`, in byte order of their keys. @throws {BucketError} */
  list(prefix: string): AsyncIterable<ObjectSummary>;
  /** The bytes of an object as a stream, which ends if the reader stops early. @throws {BucketError} `no-such-key`. */
  read(key: string): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Writes an object atomically, replacing an existing one. If `chunks` throws, nothing is written.
   *
   * @throws {BucketError}
   */
  write(key: string, chunks: AsyncIterable<Uint8Array>): Promise<WrittenObject>;
  /**
   * Writes an object atomically if it does not exist. It should fit in memory.
   *
   * @throws {BucketError} `exists`.
   */
  create(key: string, bytes: Uint8Array): Promise<void>;
  /** Removes an object; no error if it does not exist. @throws {BucketError} */
  remove(key: string): Promise<void>;
}

export interface ObjectSummary {
  readonly key: string;
  readonly bytes: number;
}

export interface WrittenObject {
  readonly bytes: number;
  /** MD5 of the bytes, in base64. */
  readonly md5: string;
  /** The version as S3 names it: without quotes; the MD5 in hexadecimal unless the object was written in parts. */
  readonly etag: string;
}

export type BucketErrorCode = 'no-such-bucket' | 'no-such-key' | 'exists' | 'invalid-key' | 'access-denied' | 'io';

/** Why a bucket cannot be used. The message is for the caller. */
export class BucketError extends Error {
  readonly code: BucketErrorCode;

  constructor(code: BucketErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BucketError';
    this.code = code;
  }
}
