import { ResourceNotFoundException } from '../../values/service-error.ts';
import { spaceStart } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { spawnPurge } from '../jobs/background-work.ts';
import { removeTable } from '../tables/remove-table.ts';
import { changeTable, type TableChangeInput, type TableChangeOutput } from '../catalog/table-change.ts';
import type { Table } from '../catalog/table.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { copyItems, forgetCopy } from './copy-items.ts';
import { nextVersion } from '../catalog/item-version.ts';
import { memberOf } from '../catalog/open-replication.ts';
import { redefine } from './receive-definition.ts';
import { sendMessage } from './receive-message.ts';
import { type ReplicaAddress, ReplicaUnreachableError } from './replica-message.ts';
import { definitionOf, digestOf, withMember } from './replication-change.ts';
import { holdLease } from './replication-lease.ts';
import type { MemberRecord, PeerRecord } from '../catalog/replication-record.ts';
import { hasPendingItems, sendPending } from './send-items.ts';

/*
 * One round of replication for a replica: send the other regions the parts of the definition that they lack, send them the
 * items that are pending for them, copy all items to a new replica, and leave when it is to be deleted. The table's record and
 * the pending items determine the work, so a round may be interrupted anywhere and repeated.
 */

/** What a round does. */
export interface RoundOptions {
  /** If given, only this region is replicated to. */
  readonly to?: string | undefined;
  /** `without`: only work that a request can wait for: regions of this server, and no items. */
  readonly items: 'with' | 'without';
  /** Regions that could not be reached in this round, and why. They are not tried again for each table. */
  readonly unreachable: Map<string, string>;
}

export interface TableRound {
  readonly sentItemCount: number;
  /** No work was left. */
  readonly isSettled: boolean;
}

/** @throws {ClosingSignal} if the engine closes. */
export async function replicateTable(
  services: EngineServices,
  address: ReplicaAddress,
  options: RoundOptions,
): Promise<TableRound> {
  const round = new Round(services, address, options);
  try {
    await round.run();
  } catch (error) {
    // Deleted meanwhile, by a request or another process. There may be a new table of the name; the next round finds it.
    if (!(error instanceof ResourceNotFoundException)) throw error;
    round.isSettled = false;
  }
  return { sentItemCount: round.sentItemCount, isSettled: round.isSettled };
}

class Round {
  readonly #services: EngineServices;
  readonly #address: ReplicaAddress;
  readonly #options: RoundOptions;
  sentItemCount = 0;
  isSettled = true;

  constructor(services: EngineServices, address: ReplicaAddress, options: RoundOptions) {
    this.#services = services;
    this.#address = address;
    this.#options = options;
  }

  async run(): Promise<void> {
    if (await this.#isIdle()) return;
    await this.#eachPeer((table, peer) => this.#define(table, peer));
    await this.#conform();
    if (this.#options.items === 'with') await this.#eachPeer((table, peer) => this.#send(table, peer));
    await this.#eachPeer((table, peer) => this.#copy(table, peer));
    await this.#leave();
    // The copies may have changed the definition.
    await this.#eachPeer((table, peer) => this.#define(table, peer));
  }

  /** Most tables are idle most of the time; a few reads show it. */
  async #isIdle(): Promise<boolean> {
    const table = await this.#table();
    if (table?.replication === undefined) return true;
    const { record } = table.replication;
    const isMoving = record.members.some(({ state }) => state === 'creating' || state === 'deleting');
    if (isMoving || table.replication.self.state === 'gone' || lagsBehind(table)) return false;
    const digest = digestOf(record);
    for (const peer of record.peers) {
      if (peer.settled !== digest || (await hasPendingItems(this.#services, peer))) return false;
    }
    return true;
  }

  async #eachPeer(work: (table: Table, peer: PeerRecord) => Promise<void>): Promise<void> {
    const { to, items, unreachable } = this.#options;
    const names = (await this.#table())?.replication?.record.peers.map(({ regionName }) => regionName) ?? [];
    const isElsewhere = (name: string): boolean => this.#services.replicaLinks?.has(name) === true;
    // Local regions first: they need not wait for the remote ones.
    for (const name of [...names.filter((peer) => !isElsewhere(peer)), ...names.filter(isElsewhere)]) {
      if ((to !== undefined && to !== name) || unreachable.has(name) || (items === 'without' && isElsewhere(name))) {
        this.isSettled = false;
        continue;
      }
      const table = await this.#table();
      const peer = table?.replication?.record.peers.find(({ regionName }) => regionName === name);
      if (table === undefined || peer === undefined) continue;
      try {
        await work(table, peer);
      } catch (error) {
        if (!(error instanceof ReplicaUnreachableError)) throw error;
        this.isSettled = false;
        unreachable.set(name, error.message);
      }
    }
  }

  async #table(): Promise<Table | undefined> {
    return this.#services.catalog.load(this.#address, this.#address.tableName);
  }

  async #define(table: Table, peer: PeerRecord): Promise<void> {
    const { replication } = table;
    if (replication === undefined) return;
    const digest = digestOf(replication.record);
    if (peer.settled === digest) return;
    const answer = await sendMessage(this.#services, {
      kind: 'define',
      accountId: this.#address.accountId,
      region: peer.regionName,
      tableName: this.#address.tableName,
      definition: definitionOf(replication.record),
    });
    if (answer.kind !== 'defined') return;
    const { outcome } = answer;
    if (outcome === 'refused') return this.#refused(table, peer.regionName);
    await this.#change((input) => {
      const record = withSettled(input.record, peer.regionName, digest);
      if (outcome !== 'created') return { record };
      // A replica that had been filled, and is created again, has lost all its items.
      const anew = { state: 'creating', source: record.region, addedAtMs: input.nowMs } as const;
      return this.#withMember({ ...input, record }, peer.regionName, 'active', anew);
    });
    if (outcome === 'created') await forgetCopy(this.#services, table.record.itemSpace, peer.regionName);
  }

  /** Another table already has this name, or there are too many tables: the replica is not created. */
  async #refused({ replication, record }: Table, regionName: string): Promise<void> {
    this.isSettled = false;
    const member = replication && memberOf(replication.record, regionName);
    const { log } = this.#services.environment;
    log({ level: 'warn', event: 'replica-refused', tableName: record.tableName, region: regionName });
    const isOurs = member?.state === 'creating' && member.source === record.region;
    if (!isOurs && member?.state !== 'deleting') return;
    await this.#change((input) => this.#withMember(input, regionName, member.state, { state: 'gone' }));
  }

  /** Applies settings that could not be applied when they arrived: for example, an index whose name was still being removed. */
  async #conform(): Promise<void> {
    const table = await this.#table();
    if (table?.replication === undefined || !lagsBehind(table)) return;
    await this.#change((input) => {
      const { replication } = input.record;
      if (replication === undefined) return { record: input.record };
      return redefine(input, definitionOf(replication), this.#services);
    });
  }

  async #send(table: Table, peer: PeerRecord): Promise<void> {
    const member = table.replication && memberOf(table.replication.record, peer.regionName);
    // A region that does not know that it is a replica, or no longer is one, accepts no items.
    if (member === undefined || member.state === 'deleting' || peer.settled === undefined) return;
    if (!(await hasPendingItems(this.#services, peer))) return;
    const sent = await sendPending(this.#services, table, peer);
    this.sentItemCount += sent.itemCount;
    if (sent.end === 'busy') this.isSettled = false;
    if (sent.end === 'unknown') await this.#unsettle(peer.regionName);
  }

  async #copy(table: Table, peer: PeerRecord): Promise<void> {
    const { record, replication } = table;
    const member = replication && memberOf(replication.record, peer.regionName);
    if (member?.state !== 'creating' || member.source !== record.region || peer.settled === undefined) return;
    if (member.notBeforeMs > this.#services.environment.clock.nowMs()) {
      this.isSettled = false;
      return;
    }
    if (this.#options.items === 'without' && (await this.#holdsItems(table))) {
      this.isSettled = false;
      return;
    }
    const sent = await copyItems(this.#services, table, peer.regionName);
    this.sentItemCount += sent.itemCount;
    if (sent.end === 'unknown') return this.#unsettle(peer.regionName);
    if (sent.end === 'busy') {
      this.isSettled = false;
      return;
    }
    await this.#change((input) => this.#withMember(input, peer.regionName, 'creating', { state: 'active' }));
    await forgetCopy(this.#services, record.itemSpace, peer.regionName);
  }

  async #holdsItems({ record }: Table): Promise<boolean> {
    let found = false;
    const range = { from: spaceStart(record.itemSpace), to: spaceStart(record.itemSpace + 1), limit: 1 };
    await this.#services.store.range(range, () => {
      found = true;
      return false;
    });
    return found;
  }

  /** A replica that is to be deleted stays until the others have all its items, and know about the deletion. */
  async #leave(): Promise<void> {
    const table = await this.#table();
    const self = table?.replication?.self;
    if (table?.replication === undefined || (self?.state !== 'deleting' && self?.state !== 'gone')) return;
    if (self.notBeforeMs > this.#services.environment.clock.nowMs()) {
      this.isSettled = false;
      return;
    }
    const staying = table.replication.record.peers.filter(({ regionName }) => {
      const member = table.replication && memberOf(table.replication.record, regionName);
      return member?.state === 'active' || member?.state === 'creating';
    });
    for (const peer of staying) {
      if (!(await hasPendingItems(this.#services, peer))) continue;
      this.isSettled = false;
      return;
    }
    if ((await holdLease(this.#services, table.record.itemSpace)) === undefined) return;
    await this.#change((input) => this.#withMember(input, self.regionName, 'deleting', { state: 'gone' }));
    await this.#eachPeer((present, peer) => this.#define(present, peer));
    const told = (await this.#table())?.replication?.record;
    const knowAll = staying.every(({ regionName }) =>
      told?.peers.some((peer) => peer.regionName === regionName && peer.settled === digestOf(told)),
    );
    if (!knowAll) {
      this.isSettled = false;
      return;
    }
    try {
      await removeTable(this.#services, this.#address, this.#address.tableName, { asReplica: true });
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error; // another process was faster
    }
  }

  async #unsettle(regionName: string): Promise<void> {
    this.isSettled = false;
    await this.#change(({ record }) => ({ record: withSettled(record, regionName, undefined) }));
  }

  /** Replaces the entry of a replica, if the replica is still in the state that was read. */
  #withMember(
    input: TableChangeInput,
    regionName: string,
    seen: MemberRecord['state'],
    changes: Partial<MemberRecord>,
  ): Change {
    const { record, nowMs } = input;
    const { replication } = record;
    const member = replication && memberOf(replication, regionName);
    if (replication === undefined || member?.state !== seen) return { record };
    const changed = { ...member, ...changes, version: nextVersion(member.version, nowMs, record.region) };
    return redefine(input, withMember(definitionOf(replication), changed), this.#services);
  }

  async #change(change: (input: TableChangeInput) => Change): Promise<void> {
    let purge: number | undefined;
    await changeTable(this.#services, this.#address, this.#address.tableName, (input) => {
      const changed = change(input);
      purge = changed.purge;
      return changed;
    });
    if (purge !== undefined) spawnPurge(this.#services, purge);
  }
}

type Change = TableChangeOutput & { readonly purge?: number | undefined };

/** The record with what a region has acknowledged; the same object if that is already recorded. */
function withSettled(record: TableRecord, regionName: string, settled: string | undefined): TableRecord {
  const { replication } = record;
  if (replication?.peers.some((peer) => peer.regionName === regionName && peer.settled !== settled) !== true)
    return record;
  const peers = replication.peers.map((peer): PeerRecord => {
    if (peer.regionName !== regionName) return peer;
    const { settled: _before, ...rest } = peer;
    return settled === undefined ? rest : { ...rest, settled };
  });
  return { ...record, replication: { ...replication, peers } };
}

/** Whether a setting could not be applied when it arrived, and can be now. */
function lagsBehind({ record, replication }: Table): boolean {
  if (replication === undefined) return false;
  const { globalIndexes, timeToLive } = replication.record.settings;
  const isMissing = (name: string): boolean => !record.globalIndexes.some(({ indexName }) => indexName === name);
  if (globalIndexes.some(({ indexName }) => isMissing(indexName))) return true;
  return record.timeToLive?.phase?.kind !== 'disabling' && record.timeToLive?.attributeName !== timeToLive;
}
