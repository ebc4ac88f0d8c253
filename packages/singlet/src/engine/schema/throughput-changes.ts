import type { Limits } from '../../values/limits.ts';
import { LimitExceededException, ValidationException } from '../../values/service-error.ts';
import type { AccountUsage } from '../catalog/account-usage.ts';
import { subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { ProvisionedThroughput } from '../catalog/table-description.ts';
import type { ThroughputRecord } from '../catalog/table-record.ts';
import { longUtcText } from '../catalog/utc-text.ts';

/** The owner of a throughput: an index of the table if it has a name. */
export interface ThroughputSubject {
  readonly region: string;
  readonly indexName?: string;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Above this, a number is not accepted as a throughput at all. */
const capacityUnitsBound = 1_000_000_000_000;

const moreOnLimits =
  'Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.';

const noThroughput: ThroughputRecord = { readCapacityUnits: 0, writeCapacityUnits: 0, numberOfDecreasesToday: 0 };

export function newThroughput(requested: ProvisionedThroughput | undefined): ThroughputRecord {
  return requested === undefined ? noThroughput : { ...unitsOf(requested), numberOfDecreasesToday: 0 };
}

/** @throws {ValidationException} */
export function checkThroughputBounds(requested: ProvisionedThroughput): void {
  for (const [name, units] of namedUnits(requested)) {
    if (units > capacityUnitsBound) throw new ValidationException(`Given value ${units} for ${name} is out of bounds`);
  }
}

export function isOutOfBounds(requested: ProvisionedThroughput): boolean {
  return namedUnits(requested).some(([, units]) => units > capacityUnitsBound);
}

/** @throws {LimitExceededException} above the quota of a table or index. */
export function checkThroughputQuota(
  requested: ProvisionedThroughput,
  { region, indexName }: ThroughputSubject,
  limits: Limits,
): void {
  for (const [name, units] of namedUnits(requested)) {
    if (units <= limits.tableCapacityUnitsMax) continue;
    const [subject, kind] = indexName === undefined ? [name, 'table'] : [`${name} for index ${indexName}`, 'index'];
    throw new LimitExceededException(
      `The requested ${subject}, ${units}, is above the per ${kind} maximum for the account in ${region}. Per ${kind} maximum: ${limits.tableCapacityUnitsMax}. ${moreOnLimits}`,
    );
  }
}

/** @throws {LimitExceededException} if a change puts the account above its quota. */
export function checkAccountQuota(before: AccountUsage, after: AccountUsage, region: string, limits: Limits): void {
  const limit = limits.accountCapacityUnitsMax;
  const used = namedUnits(before);
  namedUnits(after).forEach(([name, units], at) => {
    const reserved = used[at]?.[1] ?? 0;
    if (units <= limit || units <= reserved) return;
    throw new LimitExceededException(
      `This request would have caused the ${name} limit to be exceeded for the account in ${region}. Current ${name} reserved by the account: ${reserved}. Limit: ${limit}. Requested: ${units - reserved}. ${moreOnLimits}`,
    );
  });
}

/**
 * The throughput after a change.
 *
 * @throws {ValidationException} if it does not change.
 * @throws {LimitExceededException} if it was lowered too often on this UTC day.
 */
export function changeThroughput(
  present: ThroughputRecord,
  requested: ProvisionedThroughput,
  subject: ThroughputSubject,
  nowMs: number,
  limits: Limits,
): ThroughputRecord {
  const rises = namedUnits(requested).map(([, units], at) => units - (namedUnits(present)[at]?.[1] ?? 0));
  if (rises.every((rise) => rise === 0)) throw unchanged(present, requested, subject);
  const increased = rises.some((rise) => rise > 0);
  const decreased = rises.some((rise) => rise < 0);
  if (decreased) checkDecrease(present, nowMs, limits);
  const lastIncreaseMs = increased ? nowMs : present.lastIncreaseMs;
  const lastDecreaseMs = decreased ? nowMs : present.lastDecreaseMs;
  return {
    ...unitsOf(requested),
    ...(lastIncreaseMs !== undefined && { lastIncreaseMs }),
    ...(lastDecreaseMs !== undefined && { lastDecreaseMs }),
    // Lowering both counts once.
    numberOfDecreasesToday: decreasesOn(present, nowMs) + (decreased ? 1 : 0),
  };
}

/** During a change, the times are already the new ones, while the units and the count are still the old ones. */
export function shownDuringChange(present: ThroughputRecord, next: ThroughputRecord, nowMs: number): ThroughputRecord {
  return { ...next, ...unitsOf(present), numberOfDecreasesToday: decreasesOn(present, nowMs) };
}

/** The throughput of a table or index that is on demand: zero units, and the history of former changes. */
export function throughputOnDemand(present: ThroughputRecord): ThroughputRecord {
  return { ...present, readCapacityUnits: 0, writeCapacityUnits: 0 };
}

/** How often the throughput has been lowered on the UTC day of `nowMs`. */
export function decreasesOn(throughput: ThroughputRecord, nowMs: number): number {
  const { lastDecreaseMs, numberOfDecreasesToday } = throughput;
  return lastDecreaseMs !== undefined && utcDay(lastDecreaseMs) === utcDay(nowMs) ? numberOfDecreasesToday : 0;
}

function utcDay(ms: number): number {
  return Math.floor(ms / dayMs);
}

function checkDecrease(present: ThroughputRecord, nowMs: number, limits: Limits): void {
  const { lastDecreaseMs } = present;
  const decreases = decreasesOn(present, nowMs);
  if (lastDecreaseMs === undefined || decreases < limits.throughputDecreaseInFirstHourCountMax) return;
  const tomorrowMs = (Math.floor(nowMs / dayMs) + 1) * dayMs;
  const nextMs = Math.min(lastDecreaseMs + hourMs, tomorrowMs);
  if (nowMs >= nextMs) return;
  throw subscriberLimitExceeded(
    `Provisioned throughput decreases are limited within a given UTC day. After the first ${limits.throughputDecreaseInFirstHourCountMax} decreases, each subsequent decrease in the same UTC day can be performed at most once every ${hourMs / 1000} seconds. Number of decreases today: ${decreases}. Last decrease at ${longUtcText(lastDecreaseMs)}. Next decrease can be made at ${longUtcText(nextMs)}`,
  );
}

function unchanged(
  present: ThroughputRecord,
  requested: ProvisionedThroughput,
  { indexName }: ThroughputSubject,
): ValidationException {
  const subject = indexName === undefined ? 'the table' : `the index ${indexName}`;
  const figures = namedUnits(requested)
    .map(([name, units], at) => {
      const current = namedUnits(present)[at]?.[1] ?? 0;
      return `Current ${name} provisioned for ${subject}: ${current}. Requested ${name}: ${units}.`;
    })
    .join(' ');
  return new ValidationException(
    `The provisioned throughput for ${subject} will not change. The requested value equals the current value. ${figures} ${moreOnLimits}`,
  );
}

function unitsOf({ readCapacityUnits, writeCapacityUnits }: ProvisionedThroughput): ProvisionedThroughput {
  return { readCapacityUnits, writeCapacityUnits };
}

function namedUnits({ readCapacityUnits, writeCapacityUnits }: ProvisionedThroughput): readonly [string, number][] {
  return [
    ['ReadCapacityUnits', readCapacityUnits],
    ['WriteCapacityUnits', writeCapacityUnits],
  ];
}
