import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { copiedItemCount } from './copy-items.ts';
import { decodeMark } from './item-version.ts';
import { memberOf } from './open-replication.ts';
import { listReplicatedTables } from './replicated-tables.ts';
import { digestOf } from './replication-change.ts';
import type { MemberRecord } from './replication-record.ts';

/** What one region is owed by another, of one table. */
export interface ReplicaLag {
  readonly accountId: string;
  readonly tableName: string;
  readonly from: string;
  readonly to: string;
  readonly state: MemberRecord['state'];
  /** Items that have changed and were not sent yet: counted up to `replicaReportItemCountMax`. */
  readonly owedItemCount: number;
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
        ...(await owed(services, owedSpace, nowMs)),
        knowsSettings: record !== undefined && settled === digestOf(record),
        ...(copied !== undefined && { copiedItemCount: copied }),
      });
    }
  }
  return lags;
}

async function owed(
  { store, limits }: EngineServices,
  owedSpace: number,
  nowMs: number,
): Promise<Pick<ReplicaLag, 'owedItemCount' | 'lagMs'>> {
  let owedItemCount = 0;
  let lagMs = 0;
  const range = { from: spaceStart(owedSpace), to: spaceStart(owedSpace + 1), limit: limits.replicaReportItemCountMax };
  await store.range(range, (_key, value) => {
    owedItemCount += 1;
    lagMs = Math.max(lagMs, nowMs - decodeMark(value).version.timeMs);
    return true;
  });
  return { owedItemCount, lagMs };
}
