import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import { readPolicy } from './policy-reader.ts';
import { oracleDecision } from './testing/policy-oracle.ts';
import { decide, type PolicyRow } from './testing/policy-suite.ts';

/* Random policies and requests, similar enough that all decisions occur, get the same decision from the second evaluator. */

const [own, other] = ['111122223333', '444455556666'];
const table = (accountId: string, name: string): string => `arn:aws:dynamodb:us-east-1:${accountId}:table/${name}`;
const few = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | T[]> =>
  fc.oneof(arbitrary, fc.array(arbitrary, { minLength: 1, maxLength: 3 }));

const action = fc.constantFrom('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:PutResourcePolicy');
const actionPattern = fc.oneof(
  { weight: 3, arbitrary: action },
  {
    weight: 2,
    arbitrary: fc.constantFrom('*', 'dynamodb:*', 'dynamodb:get*', 'DynamoDB:?utItem', 's3:*', 'dynamodb:*Item'),
  },
);
const resource = fc.constantFrom(
  table(own, 'red'),
  table(own, 'blue'),
  `${table(own, 'red')}/index/i`,
  '*',
  table(other, 'red'),
);
const resourcePattern = fc.oneof(
  { weight: 2, arbitrary: resource },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '*',
      table('*', 'red'),
      table(own, '*'),
      table(own, '${aws:PrincipalTag/team}'),
      table(own, "${aws:PrincipalTag/team, 'blue'}"),
      table(own, '${aws:PrincipalTag/team}/index/*'),
      table(own, 'r?d'),
      table(own, '${*}'),
      'arn:aws:dynamodb',
      'arn:aws:dynamodb:*:red',
    ),
  },
);

const word = fc.constantFrom('red', 'blue', 'r', '', '*', 'RED', '${aws:PrincipalTag/team}');
const pattern = fc.oneof(
  word,
  fc.constantFrom(
    'r*',
    '?',
    '*',
    'r?d',
    '${*}',
    '${aws:PrincipalTag/team}*',
    "${test:None, 'red'}",
    '${test:None}',
    '${test:List}',
  ),
);
const arn = fc.constantFrom(
  `arn:aws:iam::${own}:role/app`,
  `arn:aws:iam::${own}:user/ann`,
  `arn:aws:iam::${other}:role/app`,
);
const arnPattern = fc.oneof(
  arn,
  fc.constantFrom(`arn:aws:iam::${own}:*`, 'arn:aws:iam::*:role/app', 'arn:aws:iam:*:role/app', '*'),
);
const number = fc.constantFrom('1', '2', '2.0', '10', '-3', '1E1');
const date = fc.constantFrom('2026-01-01T00:00:00Z', '2026-11-22T10:00:00Z', '2026-11-22T11:00:00+01:00', '1795341600');
const address = fc.constantFrom('10.0.0.1', '10.255.0.1', '192.0.2.7', '2001:db8::1');
const range = fc.oneof(
  address,
  fc.constantFrom('10.0.0.0/8', '10.0.0.0/9', '0.0.0.0/0', '2001:db8::/32', '192.0.2.6/31'),
);
const truth = fc.constantFrom('true', 'false');

/** Operators with the values of policies, and the key that has such values in requests. */
const comparisons: readonly {
  readonly operators: string;
  readonly values: fc.Arbitrary<string>;
  readonly key: string;
}[] = [
  {
    operators: 'StringEquals StringNotEquals StringEqualsIgnoreCase StringNotEqualsIgnoreCase',
    values: word,
    key: 'test:Word',
  },
  { operators: 'StringLike StringNotLike', values: pattern, key: 'test:Word' },
  { operators: 'ArnEquals ArnNotEquals ArnLike ArnNotLike', values: arnPattern, key: 'aws:PrincipalArn' },
  {
    operators:
      'NumericEquals NumericNotEquals NumericLessThan NumericLessThanEquals NumericGreaterThan NumericGreaterThanEquals',
    values: number,
    key: 'test:Number',
  },
  {
    operators: 'DateEquals DateNotEquals DateLessThan DateLessThanEquals DateGreaterThan DateGreaterThanEquals',
    values: date,
    key: 'aws:CurrentTime',
  },
  { operators: 'Bool', values: truth, key: 'aws:SecureTransport' },
  { operators: 'IpAddress NotIpAddress', values: range, key: 'aws:SourceIp' },
];
const condition: fc.Arbitrary<readonly [string, string, string | string[]]> = fc
  .record({
    comparison: fc.constantFrom(...comparisons),
    pick: fc.nat(),
    set: fc.constantFrom('', '', 'ForAllValues:', 'ForAnyValue:'),
    ifExists: fc.constantFrom('', '', 'IfExists'),
    isList: fc.boolean(),
    isNull: fc.nat({ max: 12 }).map((n) => n === 0),
  })
  .chain(({ comparison: { operators, values, key }, pick, set, ifExists, isList, isNull }) => {
    const names = operators.split(' ');
    const name = names[pick % names.length] ?? '';
    // Lists of words have a key of their own; most conditions on it have a set operator.
    const asked = key === 'test:Word' && isList ? 'test:List' : key;
    if (isNull) return truth.map((value) => ['Null', asked, value] as const);
    return few(values).map((value) => [`${set}${name}${ifExists}`, asked, value] as const);
  });
const conditions = fc.array(condition, { maxLength: 2 }).map((list) => {
  const block: Record<string, Record<string, unknown>> = {};
  for (const [operator, key, value] of list) (block[operator] ??= {})[key] = value;
  return block;
});

const principal = fc.oneof(
  fc.constant<unknown>('*'),
  few(
    fc.constantFrom(
      '*',
      own,
      other,
      `arn:aws:iam::${own}:user/ann`,
      `arn:aws:iam::${own}:role/app`,
      `arn:aws:sts::${own}:assumed-role/app/job`,
      `arn:aws:iam::${own}:root`,
      'AIDAEXAMPLEANN000001',
    ),
  ).map((AWS): unknown => ({ AWS })),
);
const statement = fc
  .record({
    effect: fc.constantFrom('Allow', 'Allow', 'Allow', 'Deny'),
    not: fc.record({ action: fc.nat({ max: 7 }), resource: fc.nat({ max: 7 }), principal: fc.nat({ max: 4 }) }),
    actions: few(actionPattern),
    resources: few(resourcePattern),
    conditions,
  })
  .map(({ effect, not, actions, resources, conditions: Condition }) => ({
    Effect: effect,
    [not.action === 0 ? 'NotAction' : 'Action']: actions,
    [not.resource === 0 ? 'NotResource' : 'Resource']: resources,
    Condition,
  }));
const resourceStatement = fc
  .record({ statement, principal, not: fc.nat({ max: 4 }) })
  .map(({ statement: one, principal: who, not }) => ({ ...one, [not === 0 ? 'NotPrincipal' : 'Principal']: who }));
const policy = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<object> =>
  fc.record({
    Version: fc.constantFrom('2012-10-17', '2012-10-17', '2012-10-17', '2008-10-17'),
    Statement: fc.array(one, { minLength: 1, maxLength: 3 }),
  });

const context = fc.record(
  {
    'test:Word': fc.constantFrom('red', 'blue', '', '*', 'r', '${x}'),
    'test:List': fc.array(fc.constantFrom('red', 'blue', '', 'r*'), { maxLength: 3 }),
    'aws:PrincipalTag/team': fc.constantFrom('red', 'blue', '*', ''),
    'aws:PrincipalArn': arn,
    'test:Number': number,
    'aws:CurrentTime': date,
    'aws:SecureTransport': truth,
    'aws:SourceIp': address,
  },
  { requiredKeys: [] },
);
const row: fc.Arbitrary<Omit<PolicyRow, 'source' | 'what' | 'decision'>> = fc
  .record({
    identity: fc.option(policy(statement), { nil: undefined }),
    boundary: fc.option(policy(statement), { nil: undefined, freq: 2 }),
    session: fc.option(policy(statement), { nil: undefined, freq: 2 }),
    resource: fc.option(policy(resourceStatement), { nil: undefined }),
    request: fc.record({
      principal: fc.constantFrom('user', 'session', 'root'),
      action,
      resource,
      context,
    }),
  })
  .map(({ identity, boundary, session, resource: ofResource, request }) => ({
    ...(identity !== undefined && { identity }),
    ...(boundary !== undefined && { boundary }),
    ...(session !== undefined && request.principal === 'session' && { session }),
    ...(ofResource !== undefined && { resource: ofResource }),
    request: {
      ...request,

      ...(request.resource.includes(other) && { owner: other }),
    },
  }));

/** Found by this test: `*` with a condition on the principal grants directly, also beside the role of the session. */
const roleAndEverybody: PolicyRow = {
  source: '',
  what: '',
  decision: 'allowed',
  boundary: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', NotAction: ['*'], NotResource: '*' }] },
  resource: {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['*'],
        Resource: ['*'],
        Condition: { ArnEquals: { 'aws:PrincipalArn': [`arn:aws:iam::${own}:role/app`] } },
        Principal: { AWS: [`arn:aws:iam::${own}:role/app`, '*'] },
      },
    ],
  },
  request: {
    principal: 'session',
    action: 'dynamodb:GetItem',
    resource: table(own, 'red'),
    context: { 'aws:PrincipalArn': `arn:aws:iam::${own}:role/app` },
  },
};

test('random policies are decided as the second evaluator decides', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(row, (one) => {
      const decision = decide({ readPolicy, evaluate }, one).split(':', 1)[0] ?? '';
      seen.set(decision, (seen.get(decision) ?? 0) + 1);
      expect(decision, JSON.stringify(one)).toBe(oracleDecision(one));
    }),
    { numRuns: 4000, examples: [[roleAndEverybody]] },
  );
  for (const decision of ['allowed', 'explicit-deny', 'implicit-deny']) expect(seen.get(decision)).toBeGreaterThan(200);
});
