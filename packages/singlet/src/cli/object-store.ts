import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { directoryObjectStore, type ObjectStore, s3ObjectStore } from '../transfer/buckets/index.ts';

/** A directory that holds a directory for each bucket, or the configuration of a client of S3 (or of what speaks its protocol). */
export type BucketLocation = string | { readonly s3: S3ClientConfig };

export function objectStoreOf(location: BucketLocation): ObjectStore {
  return typeof location === 'string' ? directoryObjectStore(location) : s3ObjectStore(location.s3);
}
