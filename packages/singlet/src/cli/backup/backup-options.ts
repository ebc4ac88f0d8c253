import { Option } from 'commander';
import { BackupError } from '../../shipping/backup-error.ts';
import { BucketError } from '../../transfer/buckets/index.ts';
import { regionOf, urlFlag } from '../endpoint-client.ts';
import { UsageError } from '../usage-error.ts';

export function endpointOption(): Option {
  return new Option('--s3-endpoint <url>', 'S3 or a compatible endpoint, for a target s3://…').argParser(
    urlFlag('--s3-endpoint', 'http://127.0.0.1:9000'),
  );
}

export function regionOption(): Option {
  return new Option('--region <name>', 'region of the bucket').argParser(regionOf());
}

/** Reports problems of a target as sentences. */
export async function reportingBackupErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof BackupError || error instanceof BucketError) {
      throw new UsageError(error.message, { cause: error });
    }
    throw error;
  }
}
