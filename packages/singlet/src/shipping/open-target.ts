import { mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directoryBucket, s3ObjectStore } from '../transfer/buckets/index.ts';
import { BackupError } from './backup-error.ts';
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
 * Opens a target: `s3://BUCKET/PREFIX`, or a directory, also as a `file:` URL.
 *
 * @throws {BackupError} `target` for a URL of another kind, {@link BucketError} if the bucket cannot be reached, {@link MissingPackageError} if the S3 client is not installed.
 */
export async function openTarget(
  url: string,
  { s3Endpoint, region, create = false }: TargetOptions,
): Promise<BackupTarget> {
  const path = directoryOf(url);
  if (path !== undefined) {
    // Backups are as private as the data.
    if (create) await createDirectory(path);
    return new BackupTarget(url, directoryBucket(path, { fileMode: 0o600 }));
  }
  const [, bucketName = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(url) ?? [];
  const store = s3ObjectStore({
    ...(s3Endpoint !== undefined && { endpoint: s3Endpoint }),
    ...(region !== undefined && { region }),
    requestHandler: { requestTimeout: requestTimeoutMs, connectionTimeout: connectionTimeoutMs },
  });
  const trimmed = prefix.replace(/\/+$/, '');
  return new BackupTarget(url, await store.open(bucketName, region), trimmed === '' ? '' : `${trimmed}/`);
}

async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    throw error;
  }
}

/**
 * Checks the name of a target before a server starts. The target need not exist: its disk may be mounted later.
 *
 * @throws {BackupError} `target` for a URL of another kind, and for a path that is a file or leads through one.
 */
export async function checkTarget(target: string): Promise<void> {
  const path = directoryOf(target);
  if (path === undefined) return;
  const isFile = await stat(path).then(
    (found) => !found.isDirectory(),
    (error: NodeJS.ErrnoException) => error.code === 'ENOTDIR',
  );
  if (!isFile) return;
  throw new BackupError(
    'target',
    `A backup goes to a directory or to s3://BUCKET/PREFIX, and ${target} is a file or leads through one.`,
  );
}

/**
 * The directory that a target names, unless it names a bucket.
 *
 * @throws {BackupError} `target` for a URL of another kind.
 */
export function directoryOf(target: string): string | undefined {
  if (/^s3:\/\/[^/]/.test(target)) return undefined;
  if (target.startsWith('file://')) return fileURLToPath(target);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(target)) {
    throw new BackupError('target', `A backup goes to a directory or to s3://BUCKET/PREFIX, not to ${target}.`);
  }
  return resolve(target);
}
