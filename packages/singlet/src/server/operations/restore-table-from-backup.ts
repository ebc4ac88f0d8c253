import type { RestoreTableFromBackupRequest, RestoreTableFromBackupResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { backupArnParameter, restoreOverrides, targetTableNameParameter } from './backup-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { tableDescription } from './table-description.ts';

/** @see DynamoDB API Reference, RestoreTableFromBackup */
export const restoreTableFromBackup: Operation = defineOperation('RestoreTableFromBackup', {
  input: structure<RestoreTableFromBackupRequest>('RestoreTableFromBackupInput', {
    targetTableName: targetTableNameParameter,
    backupArn: backupArnParameter,
    ...restoreOverrides,
  }),
  output: result<RestoreTableFromBackupResult>({ tableDescription }),
});
