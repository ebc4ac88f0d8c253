import type { DescribeContinuousBackupsRequest, DescribeContinuousBackupsResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { continuousBackupsDescription } from './continuous-backups-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, DescribeContinuousBackups */
export const describeContinuousBackups: Operation = defineOperation<'DescribeContinuousBackups'>({
  action: 'DescribeContinuousBackups',
  input: structure<DescribeContinuousBackupsRequest>('DescribeContinuousBackupsInput', {
    tableName: managedTableNameParameter,
  }),
  output: result<DescribeContinuousBackupsResult>({ continuousBackupsDescription }),
  run: (engine, request, context) => engine.describeContinuousBackups(request, context),
  table: (request) => request.tableName,
});
