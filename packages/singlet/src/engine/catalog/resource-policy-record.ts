/** The policy of a table or stream, as it is kept with it. */
export interface ResourcePolicyRecord {
  /** When it was last changed, epoch milliseconds, as a text: the revision. No two changes have the same. */
  readonly revisionId: string;
  /** In canonical form. Absent: deleted. */
  readonly policy?: string;
  /** Present when the document names no version. It counts as another one than a document that names the same. */
  readonly isVersionless?: true;
}
