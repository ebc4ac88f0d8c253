import { BoundedMap } from '../bounded-map.ts';
import type { Caller } from '../caller.ts';
import { parsePolicy, type PolicyDocument, PolicyError } from '../policy/policy-document.ts';
import type { FoundKey } from '../signature/verify-signature.ts';
import type { AuthKey } from './auth-key.ts';
import type {
  AccessKeyDocument,
  AccountDocument,
  IdentityDocument,
  PolicyDocuments,
  RoleDocument,
  UserDocument,
} from './identity-document.ts';
import { IdentityError } from './identity-error.ts';
import { openSession, type SessionContent } from './session-token.ts';

/** A role, ready to be assumed. */
export interface Role {
  readonly accountId: string;
  readonly name: string;
  readonly id: string;
  readonly arn: string;
  readonly trust: PolicyDocument;
  readonly policies: readonly PolicyDocument[];
  readonly boundary?: PolicyDocument | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly maxSessionSeconds: number;
}

/** The holder of an access key, and its session if it has one. */
export interface KeyHolder {
  readonly caller: Caller;
  readonly session?: SessionContent | undefined;
}

interface LongTermKey {
  readonly secretAccessKey: string;
  readonly holder: KeyHolder;
  readonly expiresAtMs: number;
}

/** The maximum number of opened sessions that are kept. Opening one takes about ten microseconds. */
const openSessionsMax = 1024;

/** The identities of a server, as requests look them up. Immutable: a changed file makes a new directory. */
export class IdentityDirectory {
  readonly #authKey: AuthKey;
  readonly #keys: ReadonlyMap<string, LongTermKey>;
  readonly #roles: ReadonlyMap<string, Role>;
  /** By token. */
  readonly #sessions: BoundedMap<string, { readonly accessKeyId: string; readonly holder: KeyHolder }> = new BoundedMap(
    openSessionsMax,
  );

  /**
   * @throws {IdentityError} for an invalid policy, and for secret keys that were encrypted with another key.
   */
  constructor(document: IdentityDocument, authKey: AuthKey) {
    this.#authKey = authKey;
    const keys = new Map<string, LongTermKey>();
    const roles = new Map<string, Role>();
    for (const [accountId, account] of Object.entries(document.accounts)) {
      for (const role of rolesOf(accountId, account)) roles.set(role.arn, role);
      for (const { caller, accessKeys } of holdersOf(accountId, account)) {
        for (const key of accessKeys) {
          if (keys.has(key.id)) throw new IdentityError(`The access key ${key.id} occurs twice.`);
          keys.set(key.id, longTermKey(key, caller, authKey));
        }
      }
    }
    this.#keys = keys;
    this.#roles = roles;
  }

  /** @param arn - `arn:aws:iam::111122223333:role/NAME`. */
  role(arn: string): Role | undefined {
    return this.#roles.get(arn);
  }

  /** Finds the key that a request was signed with. */
  findKey(accessKeyId: string, sessionToken: string | undefined, nowMs: number): FoundKey<KeyHolder> {
    if (accessKeyId.startsWith('ASIA')) return this.#findSession(accessKeyId, sessionToken);
    const key = this.#keys.get(accessKeyId);
    if (key === undefined || key.expiresAtMs <= nowMs) return 'unknown';
    return key;
  }

  #findSession(accessKeyId: string, token: string | undefined): FoundKey<KeyHolder> {
    if (token === undefined) return 'wrong-token';
    let opened = this.#sessions.get(token);
    if (opened === undefined) {
      const session = openSession(this.#authKey, accessKeyId, token);
      if (session === undefined) return 'wrong-token';
      const role = this.#roles.get(roleArn(session.accountId, session.roleName));
      if (role === undefined || role.id !== session.roleId) return 'unknown';
      opened = { accessKeyId, holder: { caller: sessionCaller(session, role), session } };
      this.#sessions.set(token, opened);
    }
    const { holder } = opened;
    if (opened.accessKeyId !== accessKeyId || holder.session === undefined) return 'wrong-token';
    return {
      secretAccessKey: holder.session.secretAccessKey,
      holder,
      sessionExpiresAtMs: holder.session.expiresAtMs,
    };
  }
}

export function roleArn(accountId: string, name: string): string {
  return `arn:aws:iam::${accountId}:role/${name}`;
}

function longTermKey(
  { id, sealedSecret, expiresAt }: AccessKeyDocument,
  caller: Caller,
  authKey: AuthKey,
): LongTermKey {
  const secretAccessKey = authKey.openSecret(sealedSecret, id);
  if (secretAccessKey === undefined) {
    throw new IdentityError(
      `The secret of access key ${id} cannot be decrypted with this key file: it was encrypted with another key, or changed.`,
    );
  }
  const expiresAtMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
  return { secretAccessKey, holder: { caller }, expiresAtMs };
}

function* holdersOf(
  accountId: string,
  account: AccountDocument,
): Generator<{ readonly caller: Caller; readonly accessKeys: readonly AccessKeyDocument[] }> {
  if (account.root !== undefined) yield { caller: rootCaller(accountId), accessKeys: account.root.accessKeys };
  const policiesOfGroups = new Map(
    Object.entries(account.groups).map(([name, { policies }]) => [
      name,
      identityPolicies(policies, `accounts.${accountId}.groups.${name}`),
    ]),
  );
  for (const [name, user] of Object.entries(account.users)) {
    const path = `accounts.${accountId}.users.${name}`;
    const ofGroups = user.groups.flatMap((group) => policiesOfGroups.get(group) ?? []);
    const policies = [...identityPolicies(user.policies, path), ...ofGroups];
    yield { caller: userCaller(accountId, { name, user, policies, path }), accessKeys: user.accessKeys };
  }
}

function rootCaller(accountId: string): Caller {
  const arn = `arn:aws:iam::${accountId}:root`;
  return { kind: 'root', accountId, arn, principalArn: arn, userId: accountId, tags: new Map(), policies: [] };
}

function userCaller(
  accountId: string,
  {
    name,
    user,
    policies,
    path,
  }: {
    readonly name: string;
    readonly user: UserDocument;
    readonly policies: readonly PolicyDocument[];
    readonly path: string;
  },
): Caller {
  const arn = `arn:aws:iam::${accountId}:user/${name}`;
  return {
    kind: 'user',
    accountId,
    arn,
    principalArn: arn,
    userId: user.id,
    userName: name,
    tags: new Map(Object.entries(user.tags)),
    policies,
    ...boundaryOf(user, path),
  };
}

function* rolesOf(accountId: string, { roles }: AccountDocument): Generator<Role> {
  for (const [name, role] of Object.entries(roles)) {
    const path = `accounts.${accountId}.roles.${name}`;
    yield {
      accountId,
      name,
      id: role.id,
      arn: roleArn(accountId, name),
      trust: policyAt(role.trust, 'trust', `${path}.trust`),
      policies: identityPolicies(role.policies, path),
      tags: role.tags,
      maxSessionSeconds: role.maxSessionSeconds,
      ...boundaryOf(role, path),
    };
  }
}

/** The tags of a session override those of its role. Their names are compared without regard to case. */
function sessionCaller(session: SessionContent, role: Role): Caller {
  const { accountId, sessionName } = session;
  const names = new Set(Object.keys(session.tags).map((name) => name.toLowerCase()));
  const ofRole = Object.entries(role.tags).filter(([name]) => !names.has(name.toLowerCase()));
  return {
    kind: 'session',
    accountId,
    arn: `arn:aws:sts::${accountId}:assumed-role/${role.name}/${sessionName}`,
    principalArn: role.arn,
    userId: `${role.id}:${sessionName}`,
    tags: new Map([...ofRole, ...Object.entries(session.tags)]),
    policies: role.policies,
    ...(role.boundary !== undefined && { boundary: role.boundary }),
    ...(session.policies.length > 0 && {
      sessionPolicies: session.policies.map((text) => parsePolicy(text, 'identity')),
    }),
  };
}

function boundaryOf(
  { boundary }: Pick<UserDocument | RoleDocument, 'boundary'>,
  path: string,
): { readonly boundary?: PolicyDocument } {
  return boundary === undefined ? {} : { boundary: policyAt(boundary, 'identity', `${path}.boundary`) };
}

function identityPolicies(policies: PolicyDocuments, path: string): readonly PolicyDocument[] {
  return Object.entries(policies).map(([name, policy]) => policyAt(policy, 'identity', `${path}.policies.${name}`));
}

function policyAt(policy: unknown, kind: 'identity' | 'trust', path: string): PolicyDocument {
  try {
    return parsePolicy(JSON.stringify(policy, null, 2), kind);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new IdentityError(`${path}: ${error.message}`, { cause: error });
  }
}
