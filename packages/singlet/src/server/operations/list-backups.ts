import type { ListBackupsRequest, ListBackupsResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, namePattern, valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { double, enumeration, integer, list, result, string, structure, tableName } from '../shapes/shape.ts';
import { backupArn, backupSummary } from './backup-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, ListBackups */
export const listBackups: Operation = defineOperation('ListBackups', {
  input: structure<ListBackupsRequest>('ListBackupsInput', {
    tableName: tableName(namePattern, lengthAtLeast(3), lengthAtMost(255)),
    limit: integer(valueAtLeast(1), valueAtMost(100)),
    timeRangeLowerBound: double,
    timeRangeUpperBound: double,
    exclusiveStartBackupArn: backupArn,
    backupType: enumeration(['USER', 'SYSTEM', 'AWS_BACKUP', 'ALL']),
  }),
  output: result<ListBackupsResult>({ backupSummaries: list(backupSummary), lastEvaluatedBackupArn: string() }),
});
