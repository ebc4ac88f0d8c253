import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parsePolicy } from '../src/access/policy/policy-document.ts';
import { type CommandEnd, useCommands } from './singlet-commands.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'singlet-policy-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function policy(name: string, ...statements: readonly object[]): Promise<void> {
  await writeFile(join(folder, name), JSON.stringify({ Version: '2012-10-17', Statement: statements }, undefined, 2));
}

const command = useCommands();
const simulate = async (...args: readonly string[]): Promise<CommandEnd> =>
  command(['policy', 'simulate', ...args], { cwd: folder });

const orders = 'arn:aws:dynamodb:us-east-1:111122223333:table/Orders';
const ask = ['--action', 'dynamodb:GetItem', '--resource', orders];

describe('singlet policy simulate', () => {
  test('explains a decision statement by statement', async () => {
    await policy(
      'tenant.json',
      {
        Sid: 'Own',
        Effect: 'Allow',
        Action: 'dynamodb:GetItem',
        Resource: orders,
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': '${aws:PrincipalTag/tenant}' } },
      },
      { Effect: 'Deny', Action: 'dynamodb:Scan', Resource: '*' },
    );
    const own = ['--policy', 'tenant.json', ...ask, '--context', 'aws:PrincipalTag/tenant=t1'];
    const allowed = await simulate(...own, '--context', 'dynamodb:LeadingKeys=t1');
    expect(allowed).toEqual({
      code: 0,
      stderr: '',
      stdout: `allowed: arn:aws:iam::111122223333:user/someone may perform dynamodb:GetItem on ${orders} because an identity-based policy allows it

tenant.json, statement 1 (Own): Allow, identity-based policy
  action    matches
  resource  matches
  condition holds: ForAllValues:StringEquals ["\${aws:PrincipalTag/tenant}"] of dynamodb:LeadingKeys, which is ["t1"]
  applies, and decides

tenant.json, statement 2: Deny, identity-based policy
  action    does not match
  resource  matches
  does not apply
`,
    });
    const denied = await simulate(
      ...own,
      '--context',
      'dynamodb:LeadingKeys=t1',
      '--context',
      'dynamodb:LeadingKeys=t2',
    );
    expect(denied.code).toBe(2);
    expect(denied.stdout).toContain(
      `denied: User: arn:aws:iam::111122223333:user/someone is not authorized to perform: dynamodb:GetItem on resource: ${orders} because no identity-based policy allows the dynamodb:GetItem action`,
    );
    expect(denied.stdout).toContain('condition does not hold');
  });

  test('combines policies, and prints JSON', async () => {
    await policy('role.json', { Effect: 'Allow', Action: '*', Resource: '*' });
    await policy('limit.json', { Effect: 'Allow', Action: 'dynamodb:Get*', Resource: '*' });
    await policy('narrow.json', { Effect: 'Deny', Action: 'dynamodb:GetItem', Resource: orders });
    await policy('table.json', {
      Effect: 'Allow',
      Principal: { AWS: '444455556666' },
      Action: 'dynamodb:GetItem',
      Resource: orders,
    });
    const args = ['--policy', 'role.json', '--boundary', 'limit.json', '--resource-policy', 'table.json', '--json'];
    args.push('--principal', 'arn:aws:sts::444455556666:assumed-role/app/job', ...ask);
    const allowed = await simulate(...args);
    expect(allowed.code).toBe(0);
    expect(JSON.parse(allowed.stdout)).toMatchObject({
      decision: 'allowed',
      decidedBy: 'identity',
      statement: { file: 'role.json', number: 1 },
      statements: [
        { file: 'role.json', policy: 'identity', applies: true },
        { file: 'limit.json', policy: 'boundary', applies: true },
        { file: 'table.json', policy: 'resource', principal: true, applies: true },
      ],
    });
    const denied = await simulate(...args, '--session', 'narrow.json');
    expect(denied.code).toBe(2);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      decision: 'explicit-deny',
      decidedBy: 'session',
      reason: 'with an explicit deny in a session policy',
      statement: { file: 'narrow.json', number: 1 },
    });
  });

  test('says what is wrong with its flags and files', async () => {
    await writeFile(
      join(folder, 'broken.json'),
      '{"Statement":[\n{"Effect":"Allow","Action":"GetItem","Resource":"*"}]}',
    );
    const wrong = async (...args: readonly string[]): Promise<string> => {
      const { code, stderr, stdout } = await simulate(...args);
      expect([code, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await wrong('--policy', 'broken.json', ...ask)).toContain(
      'broken.json, line 2, column 28: "GetItem" is not an action',
    );
    expect(await wrong('--policy', 'none.json', ...ask)).toContain('singlet: There is no none.json.');
    expect(await wrong('--action', 'GetItem')).toContain('--action takes a service and an action');
    expect(await wrong('--action', 'dynamodb:GetItm')).toContain('There is no permission dynamodb:GetItm.');
    expect(await wrong('--action', 'dynamodb:TransactWriteItems')).toContain('Transactions and PartiQL need those of');
    expect(await wrong('--action', 'dynamodb:GetItem', '--resource', 'Orders')).toContain('--resource takes an ARN');
    expect(await wrong(...ask, '--principal', 'ann')).toContain('--principal takes the ARN of a user');
    expect(await wrong(...ask, '--context', 'x')).toContain('--context takes KEY=VALUE');
  });
});

describe('singlet policy for', () => {
  const shop = fileURLToPath(new URL('../../../systems/e-commerce/model.ts', import.meta.url));

  test('writes the least policy for patterns, and names what it allows beside them', async () => {
    const least = async (pattern: string): Promise<CommandEnd> =>
      command(['policy', 'for', shop, pattern, '--account', '111122223333'], { cwd: folder });
    const wrong = await least('EC-01');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('EC-01: is neither a pattern nor a procedure of the model');

    const right = await least('customer');
    expect(right).toMatchObject({ code: 0 });
    expect(parsePolicy(right.stdout, 'identity').statements).toHaveLength(1);
    expect(right.stdout).toContain(':111122223333:table/');
  });
});
