import type { DeleteBackupRequest, DeleteBackupResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { backupArnParameter, backupDescription } from './backup-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, DeleteBackup */
export const deleteBackup: Operation = defineOperation('DeleteBackup', {
  input: structure<DeleteBackupRequest>('DeleteBackupInput', { backupArn: backupArnParameter }),
  output: result<DeleteBackupResult>({ backupDescription }),
});
