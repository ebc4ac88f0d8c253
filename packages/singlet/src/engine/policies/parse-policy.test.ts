import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DynamoError } from '../../values/service-error.ts';
import { parsePolicy } from './parse-policy.ts';
import { printPolicy } from './print-policy.ts';

const read = {
  Effect: 'Allow',
  Principal: { AWS: '111122223333' },
  Action: ['dynamodb:GetItem'],
  Resource: '*',
};

function policy(statement: object, rest: object = { Version: '2012-10-17' }): string {
  return JSON.stringify({ ...rest, Statement: [statement] });
}

function refused(text: string): string {
  try {
    parsePolicy(text);
  } catch (error) {
    if (error instanceof DynamoError) return error.message.replace(/^.*Invalid policy document: /, '');
    throw error;
  }
  return 'accepted';
}

describe('DB-131 a policy document', () => {
  test('becomes statements', () => {
    const text = policy({
      Sid: 'one',
      ...read,
      NotAction: undefined,
      Resource: undefined,
      NotResource: ['arn:aws:dynamodb:us-east-1:1:table/a', 'arn:aws:dynamodb:us-east-1:1:table/b'],
      Condition: { StringLike: { 'aws:PrincipalArn': ['a*', 'b'] }, Bool: { 'aws:SecureTransport': true } },
    });
    expect(parsePolicy(text)).toEqual({
      version: '2012-10-17',
      statements: [
        {
          sid: 'one',
          effect: 'Allow',
          principals: {
            isExcluded: false,
            isEverybody: false,
            names: [{ kind: 'AWS', name: 'arn:aws:iam::111122223333:root' }],
          },
          actions: { isExcluded: false, patterns: ['dynamodb:GetItem'] },
          resources: {
            isExcluded: true,
            patterns: ['arn:aws:dynamodb:us-east-1:1:table/a', 'arn:aws:dynamodb:us-east-1:1:table/b'],
          },
          conditions: [
            { operator: 'StringLike', key: 'aws:PrincipalArn', values: ['a*', 'b'] },
            { operator: 'Bool', key: 'aws:SecureTransport', values: [true] },
          ],
        },
      ],
    });
  });

  test('of an identity names no principal', () => {
    const { statements } = parsePolicy(policy({ Effect: 'Deny', Action: '*', Resource: '*' }));
    expect(statements[0]).not.toHaveProperty('principals');
  });

  test('is printed in one form, however it was written', () => {
    const written = [
      { Resource: '*', Action: 'dynamodb:GetItem', Principal: { AWS: '111122223333' }, Effect: 'allow' },
      { ...read, Resource: ['*'] },
      { ...read, Principal: { AWS: ['111122223333', 'arn:aws:iam::111122223333:root'] } },
      { ...read, Effect: '\u0041llow' },
    ];
    const printed = written.map((statement) => printPolicy(parsePolicy(policy(statement))));
    const canonical =
      '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"dynamodb:GetItem","Resource":"*"}]}';
    expect(new Set(printed)).toEqual(new Set([canonical]));
    const alone = JSON.stringify({ Statement: { Sid: 's', ...read, Principal: '*' } }, undefined, 2);
    expect(printPolicy(parsePolicy(alone))).toBe(
      '{"Version":"2008-10-17","Statement":[{"Sid":"s","Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem","Resource":"*"}]}',
    );
  });

  test.each([
    ['', 'This policy contains invalid Json'],
    ['{not json', 'This policy contains invalid Json'],
    ['{}', 'Missing required field Statement'],
    ['{"Statement":[]}', 'Could not parse the policy: Statement is empty!'],
    [policy({ ...read, Effect: undefined }), 'Missing required field Effect'],
    [policy({ ...read, Action: undefined }), 'Missing required field Action'],
    [policy({ ...read, Resource: undefined }), 'Missing required field Resource'],
    [
      JSON.stringify({
        Statement: [
          { Sid: 'x', ...read },
          { Sid: 'x', ...read },
        ],
      }),
      'The Statement Ids in the policy are not unique',
    ],
    ['[]', 'Syntax error at position (1,1)'],
    ['{"Statement":\n [3]}', 'Syntax error at position (2,3)'],
    ['{"Version":"2012-10-18","Statement":[]}', 'Syntax error at position (1,12)'],
    [
      policy({ Effect: 'Allow', Principal: '111122223333', Action: '*', Resource: '*' }),
      'Syntax error at position (1,68)',
    ],
    [policy({ Effect: 'Maybe', Action: '*', Resource: '*' }), 'Syntax error at position (1,48)'],
    [policy({ Effect: 'Deny', Action: [], Resource: '*' }), 'Syntax error at position (1,64)'],
    [policy({ Effect: 'Deny', Action: ['a', 1], Resource: '*' }), 'Syntax error at position (1,69)'],
    [policy({ Effect: 'Deny', Action: '*', NotAction: '*', Resource: '*' }), 'Syntax error at position (1,80)'],
    [policy({ Effect: 'Deny', Action: '*', Resource: '*', What: 1 }), 'Syntax error at position (1,90)'],
    [policy({ Effect: 'Deny', Principal: {}, Action: '*', Resource: '*' }), 'Syntax error at position (1,67)'],
    [policy({ ...read, Condition: { Equals: { a: 'b' } } }), 'Invalid Condition type : Equals.'],
    [
      policy({ Effect: 'Deny', Action: '*', Resource: '*', Condition: { Bool: { a: {} } } }),
      'Syntax error at position (1,108)',
    ],
  ])('%s: %s', (text, expected) => {
    expect(refused(text)).toBe(expected);
  });

  test('any text is read or refused, and what is printed reads as the same policy', () => {
    const word = fc.constantFrom('*', 'a', 'dynamodb:GetItem', '__proto__', 'constructor', '111122223333', '');
    const some = fc.oneof(
      { weight: 9, arbitrary: word },
      { weight: 9, arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }) },
      fc.json({ maxDepth: 1 }).map((text): unknown => JSON.parse(text)),
    );
    const member = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.option(arbitrary, { nil: undefined });
    const statement = fc.record({
      Sid: member(word),
      Effect: fc.constantFrom('Allow', 'Deny', 'deny'),
      Principal: member(
        fc.oneof(fc.constant('*'), fc.record({ AWS: some }), fc.dictionary(word, some, { maxKeys: 1 })),
      ),
      Action: some,
      Resource: some,
      Condition: member(
        fc.dictionary(fc.constantFrom('StringLike', 'ForAnyValue:StringEquals'), fc.dictionary(word, some)),
      ),
    });
    const document = fc.record({
      Version: fc.constantFrom('2012-10-17', undefined),
      Statement: fc.array(statement, { maxLength: 2 }),
    });
    let accepted = 0;
    fc.assert(
      fc.property(document, (json) => {
        const text = JSON.stringify(json);
        if (refused(text) !== 'accepted') return;
        accepted += 1;
        const read = parsePolicy(text);
        const printed = printPolicy(read);
        expect(parsePolicy(printed)).toEqual({ ...read, version: read.version ?? '2008-10-17' });
        expect(printPolicy(parsePolicy(printed))).toBe(printed);
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
