import type { PolicyDocument } from './policy/policy-document.ts';

/** The sender of a request, as established by its signature. */
export interface Caller {
  readonly kind: 'root' | 'user' | 'session';
  readonly accountId: string;
  /** `arn:aws:iam::A:user/N`, `arn:aws:sts::A:assumed-role/R/S`, or `arn:aws:iam::A:root`. */
  readonly arn: string;
  /** The value of `aws:PrincipalArn`. For a session, the ARN of its role. */
  readonly principalArn: string;
  /** The value of `aws:userid`. */
  readonly userId: string;
  readonly userName?: string;
  /** `aws:PrincipalTag/…`: the tags of the session override those of its role. */
  readonly tags: ReadonlyMap<string, string>;
  /** Of the user and its groups, or of the role. */
  readonly policies: readonly PolicyDocument[];
  readonly boundary?: PolicyDocument;
  readonly sessionPolicies?: readonly PolicyDocument[];
}

/** What policy conditions can test about how a request arrived. */
export interface RequestOrigin {
  readonly sourceIp: string;
  readonly secureTransport: boolean;
  readonly userAgent?: string;
}
