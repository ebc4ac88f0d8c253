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

/** The actions of the global tables of 2017, which find nothing. */

const globalTableName: RequiredMember<string> = required(string(namePattern, lengthAtLeast(3), lengthAtMost(255)));
const regionName: RequiredMember<string> = required(string());

type ReplicaUpdate = UpdateGlobalTableRequest['replicaUpdates'][number];

/** @see DynamoDB API Reference, CreateGlobalTable */
export const createGlobalTable: Operation = defineOperation<'CreateGlobalTable'>({
  action: 'CreateGlobalTable',
  input: structure<CreateGlobalTableRequest>('CreateGlobalTableInput', {
    globalTableName,
    replicationGroup: required(
      list(structure<CreateGlobalTableRequest['replicationGroup'][number]>('Replica', { regionName: string() })),
    ),
  }),
  run: (engine, request, context) => engine.createGlobalTable(request, context),
  table: (request) => request.globalTableName,
});

/** @see DynamoDB API Reference, UpdateGlobalTable */
export const updateGlobalTable: Operation = defineOperation<'UpdateGlobalTable'>({
  action: 'UpdateGlobalTable',
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
  run: (engine, request, context) => engine.updateGlobalTable(request, context),
  table: (request) => request.globalTableName,
});

function byName(name: string): Shape<GlobalTableNameRequest> {
  return structure<GlobalTableNameRequest>(name, { globalTableName });
}

/** @see DynamoDB API Reference, DescribeGlobalTable */
export const describeGlobalTable: Operation = defineOperation<'DescribeGlobalTable'>({
  action: 'DescribeGlobalTable',
  input: byName('DescribeGlobalTableInput'),
  run: (engine, request, context) => engine.describeGlobalTable(request, context),
  table: (request) => request.globalTableName,
});

/** @see DynamoDB API Reference, DescribeGlobalTableSettings */
export const describeGlobalTableSettings: Operation = defineOperation<'DescribeGlobalTableSettings'>({
  action: 'DescribeGlobalTableSettings',
  input: byName('DescribeGlobalTableSettingsInput'),
  run: (engine, request, context) => engine.describeGlobalTableSettings(request, context),
  table: (request) => request.globalTableName,
});

/** @see DynamoDB API Reference, UpdateGlobalTableSettings */
export const updateGlobalTableSettings: Operation = defineOperation<'UpdateGlobalTableSettings'>({
  action: 'UpdateGlobalTableSettings',
  input: byName('UpdateGlobalTableSettingsInput'),
  run: (engine, request, context) => engine.updateGlobalTableSettings(request, context),
  table: (request) => request.globalTableName,
});

/** @see DynamoDB API Reference, ListGlobalTables */
export const listGlobalTables: Operation = defineOperation<'ListGlobalTables'>({
  action: 'ListGlobalTables',
  input: structure<ListGlobalTablesRequest>('ListGlobalTablesInput', {
    exclusiveStartGlobalTableName: string(namePattern, lengthAtLeast(3), lengthAtMost(255)),
    limit: integer(valueAtLeast(1)),
    regionName: string(),
  }),
  output: result<ListGlobalTablesResult>({ globalTables: list(result<object>({})) }),
  run: (engine, request, context) => engine.listGlobalTables(request, context),
  table: () => undefined,
});
