import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { statusOf } from '../replication/describe-replicas.ts';
import type { EngineServices } from '../services.ts';
import type { ReplicaDescription, TableStatus } from '../catalog/table-description.ts';
import type { Table } from '../catalog/table.ts';

/*
 * Auto scaling is a separate service, which Singlet does not have here: it is described as off, and enabling it is refused. The actions
 * apply to global tables only.
 */

export interface DescribeTableReplicaAutoScalingRequest {
  readonly tableName: string;
}

/** A request to configure auto scaling; of its members, only the one that disables it is read. */
export interface AutoScalingSettingsUpdate {
  readonly autoScalingDisabled?: boolean | undefined;
}

export interface ReplicaAutoScalingUpdate {
  readonly regionName: string;
  readonly replicaProvisionedReadCapacityAutoScalingUpdate?: AutoScalingSettingsUpdate | undefined;
  readonly replicaGlobalSecondaryIndexUpdates?: readonly object[] | undefined;
}

export interface UpdateTableReplicaAutoScalingRequest {
  readonly tableName: string;
  readonly provisionedWriteCapacityAutoScalingUpdate?: AutoScalingSettingsUpdate | undefined;
  readonly globalSecondaryIndexUpdates?: readonly object[] | undefined;
  readonly replicaUpdates?: readonly ReplicaAutoScalingUpdate[] | undefined;
}

export interface TableAutoScalingResult {
  readonly tableAutoScalingDescription: TableAutoScalingDescription;
}

export interface TableAutoScalingDescription {
  readonly tableName: string;
  readonly tableStatus: TableStatus;
  readonly replicas: readonly ReplicaAutoScalingDescription[];
}

export interface AutoScalingSettings {
  readonly autoScalingDisabled: true;
  readonly scalingPolicies: readonly object[];
}

export interface ReplicaAutoScalingDescription {
  readonly regionName: string;
  readonly globalSecondaryIndexes: readonly {
    readonly indexName: string;
    readonly indexStatus: 'ACTIVE';
    readonly provisionedReadCapacityAutoScalingSettings: AutoScalingSettings;
    readonly provisionedWriteCapacityAutoScalingSettings: AutoScalingSettings;
  }[];
  readonly replicaProvisionedReadCapacityAutoScalingSettings: AutoScalingSettings;
  readonly replicaProvisionedWriteCapacityAutoScalingSettings: AutoScalingSettings;
  readonly replicaStatus: ReplicaDescription['replicaStatus'];
}

/** @throws {ResourceNotFoundException} if there is no such table, or it has no replicas. */
export async function describeTableReplicaAutoScaling(
  services: EngineServices,
  { tableName }: DescribeTableReplicaAutoScalingRequest,
  context: RequestContext,
): Promise<TableAutoScalingResult> {
  return describe(services, await globalTable(services, tableName, context));
}

/**
 * Changes nothing; a request that enables auto scaling is refused.
 *
 * @throws {ResourceNotFoundException} if there is no such table, or it has no replicas.
 * @throws {ValidationException} if the request enables it.
 */
export async function updateTableReplicaAutoScaling(
  services: EngineServices,
  request: UpdateTableReplicaAutoScalingRequest,
  context: RequestContext,
): Promise<TableAutoScalingResult> {
  const { tableName } = request;
  const table = await globalTable(services, tableName, context);
  checkUpdate(request, table);
  return describe(services, table);
}

function checkUpdate(request: UpdateTableReplicaAutoScalingRequest, table: Table): void {
  const { tableName, provisionedWriteCapacityAutoScalingUpdate: write, globalSecondaryIndexUpdates } = request;
  const replicas = request.replicaUpdates ?? [];
  const problem = `Failed to update settings for global table with name: ‘${tableName}’`;
  if (write === undefined && globalSecondaryIndexUpdates === undefined && replicas.length === 0) {
    throw new ValidationException(`${problem} because at least one update parameter must be specified.`);
  }
  const named = replicas.map(({ regionName }) => regionName);
  const seen = new Set<string>();
  const twice = named.filter((name) => seen.size === seen.add(name).size);
  if (twice.length > 0) {
    throw new ValidationException(
      `${problem} because the regions: ‘[${twice.join(', ')}]’ were specified more than once.`,
    );
  }
  for (const replica of replicas) {
    const { regionName, replicaProvisionedReadCapacityAutoScalingUpdate: read } = replica;
    if (read === undefined && replica.replicaGlobalSecondaryIndexUpdates === undefined) {
      throw new ValidationException(
        `${problem} because at least one update parameter must be specified for region: ‘${regionName}’.`,
      );
    }
  }
  const parameter = isOn(write)
    ? 'GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate'
    : 'ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate';
  const isAnyOn =
    isOn(write) ||
    globalSecondaryIndexUpdates !== undefined ||
    replicas.some(
      ({ replicaProvisionedReadCapacityAutoScalingUpdate: read, replicaGlobalSecondaryIndexUpdates }) =>
        isOn(read) || replicaGlobalSecondaryIndexUpdates !== undefined,
    );
  if (!isAnyOn) return;
  if (table.record.billingMode === 'PAY_PER_REQUEST') {
    const regions = regionsOf(table).map((name) => `'${name.toUpperCase()}'`);
    throw new ValidationException(
      `Failed to update global table with name ‘${tableName}‘. Replicas ${regions.join(', ')} BillingMode is PayPerRequest. You must convert table's BillingMode to PROVISIONED to set parameters: '${parameter}'.`,
    );
  }
  throw new ValidationException(`${problem}: Singlet has no auto scaling. Set the throughput with UpdateTable.`);
}

function isOn(update: AutoScalingSettingsUpdate | undefined): boolean {
  return update !== undefined && update.autoScalingDisabled !== true;
}

async function globalTable({ catalog }: EngineServices, tableName: string, context: RequestContext): Promise<Table> {
  const table = await catalog.load(context, tableName);
  if (table?.replication !== undefined) return table;
  throw new ResourceNotFoundException(`Global table with name: '${tableName}' does not exist.`);
}

/** The names of all regions with a replica, this one included. */
function regionsOf({ record }: Table): readonly string[] {
  const members = record.replication?.members.filter(({ state }) => state !== 'gone') ?? [];
  return members.map(({ regionName }) => regionName).toSorted();
}

const off: AutoScalingSettings = { autoScalingDisabled: true, scalingPolicies: [] };

function describe({ environment }: EngineServices, table: Table): TableAutoScalingResult {
  const { members = [], settings } = table.record.replication ?? {};
  const replicas = regionsOf(table).flatMap((regionName): readonly ReplicaAutoScalingDescription[] => {
    const member = members.find((other) => other.regionName === regionName);
    if (member === undefined) return [];
    return [
      {
        regionName,
        globalSecondaryIndexes: (settings?.globalIndexes ?? []).map(({ indexName }) => ({
          indexName,
          indexStatus: 'ACTIVE',
          provisionedReadCapacityAutoScalingSettings: off,
          provisionedWriteCapacityAutoScalingSettings: off,
        })),
        replicaProvisionedReadCapacityAutoScalingSettings: off,
        replicaProvisionedWriteCapacityAutoScalingSettings: off,
        replicaStatus: statusOf(member),
      },
    ];
  });
  return {
    tableAutoScalingDescription: {
      tableName: table.tableName,
      tableStatus: table.status(environment.clock.nowMs()),
      replicas,
    },
  };
}
