import type { DescribeContinuousBackupsRequest, DescribeContinuousBackupsResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { continuousBackupsDescription } from './continuous-backups-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, DescribeContinuousBackups */
export const describeContinuousBackups: Operation = defineOperation('DescribeContinuousBackups', {
  input: structure<DescribeContinuousBackupsRequest>('DescribeContinuousBackupsInput', {
    tableName: managedTableNameParameter,
  }),
  output: result<DescribeContinuousBackupsResult>({ continuousBackupsDescription }),
});
