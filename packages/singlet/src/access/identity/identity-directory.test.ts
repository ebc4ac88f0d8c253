import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { account, policyOf, TestIdentities, trusting } from '../testing/identities.ts';
import { newAuthKeyText, readAuthKey } from './auth-key.ts';
import {
  createIdentity,
  deleteIdentity,
  detachPolicy,
  joinGroup,
  leaveGroup,
  revokeAccessKeys,
  rotateAccessKey,
  setBoundary,
} from './change-identities.ts';
import { IdentityDirectory } from './identity-directory.ts';
import { IdentityError } from './identity-error.ts';
import { readIdentities } from './read-identities.ts';
import { openSession, sealSession, type SessionContent } from './session-token.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const allowGet = { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: '*' };
const alice = { accountId: account, kind: 'user', name: 'alice' } as const;
const tools = (
  identities: TestIdentities,
): { authKey: TestIdentities['authKey']; random: typeof randomBytes; nowMs: number } => ({
  authKey: identities.authKey,
  random: randomBytes,
  nowMs,
});

describe('access keys', () => {
  test('are found with the caller that they represent', () => {
    const identities = new TestIdentities(nowMs);
    identities.user('readers', { kind: 'group' });
    const key = identities.user('alice', { groups: ['readers'], tags: { team: 'red' }, boundary: policyOf(allowGet) });
    identities.attach('readers', allowGet, { kind: 'group' });
    identities.attach('alice', { ...allowGet, Effect: 'Deny' });
    const found = identities.directory().findKey(key.accessKeyId, undefined, nowMs);
    expect(found).toMatchObject({
      secretAccessKey: key.secretAccessKey,
      holder: {
        caller: {
          kind: 'user',
          accountId: account,
          arn: `arn:aws:iam::${account}:user/alice`,
          principalArn: `arn:aws:iam::${account}:user/alice`,
          userName: 'alice',
          tags: new Map([['team', 'red']]),
          policies: [expect.anything(), expect.anything()],
          boundary: expect.anything(),
        },
      },
    });
    expect(identities.directory().findKey('AKIAAAAAAAAAAAAAAAAA', undefined, nowMs)).toBe('unknown');
  });

  test('of the root user represent the account', () => {
    const identities = new TestIdentities(nowMs);
    const key = identities.user('root', { kind: 'root' });
    expect(identities.directory().findKey(key.accessKeyId, undefined, nowMs)).toMatchObject({
      holder: { caller: { kind: 'root', arn: `arn:aws:iam::${account}:root`, userId: account } },
    });
  });

  test('that were rotated are accepted as long as the overlap lasts, and no millisecond longer', () => {
    const identities = new TestIdentities(nowMs);
    const old = identities.user('alice');
    const rotated = rotateAccessKey(identities.document, alice, { ...tools(identities), overlapMs: 3_600_000 });
    const directory = new IdentityDirectory(rotated.document, identities.authKey);
    const isKnown = (id: string, atMs: number): boolean => directory.findKey(id, undefined, atMs) !== 'unknown';
    expect(isKnown(rotated.accessKey.accessKeyId, nowMs)).toBe(true);
    expect(isKnown(old.accessKeyId, nowMs + 3_599_999)).toBe(true);
    expect(isKnown(old.accessKeyId, nowMs + 3_600_000)).toBe(false);
    expect(isKnown(rotated.accessKey.accessKeyId, nowMs + 3_600_000)).toBe(true);
    expect(() => rotateAccessKey(rotated.document, alice, { ...tools(identities), overlapMs: 1 })).toThrow(/Both AKIA/);
    const atOnce = rotateAccessKey(identities.document, alice, { ...tools(identities), overlapMs: 0 });
    const later = new IdentityDirectory(atOnce.document, identities.authKey);
    expect(later.findKey(old.accessKeyId, undefined, nowMs)).toBe('unknown');
  });

  test('that are revoked are gone, one or all', () => {
    const identities = new TestIdentities(nowMs);
    const first = identities.user('alice');
    const second = rotateAccessKey(identities.document, alice, { ...tools(identities), overlapMs: 1000 });
    const one = revokeAccessKeys(second.document, alice, first.accessKeyId);
    expect(one.revoked).toEqual([first.accessKeyId]);
    const directory = new IdentityDirectory(one.document, identities.authKey);
    expect(directory.findKey(first.accessKeyId, undefined, nowMs)).toBe('unknown');
    expect(directory.findKey(second.accessKey.accessKeyId, undefined, nowMs)).not.toBe('unknown');
    expect(revokeAccessKeys(second.document, alice, undefined).revoked).toHaveLength(2);
    expect(() => revokeAccessKeys(second.document, alice, 'AKIAAAAAAAAAAAAAAAAA')).toThrow(/has no access key/);
  });

  test('the file holds no secret, and opens with its own key only, each secret for its own access key', () => {
    const identities = new TestIdentities(nowMs);
    const key = identities.user('alice');
    const bob = identities.user('bob');
    const text = JSON.stringify(identities.document);
    expect(text).not.toContain(key.secretAccessKey);
    expect(text).not.toContain(Buffer.from(key.secretAccessKey).toString('base64').slice(0, 12));
    const another = readAuthKey(newAuthKeyText(randomBytes));
    expect(() => new IdentityDirectory(readIdentities(text), another)).toThrow(
      /cannot be decrypted with this key file/,
    );
    const sealedOf = (name: string): string =>
      identities.document.accounts[account]?.users[name]?.accessKeys[0]?.sealedSecret ?? '';
    const swapped = text
      .replace(sealedOf('alice'), 'x')
      .replace(sealedOf('bob'), sealedOf('alice'))
      .replace('"x"', `"${sealedOf('bob')}"`);
    expect(() => new IdentityDirectory(readIdentities(swapped), identities.authKey)).toThrow(/cannot be decrypted/);
    expect(bob.secretAccessKey).not.toBe(key.secretAccessKey);
  });
});

describe('changes', () => {
  test('groups, policies and boundaries come and go', () => {
    const identities = new TestIdentities(nowMs);
    identities.user('readers', { kind: 'group' });
    identities.user('alice');
    let document = joinGroup(identities.document, alice, 'readers');
    expect(joinGroup(document, alice, 'readers')).toBe(document);
    const group = { accountId: account, kind: 'group', name: 'readers' } as const;
    expect(() => deleteIdentity(document, group)).toThrow(/has the user "alice"/);
    document = leaveGroup(document, alice, 'readers');
    expect(() => leaveGroup(document, alice, 'readers')).toThrow(/is not in the group/);
    document = deleteIdentity(document, group);
    expect(() => joinGroup(document, alice, 'readers')).toThrow(/There is no group "readers"/);
    document = setBoundary(document, alice, policyOf(allowGet));
    expect(document.accounts[account]?.users['alice']?.boundary).toEqual(policyOf(allowGet));
    document = setBoundary(document, alice, undefined);
    expect(document.accounts[account]?.users['alice']).not.toHaveProperty('boundary');
    expect(() => detachPolicy(document, alice, 'none')).toThrow(/has no policy "none"/);
    document = deleteIdentity(document, alice);
    expect(() => deleteIdentity(document, alice)).toThrow(/There is no user "alice" in account \d+\.$/);
  });

  test('names the other kind that has the name', () => {
    const identities = new TestIdentities(nowMs);
    identities.user('readers', { kind: 'group' });
    expect(() => identities.attach('readers', allowGet)).toThrow(
      /There is no user "readers" in account \d+\. There is a group of that name \(`--kind group`\)\.$/,
    );
  });

  test.each(['', 'a b', 'a/b', '__proto__/x', 'ä', 'a'.repeat(65)])('%j is not a name', (name) => {
    const identities = new TestIdentities(nowMs);
    expect(() => identities.user(name)).toThrow(IdentityError);
  });

  test('names of members of every object are names like others', () => {
    const identities = new TestIdentities(nowMs);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(() => identities.attach(name, allowGet)).toThrow(/There is no/);
      const key = identities.user(name);
      identities.attach(name, allowGet);
      identities.document = readIdentities(JSON.stringify(identities.document));
      expect(identities.directory().findKey(key.accessKeyId, undefined, nowMs)).toMatchObject({
        holder: { caller: { userName: name, policies: [expect.anything()] } },
      });
      expect(() => identities.user(name)).toThrow(/already/);
    }
  });
});

describe('the file', () => {
  function sample(): TestIdentities {
    const identities = new TestIdentities(nowMs);
    identities.user('readers', { kind: 'group' });
    identities.user('alice', { groups: ['readers'], tags: { team: 'red' } });
    identities.attach('alice', allowGet);
    identities.role('tenant', trusting(account), { boundary: policyOf(allowGet) });
    identities.user('root', { kind: 'root' });
    return identities;
  }

  test('is read as it was written', () => {
    const { document } = sample();
    expect(readIdentities(JSON.stringify(document))).toEqual(document);
  });

  test('any damage is refused with a sentence, or makes identities that can be used', () => {
    const { document, authKey } = sample();
    const text = JSON.stringify(document);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.nat(20), fc.string({ maxLength: 8 }), (at, length, instead) => {
        const damaged = text.slice(0, at) + instead + text.slice(at + length);
        try {
          void new IdentityDirectory(readIdentities(damaged), authKey);
        } catch (error) {
          expect(error).toBeInstanceOf(IdentityError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, (text: string) => string, RegExp]>([
    ['another format', (text) => text.replace('"format":1', '"format":2'), /format is 2: this version reads format 1/],
    ['a member twice', (text) => text.replace('"users":', '"users":{},"users":'), /"users" occurs twice/],
    [
      'an unknown member',
      (text) => text.replace('"groups":["readers"]', '"group":["readers"]'),
      /users\.alice has a member "group"/,
    ],
    [
      'a missing group',
      (text) => text.replace('["readers"]', '["writers"]'),
      /users\.alice\.groups: the account has no group "writers"/,
    ],
    [
      'a policy with a wrong effect',
      (text) => text.replace('"Effect":"Allow"', '"Effect":"Perhaps"'),
      /policies\.policy: line/,
    ],
    ['no list', (text) => text.replace('["readers"]', '"readers"'), /users\.alice\.groups must be a list/],
    ['a wrong id', (text) => text.replace('AIDA', 'AIDB'), /users\.alice\.id must be AIDA and sixteen/],
  ])('%s is said with its place', (_what, damage, problem) => {
    const { document, authKey } = sample();
    const text = JSON.stringify(document);
    expect(damage(text)).not.toBe(text);
    expect(() => new IdentityDirectory(readIdentities(damage(text)), authKey)).toThrow(problem);
  });
});

describe('sessions', () => {
  const session: SessionContent = {
    accountId: account,
    roleName: 'tenant',
    roleId: '',
    sessionName: 'red-7',
    secretAccessKey: 'secret',
    tags: { Tenant: 'red' },
    transitiveTagKeys: [],
    policies: [],
    issuedAtMs: nowMs,
    expiresAtMs: nowMs + 1000,
  };

  function sealed(): { identities: TestIdentities; token: string; roleId: string } {
    const identities = new TestIdentities(nowMs);
    identities.role('tenant', trusting(account), { tags: { tenant: 'none', plan: 'small' } });
    const roleId = identities.document.accounts[account]?.roles['tenant']?.id ?? '';
    const token = sealSession(identities.authKey, 'ASIAAAAAAAAAAAAAAAAA', { ...session, roleId }, randomBytes);
    return { identities, token, roleId };
  }

  test('are known by their token on every server that has the key', () => {
    const { identities, token, roleId } = sealed();
    for (const directory of [identities.directory(), identities.directory()]) {
      for (const _again of [1, 2]) {
        expect(directory.findKey('ASIAAAAAAAAAAAAAAAAA', token, nowMs)).toMatchObject({
          secretAccessKey: 'secret',
          sessionExpiresAtMs: nowMs + 1000,
          holder: {
            caller: {
              kind: 'session',
              arn: `arn:aws:sts::${account}:assumed-role/tenant/red-7`,
              principalArn: `arn:aws:iam::${account}:role/tenant`,
              userId: `${roleId}:red-7`,
              tags: new Map([
                ['plan', 'small'],
                ['Tenant', 'red'],
              ]),
            },
          },
        });
      }
      expect(directory.findKey('ASIAAAAAAAAAAAAAAAAB', token, nowMs)).toBe('wrong-token');
      expect(directory.findKey('ASIAAAAAAAAAAAAAAAAA', undefined, nowMs)).toBe('wrong-token');
    }
  });

  test('a token that was changed anywhere is none', () => {
    const { identities, token } = sealed();
    const bytes = Buffer.from(token, 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(openSession(identities.authKey, 'ASIAAAAAAAAAAAAAAAAA', changed.toString('base64'))).toBeUndefined();
        expect(
          openSession(identities.authKey, 'ASIAAAAAAAAAAAAAAAAA', bytes.subarray(0, at).toString('base64')),
        ).toBeUndefined();
      }),
    );
  });

  test('end with their role, also where one of the same name is made', () => {
    const { identities, token } = sealed();
    const role = { accountId: account, kind: 'role', name: 'tenant' } as const;
    const without = deleteIdentity(identities.document, role);
    expect(new IdentityDirectory(without, identities.authKey).findKey('ASIAAAAAAAAAAAAAAAAA', token, nowMs)).toBe(
      'unknown',
    );
    const again = createIdentity(without, { ...role, trust: trusting(account) }, tools(identities));
    expect(
      new IdentityDirectory(again.document, identities.authKey).findKey('ASIAAAAAAAAAAAAAAAAA', token, nowMs),
    ).toBe('unknown');
  });
});
