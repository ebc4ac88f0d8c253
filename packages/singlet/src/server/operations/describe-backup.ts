import type { DescribeBackupRequest, DescribeBackupResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { backupArnParameter, backupDescription } from './backup-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, DescribeBackup */
export const describeBackup: Operation = defineOperation('DescribeBackup', {
  input: structure<DescribeBackupRequest>('DescribeBackupInput', { backupArn: backupArnParameter }),
  output: result<DescribeBackupResult>({ backupDescription }),
});
