import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { Authenticator } from '../authentication/authenticator.ts';
import type { NewAccessKey } from '../identity/change-identities.ts';
import { account, otherAccount, policyOf, TestIdentities, trusting } from '../testing/identities.ts';
import { signedRequest, type TestCredentials } from '../testing/signed-request.ts';
import { type StsAnswer, StsService } from './sts-service.ts';

const start = Date.UTC(2026, 10, 20, 12);
const assume = {
  Effect: 'Allow',
  Action: ['sts:AssumeRole', 'sts:TagSession', 'sts:SetSourceIdentity'],
  Resource: '*',
};

let identities: TestIdentities;
let alice: NewAccessKey;
let sts: StsService;
let authenticator: Authenticator;

beforeEach(() => {
  identities = new TestIdentities(start);
  alice = identities.user('alice', { tags: { team: 'red' } });
  authenticator = new Authenticator({
    directory: () => identities.directory(),
    nowMs: () => identities.nowMs,
    region: 'us-east-1',
  });
  sts = new StsService({
    authenticator,
    directory: () => identities.directory(),
    authKey: () => identities.authKey,
    random: randomBytes,
    nowMs: () => identities.nowMs,
  });
});

async function ask(credentials: TestCredentials, parameters: Readonly<Record<string, string>>): Promise<StsAnswer> {
  const body = new URLSearchParams({ Version: '2011-06-15', ...parameters }).toString();
  const request = await signedRequest(credentials, {
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body,
    service: 'sts',
    nowMs: identities.nowMs,
  });
  return sts.answer(request, 'request-1');
}

function assumeRole(
  credentials: TestCredentials,
  roleArn: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<StsAnswer> {
  return ask(credentials, { Action: 'AssumeRole', RoleArn: roleArn, RoleSessionName: 'session-1', ...parameters });
}

function tagged(tags: Readonly<Record<string, string>>, transitive: readonly string[] = []): Record<string, string> {
  const pairs = Object.entries(tags).flatMap(([key, value], at) => [
    [`Tags.member.${at + 1}.Key`, key],
    [`Tags.member.${at + 1}.Value`, value],
  ]);
  return Object.fromEntries([
    ...pairs,
    ...transitive.map((key, at) => [`TransitiveTagKeys.member.${at + 1}`, key]),
  ]) as Record<string, string>;
}

function textIn(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
}

function credentialsIn({ status, text }: StsAnswer): TestCredentials {
  expect({ status, text }).toMatchObject({ status: 200 });
  return {
    accessKeyId: textIn(text, 'AccessKeyId'),
    secretAccessKey: textIn(text, 'SecretAccessKey'),
    sessionToken: textIn(text, 'SessionToken'),
  };
}

async function callerOf(credentials: TestCredentials): Promise<ReturnType<Authenticator['authenticate']>> {
  const request = await signedRequest(credentials, { body: '{}', nowMs: identities.nowMs });
  return authenticator.authenticate(request, 'dynamodb');
}

describe('GetCallerIdentity', () => {
  test('says who asks, whatever policies say', async () => {
    identities.attach('alice', { Effect: 'Deny', Action: '*', Resource: '*' });
    const answer = await ask(alice, { Action: 'GetCallerIdentity' });
    const id = identities.document.accounts[account]?.users['alice']?.id;
    expect(answer).toMatchObject({
      status: 200,
      action: 'GetCallerIdentity',
      text: `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>arn:aws:iam::${account}:user/alice</Arn><UserId>${id}</UserId><Account>${account}</Account></GetCallerIdentityResult><ResponseMetadata><RequestId>request-1</RequestId></ResponseMetadata></GetCallerIdentityResponse>`,
    });
  });

  test.each<[string, (key: NewAccessKey) => TestCredentials, number, string]>([
    ['an unknown key', (key) => ({ ...key, accessKeyId: 'AKIAAAAAAAAAAAAAAAAA' }), 403, 'InvalidClientTokenId'],
    ['a wrong secret', (key) => ({ ...key, secretAccessKey: 'wrong' }), 403, 'SignatureDoesNotMatch'],
    ['a token that is none', (key) => ({ ...key, sessionToken: 'none' }), 403, 'InvalidClientTokenId'],
  ])('%s', async (_what, change, status, code) => {
    const answer = await ask(change(alice), { Action: 'GetCallerIdentity' });
    expect(answer).toMatchObject({ status, error: code });
    expect(textIn(answer.text, 'Code')).toBe(code);
    expect(textIn(answer.text, 'Type')).toBe('Sender');
  });

  test('without a signature, an action or its version', async () => {
    const request = (body: string): StsAnswer =>
      sts.answer({ method: 'POST', url: '/', headers: { host: 'localhost' }, body: Buffer.from(body) }, 'r');
    expect(request('Action=GetCallerIdentity&Version=2011-06-15')).toMatchObject({
      status: 403,
      error: 'MissingAuthenticationToken',
    });
    expect(request('Action=GetFederationToken&Version=2011-06-15')).toMatchObject({
      status: 400,
      error: 'InvalidAction',
    });
    expect(request('Action=AssumeRole')).toMatchObject({ status: 400, error: 'InvalidAction' });
    expect(request('')).toMatchObject({ status: 400, error: 'MissingAction' });
    expect(request('a=1&a=2')).toMatchObject({ status: 400, error: 'MalformedInput' });
    expect(request('a'.repeat(200_000))).toMatchObject({ status: 413 });
  });
});

describe('who may assume a role', () => {
  const arnOfAlice = `arn:aws:iam::${account}:user/alice`;

  test.each<[what: string, trust: unknown, policy: unknown, isAllowed: boolean]>([
    ['trusted by name, without a policy', trusting(arnOfAlice), undefined, true],
    ['trusted by account, without a policy', trusting(account), undefined, false],
    ['trusted by account, with a policy', trusting(account), assume, true],
    ['a policy, and the trust of another', trusting(`arn:aws:iam::${account}:user/bob`), assume, false],
    ['trusted by name, and denied by a policy', trusting(arnOfAlice), { ...assume, Effect: 'Deny' }, false],
    ['trusted for another action only', trusting(arnOfAlice, 'sts:TagSession'), assume, false],
  ])('%s', async (_what, trust, policy, isAllowed) => {
    const role = identities.role('tenant', trust);
    if (policy !== undefined) identities.attach('alice', policy);
    const answer = await assumeRole(alice, role);
    if (isAllowed) expect(answer.status).toBe(200);
    else {
      expect(answer).toMatchObject({ status: 403, error: 'AccessDenied' });
      expect(textIn(answer.text, 'Message')).toBe(
        `User: ${arnOfAlice} is not authorized to perform: sts:AssumeRole on resource: ${role}`,
      );
    }
  });

  test('across accounts both sides must allow', async () => {
    const role = identities.role('shared', trusting(arnOfAlice), { accountId: otherAccount });
    expect((await assumeRole(alice, role)).status).toBe(403);
    identities.attach('alice', assume);
    const { caller, context } = await callerOf(credentialsIn(await assumeRole(alice, role)));
    expect(caller.arn).toBe(`arn:aws:sts::${otherAccount}:assumed-role/shared/session-1`);
    expect(context.accountId).toBe(otherAccount);
  });

  test('a role that there is not is denied in the same words, and the root user assumes none', async () => {
    const missing = `arn:aws:iam::${account}:role/missing`;
    const answer = await assumeRole(alice, missing);
    expect(textIn(answer.text, 'Message')).toBe(
      `User: ${arnOfAlice} is not authorized to perform: sts:AssumeRole on resource: ${missing}`,
    );
    const root = identities.user('root', { kind: 'root' });
    const role = identities.role('tenant', trusting(account));
    expect(await assumeRole(root, role)).toMatchObject({ status: 403, error: 'AccessDenied' });
  });

  test('conditions of the trust policy: external id, tags', async () => {
    const trust = {
      ...assume,
      Principal: { AWS: arnOfAlice },
      Condition: { StringEquals: { 'sts:ExternalId': 'x-1', 'aws:RequestTag/tenant': '${aws:PrincipalTag/team}' } },
    };
    const { Resource: _resource, ...statement } = trust;
    const role = identities.role('tenant', policyOf(statement));
    const status = async (parameters: Record<string, string>): Promise<number> =>
      (await assumeRole(alice, role, parameters)).status;
    expect(await status({ ExternalId: 'x-1', ...tagged({ tenant: 'red' }) })).toBe(200);
    expect(await status({ ExternalId: 'x-1', ...tagged({ tenant: 'blue' }) })).toBe(403);
    expect(await status({ ExternalId: 'x-2', ...tagged({ tenant: 'red' }) })).toBe(403);
    expect(await status({ ExternalId: 'x-1' })).toBe(403);
  });

  test('tags need sts:TagSession', async () => {
    const role = identities.role('tenant', trusting(arnOfAlice, 'sts:AssumeRole'));
    expect((await assumeRole(alice, role)).status).toBe(200);
    const answer = await assumeRole(alice, role, tagged({ tenant: 'red' }));
    expect(textIn(answer.text, 'Message')).toBe(
      `User: ${arnOfAlice} is not authorized to perform: sts:TagSession on resource: ${role}`,
    );
  });
});

describe('a session', () => {
  test('has tags, a name, a policy and an end', async () => {
    const role = identities.role('tenant', trusting(account), { tags: { tenant: 'none', plan: 'small' } });
    identities.attach('alice', assume);
    const policy = JSON.stringify(policyOf({ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: '*' }));
    const answer = await assumeRole(alice, role, {
      ...tagged({ Tenant: 'red' }),
      Policy: policy,
      DurationSeconds: '900',
    });
    expect(textIn(answer.text, 'Expiration')).toBe('2026-11-20T12:15:00Z');
    expect(textIn(answer.text, 'AssumedRoleId')).toMatch(/^AROA[A-Z2-7]{16}:session-1$/);
    expect(Number(textIn(answer.text, 'PackedPolicySize'))).toBeGreaterThan(0);
    const credentials = credentialsIn(answer);
    const { caller } = await callerOf(credentials);
    expect(caller.tags).toEqual(
      new Map([
        ['plan', 'small'],
        ['Tenant', 'red'],
      ]),
    );
    expect(caller.sessionPolicies).toHaveLength(1);
    identities.nowMs = start + 899_999;
    await callerOf(credentials);
    identities.nowMs = start + 900_000;
    await expect(callerOf(credentials)).rejects.toMatchObject({ name: 'ExpiredTokenException' });
    expect(await ask(credentials, { Action: 'GetCallerIdentity' })).toMatchObject({
      status: 403,
      error: 'ExpiredToken',
    });
  });

  test('passes transitive tags on, and they cannot be set again', async () => {
    const session = `arn:aws:sts::${account}:assumed-role/first/session-1`;
    const first = identities.role('first', trusting(`arn:aws:iam::${account}:user/alice`), {
      maxSessionSeconds: 43_200,
    });
    const second = identities.role('second', trusting(session), { maxSessionSeconds: 43_200 });
    const tags = tagged({ Tenant: 'red', plain: 'x' }, ['tenant']);
    const credentials = credentialsIn(await assumeRole(alice, first, tags));
    const chained = credentialsIn(await assumeRole(credentials, second, tagged({ more: 'y' })));
    expect((await callerOf(chained)).caller.tags).toEqual(
      new Map([
        ['Tenant', 'red'],
        ['more', 'y'],
      ]),
    );
    expect(await assumeRole(credentials, second, tagged({ TENANT: 'blue' }))).toMatchObject({
      status: 400,
      error: 'InvalidParameterValue',
    });
    expect(await assumeRole(credentials, second, { DurationSeconds: '3601' })).toMatchObject({
      error: 'ValidationError',
    });
    expect((await assumeRole(alice, first, { DurationSeconds: '43200' })).status).toBe(200);
  });

  test.each<[string, Record<string, string>, string]>([
    ['a short name', { RoleSessionName: 'x' }, 'ValidationError'],
    ['a name with a blank', { RoleSessionName: 'a b' }, 'ValidationError'],
    ['a short time', { DurationSeconds: '899' }, 'ValidationError'],
    ['a time longer than the role allows', { DurationSeconds: '3601' }, 'ValidationError'],
    ['a time that is none', { DurationSeconds: 'x' }, 'MalformedInput'],
    ['a short ARN', { RoleArn: 'arn' }, 'ValidationError'],
    ['a tag twice', tagged({ a: '1', A: '2' }), 'InvalidParameterValue'],
    ['51 tags', tagged(Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'v']))), 'ValidationError'],
    ['a transitive key without its tag', tagged({ a: '1' }, ['b']), 'InvalidParameterValue'],
    ['a policy that is none', { Policy: '{}' }, 'MalformedPolicyDocument'],
    ['a long policy', { Policy: ' '.repeat(2049) }, 'ValidationError'],
    ['managed policies', { 'PolicyArns.member.1.arn': 'arn:aws:iam::aws:policy/ReadOnlyAccess' }, 'ValidationError'],
    ['a second factor', { SerialNumber: 'GAHT12345678', TokenCode: '123456' }, 'ValidationError'],
  ])('%s is refused', async (_what, parameters, code) => {
    const role = identities.role('tenant', trusting(`arn:aws:iam::${account}:user/alice`));
    expect(await assumeRole(alice, role, parameters)).toMatchObject({ status: 400, error: code });
  });

  test('with more than fits into headers is refused', async () => {
    const role = identities.role('tenant', trusting(`arn:aws:iam::${account}:user/alice`));
    const value = (): string => randomBytes(128).toString('hex');
    const large = tagged(Object.fromEntries(Array.from({ length: 50 }, () => [value().slice(0, 128), value()])));
    expect(await assumeRole(alice, role, large)).toMatchObject({ status: 400, error: 'PackedPolicyTooLarge' });
  });
});
