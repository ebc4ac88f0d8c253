import type { ContextValue } from '../../access/policy/condition-context.ts';
import type { AccessRequest } from '../../access/policy/evaluate.ts';
import { isMultivalued } from '../../access/policy/condition-context.ts';
import type { RequestPrincipal } from '../../access/policy/request-principal.ts';
import { permissionTable } from '../../access/authorization/permission-table.ts';
import { UsageError } from '../usage-error.ts';

export interface SimulatedRequestFlags {
  readonly action: string;
  readonly resource: string;
  readonly principal?: string;
  /** `KEY=VALUE` each. */
  readonly context: readonly string[];
}

const defaultAccountId = '000000000000';

/**
 * The request described by flags.
 *
 * @throws {UsageError} for flags that do not describe a valid request.
 */
export function simulatedRequest(
  { action, resource, principal: principalArn, context }: SimulatedRequestFlags,
  nowMs: number,
): { readonly request: AccessRequest; readonly resourceAccountId: string } {
  if (!/^[a-z0-9-]+:[A-Za-z0-9]+$/i.test(action)) {
    throw new UsageError(
      `--action takes a service and an action, such as dynamodb:GetItem, not ${JSON.stringify(action)}.`,
    );
  }
  checkPermission(action);
  const arnAccount = /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):./.exec(resource)?.[1];
  if (resource !== '*' && arnAccount === undefined) {
    throw new UsageError(`--resource takes an ARN with an account, or "*", not ${JSON.stringify(resource)}.`);
  }
  const principal = principalOf(principalArn ?? `arn:aws:iam::${arnAccount ?? defaultAccountId}:user/someone`);
  const resourceAccountId = arnAccount ?? principal.accountId;
  const values = new Map<string, ContextValue>([
    ...impliedValues(principal, resource, resourceAccountId, nowMs),
    ...givenValues(context),
  ]);
  return {
    request: { principal, action, resource, context: { valueOf: (key) => values.get(key) } },
    resourceAccountId,
  };
}

/** @throws {UsageError} for an action of DynamoDB that no request needs a permission for, which a policy with wildcards would seem to allow. */
function checkPermission(action: string): void {
  const [service = '', name = ''] = action.toLowerCase().split(':');
  if (service !== 'dynamodb' || [...permissionTable.keys()].some((known) => known.toLowerCase() === name)) return;
  throw new UsageError(
    `There is no permission ${action}. Transactions and PartiQL need those of their parts, such as dynamodb:PutItem and dynamodb:PartiQLSelect.`,
  );
}

function principalOf(arn: string): RequestPrincipal {
  const [, accountId, name] = /^arn:aws:iam::(\d{12}):(?:user\/(?:.*\/)?([^/]+)|root)$/.exec(arn) ?? [];
  if (accountId !== undefined) {
    const isRoot = name === undefined;
    const userId = isRoot ? accountId : 'AIDASIMULATED00000001';
    return { kind: isRoot ? 'root' : 'user', accountId, arn, principalArn: arn, userId };
  }
  const [, account, role, session] = /^arn:aws:sts::(\d{12}):assumed-role\/([^/]+)\/([^/]+)$/.exec(arn) ?? [];
  if (account === undefined || role === undefined || session === undefined) {
    throw new UsageError(
      `--principal takes the ARN of a user (arn:aws:iam::ACCOUNT:user/NAME), a role session (arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION) or a root user, not ${JSON.stringify(arn)}.`,
    );
  }
  return {
    kind: 'session',
    accountId: account,
    arn,
    principalArn: `arn:aws:iam::${account}:role/${role}`,
    userId: `AROASIMULATED00000001:${session}`,
  };
}

const principalTypes = { root: 'Account', user: 'User', session: 'AssumedRole' } as const;

function impliedValues(
  principal: RequestPrincipal,
  resource: string,
  resourceAccountId: string,
  nowMs: number,
): readonly (readonly [string, string])[] {
  const region = resource.split(':', 4)[3];
  return [
    ['aws:principalarn', principal.principalArn],
    ['aws:principalaccount', principal.accountId],
    ['aws:principaltype', principalTypes[principal.kind]],
    ['aws:userid', principal.userId],
    ...(principal.kind === 'user' ? [['aws:username', principal.arn.split('/').at(-1) ?? ''] as const] : []),
    ['aws:resourceaccount', resourceAccountId],
    ...(region === undefined || region === '' ? [] : [['aws:requestedregion', region] as const]),
    ['aws:currenttime', `${new Date(nowMs).toISOString().slice(0, 19)}Z`],
    ['aws:epochtime', String(Math.floor(nowMs / 1000))],
    ['aws:viaawsservice', 'false'],
  ];
}

function givenValues(context: readonly string[]): ReadonlyMap<string, ContextValue> {
  const given = new Map<string, string[]>();
  for (const text of context) {
    const at = text.indexOf('=');
    if (at < 1)
      throw new UsageError(`--context takes KEY=VALUE, such as aws:SourceIp=192.0.2.1, not ${JSON.stringify(text)}.`);
    const key = text.slice(0, at).toLowerCase();
    given.set(key, [...(given.get(key) ?? []), text.slice(at + 1)]);
  }
  return new Map(
    [...given].map(([key, values]) => {
      const [only] = values;
      return [key, values.length === 1 && only !== undefined && !isMultivalued(key) ? only : values];
    }),
  );
}
