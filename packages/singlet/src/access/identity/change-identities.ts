import type { AuthKey, RandomBytes } from './auth-key.ts';
import {
  type AccessKeyDocument,
  type AccountDocument,
  type GroupDocument,
  type IdentityDocument,
  identityFormat,
  identityLimits,
  type RoleDocument,
  type UserDocument,
} from './identity-document.ts';
import { IdentityError } from './identity-error.ts';
import { newIdentifier, newSecretAccessKey } from './new-identifiers.ts';
import { isIdentityName } from './read-identities.ts';

/** The kind of identity that a name belongs to. `root` is the root user of the account, whatever its name. */
export type IdentityKind = 'user' | 'group' | 'role' | 'root';

export interface IdentityName {
  readonly accountId: string;
  readonly kind: IdentityKind;
  readonly name: string;
}

/** The clock, randomness and key that changes use. */
export interface ChangeTools {
  readonly authKey: AuthKey;
  readonly random: RandomBytes;
  readonly nowMs: number;
}

/** A newly created key. Its secret is shown once. */
export interface NewAccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export const noIdentities: IdentityDocument = { format: identityFormat, accounts: {} };

const noAccount: AccountDocument = { users: {}, groups: {}, roles: {} };

export interface NewIdentity extends IdentityName {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly boundary?: unknown;
  /** For a role. */
  readonly trust?: unknown;
  readonly maxSessionSeconds?: number | undefined;
}

/** @throws {IdentityError} if the name is taken, or a group of the user does not exist. */
export function createIdentity(
  document: IdentityDocument,
  identity: NewIdentity,
  tools: ChangeTools,
): { readonly document: IdentityDocument; readonly accessKey?: NewAccessKey } {
  const { accountId, kind, name } = identity;
  if (!/^\d{12}$/.test(accountId))
    throw new IdentityError(`An account is twelve digits, not ${JSON.stringify(accountId)}.`);
  if (!isIdentityName(name)) {
    throw new IdentityError(
      `A name has up to 64 letters, digits and the characters _+=,.@-, unlike ${JSON.stringify(name)}.`,
    );
  }
  const account = document.accounts[accountId] ?? noAccount;
  if (exists(account, identity)) throw new IdentityError(`There is a ${titleOf(identity)} already.`);
  const entity = {
    id: newIdentifier(prefixes[kind], tools.random),
    createdAt: timeOf(tools.nowMs),
    policies: {},
  };
  const boundary = identity.boundary === undefined ? {} : { boundary: identity.boundary };
  const tags = identity.tags ?? {};
  if (kind === 'group') return { document: withEntity(document, identity, entity) };
  if (kind === 'role') {
    const { trust, maxSessionSeconds = 3600 } = identity;
    return { document: withEntity(document, identity, { ...entity, trust, tags, maxSessionSeconds, ...boundary }) };
  }
  const { key, accessKey } = newAccessKey(tools);
  if (kind === 'root')
    return { document: withAccount(document, accountId, { ...account, root: { accessKeys: [key] } }), accessKey };
  const groups = identity.groups ?? [];
  for (const group of groups) entityOf(document, { accountId, kind: 'group', name: group });
  const user: UserDocument = { ...entity, groups, tags, accessKeys: [key], ...boundary };
  return { document: withEntity(document, identity, user), accessKey };
}

const prefixes = { user: 'AIDA', group: 'AGPA', role: 'AROA', root: 'AIDA' } as const;

/** Gives an identity a policy, replacing the one of the same name. @throws {IdentityError} if the identity does not exist. */
export function attachPolicy(
  document: IdentityDocument,
  identity: IdentityName,
  { name, policy }: { readonly name: string; readonly policy: unknown },
): IdentityDocument {
  if (!isIdentityName(name))
    throw new IdentityError(`${JSON.stringify(name)} cannot be the name of a policy: give one with --name.`);
  const entity = entityOf(document, identity);
  const policies = { ...entity.policies, [name]: policy };
  if (Object.keys(policies).length > identityLimits.policiesMax) {
    throw new IdentityError(
      `The ${titleOf(identity)} has ${identityLimits.policiesMax} policies, which is the maximum.`,
    );
  }
  return withEntity(document, identity, { ...entity, policies });
}

/** @throws {IdentityError} if the identity does not exist, or has no policy of that name. */
export function detachPolicy(document: IdentityDocument, identity: IdentityName, name: string): IdentityDocument {
  const entity = entityOf(document, identity);
  if (!Object.hasOwn(entity.policies, name)) {
    throw new IdentityError(`The ${titleOf(identity)} has no policy ${JSON.stringify(name)}.`);
  }
  return withEntity(document, identity, { ...entity, policies: without(entity.policies, name) });
}

/** @param boundary - undefined removes the boundary. */
export function setBoundary(document: IdentityDocument, identity: IdentityName, boundary: unknown): IdentityDocument {
  if (identity.kind !== 'user' && identity.kind !== 'role')
    throw new IdentityError('Only users and roles have boundaries.');
  const { boundary: _old, ...entity } = entityOf(document, identity) as UserDocument | RoleDocument; // only kinds with a boundary
  return withEntity(document, identity, { ...entity, ...(boundary !== undefined && { boundary }) });
}

/** @throws {IdentityError} if the user or group does not exist. */
export function joinGroup(document: IdentityDocument, user: IdentityName, group: string): IdentityDocument {
  const entity = entityOf(document, { ...user, kind: 'user' }) as UserDocument; // of a user
  entityOf(document, { ...user, kind: 'group', name: group });
  if (entity.groups.includes(group)) return document;
  if (entity.groups.length >= identityLimits.groupsMax) {
    throw new IdentityError(`The ${titleOf(user)} is in ${identityLimits.groupsMax} groups, which is the maximum.`);
  }
  return withEntity(document, user, { ...entity, groups: [...entity.groups, group] });
}

/** @throws {IdentityError} if the user does not exist, or is not in the group. */
export function leaveGroup(document: IdentityDocument, user: IdentityName, group: string): IdentityDocument {
  const entity = entityOf(document, { ...user, kind: 'user' }) as UserDocument; // of a user
  if (!entity.groups.includes(group)) {
    throw new IdentityError(`The ${titleOf(user)} is not in the group ${JSON.stringify(group)}.`);
  }
  return withEntity(document, user, { ...entity, groups: entity.groups.filter((name) => name !== group) });
}

/**
 * Gives a user a new access key. Existing keys remain accepted for a while, so that programs can switch to the new one.
 *
 * @throws {IdentityError} if both keys of the user are still accepted: one has to be revoked first.
 */
export function rotateAccessKey(
  document: IdentityDocument,
  identity: IdentityName,
  { overlapMs, ...tools }: ChangeTools & { readonly overlapMs: number },
): { readonly document: IdentityDocument; readonly accessKey: NewAccessKey } {
  const inForce = accessKeysOf(document, identity).filter(
    ({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > tools.nowMs,
  );
  if (inForce.length >= identityLimits.accessKeysMax) {
    const ids = inForce.map(({ id }) => id).join(' and ');
    throw new IdentityError(`Both ${ids} are in force: revoke one with --key, then rotate.`);
  }
  const expiresAt = timeOf(tools.nowMs + overlapMs);
  const old = overlapMs === 0 ? [] : inForce.map((key) => ({ ...key, expiresAt: key.expiresAt ?? expiresAt }));
  const { key, accessKey } = newAccessKey(tools);
  return { document: withAccessKeys(document, identity, [...old, key]), accessKey };
}

/**
 * Removes access keys.
 *
 * @param accessKeyId - undefined for all of them.
 * @returns how many were removed.
 * @throws {IdentityError} if the identity or key does not exist.
 */
export function revokeAccessKeys(
  document: IdentityDocument,
  identity: IdentityName,
  accessKeyId: string | undefined,
): { readonly document: IdentityDocument; readonly revoked: readonly string[] } {
  const keys = accessKeysOf(document, identity);
  const revoked = keys.filter(({ id }) => accessKeyId === undefined || id === accessKeyId).map(({ id }) => id);
  if (revoked.length === 0 && accessKeyId !== undefined) {
    throw new IdentityError(`The ${titleOf(identity)} has no access key ${JSON.stringify(accessKeyId)}.`);
  }
  const kept = keys.filter(({ id }) => !revoked.includes(id));
  return { document: withAccessKeys(document, identity, kept), revoked };
}

/** @throws {IdentityError} if the identity does not exist, or is a group that has users. */
export function deleteIdentity(document: IdentityDocument, identity: IdentityName): IdentityDocument {
  const { accountId, kind, name } = identity;
  const account = accountOf(document, identity);
  if (kind === 'root') {
    const { root: _root, ...others } = account;
    return withAccount(document, accountId, others);
  }
  entityOf(document, identity);
  if (kind === 'group') {
    const member = Object.entries(account.users).find(([, { groups }]) => groups.includes(name));
    if (member !== undefined)
      throw new IdentityError(`The ${titleOf(identity)} has the user ${JSON.stringify(member[0])}.`);
  }
  const place = placeOf(kind);
  return withAccount(document, accountId, { ...account, [place]: without<unknown>(account[place], name) });
}

function newAccessKey({ authKey, random, nowMs }: ChangeTools): {
  readonly key: AccessKeyDocument;
  readonly accessKey: NewAccessKey;
} {
  const accessKeyId = newIdentifier('AKIA', random);
  const secretAccessKey = newSecretAccessKey(random);
  const sealedSecret = authKey.sealSecret(secretAccessKey, accessKeyId, random);
  return {
    key: { id: accessKeyId, sealedSecret, createdAt: timeOf(nowMs) },
    accessKey: { accessKeyId, secretAccessKey },
  };
}

function accessKeysOf(document: IdentityDocument, identity: IdentityName): readonly AccessKeyDocument[] {
  if (identity.kind === 'root') return accountOf(document, identity).root?.accessKeys ?? [];
  if (identity.kind !== 'user')
    throw new IdentityError('Users have access keys; roles are assumed, and groups have users.');
  return (entityOf(document, identity) as UserDocument).accessKeys; // of a user
}

function withAccessKeys(
  document: IdentityDocument,
  identity: IdentityName,
  accessKeys: readonly AccessKeyDocument[],
): IdentityDocument {
  if (identity.kind === 'root') {
    return withAccount(document, identity.accountId, { ...accountOf(document, identity), root: { accessKeys } });
  }
  return withEntity(document, identity, { ...(entityOf(document, identity) as UserDocument), accessKeys }); // of a user
}

function accountOf(document: IdentityDocument, identity: IdentityName): AccountDocument {
  const account = document.accounts[identity.accountId];
  if (account === undefined || !exists(account, identity)) throw missing(account, identity);
  return account;
}

/** Names the identities of another kind that have the name. */
function missing(account: AccountDocument | undefined, identity: IdentityName): IdentityError {
  const others = (['user', 'group', 'role'] as const).filter(
    (kind) => identity.kind !== 'root' && account !== undefined && exists(account, { ...identity, kind }),
  );
  const hint =
    others.length === 0 ? '' : ` There is a ${others.join(' and a ')} of that name (\`--kind ${others[0]}\`).`;
  return new IdentityError(`There is no ${titleOf(identity)}.${hint}`);
}

function exists(account: AccountDocument, { kind, name }: IdentityName): boolean {
  return kind === 'root' ? account.root !== undefined : Object.hasOwn(account[placeOf(kind)], name);
}

/** @throws {IdentityError} if the identity does not exist. */
function entityOf(document: IdentityDocument, identity: IdentityName): UserDocument | GroupDocument | RoleDocument {
  const { kind, name } = identity;
  if (kind === 'root') throw new IdentityError('The root user has access keys and nothing else.');
  const entity = accountOf(document, identity)[placeOf(kind)][name];
  if (entity === undefined) throw new IdentityError(`There is no ${titleOf(identity)}.`);
  return entity;
}

function placeOf(kind: 'user' | 'group' | 'role'): 'users' | 'groups' | 'roles' {
  return `${kind}s`;
}

function titleOf({ kind, name, accountId }: IdentityName): string {
  return kind === 'root'
    ? `root user of account ${accountId}`
    : `${kind} ${JSON.stringify(name)} in account ${accountId}`;
}

function withEntity(
  document: IdentityDocument,
  { accountId, kind, name }: IdentityName,
  entity: UserDocument | GroupDocument | RoleDocument,
): IdentityDocument {
  if (kind === 'root') throw new IdentityError('The root user has access keys and nothing else.');
  const account = document.accounts[accountId] ?? noAccount;
  const place = placeOf(kind);
  return withAccount(document, accountId, { ...account, [place]: { ...account[place], [name]: entity } });
}

function withAccount(document: IdentityDocument, accountId: string, account: AccountDocument): IdentityDocument {
  return { ...document, accounts: { ...document.accounts, [accountId]: account } };
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
