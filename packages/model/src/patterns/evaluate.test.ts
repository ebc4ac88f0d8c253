import { describe, expect, test } from 'vitest';
import { compareText, holds, meets } from './evaluate.ts';
import { ref } from './value.ts';

describe('a condition', () => {
  test.each<[string, unknown, unknown, boolean]>([
    ['equality', 'a', 'a', true],
    ['two types', 1, '1', false],
    ['numbers by value', 1n, 1, true],
    ['one of several', ['a', 'b'], 'b', true],
    ['nothing equals what is missing', 'a', undefined, false],
    ['exists', { exists: true }, null, true],
    ['is missing', { exists: false }, undefined, true],
    ['not, missing', { not: 'a' }, undefined, true],
    ['not', { not: 'a' }, 'a', false],
    ['at least, of two types', { atLeast: 1 }, '2', false],
    ['between', { atLeast: 1, below: 3 }, 3, false],
    ['missing is above nothing', { above: 0 }, undefined, false],
    ['begins', { begins: 'vip' }, 'vip-1', true],
    ['begins, not text', { begins: '1' }, 12, false],
    ['contains, in text', { contains: 'b' }, 'abc', true],
    ['contains, in a set', { contains: 'b' }, new Set(['a', 'b']), true],
    ['contains, in a list', { contains: 2 }, [1, 2], true],
    ['lacks', { lacks: 'b' }, new Set(['b']), false],
    ['lacks, missing', { lacks: 'b' }, undefined, true],
    ['size', { size: { above: 1 } }, [1, 2], true],
    ['size of a number', { size: { above: 0 } }, 5, false],
    ['text by bytes', { above: '\u{ff5e}' }, '\u{1f600}', true],
  ])('%s', (_name, given, value, met) => {
    expect(meets(given, value)).toBe(met);
  });

  test('looks into documents, and takes inputs in their places', () => {
    const values = { doc: { vip: true, names: ['a', 'b'] }, list: [{ x: 1 }] };
    expect(holds({ 'doc.vip': true }, values)).toBe(true);
    expect(holds({ 'doc.names[1]': 'b' }, values)).toBe(true);
    expect(holds({ 'list[0].x': { atMost: 1 } }, values)).toBe(true);
    expect(holds({ 'doc.no.way': { exists: false } }, values)).toBe(true);
    expect(holds({ 'doc.{which}': ref('what') }, values, { which: 'vip', what: true })).toBe(true);
    expect(holds({ any: [{ 'doc.vip': false }, { 'list[0].x': 1 }] }, values)).toBe(true);
  });

  test('compares attributes of one item; one that is missing is unequal to all', () => {
    const values = { free: 2, total: 3, name: 'a' };
    const below = (name: string) => holds({ free: { below: { attribute: name } } }, values);
    expect(['total', 'free', 'name', 'none'].map(below)).toEqual([true, false, false, false]);
    expect(holds({ none: { not: { attribute: 'nothing' } } }, values)).toBe(true);
    expect(holds({ any: [{ name: 'b' }, { free: { equals: { attribute: 'free' } } }] }, values)).toBe(true);
  });

  test('with a test that does not exist is an error', () => {
    expect(() => meets({ like: 'a' }, 'a')).toThrow('is not a comparison');
    expect(() => meets(ref('x'), 'a')).toThrow('is needed and missing');
  });

  test('texts have the order of their UTF-8 bytes', () => {
    const texts = ['', 'a', 'aa', 'é', '\u{d7ff}', '\u{e000}', '\u{ff5e}', '\u{ffff}', '\u{10000}', '\u{1f600}'];
    const bytes = (text: string): Buffer => Buffer.from(text);
    for (const a of texts)
      for (const b of texts) expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(bytes(a), bytes(b)));
  });
});
