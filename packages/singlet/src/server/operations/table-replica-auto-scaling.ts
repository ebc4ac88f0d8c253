import type {
  AutoScalingSettings,
  AutoScalingSettingsUpdate,
  DescribeTableReplicaAutoScalingRequest,
  ReplicaAutoScalingDescription,
  ReplicaAutoScalingUpdate,
  TableAutoScalingDescription,
  TableAutoScalingResult,
  UpdateTableReplicaAutoScalingRequest,
} from '../../engine/index.ts';
import { lengthAtLeast } from '../shapes/constraint.ts';
import { boolean, list, required, result, type Shape, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';

const settingsUpdate: Shape<AutoScalingSettingsUpdate> = structure<AutoScalingSettingsUpdate>(
  'AutoScalingSettingsUpdate',
  { autoScalingDisabled: boolean },
);

/** The operation checks only whether there are any. */
const indexUpdates: Shape<readonly object[]> = list(structure<object>('IndexAutoScalingUpdate', {}), lengthAtLeast(1));

const settings: Shape<AutoScalingSettings> = result<AutoScalingSettings>({
  autoScalingDisabled: boolean as Shape<true>,
  scalingPolicies: list(result<object>({})),
});

type IndexDescription = ReplicaAutoScalingDescription['globalSecondaryIndexes'][number];

const description: Shape<TableAutoScalingDescription> = result<TableAutoScalingDescription>({
  tableName: string(),
  tableStatus: { kind: 'string', constraints: [] },
  replicas: list(
    result<ReplicaAutoScalingDescription>({
      regionName: string(),
      globalSecondaryIndexes: list(
        result<IndexDescription>({
          indexName: string(),
          indexStatus: { kind: 'string', constraints: [] },
          provisionedReadCapacityAutoScalingSettings: settings,
          provisionedWriteCapacityAutoScalingSettings: settings,
        }),
      ),
      replicaProvisionedReadCapacityAutoScalingSettings: settings,
      replicaProvisionedWriteCapacityAutoScalingSettings: settings,
      replicaStatus: { kind: 'string', constraints: [] },
    }),
  ),
});

/** @see DynamoDB API Reference, DescribeTableReplicaAutoScaling */
export const describeTableReplicaAutoScaling: Operation = defineOperation('DescribeTableReplicaAutoScaling', {
  input: structure<DescribeTableReplicaAutoScalingRequest>('DescribeTableReplicaAutoScalingInput', {
    tableName: managedTableNameParameter,
  }),
  output: result<TableAutoScalingResult>({ tableAutoScalingDescription: description }),
});

/** @see DynamoDB API Reference, UpdateTableReplicaAutoScaling */
export const updateTableReplicaAutoScaling: Operation = defineOperation('UpdateTableReplicaAutoScaling', {
  input: structure<UpdateTableReplicaAutoScalingRequest>('UpdateTableReplicaAutoScalingInput', {
    tableName: managedTableNameParameter,
    provisionedWriteCapacityAutoScalingUpdate: settingsUpdate,
    globalSecondaryIndexUpdates: indexUpdates,
    replicaUpdates: list(
      structure<ReplicaAutoScalingUpdate>('ReplicaAutoScalingUpdate', {
        regionName: required(string()),
        replicaProvisionedReadCapacityAutoScalingUpdate: settingsUpdate,
        replicaGlobalSecondaryIndexUpdates: indexUpdates,
      }),
      lengthAtLeast(1),
    ),
  }),
  output: result<TableAutoScalingResult>({ tableAutoScalingDescription: description }),
});
