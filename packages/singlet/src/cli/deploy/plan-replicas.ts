import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { DesiredReplica, DesiredTable } from '../../templates/desired-table.ts';
import type { PlanStep } from './plan.ts';
import {
  planPolicy,
  planRegionalSettings,
  protectionSteps,
  type SettingsPlan,
  tableClassSteps,
  tagSteps,
} from './plan-settings.ts';
import { arnOfTable, type PresentTable, type PresentTables } from './present-table.ts';

/**
 * Plans the replicas of a table: which are removed and added, and the regional settings of each. Their protection comes last, as in the home
 * region.
 */
export function planReplicas(
  { create, replicas }: DesiredTable,
  { description, replicas: present }: Pick<PresentTables, 'description' | 'replicas'>,
): SettingsPlan {
  const plan: SettingsPlan = { steps: [], notes: [] };
  if (replicas === undefined) return plan;
  const wanted = new Set(replicas.map(({ region }) => region));
  plan.steps.push(...replicaRemovals(create.TableName, description, (region) => !wanted.has(region)));
  const known = replicasOf(description);
  const added = replicas.filter(({ region }) => !known.has(region));
  plan.steps.push(...additions(create, added));
  for (const replica of replicas) plan.steps.push(...overrideSteps(replica, known.get(replica.region), create));
  for (const replica of replicas) {
    const inRegion = present.get(replica.region);
    if (inRegion === undefined) continue;
    if (inRegion.description === undefined && known.has(replica.region)) {
      plan.notes.push(
        `${replica.region}: this endpoint does not serve the replica, so its own settings are left out; name its endpoint with --replica-endpoint ${replica.region}=URL`,
      );
      continue;
    }
    const { steps, notes } = planOwnSettings(replica, inRegion);
    plan.steps.push(
      ...steps.map((step) => ({ ...step, region: replica.region, text: `${replica.region}: ${step.text}` })),
    );
    plan.notes.push(...notes.map((note) => `${replica.region}: ${note}`));
  }
  return plan;
}

/** The steps that remove the replicas of a table that satisfy a condition. */
export function replicaRemovals(
  TableName: string,
  description: Sdk.TableDescription | undefined,
  isRemoved: (region: string) => boolean,
): readonly PlanStep[] {
  return [...replicasOf(description).keys()].filter(isRemoved).map((RegionName) => ({
    sign: '-',
    text: `replica in ${RegionName}`,
    run: ({ sdk, client }) =>
      client.send(new sdk.UpdateTableCommand({ TableName, ReplicaUpdates: [{ Delete: { RegionName } }] })),
  }));
}

/** The replicas of a table in regions other than its own. */
function replicasOf(description: Sdk.TableDescription | undefined): ReadonlyMap<string, Sdk.ReplicaDescription> {
  const home = description?.TableArn?.split(':')[3];
  return new Map(
    (description?.Replicas ?? []).flatMap((replica) => {
      const { RegionName = '' } = replica;
      return RegionName === home ? [] : [[RegionName, replica] as const];
    }),
  );
}

/**
 * Replicas can only be added to on-demand tables and to those whose write capacity is auto scaled, which is not checked here. So a provisioned
 * table is switched to on-demand while replicas are added.
 */
function additions(create: DesiredTable['create'], added: readonly DesiredReplica[]): readonly PlanStep[] {
  const steps = added.map((replica) => addition(replica, create.BillingMode));
  if (added.length === 0 || create.BillingMode !== 'PROVISIONED') return steps;
  const { TableName, ProvisionedThroughput, GlobalSecondaryIndexes = [] } = create;
  const update = (text: string, input: Partial<Sdk.UpdateTableInput>): PlanStep => ({
    sign: '~',
    text,
    run: ({ sdk, client }) => client.send(new sdk.UpdateTableCommand({ TableName, ...input })),
  });
  const indexUpdates = GlobalSecondaryIndexes.map((index) => ({
    Update: { IndexName: index.IndexName, ProvisionedThroughput: index.ProvisionedThroughput },
  }));
  return [
    update('billing mode PAY_PER_REQUEST, while replicas are added', { BillingMode: 'PAY_PER_REQUEST' }),
    ...steps,
    update('billing mode PROVISIONED', {
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput,
      ...(indexUpdates.length > 0 && { GlobalSecondaryIndexUpdates: indexUpdates }),
    }),
  ];
}

function addition(
  { region, creation, create: { TableName } }: DesiredReplica,
  billingMode: Sdk.BillingMode | undefined,
): PlanStep {
  const { RegionName, KMSMasterKeyId, TableClassOverride } = creation;
  // Provisioned reads are set after the table has been switched back to provisioned.
  const Create = billingMode === 'PROVISIONED' ? { RegionName, KMSMasterKeyId, TableClassOverride } : creation;
  return {
    sign: '+',
    text: `replica in ${region}`,
    run: ({ sdk, client }) => client.send(new sdk.UpdateTableCommand({ TableName, ReplicaUpdates: [{ Create }] })),
  };
}

/**
 * Sets the read throughput of a replica where it differs. A replica without its own has the throughput of the table in the home region. What
 * the file does not mention is left unchanged, because it cannot be removed.
 */
function overrideSteps(
  { region, creation, create: { TableName } }: DesiredReplica,
  present: Sdk.ReplicaDescription | undefined,
  home: DesiredTable['create'],
): readonly PlanStep[] {
  // A replica that has not been added yet gets its maximum of reads when it is added.
  if (present === undefined && home.BillingMode !== 'PROVISIONED') return [];
  const indexes = (creation.GlobalSecondaryIndexes ?? []).filter((index) => {
    const isSame = ({ IndexName }: { readonly IndexName?: string | undefined }): boolean =>
      IndexName === index.IndexName;
    return !hasReads(index, present?.GlobalSecondaryIndexes?.find(isSame), home.GlobalSecondaryIndexes?.find(isSame));
  });
  if (hasReads(creation, present, home) && indexes.length === 0) return [];
  const { ProvisionedThroughputOverride, OnDemandThroughputOverride } = creation;
  const update: Sdk.UpdateReplicationGroupMemberAction = {
    RegionName: region,
    ProvisionedThroughputOverride,
    OnDemandThroughputOverride,
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  };
  return [
    {
      sign: '~',
      text: `throughput of reads of the replica in ${region}`,
      run: ({ sdk, client }) =>
        client.send(new sdk.UpdateTableCommand({ TableName, ReplicaUpdates: [{ Update: update }] })),
    },
  ];
}

type Reads = Pick<Sdk.ReplicaGlobalSecondaryIndex, 'ProvisionedThroughputOverride' | 'OnDemandThroughputOverride'>;

function hasReads(
  wanted: Reads,
  present: Reads | undefined,
  home: Pick<Sdk.GlobalSecondaryIndex, 'ProvisionedThroughput' | 'OnDemandThroughput'> | undefined,
): boolean {
  const units = wanted.ProvisionedThroughputOverride?.ReadCapacityUnits;
  const maximum = wanted.OnDemandThroughputOverride?.MaxReadRequestUnits;
  const presentUnits =
    present?.ProvisionedThroughputOverride?.ReadCapacityUnits ?? home?.ProvisionedThroughput?.ReadCapacityUnits;
  const presentMaximum =
    present?.OnDemandThroughputOverride?.MaxReadRequestUnits ?? home?.OnDemandThroughput?.MaxReadRequestUnits;
  return (units === undefined || units === presentUnits) && (maximum === undefined || maximum === presentMaximum);
}

function planOwnSettings(replica: DesiredReplica, present: PresentTable): SettingsPlan {
  const plan = planRegionalSettings(replica, present);
  plan.steps.push(
    ...tableClassSteps(replica, present.description),
    ...tagSteps(replica, present),
    ...planPolicy('resource policy', replica.create.ResourcePolicy, present.policy, arnOfTable),
    ...protectionSteps(replica, present.description),
  );
  return plan;
}
