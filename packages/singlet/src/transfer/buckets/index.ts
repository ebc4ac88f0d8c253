/** Buckets: where exports are written and imports are read. */
export { type Bucket, BucketError, type BucketErrorCode, type ObjectStore, type ObjectSummary } from './bucket.ts';
export { directoryBucket, directoryObjectStore } from './directory-bucket.ts';
export { s3ObjectStore } from './s3-bucket.ts';
export { makeDirectories } from './make-directories.ts';
