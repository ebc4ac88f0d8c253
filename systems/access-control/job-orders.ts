import type { Access, NewJob } from './access.ts';
import { timeOf } from './access.ts';

/** A new job. Its id is random, because the change it belongs to is written in the same transaction. */
export function roleJob(
  access: Access,
  jobType: 'ATTACH' | 'DETACH' | 'ASSIGN' | 'REVOKE' | 'ROLE_UPDATE',
  target: { readonly roleId: string; readonly version: number; readonly policyId?: string; readonly userId?: string },
): NewJob {
  const { roleId, version, ...others } = target;
  const jobId = `${jobType.toLowerCase()}:${access.newId()}`;
  return { ...begun(access, jobId), jobType, targetId: `role:${roleId}`, targetVersion: version, roleId, ...others };
}

/** The job for a version of a policy. Its id is derived from the change, so that a repeated change creates only one job. */
export function policyUpdateJob(access: Access, policyId: string, policyVersion: number): NewJob {
  const jobId = policyJobId(policyId, policyVersion);
  return {
    ...begun(access, jobId),
    jobType: 'POLICY_UPDATE',
    targetId: `policy:${policyId}`,
    targetVersion: policyVersion,
    policyId,
  };
}

/** The job that deletes the copies of a deleted policy. */
export function policyDeleteJob(access: Access, policyId: string, policyVersion: number): NewJob {
  const update = policyUpdateJob(access, policyId, policyVersion);
  return { ...update, jobId: policyJobId(policyId, 'deleted'), jobType: 'POLICY_DELETE' };
}

export function policyJobId(policyId: string, version: number | 'deleted'): string {
  return `policy:${policyId}@${version}`;
}

function begun({ clock }: Access, jobId: string): Pick<NewJob, 'jobId' | 'notBefore' | 'createdAt'> {
  return { jobId, notBefore: timeOf(clock), createdAt: timeOf(clock) };
}
