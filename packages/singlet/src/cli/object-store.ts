import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { directoryObjectStore, type ObjectStore, s3ObjectStore } from '../transfer/buckets/index.ts';

/** A directory that holds a directory for each bucket, or the configuration of a client of S3 (or of what speaks its protocol). */
export type BucketLocation = string | { readonly s3: S3ClientConfig };

/** @throws {TypeError} when the location is neither: who calls from JavaScript has no compiler to say so. */
export function objectStoreOf(location: BucketLocation): ObjectStore {
  if (typeof location !== 'string' && typeof (location as { readonly s3?: unknown } | null)?.s3 !== 'object') {
    throw new TypeError('buckets takes the path of a directory, or { s3: … } with the configuration of a client of S3');
  }
  return typeof location === 'string' ? directoryObjectStore(location) : s3ObjectStore(location.s3);
}
