import { absent, anyString, messageContaining, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, ALTERNATOR, docs } from '../sources.ts';
import { call, describeTable, get, put } from '../steps.ts';
import type { Call, CallOptions } from '../steps.ts';
import { hashTable, table } from '../tables.ts';
import { N, S } from '../values.ts';

/*
 * Regions, and global tables of version 2019.11.21. Requests to another region go to the same endpoint with that region
 * in their credential scope, which only a server with several regions understands.
 */

const inIreland: CallOptions['wire'] = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=conformance/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00',
};

const replicas = (...ReplicaUpdates: readonly JsonObject[]): Call =>
  call('UpdateTable', { TableName: '$T', ReplicaUpdates });
const create = (RegionName: string): JsonObject => ({ Create: { RegionName } });
const remove = (RegionName: string): JsonObject => ({ Delete: { RegionName } });

const replica = (RegionName: string): JsonObject => ({
  RegionName,
  ReplicaStatus: 'ACTIVE',
  WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4000, Status: 'ACTIVE' },
  GlobalTableSettingsReplicationMode: 'ENABLED_WITH_OVERRIDES',
});

const eventually: CallOptions = { eventually: true };
const whenReplicated = describeTable(eventually).givesPartly({
  Table: partial({ TableStatus: 'ACTIVE', Replicas: [replica('eu-west-1')] }),
});
/** Rows clean up after themselves. A table that has copied its items to a replica cannot be deleted while the replica exists. */
const takeAway = [
  replicas(remove('eu-west-1')).givesPartly({ TableDescription: partial({ TableStatus: 'UPDATING' }) }),
  describeTable(eventually).givesPartly({ Table: partial({ TableStatus: 'ACTIVE', Replicas: absent }) }),
] as const;

const invalidParameter = 'One or more parameter values were invalid: ';
const noGlobalTable = "Global table with name: '$T' does not exist.";

export const globalTableRows: readonly Row[] = [
  row('regions/are-name-spaces', 'DB-128', `${docs('Regions and endpoints')}; ${ALTERNATOR}`, {
    needs: ['regions'],
    table: hashTable,
    items: [{ pk: S('x'), at: S('us-east-1') }],
    steps: [
      call('CreateTable', { TableName: '$T', ...hashTable }, { wire: inIreland }).givesPartly({
        TableDescription: partial({ TableArn: messageContaining('arn:aws:dynamodb:eu-west-1:') }),
      }),
      call(
        'PutItem',
        { TableName: '$T', Item: { pk: S('x'), at: S('eu-west-1') } },
        { wire: inIreland, eventually: true },
      ).gives({}),
      get({ pk: S('x') }).gives({ Item: { pk: S('x'), at: S('us-east-1') } }),
      call('GetItem', { TableName: '$T', Key: { pk: S('x') } }, { wire: inIreland }).gives({
        Item: { pk: S('x'), at: S('eu-west-1') },
      }),
      call('DeleteTable', { TableName: '$T' }, { wire: inIreland }).succeeds(),
      call('DescribeTable', { TableName: '$T' }, { wire: inIreland, eventually: true }).fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $T not found',
      ),
    ],
  }),
  row('global-tables/not-mentioned-of-other-tables', 'DB-137', `${ALTERNATOR}; ${ACK_2026}`, {
    table: hashTable,
    steps: [
      describeTable().givesPartly({
        Table: partial({
          Replicas: absent,
          GlobalTableVersion: absent,
          GlobalTableSettingsReplicationMode: absent,
          MultiRegionConsistency: absent,
          GlobalTableWitnesses: absent,
        }),
      }),
    ],
  }),
  row('global-tables/a-replica-comes-and-goes', 'DB-137', ACK_2026, {
    needs: ['regions'],
    table: hashTable,
    steps: [
      replicas(create('eu-west-1')).givesPartly({
        TableDescription: partial({
          TableStatus: 'UPDATING',
          GlobalTableVersion: '2019.11.21',
          Replicas: [],
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
          LatestStreamArn: anyString,
        }),
      }),
      whenReplicated,
      describeTable().givesPartly({
        Table: partial({
          GlobalTableVersion: '2019.11.21',
          GlobalTableSettingsReplicationMode: 'ENABLED_WITH_OVERRIDES',
          MultiRegionConsistency: absent,
        }),
      }),
      call('DescribeTable', { TableName: '$T' }, { wire: inIreland, eventually: true }).givesPartly({
        Table: partial({
          TableStatus: 'ACTIVE',
          TableArn: messageContaining('arn:aws:dynamodb:eu-west-1:'),
          Replicas: [replica('us-east-1')],
          GlobalTableVersion: '2019.11.21',
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        }),
      }),
      ...takeAway,
      describeTable().givesPartly({
        Table: partial({
          GlobalTableVersion: absent,
          GlobalTableSettingsReplicationMode: absent,
          // It was enabled for the replica, and stays enabled.
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        }),
      }),
      call('DescribeTable', { TableName: '$T' }, { wire: inIreland, eventually: true }).fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $T not found',
      ),
    ],
  }),
  row('global-tables/items-go-both-ways', 'DB-137', `${docs('Global tables: how it works')}; ${ALTERNATOR}`, {
    needs: ['regions'],
    table: hashTable,
    items: [{ pk: S('old') }],
    steps: [
      replicas(create('eu-west-1')).succeeds(),
      whenReplicated,
      put({ pk: S('here'), n: N(1) }).gives({}),
      call('GetItem', { TableName: '$T', Key: { pk: S('old') } }, { wire: inIreland, eventually: true }).gives({
        Item: { pk: S('old') },
      }),
      call('GetItem', { TableName: '$T', Key: { pk: S('here') } }, { wire: inIreland, eventually: true }).gives({
        Item: { pk: S('here'), n: N(1) },
      }),
      call('PutItem', { TableName: '$T', Item: { pk: S('here'), n: N(2) } }, { wire: inIreland }).gives({}),
      call('DeleteItem', { TableName: '$T', Key: { pk: S('old') } }, { wire: inIreland }).gives({}),
      call('GetItem', { TableName: '$T', Key: { pk: S('here') } }, eventually).gives({
        Item: { pk: S('here'), n: N(2) },
      }),
      call('GetItem', { TableName: '$T', Key: { pk: S('old') } }, eventually).gives({}),
      ...takeAway,
    ],
  }),
  row('global-tables/stream-stays-as-it-is', 'DB-137', `${ALTERNATOR}; ${ACK_2026}`, {
    needs: ['regions'],
    table: table('pk:S', { more: { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } } }),
    steps: [
      replicas(create('eu-west-1')).succeeds(),
      whenReplicated,
      describeTable().givesPartly({
        Table: partial({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } }),
      }),
      call('DescribeTable', { TableName: '$T' }, { wire: inIreland }).givesPartly({
        Table: partial({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } }),
      }),
      call('UpdateTable', { TableName: '$T', StreamSpecification: { StreamEnabled: false } }).invalid(
        `${invalidParameter}Disabling Stream is not allowed for a Global Table replica.`,
      ),
      call('UpdateTable', {
        TableName: '$T',
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      }).invalid('Table already has an enabled stream: TableName: $T'),
      ...takeAway,
    ],
  }),
  row('global-tables/time-to-live-is-the-same-in-all', 'DB-138', ACK_2026, {
    needs: ['regions', 'ttl'],
    table: hashTable,
    steps: [
      replicas(create('eu-west-1')).succeeds(),
      whenReplicated,
      call(
        'UpdateTimeToLive',
        { TableName: '$T', TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } },
        { wire: inIreland },
      ).succeeds(),
      call('DescribeTimeToLive', { TableName: '$T' }, eventually).gives({
        TimeToLiveDescription: { AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' },
      }),
      ...takeAway,
    ],
  }),
  row('global-tables/refusals-with-a-replica', 'DB-137', ACK_2026, {
    needs: ['regions'],
    table: hashTable,
    steps: [
      replicas(create('eu-west-1')).succeeds(),
      whenReplicated,
      replicas(create('eu-west-1')).invalid(
        'Failed to create a the new replica of table with name: ‘$T’ because one or more replicas already existed as tables.',
      ),
      replicas(remove('ca-central-1')).invalid(
        'Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [ca-central-1].',
      ),
      replicas({ Update: { RegionName: 'eu-west-1' } }).invalid(
        'There are no actions specified in the Replica Update Action of the request.',
      ),
      replicas({
        Update: { RegionName: 'eu-west-1', ProvisionedThroughputOverride: { ReadCapacityUnits: 5 } },
      }).invalid(
        'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
      ),
      call('DeleteTable', { TableName: '$T' }).invalid(
        'Replica cannot be deleted because it has acted as a source region for new replica(s) being added to the table in the last 24 hours.',
      ),
      ...takeAway,
    ],
  }),
  row('global-tables/protected-replica', 'DB-137', ACK_2026, {
    needs: ['regions'],
    table: hashTable,
    steps: [
      replicas(create('eu-west-1')).succeeds(),
      whenReplicated,
      call('UpdateTable', { TableName: '$T', DeletionProtectionEnabled: true }, { wire: inIreland }).succeeds(),
      replicas(remove('eu-west-1')).invalid(
        'Cannot delete table $T in region eu-west-1 because it has deletion protection enabled. Disable deletion protection first.',
      ),
      call('UpdateTable', { TableName: '$T', DeletionProtectionEnabled: false }, { wire: inIreland }).succeeds(),
      ...takeAway,
    ],
  }),
  row('global-tables/refusals-without-a-replica', 'DB-137', ACK_2026, {
    table: hashTable,
    steps: [
      replicas(create('us-east-1')).invalid(
        'Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.',
      ),
      replicas(create('us-fake-1')).invalid(
        messageContaining(
          'Region us-fake-1 is not supported. The latest version of global tables are only supported in the following regions: [',
        ),
      ),
      replicas({}).invalid('There are no actions specified in the Replica Update Action of the request.'),
      replicas(create('eu-west-1'), create('eu-west-2')).invalid(
        'Update table operation with more than one create or delete replica actions not allowed',
      ),
      replicas({ ...create('eu-west-1'), ...remove('eu-west-1') }).invalid(
        messageContaining('Update table operation with more than one type of replica actions not allowed'),
      ),
      replicas({ Delete: { RegionName: 'eu-west-1' } }).invalid(
        'Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [eu-west-1].',
      ),
      call('UpdateTable', {
        TableName: '$T',
        ReplicaUpdates: [create('eu-west-1')],
        DeletionProtectionEnabled: true,
      }).invalid(`${invalidParameter}Replica modification must be the only operation in the request`),
      call('UpdateTable', {
        TableName: '$T',
        ReplicaUpdates: [create('eu-west-1')],
        MultiRegionConsistency: 'STRONG',
      }).invalid('Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.'),
      call('UpdateTable', {
        TableName: '$T',
        ReplicaUpdates: [create('eu-west-1')],
        GlobalTableWitnessUpdates: [{ Create: { RegionName: 'us-east-2' } }],
      }).invalid('MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is present.'),
      call('UpdateTable', { TableName: '$T', MultiRegionConsistency: 'STRONG' }).invalid(
        'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required',
      ),
    ],
  }),
  row('global-tables/provisioned-without-auto-scaling', 'DB-137', ACK_2026, {
    table: {
      ...hashTable,
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    },
    steps: [
      replicas(create('eu-west-1')).invalid('Table write capacity should either be Pay-Per-Request or AutoScaled.'),
    ],
  }),
  row('global-tables/auto-scaling', 'DB-137', ACK_2026, {
    needs: ['regions'],
    table: hashTable,
    steps: [
      call('DescribeTableReplicaAutoScaling', { TableName: '$T' }).fails('ResourceNotFoundException', noGlobalTable),
      call('UpdateTableReplicaAutoScaling', { TableName: '$T' }).fails('ResourceNotFoundException', noGlobalTable),
      replicas(create('eu-west-1')).succeeds(),
      whenReplicated,
      call('DescribeTableReplicaAutoScaling', { TableName: '$T' }).gives({
        TableAutoScalingDescription: {
          TableName: '$T',
          TableStatus: 'ACTIVE',
          Replicas: ['eu-west-1', 'us-east-1'].map((RegionName) => ({
            RegionName,
            GlobalSecondaryIndexes: [],
            ReplicaProvisionedReadCapacityAutoScalingSettings: { AutoScalingDisabled: true, ScalingPolicies: [] },
            ReplicaProvisionedWriteCapacityAutoScalingSettings: { AutoScalingDisabled: true, ScalingPolicies: [] },
            ReplicaStatus: 'ACTIVE',
          })),
        },
      }),
      call('UpdateTableReplicaAutoScaling', { TableName: '$T' }).invalid(
        'Failed to update settings for global table with name: ‘$T’ because at least one update parameter must be specified.',
      ),
      call('UpdateTableReplicaAutoScaling', {
        TableName: '$T',
        ProvisionedWriteCapacityAutoScalingUpdate: { MinimumUnits: 1, MaximumUnits: 10 },
      }).invalid(
        "Failed to update global table with name ‘$T‘. Replicas 'EU-WEST-1', 'US-EAST-1' BillingMode is PayPerRequest. You must convert table's BillingMode to PROVISIONED to set parameters: 'GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate'.",
      ),
      call('UpdateTableReplicaAutoScaling', {
        TableName: '$T',
        ProvisionedWriteCapacityAutoScalingUpdate: { AutoScalingDisabled: true },
      }).succeeds(),
      ...takeAway,
    ],
  }),
  row('global-tables/version-2017', 'DB-137', `${ACK_2026}; ${ALTERNATOR}`, {
    table: hashTable,
    steps: [
      call('CreateGlobalTable', { GlobalTableName: '$T', ReplicationGroup: [{ RegionName: 'us-east-1' }] }).invalid(
        `${invalidParameter}DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).`,
      ),
      call('UpdateGlobalTable', { GlobalTableName: '$T', ReplicaUpdates: [create('us-east-2')] }).invalid(
        `${invalidParameter}DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).`,
      ),
      call('UpdateGlobalTable', { GlobalTableName: '$T', ReplicaUpdates: [] }).invalid(
        'One or more parameter values were invalid',
      ),
      call('UpdateGlobalTable', { GlobalTableName: '$T', ReplicaUpdates: [remove('us-east-2')] }).fails(
        'GlobalTableNotFoundException',
        noGlobalTable,
      ),
      call('DescribeGlobalTable', { GlobalTableName: '$T' }).fails(
        'GlobalTableNotFoundException',
        `Global table not found: ${noGlobalTable}`,
      ),
      call('DescribeGlobalTableSettings', { GlobalTableName: '$T' }).fails(
        'GlobalTableNotFoundException',
        noGlobalTable,
      ),
      call('UpdateGlobalTableSettings', { GlobalTableName: '$T', GlobalTableBillingMode: 'PAY_PER_REQUEST' }).fails(
        'GlobalTableNotFoundException',
        noGlobalTable,
      ),
      call('ListGlobalTables', {}).gives({ GlobalTables: [] }),
    ],
  }),
];
