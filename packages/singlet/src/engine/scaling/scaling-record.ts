import type { Store } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';
import type { ScalableReference } from './scalable-resource.ts';

/*
 * A scalable target with its policies and its last activities is one record. The targets of a deleted table remain, as in the service.
 *
 * Decision 0079 says why.
 */

const scalingFormat = 1;

/** The parts of scaling that can be suspended. */
export interface SuspendedState {
  readonly dynamicScalingInSuspended?: boolean | undefined;
  readonly dynamicScalingOutSuspended?: boolean | undefined;
  readonly scheduledScalingSuspended?: boolean | undefined;
}

/** Keeps the consumed capacity near a percentage of the provisioned capacity. */
export interface TargetTracking {
  /** Percent. */
  readonly targetValue: number;
  readonly predefinedMetricSpecification: {
    readonly predefinedMetricType: 'DynamoDBReadCapacityUtilization' | 'DynamoDBWriteCapacityUtilization';
    readonly resourceLabel?: string | undefined;
  };
  /** Seconds, like the next member. */
  readonly scaleOutCooldown?: number | undefined;
  readonly scaleInCooldown?: number | undefined;
  readonly disableScaleIn?: boolean | undefined;
}

export interface PolicyRecord {
  readonly policyName: string;
  readonly id: string;
  readonly createdAtMs: number;
  readonly targetTracking: TargetTracking;
}

/** A change of throughput, or an attempt at one. */
export interface ActivityRecord {
  readonly id: string;
  readonly description: string;
  readonly cause: string;
  readonly atMs: number;
  readonly statusCode: 'Successful' | 'Failed';
  readonly statusMessage: string;
}

export interface ScalingRecord extends ScalableReference {
  readonly format: typeof scalingFormat;
  readonly accountId: string;
  readonly region: string;
  /** The last part of the ARN. */
  readonly id: string;
  readonly minCapacity: number;
  readonly maxCapacity: number;
  readonly roleArn: string;
  readonly suspendedState: SuspendedState;
  readonly createdAtMs: number;
  /** When the throughput was last raised and lowered, for cooldowns. */
  readonly lastOut?: { readonly atMs: number; readonly capacity: number };
  readonly lastInMs?: number;
  readonly policies: readonly PolicyRecord[];
  /** The newest first. */
  readonly activities: readonly ActivityRecord[];
}

/** How many activities of a target are kept. The service keeps those of six weeks. */
const activitiesMax = 50;

const scalingRecords = new RecordCodec<ScalingRecord>(
  scalingFormat,
  ({ resourceId, scalableDimension }) => `The scalable target ${resourceId} ${scalableDimension}`,
);

export function newScalingRecord(
  { accountId, region }: RequestContext,
  target: Omit<ScalingRecord, 'format' | 'accountId' | 'region' | 'policies' | 'activities'>,
): ScalingRecord {
  return { format: scalingFormat, accountId, region, ...target, policies: [], activities: [] };
}

export function withActivity(record: ScalingRecord, activity: ActivityRecord): ScalingRecord {
  return { ...record, activities: [activity, ...record.activities].slice(0, activitiesMax) };
}

/**
 * Reads a target, lets `change` decide, and stores what it returns: in one decision.
 *
 * @param change - pure. It returns the same record for no change, undefined to remove it; an error that it throws ends the change.
 */
export async function changeScalingRecord<Answer>(
  store: Store,
  context: RequestContext,
  reference: ScalableReference,
  change: (record: ScalingRecord | undefined) => {
    readonly record: ScalingRecord | undefined;
    readonly answer: Answer;
  },
): Promise<Answer> {
  const key = scalingKey(context, reference);
  return store.write([key], ([value]) => {
    const before = value === undefined ? undefined : scalingRecords.decode(key, value);
    const { record, answer } = change(before);
    if (record === before) return { answer, writes: [] };
    return { answer, writes: [record === undefined ? { key, value: undefined } : scalingRecords.write(key, record)] };
  });
}

/** The targets of an account in a region, by resource and dimension; or those of all accounts. */
export async function listScalingRecords(store: Store, context?: RequestContext): Promise<readonly ScalingRecord[]> {
  const records: ScalingRecord[] = [];
  const prefix = context && storeKey(space.scaling, accountHash(context));
  const from = prefix ?? spaceStart(space.scaling);
  const to = prefix === undefined ? spaceStart(space.scaling + 1) : Buffer.concat([prefix, Buffer.of(0xff)]);
  await store.range({ from, to }, (key, value) => {
    records.push(scalingRecords.decode(key, value));
    return true;
  });
  return records;
}

/** The first byte of a resource id is below 0xff. */
function scalingKey(context: RequestContext, { resourceId, scalableDimension }: ScalableReference): Buffer {
  return storeKey(space.scaling, accountHash(context), Buffer.from(`${resourceId}\0${scalableDimension}`, 'utf8'));
}

function accountHash({ accountId, region }: RequestContext): Uint8Array {
  return textHash(accountId, region);
}
