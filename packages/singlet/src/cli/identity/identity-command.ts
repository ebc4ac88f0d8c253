import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import {
  type AccountDocument,
  attachPolicy,
  type AuthKey,
  type ChangeTools,
  createIdentity,
  deleteIdentity,
  detachPolicy,
  type IdentityDocument,
  type IdentityKind,
  type IdentityName,
  joinGroup,
  leaveGroup,
  type NewAccessKey,
  parsePolicy,
  PolicyError,
  revokeAccessKeys,
  rotateAccessKey,
  setBoundary,
} from '../../access/index.ts';
import { errorOutput } from '../error-output.ts';
import { fileProblem } from '../file-problem.ts';
import { UsageError } from '../usage-error.ts';
import { changeIdentities, identityPaths, loadIdentities } from './identity-file.ts';

interface IdentityFlags {
  readonly auth: string;
  readonly authKey?: string;
  readonly account: string;
  readonly json?: boolean;
}

interface KindFlags extends IdentityFlags {
  readonly kind: IdentityKind;
}

const examples = `
Examples:
  $ singlet identity create alice --auth auth.json --json
  $ singlet identity attach alice --policy read-orders.json --auth auth.json
  $ singlet identity create tenant --kind role --trust trust.json --auth auth.json
  $ singlet identity rotate alice --overlap 24 --auth auth.json

If the file is missing, it is created with a key that encrypts its secrets (FILE.key). Only their owner can read the two files.
A running server applies changes within a second. An identity without a policy may do nothing.`;

/** Manages the identities of a server that runs with --auth. */
export function identityCommand(): Command {
  return command('identity', 'manage users, groups, roles and access keys')
    .helpCommand(false)
    .description('Manages the identities of a server that is started with --auth FILE.')
    .addHelpText('after', examples)
    .addCommand(createCommand())
    .addCommand(attachCommand())
    .addCommand(detachCommand())
    .addCommand(boundaryCommand())
    .addCommand(joinCommand())
    .addCommand(leaveCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(deleteCommand())
    .addCommand(listCommand());
}

interface CreateFlags extends KindFlags {
  readonly tag: Readonly<Record<string, string>>;
  readonly group?: readonly string[];
  readonly boundary?: string;
  readonly trust?: string;
  readonly maxSession?: number;
}

function createCommand(): Command {
  return ofKind(command('create', 'create a user with an access key, a group, or a role'))
    .argument('<name>')
    .addOption(
      new Option('--tag <key=value...>', 'tags, for ${aws:PrincipalTag/KEY}').default({}, 'none').argParser(tagsOf),
    )
    .addOption(new Option('--group <name...>', 'groups of a user'))
    .addOption(new Option('--boundary <file>', 'a policy with the most that it may be permitted'))
    .addOption(new Option('--trust <file>', 'the trust policy of a role: who may assume it'))
    .addOption(
      new Option('--max-session <seconds>', 'maximum duration of a session of a role; 3600 by default').argParser(
        sessionSecondsOf,
      ),
    )
    .addHelpText('after', '\nThe secret access key is printed only once.')
    .action(async (name: string, flags: CreateFlags) => {
      const { kind, trust, group, boundary } = flags;
      if ((kind === 'role') !== (trust !== undefined)) {
        throw new UsageError(
          '--trust FILE defines who may assume a role: it is required for roles, and only for them.',
        );
      }
      if (group !== undefined && kind !== 'user') throw new UsageError('--group is for users.');
      if (flags.maxSession !== undefined && kind !== 'role') throw new UsageError('--max-session is for roles.');
      if ((boundary !== undefined || Object.keys(flags.tag).length > 0) && kind !== 'user' && kind !== 'role') {
        throw new UsageError('--tag and --boundary are for users and roles.');
      }
      const made = await change(flags, (document, tools) => {
        const { document: changed, accessKey } = createIdentity(
          document,
          {
            ...nameOf(name, flags),
            tags: flags.tag,
            groups: group,
            boundary: boundary === undefined ? undefined : policyIn(boundary, 'identity'),
            trust: trust === undefined ? undefined : policyIn(trust, 'trust'),
            maxSessionSeconds: flags.maxSession,
          },
          tools,
        );
        return { document: changed, result: { arn: arnOf(name, flags), accessKey } };
      });
      print(flags, { arn: made.arn, ...made.accessKey }, [
        `Made ${made.arn}.`,
        ...(made.accessKey === undefined ? [] : accessKeyLines(made.accessKey)),
      ]);
    });
}

function attachCommand(): Command {
  return ofKind(command('attach', 'attach a policy to a user, group or role'))
    .argument('<name>')
    .requiredOption('--policy <file>', 'the policy: a JSON file')
    .option('--name <policy>', 'name of the policy; by default that of the file')
    .addHelpText('after', '\nA policy with the same name is replaced.')
    .action(async (name: string, flags: KindFlags & { readonly policy: string; readonly name?: string }) => {
      const policyName = flags.name ?? basename(flags.policy, extname(flags.policy));
      const policy = policyIn(flags.policy, 'identity');
      await change(flags, (document) => ({
        document: attachPolicy(document, nameOf(name, flags), { name: policyName, policy }),
        result: undefined,
      }));
      print(flags, { arn: arnOf(name, flags), policy: policyName }, [
        `${arnOf(name, flags)} has the policy ${policyName}.`,
      ]);
    });
}

function detachCommand(): Command {
  return ofKind(command('detach', 'detach a policy'))
    .argument('<name>')
    .requiredOption('--name <policy>', 'name of the policy')
    .action(async (name: string, flags: KindFlags & { readonly name: string }) => {
      await change(flags, (document) => ({
        document: detachPolicy(document, nameOf(name, flags), flags.name),
        result: undefined,
      }));
      print(flags, { arn: arnOf(name, flags) }, [`${arnOf(name, flags)} no longer has the policy ${flags.name}.`]);
    });
}

function boundaryCommand(): Command {
  return ofKind(command('boundary', 'set the permissions boundary of a user or role'))
    .argument('<name>')
    .option('--policy <file>', 'the boundary: a JSON file; without it, the boundary is removed')
    .action(async (name: string, flags: KindFlags & { readonly policy?: string }) => {
      const boundary = flags.policy === undefined ? undefined : policyIn(flags.policy, 'identity');
      await change(flags, (document) => ({
        document: setBoundary(document, nameOf(name, flags), boundary),
        result: undefined,
      }));
      const has = boundary === undefined ? 'has no boundary' : 'has a boundary';
      print(flags, { arn: arnOf(name, flags), boundary: boundary !== undefined }, [`${arnOf(name, flags)} ${has}.`]);
    });
}

function joinCommand(): Command {
  return ofFile(command('join', 'add a user to a group'))
    .argument('<name>')
    .requiredOption('--group <name>', 'the group')
    .action(async (name: string, flags: IdentityFlags & { readonly group: string }) => {
      const user = { ...flags, kind: 'user' } as const;
      await change(flags, (document) => ({
        document: joinGroup(document, nameOf(name, user), flags.group),
        result: undefined,
      }));
      print(flags, { arn: arnOf(name, user), group: flags.group }, [`${arnOf(name, user)} is in ${flags.group}.`]);
    });
}

function leaveCommand(): Command {
  return ofFile(command('leave', 'remove a user from a group'))
    .argument('<name>')
    .requiredOption('--group <name>', 'the group')
    .action(async (name: string, flags: IdentityFlags & { readonly group: string }) => {
      const user = { ...flags, kind: 'user' } as const;
      await change(flags, (document) => ({
        document: leaveGroup(document, nameOf(name, user), flags.group),
        result: undefined,
      }));
      print(flags, { arn: arnOf(name, user) }, [`${arnOf(name, user)} is no longer in ${flags.group}.`]);
    });
}

function rotateCommand(): Command {
  return ofKind(command('rotate', 'give a user a new access key and expire the old one'))
    .argument('<name>')
    .addOption(
      new Option('--overlap <hours>', 'how long the old key remains valid; 0 expires it at once')
        .default(24)
        .argParser(hoursOf),
    )
    .action(async (name: string, flags: KindFlags & { readonly overlap: number }) => {
      const accessKey = await change(flags, (document, tools) => {
        const rotated = rotateAccessKey(document, nameOf(name, flags), {
          ...tools,
          overlapMs: flags.overlap * 3_600_000,
        });
        return { document: rotated.document, result: rotated.accessKey };
      });
      print(flags, { arn: arnOf(name, flags), ...accessKey }, [
        ...accessKeyLines(accessKey),
        flags.overlap === 0
          ? 'The old key is no longer accepted.'
          : `The old key is accepted for another ${flags.overlap} hours.`,
      ]);
    });
}

function revokeCommand(): Command {
  return ofKind(command('revoke', 'revoke access keys at once'))
    .argument('<name>')
    .option('--key <id>', 'only this access key')
    .action(async (name: string, flags: KindFlags & { readonly key?: string }) => {
      const revoked = await change(flags, (document) => {
        const changed = revokeAccessKeys(document, nameOf(name, flags), flags.key);
        return { document: changed.document, result: changed.revoked };
      });
      print(flags, { arn: arnOf(name, flags), revoked }, [`Revoked: ${revoked.join(', ') || 'there was no key'}.`]);
    });
}

function deleteCommand(): Command {
  return ofKind(command('delete', 'remove a user, group or role'))
    .argument('<name>')
    .addHelpText('after', '\nDeleting a role ends its sessions.')
    .action(async (name: string, flags: KindFlags) => {
      await change(flags, (document) => ({
        document: deleteIdentity(document, nameOf(name, flags)),
        result: undefined,
      }));
      print(flags, { arn: arnOf(name, flags) }, [`${arnOf(name, flags)} is gone.`]);
    });
}

function listCommand(): Command {
  return ofFile(command('list', 'list all identities of all accounts, without secrets'), { hasAccount: false }).action(
    (flags: IdentityFlags) => {
      const { document } = loadIdentities(identityPaths(flags));
      const identities = Object.entries(document.accounts).flatMap(([id, account]) => listed(id, account));
      const lines = identities.map(({ arn, accessKeys = [], policies = [], groups = [] }) =>
        [
          arn,
          ...accessKeys.map(({ id, expiresAt }) => (expiresAt === undefined ? id : `${id} (until ${expiresAt})`)),
          ...(groups.length > 0 ? [`in ${groups.join(', ')}`] : []),
          ...(policies.length > 0 ? [`policies ${policies.join(', ')}`] : []),
        ].join('  '),
      );
      print(flags, { identities }, lines.length === 0 ? ['There are none.'] : lines);
    },
  );
}

interface ListedIdentity {
  readonly arn: string;
  readonly id?: string;
  readonly createdAt?: string;
  readonly accessKeys?: readonly {
    readonly id: string;
    readonly createdAt: string;
    readonly expiresAt?: string | undefined;
  }[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly boundary?: boolean;
}

function listed(accountId: string, { root, users, groups, roles }: AccountDocument): readonly ListedIdentity[] {
  const keysOf = (
    keys: readonly { id: string; createdAt: string; expiresAt?: string | undefined }[],
  ): ListedIdentity['accessKeys'] =>
    keys.map(({ id, createdAt, expiresAt }) => ({ id, createdAt, ...(expiresAt !== undefined && { expiresAt }) }));
  return [
    ...(root === undefined
      ? []
      : [{ arn: `arn:aws:iam::${accountId}:root`, accessKeys: keysOf(root.accessKeys) ?? [] }]),
    ...Object.entries(users).map(([name, user]) => ({
      arn: `arn:aws:iam::${accountId}:user/${name}`,
      id: user.id,
      createdAt: user.createdAt,
      accessKeys: keysOf(user.accessKeys) ?? [],
      groups: user.groups,
      policies: Object.keys(user.policies),
      tags: user.tags,
      boundary: user.boundary !== undefined,
    })),
    ...Object.entries(groups).map(([name, { id, createdAt, policies }]) => ({
      arn: `arn:aws:iam::${accountId}:group/${name}`,
      id,
      createdAt,
      policies: Object.keys(policies),
    })),
    ...Object.entries(roles).map(([name, role]) => ({
      arn: `arn:aws:iam::${accountId}:role/${name}`,
      id: role.id,
      createdAt: role.createdAt,
      policies: Object.keys(role.policies),
      tags: role.tags,
      boundary: role.boundary !== undefined,
    })),
  ];
}

function command(name: string, summary: string): Command {
  const place = name === 'identity' ? 'singlet identity' : `singlet identity ${name}`;
  return new Command(name)
    .summary(summary)
    .description(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`)
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput(`${place} --help`));
}

function ofFile(of: Command, { hasAccount = true } = {}): Command {
  of.requiredOption('--auth <file>', 'the identity file')
    .option('--auth-key <file>', 'key that encrypts its secrets (default: FILE.key)')
    .option('--json', 'print JSON');
  return hasAccount ? of.option('--account <id>', 'the account: twelve digits', '000000000000') : of;
}

function ofKind(of: Command): Command {
  return ofFile(of).addOption(
    new Option('--kind <kind>', 'the kind of identity with that name')
      .choices(['user', 'group', 'role', 'root'])
      .default('user')
      .argParser(kindOf),
  );
}

function change<T>(
  flags: IdentityFlags,
  make: (document: IdentityDocument, tools: ChangeTools) => { readonly document: IdentityDocument; readonly result: T },
): Promise<T> {
  return changeIdentities(identityPaths(flags), (document, authKey: AuthKey) =>
    make(document, { authKey, random: randomBytes, nowMs: Date.now() }),
  );
}

function nameOf(
  name: string,
  { account, kind }: { readonly account: string; readonly kind: IdentityKind },
): IdentityName {
  return { accountId: account, kind, name };
}

function arnOf(name: string, { account, kind }: { readonly account: string; readonly kind: IdentityKind }): string {
  return kind === 'root' ? `arn:aws:iam::${account}:root` : `arn:aws:iam::${account}:${kind}/${name}`;
}

function accessKeyLines({ accessKeyId, secretAccessKey }: NewAccessKey): readonly string[] {
  return [`accessKeyId      ${accessKeyId}`, `secretAccessKey  ${secretAccessKey}`, 'The secret is not shown again.'];
}

/** @throws {UsageError} for a file that is not a valid policy. */
function policyIn(path: string, kind: 'identity' | 'trust'): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw fileProblem(path, cause);
  }
  try {
    parsePolicy(text, kind);
  } catch (cause) {
    throw cause instanceof PolicyError ? new UsageError(`${path}: ${cause.message}`, { cause }) : cause;
  }
  return JSON.parse(text) as unknown;
}

function print(flags: { readonly json?: boolean }, json: object, lines: readonly string[]): void {
  process.stdout.write(flags.json === true ? `${JSON.stringify(json, null, 2)}\n` : `${lines.join('\n')}\n`);
}

function kindOf(text: string): IdentityKind {
  if (text === 'user' || text === 'group' || text === 'role' || text === 'root') return text;
  throw new UsageError(`--kind takes one of user, group, role, root, not ${JSON.stringify(text)}.`);
}

function tagsOf(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`--tag takes KEY=VALUE, not ${JSON.stringify(text)}.`);
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

function hoursOf(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError(`--overlap takes a number of hours from 0 to 9999, not ${JSON.stringify(text)}.`);
}

function sessionSecondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,5}$/.test(text) && seconds >= 3600 && seconds <= 43_200) return seconds;
  throw new UsageError(`--max-session takes a number of seconds from 3600 to 43200, not ${JSON.stringify(text)}.`);
}
