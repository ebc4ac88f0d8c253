import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { DesiredReplica, DesiredTable } from './desired-table.ts';
import type { PlanStep } from './plan.ts';
import { planPolicy, planRegionalSettings, protectionSteps, type SettingsPlan, tagSteps } from './plan-settings.ts';
import { arnOfTable, type PresentTable, type PresentTables } from './present-table.ts';

/**
 * Plans the replicas of a table: which are removed and added, and what each has for itself in its region. Their protection comes
 * last, as at home.
 */
export function planReplicas(
  { create: { TableName }, replicas }: DesiredTable,
  { description, replicas: present }: Pick<PresentTables, 'description' | 'replicas'>,
): SettingsPlan {
  const plan: SettingsPlan = { steps: [], notes: [] };
  if (replicas === undefined) return plan;
  const wanted = new Set(replicas.map(({ region }) => region));
  plan.steps.push(...replicaRemovals(TableName, description, (region) => !wanted.has(region)));
  const known = replicasOf(description);
  for (const replica of replicas) {
    const found = known.get(replica.region);
    plan.steps.push(...(found === undefined ? [addition(replica)] : overrideSteps(replica, found)));
  }
  for (const replica of replicas) {
    const inRegion = present.get(replica.region);
    if (inRegion === undefined) continue;
    if (inRegion.description === undefined && known.has(replica.region)) {
      plan.notes.push(
        `${replica.region}: this endpoint does not have the replica, so what it has for itself is left out; --replica-endpoint ${replica.region}=URL says where it is`,
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

/** The steps that remove replicas of a table: those that a condition holds for. */
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

/** The replicas of a table in other regions than its own. */
function replicasOf(description: Sdk.TableDescription | undefined): ReadonlyMap<string, Sdk.ReplicaDescription> {
  const home = description?.TableArn?.split(':')[3];
  return new Map(
    (description?.Replicas ?? []).flatMap((replica) => {
      const { RegionName = '' } = replica;
      return RegionName === home ? [] : [[RegionName, replica] as const];
    }),
  );
}

function addition({ region, creation, create: { TableName } }: DesiredReplica): PlanStep {
  return {
    sign: '+',
    text: `replica in ${region}`,
    run: ({ sdk, client }) =>
      client.send(new sdk.UpdateTableCommand({ TableName, ReplicaUpdates: [{ Create: creation }] })),
  };
}

/** Throughput of reads that a replica is to have and has not. What the file does not give is left as it is: it cannot be taken away. */
function overrideSteps(
  { region, creation, create: { TableName } }: DesiredReplica,
  present: Sdk.ReplicaDescription,
): readonly PlanStep[] {
  const indexes = (creation.GlobalSecondaryIndexes ?? []).filter(
    (index) =>
      !hasReads(
        index,
        present.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.IndexName),
      ),
  );
  if (hasReads(creation, present) && indexes.length === 0) return [];
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

function hasReads(wanted: Reads, present: Reads | undefined): boolean {
  const units = wanted.ProvisionedThroughputOverride?.ReadCapacityUnits;
  const maximum = wanted.OnDemandThroughputOverride?.MaxReadRequestUnits;
  return (
    (units === undefined || units === present?.ProvisionedThroughputOverride?.ReadCapacityUnits) &&
    (maximum === undefined || maximum === present?.OnDemandThroughputOverride?.MaxReadRequestUnits)
  );
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

/** A replica that is yet to be added is made with its class. */
function tableClassSteps(
  { create: { TableName, TableClass = 'STANDARD' } }: DesiredReplica,
  description: Sdk.TableDescription | undefined,
): readonly PlanStep[] {
  if (description === undefined || TableClass === (description.TableClassSummary?.TableClass ?? 'STANDARD')) return [];
  return [
    {
      sign: '~',
      text: `table class ${TableClass}`,
      run: ({ sdk, client }) => client.send(new sdk.UpdateTableCommand({ TableName, TableClass })),
    },
  ];
}
