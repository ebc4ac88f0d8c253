import { describe, expect, test } from 'vitest';
import {
  absent,
  anyString,
  atLeast,
  closeTo,
  differences,
  messageContaining,
  messageDifferences,
  oneOf,
  partial,
  someValidationErrors,
  unordered,
  validationErrors,
} from './matchers.ts';

const paths = (expected: unknown, actual: unknown): readonly string[] =>
  differences(expected, actual).map(({ path }) => path);

describe('differences', () => {
  test('equal bodies have none', () => {
    const body = { Item: { pk: { S: 'x' }, l: { L: [{ N: '1' }] } } };
    expect(differences(body, structuredClone(body))).toEqual([]);
  });

  test('a member too many and a member too few are named', () => {
    expect(paths({ a: 1, b: 2 }, { a: 1, c: 3 })).toEqual(['b', 'c']);
  });

  test('list order counts, set order does not', () => {
    expect(paths({ L: [1, 2] }, { L: [2, 1] })).toEqual(['L[0]', 'L[1]']);
    expect(paths({ SS: ['a', 'b'] }, { SS: ['b', 'a'] })).toEqual([]);
    expect(paths({ SS: ['a', 'b'] }, { SS: ['b', 'b'] })).toEqual(['SS']);
  });

  test('an unordered list must have every element once', () => {
    expect(paths(unordered([{ a: 1 }, { a: 2 }]), [{ a: 2 }, { a: 1 }])).toEqual([]);
    expect(paths(unordered([1, 1, 2]), [1, 2, 2])).not.toEqual([]);
    expect(paths(unordered([1]), [1, 2])).not.toEqual([]);
  });

  test('partial lets other members be, but not those that must be absent', () => {
    expect(paths(partial({ a: 1 }), { a: 1, b: 2 })).toEqual([]);
    expect(paths(partial({ a: 1, b: absent }), { a: 1, b: 2 })).toEqual(['b']);
    expect(paths(partial({ a: { b: 1 } }), { a: { b: 1, c: 2 } })).toEqual(['a.c']);
  });

  test('scalar matchers tell right from wrong', () => {
    expect(paths({ a: anyString }, { a: '' })).toEqual(['a']);
    expect(paths({ a: atLeast(2) }, { a: 1 })).toEqual(['a']);
    expect(paths({ a: closeTo(0.3) }, { a: 0.1 + 0.2 })).toEqual([]);
    expect(paths({ a: oneOf(1, undefined) }, {})).toEqual([]);
    expect(paths({ a: oneOf(1, 2) }, { a: 3 })).toEqual(['a']);
  });

  test('inherited names are not members', () => {
    expect(paths({ toString: 1 }, {})).toEqual(['toString']);
  });
});

describe('messages', () => {
  test('are compared as a whole, except for the envelope', () => {
    expect(messageDifferences('wrong key', 'wrong key')).toEqual([]);
    expect(messageDifferences('wrong key', '1 validation error detected: wrong key')).toEqual([]);
    expect(messageDifferences('wrong key', 'wrong keys')).not.toEqual([]);
    expect(messageDifferences('1 validation error detected: wrong key', 'wrong key')).not.toEqual([]);
    expect(messageDifferences(messageContaining('key'), 'wrong value')).not.toEqual([]);
  });

  test('may have one of several wordings, each with or without the envelope', () => {
    expect(messageDifferences(oneOf('a', messageContaining('bc')), '1 validation error detected: a')).toEqual([]);
    expect(messageDifferences(oneOf('a', messageContaining('bc')), 'abcd')).toEqual([]);
    expect(messageDifferences(oneOf('a', 'b'), 'c')).not.toEqual([]);
  });

  const one = "Value null at 'key' failed to satisfy constraint: Member must not be null";
  const two = "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1";

  test('with several errors must have each of them once and the right number', () => {
    const both = validationErrors(one, two);
    expect(messageDifferences(both, `2 validation errors detected: ${two}; ${one}`)).toEqual([]);
    expect(messageDifferences(both, `3 validation errors detected: ${two}; ${one}`)).not.toEqual([]);
    expect(messageDifferences(both, `2 validation errors detected: ${two}; ${two}`)).not.toEqual([]);
    expect(messageDifferences(both, `2 validation errors detected: ${two}; ${one}; more`)).not.toEqual([]);
  });

  test('with some errors must have known ones only', () => {
    const some = someValidationErrors(one, two);
    expect(messageDifferences(some, `1 validation error detected: ${two}`)).toEqual([]);
    expect(
      messageDifferences(
        some,
        "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
      ),
    ).toEqual([]);
    expect(messageDifferences(some, '1 validation error detected: something else')).not.toEqual([]);
    expect(messageDifferences(some, `2 validation errors detected: ${two}`)).not.toEqual([]);
  });
});
