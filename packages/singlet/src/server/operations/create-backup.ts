import type { CreateBackupRequest, CreateBackupResult } from '../../engine/index.ts';
import { required, result, structure } from '../shapes/shape.ts';
import { backupDetails } from './backup-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter, nameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, CreateBackup */
export const createBackup: Operation = defineOperation('CreateBackup', {
  input: structure<CreateBackupRequest>('CreateBackupInput', {
    tableName: managedTableNameParameter,
    backupName: required(nameParameter),
  }),
  output: result<CreateBackupResult>({ backupDetails }),
});
