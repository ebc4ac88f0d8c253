import type { RestoreTableToPointInTimeRequest, RestoreTableToPointInTimeResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { boolean, double, result, string, structure } from '../shapes/shape.ts';
import { restoreOverrides, targetTableNameParameter } from './backup-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { nameParameter } from './request-parameters.ts';
import { tableDescription } from './table-description.ts';

/** @see DynamoDB API Reference, RestoreTableToPointInTime */
export const restoreTableToPointInTime: Operation = defineOperation('RestoreTableToPointInTime', {
  input: structure<RestoreTableToPointInTimeRequest>('RestoreTableToPointInTimeInput', {
    sourceTableArn: string(lengthAtLeast(1), lengthAtMost(1024)),
    sourceTableName: nameParameter,
    targetTableName: targetTableNameParameter,
    useLatestRestorableTime: boolean,
    restoreDateTime: double,
    ...restoreOverrides,
  }),
  output: result<RestoreTableToPointInTimeResult>({ tableDescription }),
});
