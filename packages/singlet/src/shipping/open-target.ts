import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { directoryBucket, s3ObjectStore } from '../transfer/buckets/index.ts';
import { BackupTarget } from './backup-target.ts';

/** A bucket request that takes longer than this has failed, and is retried. Milliseconds. */
const requestTimeoutMs = 60_000;
const connectionTimeoutMs = 5_000;

export interface TargetOptions {
  /** The endpoint of S3, or of a server that speaks its protocol. */
  readonly s3Endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Whether a missing directory is created; its parent must exist. */
  readonly create?: boolean;
}

/**
 * Opens a target: `s3://BUCKET/PREFIX`, or a directory.
 *
 * @throws {BucketError} if the bucket cannot be reached, {@link MissingPackageError} if the S3 client is not installed.
 */
export async function openTarget(
  url: string,
  { s3Endpoint, region, create = false }: TargetOptions,
): Promise<BackupTarget> {
  const [, bucketName, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(url) ?? [];
  if (bucketName === undefined) {
    const path = resolve(url);
    // Backups are as private as the data.
    if (create) await mkdir(path, 0o700).catch((error: unknown) => ignoreExisting(error));
    return new BackupTarget(url, directoryBucket(path, { fileMode: 0o600 }));
  }
  const store = s3ObjectStore({
    ...(s3Endpoint !== undefined && { endpoint: s3Endpoint }),
    ...(region !== undefined && { region }),
    requestHandler: { requestTimeout: requestTimeoutMs, connectionTimeout: connectionTimeoutMs },
  });
  const trimmed = prefix.replace(/\/+$/, '');
  return new BackupTarget(url, await store.open(bucketName, region), trimmed === '' ? '' : `${trimmed}/`);
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
