import type { PolicyRecord, ScalingRecord } from './scaling-record.ts';
import type { UtilizationAlarm, WantedCapacity } from './utilization-alarm.ts';

/** A change of throughput that a target requires, and the reason, in the words of the service. */
export interface ScalingDecision extends WantedCapacity {
  readonly cause: string;
}

/** One minute of consumption and capacity of a target's resource. */
export interface ScaledMinute {
  readonly unitsPerSecond: number;
  readonly capacity: number;
  readonly nowMs: number;
}

/**
 * The change that a target requires after a minute: the largest capacity that one of its policies needs. It is lowered only if all policies that may
 * lower it agree.
 *
 * Assumed: a capacity outside the bounds is moved within them in the next minute, if there is a policy.
 */
export function scalingDecision(
  record: ScalingRecord,
  minute: ScaledMinute,
  alarmOf: (policy: PolicyRecord) => UtilizationAlarm,
): ScalingDecision | undefined {
  const { policies, minCapacity, maxCapacity, suspendedState } = record;
  const { unitsPerSecond, capacity } = minute;
  if (policies.length === 0) return undefined;
  const wishes = policies.map((policy) => ({
    policy,
    wanted: alarmOf(policy).minute(unitsPerSecond, capacity, policy.targetTracking),
  }));
  const bounded = boundedCapacity(minute.capacity, record);
  if (bounded !== undefined) return isSuspended(bounded, suspendedState) ? undefined : bounded;
  const within = (wanted: number): number => Math.min(Math.max(wanted, minCapacity), maxCapacity);
  const decisions = wishes.flatMap(({ policy, wanted }) =>
    wanted === undefined
      ? []
      : [
          {
            policy,
            direction: wanted.direction,
            capacity: within(wanted.capacity),
            cause: causeOf(record, policy, wanted),
          },
        ],
  );
  const out = decisions.filter(({ direction }) => direction === 'out');
  const lowering = policies.filter(({ targetTracking }) => targetTracking.disableScaleIn !== true);
  const inward = decisions.filter(({ direction, policy }) => direction === 'in' && lowering.includes(policy));
  const candidates = out.length > 0 ? out : inward.length === lowering.length ? inward : [];
  const best = candidates.toSorted((a, b) => b.capacity - a.capacity)[0];
  if (best === undefined || best.capacity === capacity) return undefined;
  const { direction, cause } = best;
  const decision = { direction, capacity: best.capacity, cause };
  if (isSuspended(decision, suspendedState) || isCooling(record, best.policy, decision, minute.nowMs)) return undefined;
  return decision;
}

function boundedCapacity(capacity: number, { minCapacity, maxCapacity }: ScalingRecord): ScalingDecision | undefined {
  if (capacity < minCapacity) {
    return { direction: 'out', capacity: minCapacity, cause: `minimum capacity was set to ${minCapacity}` };
  }
  if (capacity > maxCapacity) {
    return { direction: 'in', capacity: maxCapacity, cause: `maximum capacity was set to ${maxCapacity}` };
  }
  return undefined;
}

function isSuspended({ direction }: WantedCapacity, state: ScalingRecord['suspendedState']): boolean {
  return (direction === 'out' ? state.dynamicScalingOutSuspended : state.dynamicScalingInSuspended) === true;
}

/** During a cooldown, throughput is raised only above the last increase, and not lowered again. */
function isCooling(
  { lastOut, lastInMs }: ScalingRecord,
  { targetTracking: { scaleOutCooldown = 0, scaleInCooldown = 0 } }: PolicyRecord,
  { direction, capacity }: WantedCapacity,
  nowMs: number,
): boolean {
  const isWithin = (atMs: number | undefined, seconds: number): boolean =>
    atMs !== undefined && nowMs < atMs + seconds * 1000;
  if (direction === 'in') return isWithin(lastInMs, scaleInCooldown) || isWithin(lastOut?.atMs, scaleInCooldown);
  return isWithin(lastOut?.atMs, scaleOutCooldown) && capacity <= (lastOut?.capacity ?? 0);
}

function causeOf(record: ScalingRecord, policy: PolicyRecord, { direction }: WantedCapacity): string {
  const alarm = alarmName(record, policy, direction === 'out' ? 'AlarmHigh' : 'AlarmLow');
  return `monitor alarm ${alarm} in state ALARM triggered policy ${policy.policyName}`;
}

/** The name that an alarm of a policy has in the service. */
export function alarmName(
  { resourceId }: Pick<ScalingRecord, 'resourceId'>,
  { id }: PolicyRecord,
  alarm: 'AlarmHigh' | 'AlarmLow',
): string {
  return `TargetTracking-${resourceId}-${alarm}-${id}`;
}
