import type { EngineServices } from '../services.ts';
import { ClosingSignal } from '../background/background-pace.ts';
import { repeatTask } from '../background/background-task.ts';
import { listReplicatedTables, type ReplicatedTable } from './replicated-tables.ts';
import { replicateTable, type TableRound } from './replicate-table.ts';
import { sweepTombstones } from './sweep-tombstones.ts';

/** How often an engine replicates by default, in milliseconds. The service documents that it usually takes less than a second. */
export const replicationIntervalMs = 500;

/** How often unneeded tombstones are swept, in milliseconds. */
const tombstoneSweepMs = 60_000;

/** What to replicate: everything that is not excluded. */
export interface ReplicationRoute {
  /** Only tables of this account; all by default. */
  readonly accountId?: string | undefined;
  /** Only this table; all by default. */
  readonly tableName?: string | undefined;
  /** The sending region; all by default. */
  readonly from?: string | undefined;
  /** The receiving region; all by default. */
  readonly to?: string | undefined;
}

/** What one round of sending did. */
export interface ReplicationRound {
  /** Items sent, whether or not they were new there. */
  readonly sentItemCount: number;
  /** No work was left: no item is pending for any region, and none is in flight. */
  readonly isSettled: boolean;
}

/** Replicates once. */
export async function replicate(services: EngineServices, route: ReplicationRoute = {}): Promise<ReplicationRound> {
  const rounds: TableRound[] = [];
  const unreachable = new Map<string, string>();
  try {
    for (const listed of await listReplicatedTables(services.store)) {
      if (!isOn(route, listed)) continue;
      rounds.push(await replicateTable(services, listed, { to: route.to, items: 'with', unreachable }));
      await sweepTombstones(services, listed);
    }
  } catch (error) {
    if (!(error instanceof ClosingSignal)) throw error;
    rounds.push({ sentItemCount: 0, isSettled: false });
  }
  tellUnreachable(services, new Map(), unreachable);
  return {
    sentItemCount: rounds.reduce((sum, { sentItemCount }) => sum + sentItemCount, 0),
    isSettled: rounds.every(({ isSettled, sentItemCount }) => isSettled && sentItemCount === 0),
  };
}

function isOn(route: ReplicationRoute, { accountId, tableName, region }: ReplicatedTable): boolean {
  return (
    (route.accountId ?? accountId) === accountId &&
    (route.tableName ?? tableName) === tableName &&
    (route.from ?? region) === region
  );
}

/** Replicates periodically, until the engine closes. */
export function replicateRegularly(services: EngineServices, intervalMs: number): Promise<void> {
  const { environment, store } = services;
  let sweepAtMs = environment.clock.nowMs() + tombstoneSweepMs;
  let unreachableBefore: ReadonlyMap<string, string> = new Map();
  return repeatTask(services, {
    name: 'replication',
    everyMs: intervalMs,
    postponedEvent: 'replication-postponed',
    run: async () => {
      const unreachable = new Map<string, string>();
      const isSweepDue = environment.clock.nowMs() >= sweepAtMs;
      if (isSweepDue) sweepAtMs = environment.clock.nowMs() + tombstoneSweepMs;
      for (const listed of await listReplicatedTables(store)) {
        await replicateTable(services, listed, { items: 'with', unreachable });
        if (isSweepDue) await sweepTombstones(services, listed);
      }
      tellUnreachable(services, unreachableBefore, unreachable);
      unreachableBefore = unreachable;
    },
  });
}

/** Reports each time that a region becomes unreachable, and each time that it becomes reachable again. */
function tellUnreachable(
  { environment }: EngineServices,
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): void {
  for (const [region, error] of now) {
    if (!before.has(region)) environment.log({ level: 'warn', event: 'replica-unreachable', region, error });
  }
  for (const region of before.keys()) {
    if (!now.has(region)) environment.log({ level: 'info', event: 'replica-reached', region });
  }
}

/**
 * The part of replication that a request for a replica may wait for: sends definitions to the regions of this server, and completes
 * the steps that send no items. The next round does the rest.
 */
export async function settleReplicas(services: EngineServices, place: ReplicatedTable): Promise<void> {
  const members = (await services.catalog.load(place, place.tableName))?.replication?.record.members ?? [];
  const regions = new Set([place.region, ...members.map(({ regionName }) => regionName), place.region]);
  for (const region of regions) {
    if (services.replicaLinks?.has(region) === true) continue;
    await replicateTable(services, { ...place, region }, { items: 'without', unreachable: new Map() });
  }
}
