/**
 * Buckets of objects, as imports and exports see them: what S3 offers, cut down to what they need. A directory can represent
 * one.
 */
export interface ObjectStore {
  /**
   * @param region - where the bucket is; the store's own choice when undefined.
   * @throws {BucketError} `no-such-bucket`.
   */
  open(bucketName: string, region?: string): Promise<Bucket>;
}

export interface Bucket {
  /** The objects whose keys begin with `prefix`, in the order of their keys' bytes. @throws {BucketError} */
  list(prefix: string): AsyncIterable<ObjectSummary>;
  /** The bytes of an object, as they come; a reader that stops early ends it. @throws {BucketError} `no-such-key`. */
  read(key: string): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Writes an object: as a whole or not at all, over one that is there. When `chunks` throws, nothing is written.
   *
   * @throws {BucketError}
   */
  write(key: string, chunks: AsyncIterable<Uint8Array>): Promise<WrittenObject>;
  /**
   * Writes an object where none is: as a whole or not at all. It should fit in memory.
   *
   * @throws {BucketError} `exists`.
   */
  create(key: string, bytes: Uint8Array): Promise<void>;
  /** Removes an object. No error when there is none. @throws {BucketError} */
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
  /** As S3 would name the version: without quotes; the MD5 in hexadecimal unless the object was written in parts. */
  readonly etag: string;
}

export type BucketErrorCode = 'no-such-bucket' | 'no-such-key' | 'exists' | 'invalid-key' | 'access-denied' | 'io';

/** What keeps a bucket from being used. The message is for the caller. */
export class BucketError extends Error {
  readonly code: BucketErrorCode;

  constructor(code: BucketErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BucketError';
    this.code = code;
  }
}
