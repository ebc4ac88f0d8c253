import type {
  PointInTimeRecoverySpecification,
  UpdateContinuousBackupsRequest,
  UpdateContinuousBackupsResult,
} from '../../engine/index.ts';
import { valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { boolean, integer, required, result, type Shape, structure } from '../shapes/shape.ts';
import { continuousBackupsDescription } from './continuous-backups-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

const pointInTimeRecoverySpecification: Shape<PointInTimeRecoverySpecification> =
  structure<PointInTimeRecoverySpecification>('PointInTimeRecoverySpecification', {
    pointInTimeRecoveryEnabled: required(boolean),
    recoveryPeriodInDays: integer(valueAtLeast(1), valueAtMost(35)),
  });

/** @see DynamoDB API Reference, UpdateContinuousBackups */
export const updateContinuousBackups: Operation = defineOperation('UpdateContinuousBackups', {
  input: structure<UpdateContinuousBackupsRequest>('UpdateContinuousBackupsInput', {
    tableName: managedTableNameParameter,
    pointInTimeRecoverySpecification: required(pointInTimeRecoverySpecification),
  }),
  output: result<UpdateContinuousBackupsResult>({ continuousBackupsDescription }),
});
