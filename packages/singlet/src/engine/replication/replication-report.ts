import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { copiedItemCount } from './copy-items.ts';
import { decodeMark } from '../catalog/item-version.ts';
import { memberOf } from '../catalog/open-replication.ts';
import { listReplicatedTables } from './replicated-tables.ts';
import { digestOf } from './replication-change.ts';
import type { MemberRecord } from '../catalog/replication-record.ts';

/** The replication lag of one table, from one region to another. */
export interface ReplicaLag {
  /** The account that the table belongs to. */
  readonly accountId: string;
  /** The global table. */
  readonly tableName: string;
  /** The sending region. */
  readonly from: string;
  /** The receiving region. */
  readonly to: string;
  /** The state of the receiving replica: being created, active or being deleted. */
  readonly state: MemberRecord['state'];
  /** Items that have changed and have not been sent yet: counted up to `replicaReportItemCountMax`. */
  readonly pendingItemCount: number;
  /** The age of the oldest of these changes, in milliseconds; 0 if there is none. */
  readonly lagMs: number;
  /** Whether the region has acknowledged all settings and replicas. */
  readonly knowsSettings: boolean;
  /** How many items have been sent, while the first copy is under way. */
  readonly copiedItemCount?: number;
}

/** The replication lag, by table and pair of regions. */
export async function replicationReport(services: EngineServices): Promise<readonly ReplicaLag[]> {
  const nowMs = services.environment.clock.nowMs();
  const lags: ReplicaLag[] = [];
  for (const { accountId, region, tableName, itemSpace } of await listReplicatedTables(services.store)) {
    const table = await services.catalog.load({ accountId, region }, tableName);
    const record = table?.replication?.record;
    for (const { regionName, owedSpace, settled } of record?.peers ?? []) {
      const copied = await copiedItemCount(services, itemSpace, regionName);
      lags.push({
        accountId,
        tableName,
        from: region,
        to: regionName,
        state: (record && memberOf(record, regionName)?.state) ?? 'gone',
        ...(await pendingIn(services, owedSpace, nowMs)),
        knowsSettings: record !== undefined && settled === digestOf(record),
        ...(copied !== undefined && { copiedItemCount: copied }),
      });
    }
  }
  return lags;
}

async function pendingIn(
  { store, limits }: EngineServices,
  owedSpace: number,
  nowMs: number,
): Promise<Pick<ReplicaLag, 'pendingItemCount' | 'lagMs'>> {
  let pendingItemCount = 0;
  let lagMs = 0;
  const range = { from: spaceStart(owedSpace), to: spaceStart(owedSpace + 1), limit: limits.replicaReportItemCountMax };
  await store.range(range, (_key, value) => {
    pendingItemCount += 1;
    lagMs = Math.max(lagMs, nowMs - decodeMark(value).version.timeMs);
    return true;
  });
  return { pendingItemCount, lagMs };
}
