import { describe, expect, test } from 'vitest';
import { parsePolicy, PolicyError, type PolicyKind } from './policy-document.ts';

const statement = { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: '*' };

function policy(members: object, rest: object = { Version: '2012-10-17' }): string {
  return JSON.stringify({ ...rest, Statement: [{ ...statement, ...members }] });
}

function refusal(text: string, kind: PolicyKind): string {
  try {
    parsePolicy(text, kind);
  } catch (error) {
    if (error instanceof PolicyError) return error.message;
    throw error;
  }
  return 'accepted';
}

const condition = (operator: string, value: unknown, key = 'aws:PrincipalTag/team'): string =>
  policy({ Condition: { [operator]: { [key]: value } } });

describe('a policy is refused where something is wrong, with what to write instead', () => {
  const huge = `arn:aws:dynamodb:*:*:table/${'x'.repeat(20_480)}`;
  test.each<{ kind?: PolicyKind; text: string; at: string; says: string }>([
    { text: '{', at: '{', says: 'The policy is not valid JSON' },
    { text: '[]', at: '[', says: 'The policy must be a JSON object.' },
    { text: '{"Statement":[]}', at: '[]', says: 'Statement is empty' },
    { text: policy({}, { Version: '2012-10-18' }), at: '"2012-10-18"', says: 'Version must be "2012-10-17"' },
    { text: policy({}, { Id: 'x' }), at: '"x"', says: 'Id is for policies of resources only' },
    { text: policy({ Effect: 'allow' }), at: '"allow"', says: 'Effect must be "Allow" or "Deny".' },
    { text: policy({ Effect: undefined }), at: '{"Action"', says: 'A statement needs the member Effect.' },
    { text: policy({ What: 1 }), at: '1}', says: '"What" is not a member here' },
    { text: policy({ NotAction: '*' }), at: '"*"}', says: 'A statement has Action or NotAction, not both.' },
    { text: policy({ Principal: '*' }), at: '"*"}', says: 'An identity policy has no Principal' },
    { text: policy({ NotPrincipal: '*' }), at: '"*"}', says: 'An identity policy has no NotPrincipal' },
    { kind: 'resource', text: policy({}), at: '{"Effect"', says: 'A resource policy says whom it is about' },
    { kind: 'trust', text: policy({ Resource: undefined }), at: '{"Effect"', says: 'A trust policy says whom it is' },
    { kind: 'trust', text: policy({ Principal: 'x' }), at: '"x"', says: 'Principal must be "*" or an object' },
    { kind: 'trust', text: policy({ Resource: 'r' }), at: '"r"', says: 'A trust policy has no Resource' },
    {
      kind: 'trust',
      text: policy({ Resource: undefined, NotPrincipal: '*', Action: 'sts:AssumeRole' }),
      at: '"*"}',
      says: 'A trust policy has no NotPrincipal',
    },
    {
      kind: 'trust',
      text: policy({ Resource: undefined, Principal: '*' }),
      at: '"dynamodb:GetItem"',
      says: '"dynamodb:GetItem" is not an action of a trust policy',
    },
    {
      kind: 'resource',
      text: policy({ Principal: { AWS: 'arn:aws:iam::111122223333:role/*' } }),
      at: '{"AWS"',
      says: '"arn:aws:iam::111122223333:role/*" is not a principal',
    },
    { text: policy({ Sid: 'a b' }), at: '"a b"', says: 'A Sid has letters and digits only.' },
    { text: policy({ Action: 'GetItem' }), at: '"GetItem"', says: '"GetItem" is not an action' },
    { text: policy({ Action: ['s3:Get', '*:GetItem'] }), at: '"*:GetItem"', says: '"*:GetItem" is not an action' },
    { text: policy({ Resource: 'table/x' }), at: '"table/x"', says: '"table/x" is not an ARN' },
    {
      text: policy({ Resource: 'arn:aws:*:*:*:x' }),
      at: '"arn:',
      says: '"arn:aws:*:*:*:x" has a wildcard for its service',
    },
    {
      text: policy({ Resource: ['*', 'arn:aws:dynamodb:*:${aws:PrincipalAccount}:table/x'] }),
      at: '"arn:',
      says: '"arn:aws:dynamodb:*:${aws:PrincipalAccount}:table/x" has a policy variable before its fifth colon',
    },
    {
      text: policy({ Resource: 'arn:aws:dynamodb:*:*:table/${x' }),
      at: '"arn:',
      says: '"arn:aws:dynamodb:*:*:table/${x" has a "${"',
    },
    { text: condition('StringEquals', '${aws:username'), at: '"${', says: '"${aws:username" has a "${"' },
    { text: condition('StringEquals', '${}'), at: '"${', says: '"${}" has a "${"' },
    { text: condition('StringEquals', 'x', 'team'), at: '"x"', says: '"team" is not a condition key' },
    {
      text: condition('StringEquals', 'x', 'dynamodb:LeadingKeys'),
      at: '"x"',
      says: 'dynamodb:LeadingKeys has several values: write "ForAllValues:StringEquals"',
    },
    {
      text: condition('StringLike', '${dynamodb:LeadingKeys}'),
      at: '"${',
      says: '"${dynamodb:LeadingKeys}" has a variable for a key with several values',
    },
    { text: condition('NumericEquals', 'five'), at: '"five"', says: '"five" is nothing that NumericEquals' },
    { text: condition('NumericEquals', 1e20), at: '1000', says: 'A number of so many digits' },
    { text: condition('DateLessThan', 'soon'), at: '"soon"', says: '"soon" is nothing that DateLessThan' },
    { text: condition('Bool', 'yes'), at: '"yes"', says: '"yes" is nothing that Bool' },
    { text: condition('Null', 'yes'), at: '"yes"', says: 'Null compares with "true" or "false".' },
    { text: condition('BinaryEquals', 'a'), at: '"a"', says: '"a" is nothing that BinaryEquals' },
    {
      text: condition('IpAddress', ['10.0.0.0/8', '10.0.0.0/33']),
      at: '"10.0.0.0/33"',
      says: '"10.0.0.0/33" is nothing that IpAddress',
    },
    { text: condition('StringIs', 'a'), at: '{"aws:', says: '"StringIs" is not a condition operator' },
    { text: condition('StringEquals', [{}]), at: '{}', says: 'The values of a condition are strings' },
    {
      text: '{"Statement":[{"Effect":"Deny","Action":"*","Resource":"*"}],"Statement":{"Effect":"Deny","Action":"*","Resource":"*"}}',
      at: '"Statement":{',
      says: 'The member "Statement" is written twice',
    },
    {
      text: '{"Statement":{"Effect":"Deny","Action":"*","Resource":"*","\\u0045ffect":"Allow"}}',
      at: '"\\u0045ffect"',
      says: 'The member "Effect" is written twice',
    },
    {
      text: '{"Statement":{"Effect":"Deny","Action":"*","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":"true","aws:SecureTransport":"false"}}}}',
      at: '"aws:SecureTransport":"false"',
      says: 'The member "aws:SecureTransport" is written twice',
    },
    { text: policy({ Resource: huge }), at: '{"Version"', says: 'The policy is longer than 20480 characters' },
  ])('$says', ({ kind = 'identity', text, at, says }) => {
    const message = refusal(text, kind);
    const expected = `line 1, column ${text.lastIndexOf(at) + 1}: ${says}`;
    expect(message.slice(0, expected.length)).toBe(expected);
    expect(message).toMatch(/\.$/);
  });

  test('positions count lines', () => {
    expect(refusal('{\n  "Statement": [\n    7\n  ]\n}', 'identity')).toMatch(/^line 3, column 5: /);
  });

  test.each<[PolicyKind, string]>([
    ['identity', policy({})],
    ['identity', policy({ Resource: ['arn:aws:dynamodb', 'arn:aws:dynamodb:*:*:table/${aws:username}-${*}'] })],
    ['identity', policy({ Action: ['*', 'dynamodb:Part?QL*', 'kms:Decrypt'] })],
    ['identity', condition('ForAllValues:StringEquals', "${aws:PrincipalTag/a b, 'none'}", 'dynamodb:LeadingKeys')],
    ['identity', condition('Null', 'true', 'dynamodb:LeadingKeys')],
    ['identity', condition('StringEquals', '${x', 'aws:username').replace('2012-10-17', '2008-10-17')],
    ['resource', policy({ Principal: { AWS: '111122223333' } })],
    ['resource', policy({ Principal: { AWS: '111122223333' }, Effect: 'allow', Sid: 'a b' })],
    [
      'trust',
      policy({
        Resource: undefined,
        Principal: { AWS: 'arn:aws:iam::111122223333:user/ann' },
        Action: ['sts:AssumeRole', 'sts:TagSession'],
      }),
    ],
  ])('%s %s is accepted', (kind, text) => {
    expect(refusal(text, kind)).toBe('accepted');
  });
});
