import type { ResourcePolicyRecord } from '../catalog/resource-policy-record.ts';
import type { Limits } from '../../values/limits.ts';
import { DynamoError } from '../../values/service-error.ts';
import { stillInUse } from '../catalog/parameter-errors.ts';
import { streamLabel } from '../catalog/utc-text.ts';
import type { PolicyDocument } from '../../access/policy/policy-statement.ts';
import { policyNotFound } from './policy-errors.ts';
import { printPolicy } from './print-policy.ts';

/*
 * The policy of a table or stream, as it is kept with it. A policy that was deleted leaves its trace: the next one has a
 * later revision, and comes no sooner than any change.
 */

/** Means "there is none" where a revision is expected. */
const noPolicy = 'NO_POLICY';

/** Whose policy it is, and when it is changed. */
export interface PolicyChange {
  readonly tableName: string;
  readonly present: ResourcePolicyRecord | undefined;
  readonly expectedRevisionId: string | undefined;
  readonly nowMs: number;
  /** How long a change is pending before the cool-down shows. */
  readonly lifecycleDelayMs: number;
  readonly limits: Limits;
  /** Throws when there may be no change for another reason. A policy that stays as it is is none. */
  readonly checkChangeable: () => void;
}

/** What a policy says, without its revision. */
export type PolicyContent = Omit<ResourcePolicyRecord, 'revisionId'> & { readonly policy: string };

export function policyContent(document: PolicyDocument): PolicyContent {
  return { policy: printPolicy(document), ...(document.version === undefined && { isVersionless: true }) };
}

/** The first policy of a new table. */
export function newResourcePolicy(content: PolicyContent, nowMs: number): ResourcePolicyRecord {
  return { ...content, revisionId: String(nowMs) };
}

/**
 * The record after a policy was put; the very record that was there when it says the same.
 *
 * @throws {DynamoError} `PolicyNotFoundException` when the present revision is not the one expected, `ThrottlingException`
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
 * The record after a policy was deleted; undefined when there is none to delete.
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

/** Whether the last change of a policy is pending still. */
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

/** A revision runs ahead of the clock when several changes fall into one millisecond. */
function changedAtMs({ revisionId }: ResourcePolicyRecord, nowMs: number): number {
  return Math.min(Number(revisionId), nowMs);
}

function nextRevision({ present, nowMs }: PolicyChange): string {
  return String(Math.max(nowMs, Number(present?.revisionId ?? 0) + 1));
}
