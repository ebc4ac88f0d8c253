import type { Model } from '@singlet/model';
import type { Database } from '../index.ts';
import { loggedRequests } from './logged-requests.ts';

/** A client made a request that no pattern of the model declares. */
export class UndeclaredRequestError extends Error {
  override readonly name = 'UndeclaredRequestError';
}

/** A model of `@singlet/model`, on which this package does not otherwise depend. */
export interface ModelOfPatterns {
  readonly patterns: object;
  readonly procedures?: object | undefined;
}

/** The names of the item actions in policies. A test may perform all other actions. */
const itemPermissions =
  'GetItem BatchGetItem Query Scan PutItem UpdateItem DeleteItem BatchWriteItem ConditionCheckItem PartiQLSelect PartiQLInsert PartiQLUpdate PartiQLDelete'
    .split(' ')
    .map((name) => `dynamodb:${name}`);

/**
 * A policy that lets clients do with items what the patterns of a model do, and nothing else: by action, table or index, partition key, and,
 * for patterns that read only some attributes, by attribute. Policies cannot restrict sort keys.
 *
 * @throws {TypeError} for anything but a model.
 * @throws {ModelError} as `patternPolicy` of `@singlet/model/check` does.
 */
export async function policyOfPatterns(model: ModelOfPatterns): Promise<object> {
  // For callers without types.
  if (typeof (model as Partial<ModelOfPatterns>).patterns !== 'object')
    throw new TypeError('failOnUndeclared takes a model of @singlet/model: what model(…) … .served(…) returns');
  const { patternPolicy } = await import('@singlet/model/check');
  const names = [...Object.keys(model.patterns), ...Object.keys(model.procedures ?? {})];
  const { policy } = patternPolicy(model as Model, names);
  // Clients of a test have no tags, so any tenant matches.
  const forAnyTenant = JSON.stringify(policy).replaceAll(/\$\{aws:PrincipalTag\/[^}]*\}/g, '*');
  const { Version, Statement } = JSON.parse(forAnyTenant) as typeof policy;
  const theRest = { Sid: 'theRest', Effect: 'Allow', NotAction: itemPermissions, Resource: '*' };
  return { Version, Statement: [...Statement, theRest] };
}

/**
 * Checks the client requests to a database that applies such a policy.
 *
 * @throws {UndeclaredRequestError} if any of them was denied.
 */
export async function refuseUndeclared(database: Database): Promise<void> {
  const denied = new Set<string>();
  for await (const { action, table, index, error } of loggedRequests(database)) {
    if (error !== 'AccessDeniedException') continue;
    const on = table === null ? '' : ` on ${table}${index === null ? '' : `.${index}`}`;
    denied.add(`${action ?? 'a request'}${on}`);
  }
  if (denied.size > 0)
    throw new UndeclaredRequestError(
      `the test sends requests that no pattern of the model sends: ${[...denied].join(', ')}`,
    );
}
