import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { entity } from '../../entities/entity.ts';
import type { Need } from '../../patterns/need.ts';
import { meetsCondition } from './conditions.ts';
import { differenceOf } from './difference.ts';
import { compareTimes, timeOf, type Unit, unitStart } from './instants.ts';
import { expectedRead, type World } from './read.ts';
import { compareValues, equalValues, type Values } from './values.ts';

describe('values', () => {
  test.each<[unknown, unknown, boolean]>([
    [1, 1.0, true],
    [1, '1', false],
    [0, -0, true],
    [10n ** 20n, 100_000_000_000_000_000_000, true],
    [10n ** 23n, 1e23, true],
    [9_007_199_254_740_993n, 9_007_199_254_740_992n, false],
    ['é', 'e\u0301', false],
    [new Set(['a', 'b']), new Set(['b', 'a']), true],
    [new Set(['1']), new Set([1]), false],
    [['a', 'b'], ['b', 'a'], false],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [null, undefined, false],
    [Uint8Array.of(1), Uint8Array.of(1), true],
  ])('%o equals %o: %s', (a, b, equal) => expect(equalValues(a, b)).toBe(equal));

  test.each<[unknown, unknown]>([
    [9, 10],
    [-10, -9],
    [-1, 0],
    [0.5, 1],
    [2n, 10],
    [10n ** 20n, 10n ** 21n],
    ['a', 'aa'],
    ['Z', 'a'],
    ['\uffff', '\u{1f600}'],
    [false, true],
    [Uint8Array.of(1), Uint8Array.of(1, 0)],
  ])('%o comes before %o', (less, more) => {
    expect(compareValues(less, more)).toBeLessThan(0);
    expect(compareValues(more, less)).toBeGreaterThan(0);
  });

  test('values of two types have no order', () => expect(compareValues(1, '1')).toBeUndefined());

  test.each([
    ['2019-12-29', '2019-12-29T00:00:00Z', 0],
    ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00Z', 0],
    ['2024-03-01T00:00:00.1Z', '2024-03-01T00:00:00.10Z', 0],
    ['2024-03-01T00:00:00.0010001Z', '2024-03-01T00:00:00.001Z', 0],
    ['1969-12-31T23:59:59Z', '1970-01-01', -1],
  ])('as times, %s and %s compare as %i', (a, b, sign) =>
    expect(Math.sign(compareTimes(a, b) ?? Number.NaN)).toBe(sign),
  );
});

test.each([
  ['2024-03-01T10:00:00Z', Date.UTC(2024, 2, 1, 10)],
  [1_709_287_200_000, Date.UTC(2024, 2, 1, 10)],
  [1_000_000, Date.UTC(1970, 0, 1, 0, 16, 40)],
  ['0ujtsYcgvSTl8PAuAdqWYSMnLOv', 1_507_608_047_000],
  ['01ARYZ6S41TSV4RRFFQ69G5FAV', 1_469_918_176_385],
  ['no time', undefined],
])('%s is %s', (value, time) => expect(timeOf(value)).toBe(time));

test('a number may be seconds', () => expect(timeOf(1_709_287_200, true)).toBe(Date.UTC(2024, 2, 1, 10)));

test.each<[Unit, string]>([
  ['hour', '2024-03-01T10:00:00.000Z'],
  ['day', '2024-03-01T00:00:00.000Z'],
  ['week', '2024-02-26T00:00:00.000Z'],
  ['month', '2024-03-01T00:00:00.000Z'],
  ['year', '2024-01-01T00:00:00.000Z'],
])('the %s of an instant begins at %s', (unit, start) => {
  expect(new Date(unitStart(unit, Date.UTC(2024, 2, 1, 10, 20, 30, 40))).toISOString()).toBe(start);
});

describe('conditions', () => {
  const item = { s: 'b', n: 5, tags: new Set(['x']), doc: { vip: true, list: [1, 2] }, text: 'abc' };
  test.each<[object, boolean]>([
    [{ s: 'b' }, true],
    [{ s: ['a', 'b'] }, true],
    [{ s: { not: 'b' } }, false],
    [{ missing: { not: 'b' } }, true],
    [{ missing: { lacks: 'b' } }, true],
    [{ missing: { above: 1 } }, false],
    [{ missing: { exists: false } }, true],
    [{ n: { above: 4, below: 6 } }, true],
    [{ n: { atLeast: 6 } }, false],
    [{ n: { above: 'a' } }, false],
    [{ tags: { contains: 'x' } }, true],
    [{ tags: { lacks: 'x' } }, false],
    [{ tags: { size: 1 } }, true],
    [{ tags: { size: { above: 1 } } }, false],
    [{ text: { begins: 'ab' } }, true],
    [{ text: { contains: 'bc' } }, true],
    [{ n: { begins: '5' } }, false],
    [{ 'doc.vip': true }, true],
    [{ 'doc.list[1]': 2 }, true],
    [{ 'doc.missing': { exists: true } }, false],
    [{ any: [{ s: 'a' }, { n: 5 }] }, true],
    [{ any: [{ s: 'a' }, { n: 6 }] }, false],
    [{ n: { above: { ref: 'least' } } }, true],
  ])('%o: %s', (condition, meets) => expect(meetsCondition(condition, item, { least: 4 })).toBe(meets));
});

describe('reads', () => {
  const entities = {
    Item: entity(
      { h: z.string(), id: z.string(), s: z.string(), t: z.string(), until: z.number().optional() },
      { expires: 'until' },
    ),
    Parent: entity({ h: z.string() }),
  };
  const items: Values[] = [
    { h: 'x', id: '1', s: 'a', t: '2024-01-01T00:00:00Z' },
    { h: 'x', id: '2', s: 'b', t: '2024-01-01T01:00:00+02:00' },
    { h: 'x', id: '3', s: 'a', t: '2024-01-02', until: 100 },
    { h: 'x', id: '4', s: 'a', t: '2024-01-03', until: 101 },
    { h: 'y', id: '1', s: 'a', t: '2024-01-01' },
  ];
  const world: World = {
    entities: entities,
    items: new Map([
      ['Item', items],
      ['Parent', [{ h: 'x' }]],
    ]),
    now: 100_999,
    isTime: (_, attribute) => attribute === 't',
  };
  const ids = (need: Need, input: Values): string[] =>
    expectedRead(need, world, input)
      .parts.filter(({ many }) => many)
      .flatMap((part) => part.items.map(({ id }) => String(id)));

  test.each<[string, Need, Values, string[]]>([
    ['by, without what has expired', { by: ['h'] }, { h: 'x' }, ['1', '2', '4']],
    ['expired items, too', { by: ['h'], expired: true }, { h: 'x' }, ['1', '2', '3', '4']],
    ['where and filters on one attribute', { by: ['h'], where: { s: 'a' }, filters: ['s'] }, { h: 'x', s: 'b' }, []],
    ['a filter that is not given', { by: ['h'], filters: ['s'] }, { h: 'x', s: undefined }, ['1', '2', '4']],
    ['a range by instant', { by: ['h'], range: 't' }, { h: 'x', t: { before: '2024-01-01T00:00:00Z' } }, ['2']],
    ['a range that is empty', { by: ['h'], range: 't' }, { h: 'x', t: { from: '2025-01-01', to: '2024-01-01' } }, []],
    ['a beginning', { by: ['h'], range: 't' }, { h: 'x', t: { begins: '2024-01-03' } }, ['4']],
    ['a window from now', { by: ['h'], window: { of: 't', from: 'now+19724d', to: 'now+19725d' } }, { h: 'x' }, ['4']],
    ['a window', { by: ['h'], window: { of: 't', from: '2024-01-01', to: '2024-01-02T12:00:00Z' } }, { h: 'x' }, ['1']],
    ['a list', { by: ['h'], among: { h: 2 } }, { h: ['y', 'z'] }, ['1']],
    ['a list under another name', { aka: { hs: 'h' }, among: { hs: 2 } }, { hs: ['y', 'x'] }, ['1', '2', '4', '1']],
    ['another name that is also an attribute', { by: ['s'], aka: { s: 'h' } }, { s: 'y' }, ['1']],
    ['one of several attributes', { aka: { either: ['h', 's'] } }, { either: 'a' }, ['1', '4', '1']],
  ])('%s', (_, need, input, expected) => expect(ids({ reads: ['Item'], ...need }, input)).toEqual(expected));

  test('a filter is about the many of a collection, not about its one', () => {
    const need: Need = { reads: { parent: 'Parent', items: ['Item'] }, by: ['h'], where: { s: 'b' } };
    const { parts } = expectedRead(need, world, { h: 'x' });
    expect(parts.map((part) => part.items.length)).toEqual([1, 1]);
  });

  const page = (...items: Values[]) => ({ parts: new Map([[undefined, items]]), more: false });
  const [first, second] = items as [Values, Values];
  test.each<[string, Need, Values[][], number | undefined, string | undefined]>([
    ['right', { order: 't asc' }, [[second], [first]], 1, undefined],
    ['wrong order', { order: 't desc' }, [[second, first]], undefined, 'wrong order'],
    ['wrong order over pages', { order: 't desc' }, [[second], [first]], undefined, 'wrong order'],
    ['lost item', {}, [[first]], undefined, 'lost item'],
    ['repeated item', {}, [[first, second], [first]], undefined, 'repeated item'],
    ['foreign item', {}, [[first, second, items[4] ?? {}]], undefined, 'foreign item'],
    ['a changed item', {}, [[first, { ...second, s: 'c' }]], undefined, 'foreign item'],
    ['page too long', {}, [[first, second]], 1, 'page too long'],
  ])('%s', (_, need, pages, limit, kind) => {
    const two = { ...world, items: new Map([['Item', [first, second]]]) };
    const expected = expectedRead({ reads: ['Item'], by: ['h'], ...need }, two, { h: 'x' });
    const given = pages.map((each) => page(...each));
    expect(differenceOf(expected, given, limit)?.kind).toBe(kind);
  });

  test('the one of a collection comes on the first page', () => {
    const need: Need = { reads: { parent: 'Parent', items: ['Item'] }, by: ['h'] };
    const expected = expectedRead(need, { ...world, items: new Map([['Parent', [{ h: 'x' }]]]) }, { h: 'x' });
    const collection = (...parent: Values[]) => ({
      parts: new Map([
        ['parent', parent],
        ['items', []],
      ]),
      more: false,
    });
    expect(differenceOf(expected, [collection({ h: 'x' }), collection()], 1)).toBeUndefined();
    expect(differenceOf(expected, [collection(), collection({ h: 'x' })], 1)?.kind).toBe('misplaced parent');
    expect(differenceOf(expected, [collection({ h: 'x' }), collection({ h: 'x' })], 1)?.kind).toBe('repeated item');
  });
});
