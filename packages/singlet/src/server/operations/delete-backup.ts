import type { DeleteBackupRequest, DeleteBackupResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { backupArnParameter, backupDescription, tableOfBackupArn } from './backup-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, DeleteBackup */
export const deleteBackup: Operation = defineOperation<'DeleteBackup'>({
  action: 'DeleteBackup',
  input: structure<DeleteBackupRequest>('DeleteBackupInput', { backupArn: backupArnParameter }),
  output: result<DeleteBackupResult>({ backupDescription }),
  run: (engine, request, context) => engine.deleteBackup(request, context),
  table: (request) => tableOfBackupArn(request.backupArn),
});
