import type { Limits } from '../../values/limits.ts';
import { invalidParameter, subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { BillingMode, ProvisionedThroughput, WarmThroughput } from '../catalog/table-description.ts';
import type { WarmTransition } from '../catalog/table-record.ts';
import type { ThroughputSubject } from './throughput-changes.ts';

/*
 * Warm throughput is the throughput that a table or index could serve at once. It never decreases: it is at least the highest ever
 * provisioned, the initial value of on-demand mode, and the highest requested.
 */

interface WarmUnits {
  readonly readUnitsPerSecond: number;
  readonly writeUnitsPerSecond: number;
}

const initialThroughputPage =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial';

/** The warm throughput of a table or index without a request for it. */
export function leastWarmThroughput(
  billingMode: BillingMode,
  provisioned: ProvisionedThroughput,
  limits: Limits,
): WarmUnits {
  return billingMode === 'PAY_PER_REQUEST'
    ? {
        readUnitsPerSecond: limits.onDemandReadCapacityUnitsInitial,
        writeUnitsPerSecond: limits.onDemandWriteCapacityUnitsInitial,
      }
    : { readUnitsPerSecond: provisioned.readCapacityUnits, writeUnitsPerSecond: provisioned.writeCapacityUnits };
}

/**
 * The warm throughput of a new table or index.
 *
 * @throws {ValidationException} | {LimitExceededException}
 */
export function newWarmThroughput(
  requested: WarmThroughput | undefined,
  subject: ThroughputSubject,
  options: { readonly billingMode: BillingMode; readonly provisioned: ProvisionedThroughput; readonly limits: Limits },
): WarmUnits {
  const least = leastWarmThroughput(options.billingMode, options.provisioned, options.limits);
  checkWarmThroughput(requested, least, subject, options.limits, (kind) =>
    options.billingMode === 'PAY_PER_REQUEST'
      ? `initial throughput for OnDemand. See: ${initialThroughputPage}`
      : `${kind}CapacityUnits of ProvisionedThroughput`,
  );
  return raisedWarmThroughput(least, requested);
}

/**
 * The warm throughput after UpdateTable, and the transition to it.
 *
 * @throws {ValidationException} | {LimitExceededException}
 */
export function raiseWarmThroughput(
  present: WarmThroughput | undefined,
  requested: WarmThroughput,
  subject: ThroughputSubject,
  options: { readonly untilMs: number; readonly limits: Limits },
): { readonly warmThroughput: WarmUnits; readonly warmTransition: WarmTransition } {
  const before = warmUnits(present);
  if (requested.readUnitsPerSecond === undefined && requested.writeUnitsPerSecond === undefined) {
    const where = subject.indexName === undefined ? 'table' : `index: ${subject.indexName}`;
    throw invalidParameter(
      `WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for ${where}`,
    );
  }
  checkWarmThroughput(
    requested,
    before,
    subject,
    options.limits,
    () => 'current WarmThroughput, decreasing WarmThroughput is not supported',
  );
  return {
    warmThroughput: raisedWarmThroughput(before, requested),
    warmTransition: { untilMs: options.untilMs, shown: before },
  };
}

/** The greater value of each member. */
export function raisedWarmThroughput(
  present: WarmThroughput | undefined,
  other: WarmThroughput | undefined,
): WarmUnits {
  const [a, b] = [warmUnits(present), warmUnits(other)];
  return {
    readUnitsPerSecond: Math.max(a.readUnitsPerSecond, b.readUnitsPerSecond),
    writeUnitsPerSecond: Math.max(a.writeUnitsPerSecond, b.writeUnitsPerSecond),
  };
}

function checkWarmThroughput(
  requested: WarmThroughput | undefined,
  least: WarmUnits,
  { region, indexName }: ThroughputSubject,
  limits: Limits,
  nameOfLeast: (kind: 'Read' | 'Write') => string,
): void {
  const where = indexName === undefined ? 'for table' : `for index ${indexName}`;
  const named = [
    ['Read', requested?.readUnitsPerSecond, least.readUnitsPerSecond],
    ['Write', requested?.writeUnitsPerSecond, least.writeUnitsPerSecond],
  ] as const;
  for (const [kind, units, leastUnits] of named) {
    if (units === undefined) continue;
    const name = `Requested ${kind}UnitsPerSecond for WarmThroughput ${where}`;
    if (units < leastUnits) throw invalidParameter(`${name} is lower than ${nameOfLeast(kind)}`);
    if (units > limits.tableCapacityUnitsMax) {
      throw subscriberLimitExceeded(`${name} exceeds TableMax${kind}CapacityUnits of the account in region ${region}`);
    }
  }
}

function warmUnits(throughput: WarmThroughput | undefined): WarmUnits {
  return {
    readUnitsPerSecond: throughput?.readUnitsPerSecond ?? 0,
    writeUnitsPerSecond: throughput?.writeUnitsPerSecond ?? 0,
  };
}
