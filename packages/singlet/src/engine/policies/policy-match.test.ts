import { describe, expect, test } from 'vitest';
import { parsePolicy } from './parse-policy.ts';
import type { PolicyStatement } from '../../access/policy/policy-statement.ts';
import { coversAction, coversPrincipal, coversResource } from './policy-match.ts';

function statement(members: object): PolicyStatement {
  const [read] = parsePolicy(
    JSON.stringify({ Statement: [{ Effect: 'Allow', Principal: '*', Action: '*', Resource: '*', ...members }] }),
  ).statements;
  return read!;
}

describe('DB-131 statements', () => {
  test('cover actions in any case', () => {
    expect(coversAction(statement({ Action: 'dynamodb:get*' }), 'dynamodb:GetItem')).toBe(true);
    expect(coversAction(statement({ Action: undefined, NotAction: 'dynamodb:get*' }), 'dynamodb:GetItem')).toBe(false);
  });

  test('cover resources in their case', () => {
    const arn = 'arn:aws:dynamodb:us-east-1:1:table/Users';
    expect(coversResource(statement({ Resource: ['x', 'arn:*:table/U?ers'] }), arn)).toBe(true);
    expect(coversResource(statement({ Resource: 'arn:*:table/users' }), arn)).toBe(false);
    expect(coversResource(statement({ Resource: undefined, NotResource: 'arn:*:table/users' }), arn)).toBe(true);
  });

  test('cover principals by ARN, by account, and everybody', () => {
    const user = { accountId: '111122223333', arn: 'arn:aws:iam::111122223333:user/ann' };
    const covers = (principal: unknown): boolean => coversPrincipal(statement({ Principal: principal }), user);
    expect(covers('*')).toBe(true);
    expect(covers({ AWS: '*' })).toBe(true);
    expect(covers({ AWS: '111122223333' })).toBe(true);
    expect(covers({ AWS: ['arn:aws:iam::1:root', user.arn] })).toBe(true);
    expect(covers({ AWS: 'arn:aws:iam::111122223333:user/bob' })).toBe(false);
    expect(covers({ Service: user.arn })).toBe(false);
    const all = statement({ Principal: undefined, NotPrincipal: { AWS: user.arn } });
    expect(coversPrincipal(all, user)).toBe(false);
    expect(coversPrincipal(all, { ...user, arn: 'arn:aws:iam::111122223333:user/bob' })).toBe(true);
  });
});
