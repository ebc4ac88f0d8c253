import { randomBytes } from 'node:crypto';
import { type AuthKey, newAuthKeyText, readAuthKey } from '../identity/auth-key.ts';
import {
  attachPolicy,
  createIdentity,
  type IdentityName,
  type NewAccessKey,
  type NewIdentity,
  noIdentities,
} from '../identity/change-identities.ts';
import { IdentityDirectory } from '../identity/identity-directory.ts';
import type { IdentityDocument } from '../identity/identity-document.ts';

export const account = '111122223333';
export const otherAccount = '444455556666';

/** Identities that a test makes, in memory. */
export class TestIdentities {
  document: IdentityDocument = noIdentities;
  readonly authKey: AuthKey = readAuthKey(newAuthKeyText(randomBytes));
  nowMs: number;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  user(name: string, options: Partial<NewIdentity> = {}): NewAccessKey {
    const made = createIdentity(
      this.document,
      { accountId: account, kind: 'user', name, ...options },
      { authKey: this.authKey, random: randomBytes, nowMs: this.nowMs },
    );
    this.document = made.document;
    return made.accessKey ?? { accessKeyId: '', secretAccessKey: '' };
  }

  /** @param trust - who may assume it: ARNs or accounts. */
  role(name: string, trust: unknown, options: Partial<NewIdentity> = {}): string {
    const accountId = options.accountId ?? account;
    this.user(name, { ...options, kind: 'role', trust });
    return `arn:aws:iam::${accountId}:role/${name}`;
  }

  attach(name: string, statement: unknown, identity: Partial<IdentityName> = {}): void {
    this.document = attachPolicy(
      this.document,
      { accountId: account, kind: 'user', name, ...identity },
      { name: 'policy', policy: policyOf(statement) },
    );
  }

  directory(): IdentityDirectory {
    return new IdentityDirectory(this.document, this.authKey);
  }
}

export function policyOf(statement: unknown): unknown {
  return { Version: '2012-10-17', Statement: statement };
}

/** A trust policy for principals. */
export function trusting(principals: string | readonly string[], ...actions: readonly string[]): unknown {
  const action = actions.length === 0 ? ['sts:AssumeRole', 'sts:TagSession', 'sts:SetSourceIdentity'] : actions;
  return policyOf({ Effect: 'Allow', Principal: { AWS: principals }, Action: action });
}
