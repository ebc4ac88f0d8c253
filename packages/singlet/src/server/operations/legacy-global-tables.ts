import type {
  CreateGlobalTableRequest,
  GlobalTableNameRequest,
  ListGlobalTablesRequest,
  ListGlobalTablesResult,
  UpdateGlobalTableRequest,
} from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, namePattern, valueAtLeast } from '../shapes/constraint.ts';
import {
  integer,
  list,
  required,
  type RequiredMember,
  result,
  type Shape,
  string,
  structure,
} from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';

/** The actions of the global tables of 2017, which find no tables. */

const globalTableName: RequiredMember<string> = required(string(namePattern, lengthAtLeast(3), lengthAtMost(255)));
const regionName: RequiredMember<string> = required(string());

type ReplicaUpdate = UpdateGlobalTableRequest['replicaUpdates'][number];

/** @see DynamoDB API Reference, CreateGlobalTable */
export const createGlobalTable: Operation = defineOperation('CreateGlobalTable', {
  input: structure<CreateGlobalTableRequest>('CreateGlobalTableInput', {
    globalTableName,
    replicationGroup: required(
      list(structure<CreateGlobalTableRequest['replicationGroup'][number]>('Replica', { regionName: string() })),
    ),
  }),
});

/** @see DynamoDB API Reference, UpdateGlobalTable */
export const updateGlobalTable: Operation = defineOperation('UpdateGlobalTable', {
  input: structure<UpdateGlobalTableRequest>('UpdateGlobalTableInput', {
    globalTableName,
    replicaUpdates: required(
      list(
        structure<ReplicaUpdate>('ReplicaUpdate', {
          create: structure<NonNullable<ReplicaUpdate['create']>>('CreateReplicaAction', { regionName }),
          delete: structure<NonNullable<ReplicaUpdate['delete']>>('DeleteReplicaAction', { regionName }),
        }),
      ),
    ),
  }),
});

function byName(name: string): Shape<GlobalTableNameRequest> {
  return structure<GlobalTableNameRequest>(name, { globalTableName });
}

/** @see DynamoDB API Reference, DescribeGlobalTable */
export const describeGlobalTable: Operation = defineOperation('DescribeGlobalTable', {
  input: byName('DescribeGlobalTableInput'),
});

/** @see DynamoDB API Reference, DescribeGlobalTableSettings */
export const describeGlobalTableSettings: Operation = defineOperation('DescribeGlobalTableSettings', {
  input: byName('DescribeGlobalTableSettingsInput'),
});

/** @see DynamoDB API Reference, UpdateGlobalTableSettings */
export const updateGlobalTableSettings: Operation = defineOperation('UpdateGlobalTableSettings', {
  input: byName('UpdateGlobalTableSettingsInput'),
});

/** @see DynamoDB API Reference, ListGlobalTables */
export const listGlobalTables: Operation = defineOperation('ListGlobalTables', {
  input: structure<ListGlobalTablesRequest>('ListGlobalTablesInput', {
    exclusiveStartGlobalTableName: string(namePattern, lengthAtLeast(3), lengthAtMost(255)),
    limit: integer(valueAtLeast(1)),
    regionName: string(),
  }),
  output: result<ListGlobalTablesResult>({ globalTables: list(result<object>({})) }),
});
