import { describe, expect, test } from 'vitest';
import { compileFilters, type FilterPattern } from './record-filter.ts';

const record = {
  eventName: 'INSERT',
  dynamodb: {
    Keys: { id: { S: 'order-17' } },
    NewImage: { total: { N: '42' }, tags: { SS: ['new', 'gift'] }, paid: { BOOL: true }, note: { NULL: true } },
    SizeBytes: 100,
  },
};

const matches = (...patterns: readonly FilterPattern[]): boolean | undefined => compileFilters(patterns)?.(record);

describe('filter patterns', () => {
  test.each<[string, FilterPattern, boolean]>([
    ['a value', { eventName: ['INSERT'] }, true],
    ['another value', { eventName: ['MODIFY'] }, false],
    ['one of several values', { eventName: ['MODIFY', 'INSERT'] }, true],
    ['all of several fields', { eventName: ['INSERT'], dynamodb: { SizeBytes: [99] } }, false],
    ['prefix', { dynamodb: { Keys: { id: { S: [{ prefix: 'order-' }] } } } }, true],
    ['suffix', { dynamodb: { Keys: { id: { S: [{ suffix: '-18' }] } } } }, false],
    ['equals-ignore-case', { eventName: [{ 'equals-ignore-case': 'insert' }] }, true],
    ['anything-but', { eventName: [{ 'anything-but': ['REMOVE', 'MODIFY'] }] }, true],
    ['anything-but the value', { eventName: [{ 'anything-but': 'INSERT' }] }, false],
    ['anything-but a prefix', { eventName: [{ 'anything-but': { prefix: 'IN' } }] }, false],
    ['anything-but of what is not there', { dynamodb: { OldImage: { x: { S: [{ 'anything-but': 'a' }] } } } }, false],
    ['numeric', { dynamodb: { SizeBytes: [{ numeric: ['>', 99, '<=', 100] }] } }, true],
    ['numeric, not so', { dynamodb: { SizeBytes: [{ numeric: ['=', 99] }] } }, false],
    ['numbers of items are texts', { dynamodb: { NewImage: { total: { N: [{ numeric: ['=', 42] }] } } } }, false],
    ['numbers of items as texts', { dynamodb: { NewImage: { total: { N: ['42'] } } } }, true],
    ['exists', { dynamodb: { NewImage: { total: { N: [{ exists: true }] } } } }, true],
    ['does not exist', { dynamodb: { OldImage: { total: { N: [{ exists: false }] } } } }, true],
    ['an element of a set', { dynamodb: { NewImage: { tags: { SS: ['gift'] } } } }, true],
    ['a boolean', { dynamodb: { NewImage: { paid: { BOOL: [true] } } } }, true],
    ['$or', { $or: [{ eventName: ['REMOVE'] }, { dynamodb: { SizeBytes: [100] } }] }, true],
    ['$or of none', { $or: [{ eventName: ['REMOVE'] }] }, false],
  ])('%s', (_what, pattern, expected) => expect(matches(pattern)).toBe(expected));

  test('one of several patterns is enough, none lets everything through', () => {
    expect(matches({ eventName: ['REMOVE'] }, { eventName: ['INSERT'] })).toBe(true);
    expect(compileFilters([])).toBeUndefined();
  });

  test.each<[FilterPattern, string]>([
    [{}, 'filter must name a field'],
    [{ eventName: 'INSERT' }, 'filter.eventName must be a list of rules or an object of fields'],
    [{ eventName: [] }, 'filter.eventName must have a rule'],
    [{ eventName: [{ like: 'x' }] }, 'filter.eventName[0] must be a value or one of prefix'],
    [{ eventName: [{ prefix: 1 }] }, 'filter.eventName[0] must be a value or one of prefix'],
    [{ eventName: [{ prefix: 'a', suffix: 'b' }] }, 'filter.eventName[0] must have one operator'],
    [{ eventName: [{ exists: 'yes' }] }, 'exists takes true or false'],
    [{ eventName: [{ numeric: ['>'] }] }, 'numeric takes comparisons and numbers in turn'],
    [{ eventName: [{ numeric: ['!', 1] }] }, 'numeric takes comparisons and numbers in turn'],
    [{ eventName: [{ 'anything-but': [] }] }, 'anything-but takes values'],
    [{ $or: [] }, 'filter.$or must be a list of patterns'],
  ])('%j is refused', (pattern, problem) => expect(() => compileFilters([pattern])).toThrow(problem));
});
