import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { copiedItemCount } from './copy-items.ts';
import { decodeMark } from '../catalog/item-version.ts';
import { memberOf } from '../catalog/open-replication.ts';
import { listReplicatedTables } from './replicated-tables.ts';
import { digestOf } from './replication-change.ts';
import type { MemberRecord } from '../catalog/replication-record.ts';

/** What is pending from one region for another, of one table. */
export interface ReplicaLag {
  /** The account that the table belongs to. */
  readonly accountId: string;
  /** The global table. */
  readonly tableName: string;
  /** The region that sends. */
  readonly from: string;
  /** The region that receives. */
  readonly to: string;
  /** What the receiving replica is at: created, active or being deleted. */
  readonly state: MemberRecord['state'];
  /** Items that have changed and were not sent yet: counted up to `replicaReportItemCountMax`. */
  readonly pendingItemCount: number;
  /** How old the oldest of these changes is, in milliseconds; 0 when there is none. */
  readonly lagMs: number;
  /** Whether the region has been told of all settings and replicas. */
  readonly knowsSettings: boolean;
  /** While the first copy of the items is under way: how many have been sent. */
  readonly copiedItemCount?: number;
}

/** How far replication is behind, by table and pair of regions. */
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
