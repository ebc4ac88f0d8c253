/** The policy of a table or stream, as stored with it. */
export interface ResourcePolicyRecord {
  /** The revision: when the policy was last changed, epoch milliseconds, as a string. Each change has a different one. */
  readonly revisionId: string;
  /** In canonical form. Absent: deleted. */
  readonly policy?: string;
  /** Present when the document names no version. Such a document differs from one that names the same version. */
  readonly isVersionless?: true;
}
