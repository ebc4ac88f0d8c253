import type { Limits } from '../../values/limits.ts';
import { DynamoError, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import { parsePolicy } from './parse-policy.ts';
import { conditionOperator } from '../../access/policy/condition-operator.ts';
import type {
  PolicyCondition,
  PolicyDocument,
  PolicyPrincipal,
  PolicyStatement,
} from '../../access/policy/policy-statement.ts';
import { invalidPolicy } from './policy-errors.ts';
import { matchesPattern } from '../../access/policy/wildcard.ts';
import { coversAction, coversPrincipal, coversResource } from './policy-match.ts';
import { resourceActions } from './resource-actions.ts';

/** What a policy is attached to. */
export interface PolicyTarget {
  readonly kind: 'table' | 'stream';
  readonly arn: string;
}

/**
 * Parses the policy of a table or stream and checks it.
 *
 * @throws {ValidationException} if it is larger than the limit (blanks count), or invalid.
 */
export function readResourcePolicy(
  text: string,
  target: Pick<PolicyTarget, 'kind'>,
  { resourcePolicyBytesMax }: Limits,
): PolicyDocument {
  if (Buffer.byteLength(text, 'utf8') > resourcePolicyBytesMax) {
    throw invalidParameter(`Maximum policy size of ${resourcePolicyBytesMax} bytes exceeded`);
  }
  const document = parsePolicy(text);
  checkResourcePolicy(document, target);
  return document;
}

/**
 * Checks the contents of the policy of a table or of a stream. Which table it names does not matter: statements
 * may name others, which has no effect.
 *
 * @throws {ValidationException} in this order: missing principals, unknown actions, resources of the wrong form, invalid
 *   principals, public access.
 */
function checkResourcePolicy({ statements }: PolicyDocument, { kind }: Pick<PolicyTarget, 'kind'>): void {
  if (statements.some(({ principals }) => principals === undefined)) {
    throw invalidPolicy('Missing required field Principal');
  }
  const unknown = statements.flatMap(({ actions }) => actions.patterns.filter((pattern) => !isAction(pattern, kind)));
  if (unknown.length > 0) {
    const names = [...new Set(unknown)].map((name) => `"${name}"`).join(', ');
    throw invalidPolicy(`The following action names are invalid: ${names}`);
  }
  for (const { resources } of statements) for (const pattern of resources.patterns) checkResource(pattern, kind);
  const names = statements.flatMap(({ principals }) => principals?.names ?? []);
  if (!names.every(canBe)) throw invalidParameter('Invalid principal in policy document.');
  if (statements.some(allowsEverybody)) {
    throw new ValidationException(
      'Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access',
    );
  }
}

function isAction(pattern: string, kind: PolicyTarget['kind']): boolean {
  const lower = pattern.toLowerCase();
  return resourceActions[kind].some((action) => matchesPattern(lower, action.toLowerCase()));
}

const relativeIds = {
  table: /^table\/[^/]+(?:\/index\/[^/]+)?$/,
  stream: /^table\/[^/]+\/stream\/[^/]+$/,
} as const;

function checkResource(pattern: string, kind: PolicyTarget['kind']): void {
  if (pattern === '*') return;
  const [prefix, , service, , , ...rest] = pattern.split(':');
  // Assumed: no text is recorded for a resource that is not an ARN of the service; this is the text of identity policies.
  if (prefix !== 'arn' || service !== 'dynamodb' || rest.length === 0) {
    throw invalidPolicy(`Resource ${pattern} must be in ARN format or "*".`);
  }
  const relativeId = rest.join(':');
  // A pattern such as table/* matches more than tables, but is accepted as that of a table.
  if (relativeId === '*' || relativeIds[kind].test(relativeId)) return;
  throw invalidPolicy(`The relative-id "${relativeId}" is invalid for ARN "${pattern}"`);
}

const principalArn =
  /^arn:aws[a-z-]*:(?:iam::\d{12}:(?:root|(?:user|role|assumed-role|federated-user)\/.+)|sts::\d{12}:(?:assumed-role|federated-user)\/.+)$/;

/** Whether a principal has a valid form. Whether it exists is not known here. */
function canBe({ kind, name }: PolicyPrincipal): boolean {
  if (kind !== 'AWS') return name !== '';
  return name === '*' || principalArn.test(name) || /^A[A-Z]{3}[A-Z0-9]{12,}$/.test(name);
}

/** Condition keys that limit "everybody" to a bounded set, if their values are specific. */
const boundingKeys: ReadonlySet<string> = new Set(
  `aws:PrincipalAccount aws:PrincipalArn aws:PrincipalOrgID aws:PrincipalOrgPaths aws:userid aws:CalledVia
   aws:SourceAccount aws:SourceArn aws:SourceIp aws:SourceOrgID aws:SourceOrgPaths aws:SourceOwner
   aws:SourceVpc aws:SourceVpce aws:VpcSourceIp`
    .toLowerCase()
    .split(/\s+/),
);

function allowsEverybody({ effect, principals, conditions }: PolicyStatement): boolean {
  if (effect === 'Deny' || principals === undefined) return false;
  const isEverybody =
    principals.isEverybody || principals.isExcluded || principals.names.some(({ name }) => name === '*');
  return isEverybody && !conditions.some(isBounding);
}

function isBounding({ operator, key, values }: PolicyCondition): boolean {
  const known = conditionOperator(operator);
  if (known === undefined || known.isIfExists || known.quantifier === 'ForAllValues') return false;
  const comparison = known.comparison;
  if (comparison.includes('Not') || comparison === 'Null' || !boundingKeys.has(key.toLowerCase())) return false;
  return values.every((value) => typeof value === 'string' && !/^\*|^0\.0\.0\.0\/0$|^::\/0$/.test(value));
}

/**
 * Refuses a policy that would prevent its author from changing it again. Only the author's account is known, so a statement with
 * conditions does not count; nor does one that denies DeleteResourcePolicy, as in the service.
 *
 * @throws {DynamoError} `AccessDeniedException`.
 */
export function checkNoLockout(
  { statements }: PolicyDocument,
  { arn }: PolicyTarget,
  { accountId }: RequestContext,
): void {
  const author = { accountId, arn: `arn:aws:iam::${accountId}:root` };
  const isLockedOut = statements.some(
    (statement) =>
      statement.effect === 'Deny' &&
      statement.conditions.length === 0 &&
      coversAction(statement, 'dynamodb:PutResourcePolicy') &&
      coversResource(statement, arn) &&
      coversPrincipal(statement, author),
  );
  if (isLockedOut) {
    throw new DynamoError(
      'AccessDeniedException',
      'The new resource policy will not allow you to update the resource policy in the future.',
    );
  }
}
