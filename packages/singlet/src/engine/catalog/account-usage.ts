import type { StoreValue } from '../../storage/store.ts';
import { ruleCountOf } from './insight-rules.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { checkedHeaderBytes, SealedKind } from '../layout/sealed-value.ts';
import { space, storeKey } from '../layout/spaces.ts';
import type { TableRecord } from './table-record.ts';

/** What an account uses of its quotas in a region. Changes in the decision that creates, changes or deletes a table. */
export interface AccountUsage {
  readonly tableCount: number;
  /** Provisioned units of all tables and global secondary indexes together. */
  readonly readCapacityUnits: number;
  readonly writeCapacityUnits: number;
  /** Rules of contributor insights. */
  readonly insightRuleCount: number;
}

const usages = new SealedKind('The usage of an account');
const usageBytes = 24;

/** The stored form from before there were rules. */
const olderUsageBytes = 20;

const noUsage: AccountUsage = { tableCount: 0, readCapacityUnits: 0, writeCapacityUnits: 0, insightRuleCount: 0 };

export function accountUsageKey({ accountId, region }: RequestContext): Buffer {
  return storeKey(space.accountUsage, textHash(accountId, region));
}

export function decodeAccountUsage(value: StoreValue): AccountUsage {
  if (value === undefined) return noUsage;
  const view = usages.open(value, (older) => older.length === usageBytes || older.length === olderUsageBytes, 0);
  return {
    tableCount: view.getUint32(0),
    readCapacityUnits: view.getFloat64(4),
    writeCapacityUnits: view.getFloat64(12),
    insightRuleCount: view.byteLength > olderUsageBytes ? view.getUint32(olderUsageBytes) : 0,
  };
}

export function encodeAccountUsage(usage: AccountUsage): Buffer {
  const value = usages.allocate(usageBytes);
  value.writeUInt32BE(usage.tableCount, checkedHeaderBytes);
  value.writeDoubleBE(usage.readCapacityUnits, checkedHeaderBytes + 4);
  value.writeDoubleBE(usage.writeCapacityUnits, checkedHeaderBytes + 12);
  value.writeUInt32BE(usage.insightRuleCount, checkedHeaderBytes + olderUsageBytes);
  return usages.seal(value);
}

/** The usage of one table; zero when it is undefined. */
export function usageOfTable(record: TableRecord | undefined): AccountUsage {
  if (record === undefined) return noUsage;
  const usage = { ...noUsage, tableCount: 1 };
  for (const subject of [record, ...record.globalIndexes]) {
    usage.readCapacityUnits += subject.throughput.readCapacityUnits;
    usage.writeCapacityUnits += subject.throughput.writeCapacityUnits;
    usage.insightRuleCount += ruleCountOf(subject);
  }
  return usage;
}

/** The account's usage when a table changes from `before` to `after`. */
export function changedUsage(
  usage: AccountUsage,
  before: TableRecord | undefined,
  after: TableRecord | undefined,
): AccountUsage {
  const [gone, come] = [usageOfTable(before), usageOfTable(after)];
  return {
    tableCount: usage.tableCount - gone.tableCount + come.tableCount,
    readCapacityUnits: usage.readCapacityUnits - gone.readCapacityUnits + come.readCapacityUnits,
    writeCapacityUnits: usage.writeCapacityUnits - gone.writeCapacityUnits + come.writeCapacityUnits,
    insightRuleCount: usage.insightRuleCount - gone.insightRuleCount + come.insightRuleCount,
  };
}
