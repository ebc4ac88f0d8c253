import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandEnd, useCommands } from './singlet-commands.ts';

let folder: string;
let auth: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-identity-'));
  auth = join(folder, 'auth.json');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const command = useCommands();
const identity = async (...args: readonly string[]): Promise<CommandEnd> => command(['identity', ...args]);

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await identity(...args, '--auth', auth, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const policy = (effect = 'Allow'): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: { Effect: effect, Action: 'dynamodb:*', Resource: '*' } });

describe('singlet identity', () => {
  test('makes a user, its file and the key of the file, which others may not read', async () => {
    const made = await json('create', 'alice', '--tag', 'team=red', 'plan=small');
    expect(made).toEqual({
      arn: 'arn:aws:iam::000000000000:user/alice',
      accessKeyId: expect.stringMatching(/^AKIA[A-Z2-7]{16}$/) as string,
      secretAccessKey: expect.stringMatching(/^[A-Za-z0-9+/]{40}$/) as string,
    });
    for (const file of [auth, `${auth}.key`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(auth, 'utf8')).not.toContain(made['secretAccessKey']);
    const file = join(folder, 'all.json');
    writeFileSync(file, policy());
    expect(await json('attach', 'alice', '--policy', file)).toMatchObject({ policy: 'all' });
    expect(await json('create', 'readers', '--kind', 'group')).toEqual({
      arn: 'arn:aws:iam::000000000000:group/readers',
    });
    await json('join', 'alice', '--group', 'readers');
    const { identities } = (await json('list')) as { identities: Record<string, unknown>[] };
    expect(identities).toMatchObject([
      {
        arn: made['arn'],
        accessKeys: [{ id: made['accessKeyId'] }],
        policies: ['all'],
        groups: ['readers'],
        tags: { team: 'red', plan: 'small' },
      },
      { arn: 'arn:aws:iam::000000000000:group/readers' },
    ]);
    expect(JSON.stringify(identities)).not.toMatch(/secret/i);
    const rotated = await json('rotate', 'alice', '--overlap', '1');
    expect(rotated['accessKeyId']).not.toBe(made['accessKeyId']);
    expect((await json('revoke', 'alice', '--key', made['accessKeyId'] as string))['revoked']).toEqual([
      made['accessKeyId'],
    ]);
    await json('leave', 'alice', '--group', 'readers');
    await json('detach', 'alice', '--name', 'all');
    await json('boundary', 'alice', '--policy', file);
    await json('delete', 'readers', '--kind', 'group');
    const text = await identity('list', '--auth', auth);
    expect(text.stdout).toBe(`arn:aws:iam::000000000000:user/alice  ${rotated['accessKeyId'] as string}\n`);
  });

  test('changes by several processes at once are all made', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => json('create', `user-${name}`)));
    const { identities } = (await json('list')) as { identities: { arn: string }[] };
    const users = identities.map(({ arn }) => arn.replace(/.*\//, '')).filter((name) => name.startsWith('user-'));
    expect(users.toSorted()).toEqual(names.map((name) => `user-${name}`));
    expect(readdirSync(folder).filter((name) => /lock|new/.test(name))).toEqual([]);
  });

  test('a role has a trust policy', async () => {
    const trust = join(folder, 'trust.json');
    writeFileSync(
      trust,
      JSON.stringify({
        Version: '2012-10-17',
        Statement: { Effect: 'Allow', Principal: { AWS: '000000000000' }, Action: 'sts:AssumeRole' },
      }),
    );
    expect(await json('create', 'tenant', '--kind', 'role', '--trust', trust, '--account', '111122223333')).toEqual({
      arn: 'arn:aws:iam::111122223333:role/tenant',
    });
  });

  test.each<[string, readonly string[], RegExp]>([
    ['a user twice', ['create', 'alice'], /auth\.json: There is a user "alice" in account 000000000000 already/],
    ['a role without trust', ['create', 'r', '--kind', 'role'], /--trust FILE defines who may assume a role/],
    ['a missing user', ['rotate', 'absent'], /There is no user "absent" in account 000000000000/],
    ['a wrong account', ['create', 'x', '--account', '1'], /twelve digits, not "1"/],
    ['a policy that is missing', ['attach', 'alice', '--policy', 'none.json'], /There is no none\.json\./],
    ['a kind that is none', ['create', 'x', '--kind', 'robot'], /--kind takes one of user, group, role, root/],
    ['keys of a role', ['rotate', 'x', '--kind', 'role'], /Users have access keys/],
  ])('%s is refused in one line, and changes nothing', async (_what, args, problem) => {
    const before = readFileSync(auth, 'utf8');
    const { code, stderr, stdout } = await identity(...args, '--auth', auth);
    expect(code).toBe(1);
    expect(stderr).toMatch(problem);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(readFileSync(auth, 'utf8')).toBe(before);
  });

  test('a policy with a mistake is refused with its place', async () => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, policy('Permit'));
    const { code, stderr } = await identity('attach', 'alice', '--policy', file, '--auth', auth);
    expect(code).toBe(1);
    expect(stderr).toMatch(/wrong\.json: line 1, column \d+: /);
  });

  test('a file that is broken, or has lost its key, is refused and stays as it is', async () => {
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, '{"format":1');
    writeFileSync(`${broken}.key`, readFileSync(`${auth}.key`));
    expect((await identity('create', 'x', '--auth', broken)).stderr).toMatch(
      /broken\.json: The identities are not valid JSON/,
    );
    expect(readFileSync(broken, 'utf8')).toBe('{"format":1');
    const copy = join(folder, 'copy.json');
    writeFileSync(copy, readFileSync(auth));
    expect((await identity('create', 'x', '--auth', copy)).stderr).toMatch(
      /The key of the identity file is not in .*copy\.json\.key/,
    );
  });

  test('every command explains itself', async () => {
    const { stdout } = await identity('--help');
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*(?:<name>|\[options\])/gm)].map(([, name = '']) => name);
    expect(commands.toSorted()).toEqual([
      'attach',
      'boundary',
      'create',
      'delete',
      'detach',
      'join',
      'leave',
      'list',
      'revoke',
      'rotate',
    ]);
    const helps = await Promise.all(commands.map((name) => identity(name, '--help')));
    for (const help of helps)
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--auth <file>') as string });
  });
});
