import { directoryObjectStore, type ObjectStore, s3ObjectStore } from '../transfer/buckets/index.ts';

/**
 * A directory that holds a directory for each bucket; or `{ s3: { endpoint: … } }`, what the constructor of the AWS SDK's `S3Client`
 * takes, for S3 or what speaks its protocol. That client comes with the package `@aws-sdk/client-s3`.
 */
export type BucketLocation = string | { readonly s3: object };

/** @throws {TypeError} when the location is neither: who calls from JavaScript has no compiler to say so. */
export function objectStoreOf(location: BucketLocation): ObjectStore {
  if (typeof location !== 'string' && typeof (location as { readonly s3?: unknown } | null)?.s3 !== 'object') {
    throw new TypeError('buckets takes the path of a directory, or { s3: … } with the configuration of a client of S3');
  }
  return typeof location === 'string' ? directoryObjectStore(location) : s3ObjectStore(location.s3);
}
