import type { ResourcePolicyRecord } from '../catalog/resource-policy-record.ts';
import type { Limits } from '../../values/limits.ts';
import { DynamoError } from '../../values/service-error.ts';
import { stillInUse } from '../catalog/parameter-errors.ts';
import { streamLabel } from '../catalog/utc-text.ts';
import type { PolicyDocument } from '../../access/policy/policy-statement.ts';
import { policyNotFound } from './policy-errors.ts';
import { printPolicy } from './print-policy.ts';

/*
 * The policy of a table or stream, as stored with it. A deleted policy leaves a record: the next policy has a
 * later revision, and the cool-down applies to it as to any change.
 */

/** As the expected revision, means that there must be no policy. */
const noPolicy = 'NO_POLICY';

/** The resource whose policy changes, and the time of the change. */
export interface PolicyChange {
  readonly tableName: string;
  readonly present: ResourcePolicyRecord | undefined;
  readonly expectedRevisionId: string | undefined;
  readonly nowMs: number;
  /** How long a change is pending before the cool-down applies, in milliseconds. */
  readonly lifecycleDelayMs: number;
  readonly limits: Limits;
  /** Throws if another reason prevents a change. Not called for a policy that stays the same. */
  readonly checkChangeable: () => void;
}

/** The content of a policy, without its revision. */
export type PolicyContent = Omit<ResourcePolicyRecord, 'revisionId'> & { readonly policy: string };

export function policyContent(document: PolicyDocument): PolicyContent {
  return { policy: printPolicy(document), ...(document.version === undefined && { isVersionless: true }) };
}

/** The first policy of a new table. */
export function newResourcePolicy(content: PolicyContent, nowMs: number): ResourcePolicyRecord {
  return { ...content, revisionId: String(nowMs) };
}

/**
 * The record after a policy was put; the same object if the policy is equal to the present one.
 *
 * @throws {DynamoError} `PolicyNotFoundException` if the present revision is not the expected one, `ThrottlingException`
 *   too soon after the last change.
 * @throws {ResourceInUseException} while the last change is pending.
 */
export function replacePolicy(content: PolicyContent, change: PolicyChange): ResourcePolicyRecord {
  const { present } = change;
  checkRevision(change);
  const isSame = present?.policy === content.policy && present.isVersionless === content.isVersionless;
  if (isSame) return present;
  change.checkChangeable();
  checkInterval(change);
  return { ...content, revisionId: nextRevision(change) };
}

/**
 * The record after a policy was deleted; undefined if there is none to delete.
 *
 * @throws {DynamoError} | {ResourceInUseException} as {@link replacePolicy}.
 */
export function deletePolicy(change: PolicyChange): ResourcePolicyRecord | undefined {
  checkRevision(change);
  if (change.present?.policy === undefined) return undefined;
  change.checkChangeable();
  checkInterval(change);
  return { revisionId: nextRevision(change) };
}

function checkRevision({ tableName, present, expectedRevisionId: expected }: PolicyChange): void {
  if (expected === undefined) return;
  const revisionId = present?.policy === undefined ? undefined : present.revisionId;
  if (expected === noPolicy) {
    if (revisionId === undefined) return;
    throw policyNotFound(
      `Requested policy update expecting none to be present for table ${tableName}, but a policy exists with revision id ${revisionId}.`,
    );
  }
  if (expected === revisionId) return;
  throw policyNotFound(
    revisionId === undefined
      ? `Requested update for policy with revision id ${expected}, but table ${tableName} has no associated policy.`
      : `Requested update for policy with revision id ${expected}, but the policy associated to target table ${tableName} has revision id ${revisionId}.`,
  );
}

/** Whether the last change of a policy is still pending. */
export function isPolicyPending(
  present: ResourcePolicyRecord | undefined,
  { nowMs, lifecycleDelayMs }: Pick<PolicyChange, 'nowMs' | 'lifecycleDelayMs'>,
): boolean {
  return present !== undefined && nowMs < changedAtMs(present, nowMs) + lifecycleDelayMs;
}

function checkInterval({ tableName, present, nowMs, lifecycleDelayMs, limits }: PolicyChange): void {
  if (present === undefined) return;
  if (isPolicyPending(present, { nowMs, lifecycleDelayMs })) {
    throw stillInUse(`Table is pending previous resource-based policy update: ${tableName}`);
  }
  const intervalMs = limits.resourcePolicyChangeSeconds * 1000;
  const againMs = changedAtMs(present, nowMs) + intervalMs;
  if (nowMs >= againMs) return;
  throw new DynamoError(
    'ThrottlingException',
    `Resource-based policy for table ${tableName} modified within the previous ${intervalMs} milliseconds. Please try again after ${streamLabel(againMs)}Z.`,
    { retryable: true },
  );
}

/** A revision runs ahead of the clock if several changes fall into one millisecond. */
function changedAtMs({ revisionId }: ResourcePolicyRecord, nowMs: number): number {
  return Math.min(Number(revisionId), nowMs);
}

function nextRevision({ present, nowMs }: PolicyChange): string {
  return String(Math.max(nowMs, Number(present?.revisionId ?? 0) + 1));
}
