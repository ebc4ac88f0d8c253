import { directoryObjectStore, type ObjectStore, s3ObjectStore } from '../transfer/buckets/index.ts';

/**
 * A directory with a subdirectory for each bucket; or `{ s3: { endpoint: … } }`, the options of the AWS SDK's `S3Client`, for S3 or any server
 * that speaks its protocol. That client is in the package `@aws-sdk/client-s3`.
 */
export type BucketLocation = string | { readonly s3: object };

/** @throws {TypeError} if the location is neither. Callers in JavaScript have no type checker. */
export function objectStoreOf(location: BucketLocation): ObjectStore {
  if (typeof location !== 'string' && typeof (location as { readonly s3?: unknown } | null)?.s3 !== 'object') {
    throw new TypeError('buckets takes the path of a directory, or { s3: … } with the configuration of a client of S3');
  }
  return typeof location === 'string' ? directoryObjectStore(location) : s3ObjectStore(location.s3);
}
