import { createHash } from 'node:crypto';
import { type Bucket, BucketError, type ObjectStore, type ObjectSummary } from '../bucket.ts';

/** Buckets in memory, for tests that inspect the objects. */
export class MemoryBuckets implements ObjectStore {
  /** Objects by bucket and key. */
  readonly buckets: Map<string, Map<string, Buffer>> = new Map();
  /** Called before an object is read; an error that it throws reaches the reader. */
  onRead: ((key: string) => void) | undefined;
  /** Bytes in one chunk. */
  chunkBytes = 100;

  constructor(...bucketNames: readonly string[]) {
    for (const name of bucketNames) this.buckets.set(name, new Map());
  }

  /** Adds an object. */
  put(bucketName: string, key: string, content: string | Uint8Array): void {
    this.buckets.get(bucketName)?.set(key, Buffer.from(content as string));
  }

  async open(bucketName: string): Promise<Bucket> {
    const objects = this.buckets.get(bucketName);
    if (objects === undefined) throw new BucketError('no-such-bucket', `There is no bucket ${bucketName}.`);
    return {
      list: (prefix) => listOf(objects, prefix),
      read: async (key) => {
        this.onRead?.(key);
        const found = objects.get(key);
        if (found === undefined) throw new BucketError('no-such-key', `The bucket has no object ${key}.`);
        return chunksOf(found, this.chunkBytes);
      },
      write: async (key, chunks) => {
        const parts: Uint8Array[] = [];
        for await (const chunk of chunks) parts.push(Uint8Array.from(chunk));
        const bytes = Buffer.concat(parts);
        objects.set(key, bytes);
        const md5 = createHash('md5').update(bytes);
        return { bytes: bytes.length, etag: md5.copy().digest('hex'), md5: md5.digest('base64') };
      },
      create: async (key, bytes) => {
        if (objects.has(key)) throw new BucketError('exists', `The bucket has an object ${key} already.`);
        objects.set(key, Buffer.from(bytes));
      },
      remove: async (key) => void objects.delete(key),
    };
  }
}

async function* listOf(objects: ReadonlyMap<string, Buffer>, prefix: string): AsyncGenerator<ObjectSummary> {
  const keys = [...objects.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const key of keys) if (key.startsWith(prefix)) yield { key, bytes: objects.get(key)?.length ?? 0 };
}

async function* chunksOf(bytes: Buffer, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}
