import type { Bucket } from '../../transfer/buckets/index.ts';
import { BucketError } from '../../transfer/buckets/index.ts';

/** The fate of a request: it succeeds, fails before it is sent, or takes effect but its answer is lost. */
export type Fate = 'well' | 'refused' | 'answer lost';

/** A bucket with injected failures. @param fate - called for each request. */
export function flakyBucket(bucket: Bucket, fate: (what: string) => Fate): Bucket {
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const decided = fate(what);
    if (decided === 'refused') throw new BucketError('io', `${what} was refused`);
    const result = await work();
    if (decided === 'answer lost') throw new BucketError('io', `the answer to ${what} was lost`);
    return result;
  };
  return {
    list: (prefix) => bucket.list(prefix),
    read: (key) => attempt(`read ${key}`, () => bucket.read(key)),
    write: (key, chunks) => attempt(`write ${key}`, () => bucket.write(key, chunks)),
    create: (key, bytes) => attempt(`create ${key}`, () => bucket.create(key, bytes)),
    remove: (key) => attempt(`remove ${key}`, () => bucket.remove(key)),
  };
}
