import { repeatedMember } from '../policy/text-position.ts';
import {
  type AccessKeyDocument,
  type AccountDocument,
  type GroupDocument,
  type IdentityDocument,
  identityFormat,
  identityLimits,
  type RoleDocument,
  type RootDocument,
  type UserDocument,
} from './identity-document.ts';
import { IdentityError } from './identity-error.ts';

/**
 * Reads an identity file. It does not parse policies; that happens when a directory is created.
 *
 * @throws {IdentityError} with the path of the first error.
 */
export function readIdentities(text: string): IdentityDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new IdentityError(`The identities are not valid JSON (${cause instanceof Error ? cause.message : ''}).`, {
      cause,
    });
  }
  const repeated = repeatedMember(text);
  if (repeated !== undefined) {
    const { row, column } = repeated.position;
    throw new IdentityError(`line ${row}, column ${column}: ${JSON.stringify(repeated.name)} occurs twice.`);
  }
  const document = objectAt(json, 'the file', ['format', 'accounts']);
  if (document['format'] !== identityFormat) {
    throw new IdentityError(
      `format is ${JSON.stringify(document['format'])}: this version reads format ${identityFormat}.`,
    );
  }
  const accounts = recordAt(document['accounts'], 'accounts', accountIdPattern, accountAt);
  checkCount(Object.keys(accounts).length, identityLimits.accountsMax, 'accounts');
  const entities = Object.values(accounts).reduce(
    (count, { users, groups, roles }) =>
      count + Object.keys(users).length + Object.keys(groups).length + Object.keys(roles).length,
    0,
  );
  checkCount(entities, identityLimits.entitiesMax, 'users, groups and roles');
  return { format: identityFormat, accounts };
}

const accountIdPattern = /^\d{12}$/;
const namePattern = /^[\w+=,.@-]{1,64}$/;

/** Whether a text can name a user, group, role or policy. */
export function isIdentityName(text: string): boolean {
  return namePattern.test(text);
}

function accountAt(value: unknown, path: string): AccountDocument {
  const { root, users, groups, roles } = objectAt(value, path, ['root', 'users', 'groups', 'roles']);
  const account = {
    ...(root !== undefined && { root: rootAt(root, `${path}.root`) }),
    users: recordAt(users, `${path}.users`, namePattern, userAt),
    groups: recordAt(groups, `${path}.groups`, namePattern, groupAt),
    roles: recordAt(roles, `${path}.roles`, namePattern, roleAt),
  };
  for (const [name, user] of Object.entries(account.users)) {
    const missing = user.groups.find((group) => !Object.hasOwn(account.groups, group));
    if (missing !== undefined) {
      throw new IdentityError(`${path}.users.${name}.groups: the account has no group ${JSON.stringify(missing)}.`);
    }
  }
  return account;
}

function rootAt(value: unknown, path: string): RootDocument {
  const { accessKeys } = objectAt(value, path, ['accessKeys']);
  return { accessKeys: accessKeysAt(accessKeys, `${path}.accessKeys`) };
}

function userAt(value: unknown, path: string): UserDocument {
  const members = ['id', 'createdAt', 'policies', 'groups', 'tags', 'boundary', 'accessKeys'];
  const object = objectAt(value, path, members);
  const groups = listAt(object['groups'], `${path}.groups`, textAt);
  checkCount(groups.length, identityLimits.groupsMax, `${path}.groups`);
  return {
    ...entityAt(object, path, 'AIDA'),
    groups,
    tags: tagsAt(object['tags'], `${path}.tags`),
    ...(object['boundary'] !== undefined && { boundary: object['boundary'] }),
    accessKeys: accessKeysAt(object['accessKeys'], `${path}.accessKeys`),
  };
}

function groupAt(value: unknown, path: string): GroupDocument {
  return entityAt(objectAt(value, path, ['id', 'createdAt', 'policies']), path, 'AGPA');
}

function roleAt(value: unknown, path: string): RoleDocument {
  const members = ['id', 'createdAt', 'policies', 'trust', 'tags', 'boundary', 'maxSessionSeconds'];
  const object = objectAt(value, path, members);
  const { trust, maxSessionSeconds } = object;
  if (trust === undefined) throw new IdentityError(`${path}.trust is missing: it says who may assume the role.`);
  if (
    typeof maxSessionSeconds !== 'number' ||
    !Number.isInteger(maxSessionSeconds) ||
    maxSessionSeconds < 3600 ||
    maxSessionSeconds > 43_200
  ) {
    throw new IdentityError(`${path}.maxSessionSeconds must be a whole number from 3600 to 43200.`);
  }
  return {
    ...entityAt(object, path, 'AROA'),
    trust,
    tags: tagsAt(object['tags'], `${path}.tags`),
    ...(object['boundary'] !== undefined && { boundary: object['boundary'] }),
    maxSessionSeconds,
  };
}

function entityAt(object: Readonly<Record<string, unknown>>, path: string, prefix: string): GroupDocument {
  const id = textAt(object['id'], `${path}.id`);
  if (!new RegExp(`^${prefix}[A-Z2-7]{16}$`).test(id)) {
    throw new IdentityError(`${path}.id must be ${prefix} and sixteen of the characters A to Z and 2 to 7.`);
  }
  const policies = recordAt(object['policies'], `${path}.policies`, namePattern, (policy) => policy);
  checkCount(Object.keys(policies).length, identityLimits.policiesMax, `${path}.policies`);
  return { id, createdAt: timeAt(object['createdAt'], `${path}.createdAt`), policies };
}

function accessKeysAt(value: unknown, path: string): readonly AccessKeyDocument[] {
  const keys = listAt(value, path, accessKeyAt);
  checkCount(keys.length, identityLimits.accessKeysMax, path);
  return keys;
}

function accessKeyAt(value: unknown, path: string): AccessKeyDocument {
  const object = objectAt(value, path, ['id', 'sealedSecret', 'createdAt', 'expiresAt']);
  const id = textAt(object['id'], `${path}.id`);
  if (!/^AKIA[A-Z2-7]{16}$/.test(id)) {
    throw new IdentityError(`${path}.id must be AKIA and sixteen of the characters A to Z and 2 to 7.`);
  }
  return {
    id,
    sealedSecret: textAt(object['sealedSecret'], `${path}.sealedSecret`),
    createdAt: timeAt(object['createdAt'], `${path}.createdAt`),
    ...(object['expiresAt'] !== undefined && { expiresAt: timeAt(object['expiresAt'], `${path}.expiresAt`) }),
  };
}

function tagsAt(value: unknown, path: string): Readonly<Record<string, string>> {
  const { tagKeyLengthMax, tagValueLengthMax, tagsMax } = identityLimits;
  const keys = new RegExp(`^[\\p{L}\\p{Z}\\p{N}_.:/=+@-]{1,${tagKeyLengthMax}}$`, 'u');
  const tags = recordAt(value, path, keys, textAt);
  for (const [key, tag] of Object.entries(tags)) {
    if (tag.length > tagValueLengthMax) {
      throw new IdentityError(`${path}.${key} has more than ${tagValueLengthMax} characters.`);
    }
  }
  checkCount(Object.keys(tags).length, tagsMax, path);
  if (new Set(Object.keys(tags).map((key) => key.toLowerCase())).size < Object.keys(tags).length) {
    throw new IdentityError(`${path}: names of tags differ by more than the case of their letters.`);
  }
  return tags;
}

function objectAt(value: unknown, path: string, members: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new IdentityError(`${path} must be an object.`);
  }
  const unknownMember = Object.keys(value).find((name) => !members.includes(name));
  if (unknownMember !== undefined) {
    throw new IdentityError(
      `${path} has a member ${JSON.stringify(unknownMember)}: it may have ${members.join(', ')} only.`,
    );
  }
  return value as Readonly<Record<string, unknown>>; // an object, as JSON has it
}

function recordAt<T>(
  value: unknown,
  path: string,
  names: RegExp,
  read: (value: unknown, path: string) => T,
): Readonly<Record<string, T>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new IdentityError(`${path} must be an object.`);
  }
  const entries = Object.entries(value).map(([name, member]) => {
    if (!names.test(name)) throw new IdentityError(`${path} has a member ${JSON.stringify(name)}, which is unknown.`);
    return [name, read(member, `${path}.${name}`)] as const;
  });
  return Object.fromEntries(entries);
}

function listAt<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw new IdentityError(`${path} must be a list.`);
  return value.map((element, at) => read(element, `${path}[${at}]`));
}

function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new IdentityError(`${path} must be a string.`);
  return value;
}

function timeAt(value: unknown, path: string): string {
  const text = textAt(value, path);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new IdentityError(`${path} must be a time such as 2026-11-20T12:00:00Z.`);
  }
  return text;
}

function checkCount(count: number, max: number, path: string): void {
  if (count > max) throw new IdentityError(`${path} has ${count} entries, and may have at most ${max}.`);
}
