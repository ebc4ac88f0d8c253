import type { PolicyDocument } from './policy/policy-document.ts';

/** Who sends a request, as the signature settled it. */
export interface Caller {
  readonly kind: 'root' | 'user' | 'session';
  readonly accountId: string;
  /** `arn:aws:iam::A:user/N`, `arn:aws:sts::A:assumed-role/R/S`, or `arn:aws:iam::A:root`. */
  readonly arn: string;
  /** What `aws:PrincipalArn` says: a session's is its role's. */
  readonly principalArn: string;
  /** What `aws:userid` says. */
  readonly userId: string;
  readonly userName?: string;
  /** `aws:PrincipalTag/…`: a session's tags over its role's. */
  readonly tags: ReadonlyMap<string, string>;
  /** Of the user and its groups, or of the role. */
  readonly policies: readonly PolicyDocument[];
  readonly boundary?: PolicyDocument;
  readonly sessionPolicies?: readonly PolicyDocument[];
}

/** What policies may ask about how a request came in. */
export interface RequestOrigin {
  readonly sourceIp: string;
  readonly secureTransport: boolean;
  readonly userAgent?: string;
}
