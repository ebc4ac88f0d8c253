import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { decodeStreamRecord, isStreamGone, streamKey, streamWrite } from '../streams/stream-record.ts';
import { retentionMsOf } from '../streams/find-stream.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { changeTable } from '../catalog/table-change.ts';
import { checkNotInLifecycle } from '../schema/table-conflicts.ts';
import { noSuchStream, type PolicyResource } from './policy-resource.ts';
import type { PolicyChange } from './resource-policy.ts';
import type { ResourcePolicyRecord } from '../catalog/resource-policy-record.ts';

/** The policy of a table or stream before and after a change. */
export interface ChangedPolicy {
  readonly before: ResourcePolicyRecord | undefined;
  readonly after: ResourcePolicyRecord | undefined;
}

/**
 * Changes the policy of a table or stream, in one decision.
 *
 * @param change - returns the new record; the present one, or undefined, if nothing changes.
 * @throws {ResourceNotFoundException} if there is no such table or stream.
 */
export async function changePolicy(
  services: EngineServices,
  resource: PolicyResource,
  { expectedRevisionId }: { readonly expectedRevisionId?: string | undefined },
  context: RequestContext,
  change: (change: PolicyChange) => ResourcePolicyRecord | undefined,
): Promise<ChangedPolicy> {
  const { tableName, stream } = resource;
  const { limits, lifecycleDelayMs } = services;
  const nowMs = services.environment.clock.nowMs();
  const given = { tableName, expectedRevisionId, nowMs, lifecycleDelayMs, limits };
  if (stream !== undefined) {
    const checkChangeable = (): void => undefined;
    return changeStreamPolicy(services, resource, context, (present) => change({ ...given, present, checkChangeable }));
  }
  // Set again on every run of the decision: the last run is the one that counts.
  let before: ResourcePolicyRecord | undefined;
  const table = await changeTable(services, context, tableName, ({ record }) => {
    const { resourcePolicy: present } = record;
    before = present;
    const after = change({ ...given, present, checkChangeable: () => checkNotInLifecycle(record) });
    return { record: after === undefined || after === present ? record : { ...record, resourcePolicy: after } };
  });
  return { before, after: table.record.resourcePolicy };
}

async function changeStreamPolicy(
  services: EngineServices,
  { tableName, stream }: PolicyResource,
  context: RequestContext,
  change: (present: ResourcePolicyRecord | undefined) => ResourcePolicyRecord | undefined,
): Promise<ChangedPolicy> {
  const { label = '', sinceMs } = stream ?? {};
  if (sinceMs === undefined) throw noSuchStream(label, tableName);
  const nowMs = services.environment.clock.nowMs();
  const key = streamKey(context, tableName, sinceMs);
  return services.store.write([key], ([value]) => {
    const record = value === undefined ? undefined : decodeStreamRecord(key, value);
    if (record === undefined || isStreamGone(record, nowMs, retentionMsOf(services))) {
      throw noSuchStream(label, tableName);
    }
    const { resourcePolicy: before } = record;
    const after = change(before) ?? before;
    const isChanged = after !== undefined && after !== before;
    return { answer: { before, after }, writes: isChanged ? [streamWrite({ ...record, resourcePolicy: after })] : [] };
  });
}

/**
 * The present policy of a table or stream; undefined if it has none.
 *
 * @throws {ResourceNotFoundException} if there is no such table or stream.
 */
export async function presentPolicy(
  services: EngineServices,
  { tableName, stream }: PolicyResource,
  context: RequestContext,
): Promise<ResourcePolicyRecord | undefined> {
  if (stream === undefined) {
    const table = await services.catalog.load(context, tableName);
    if (table === undefined) throw tableNotFound(tableName);
    return table.record.resourcePolicy;
  }
  const { label, sinceMs } = stream;
  if (sinceMs === undefined) throw noSuchStream(label, tableName);
  const key = streamKey(context, tableName, sinceMs);
  const record = await services.store.read([key], ([value]) =>
    value === undefined ? undefined : decodeStreamRecord(key, value),
  );
  const nowMs = services.environment.clock.nowMs();
  if (record === undefined || isStreamGone(record, nowMs, retentionMsOf(services)))
    throw noSuchStream(label, tableName);
  return record.resourcePolicy;
}
