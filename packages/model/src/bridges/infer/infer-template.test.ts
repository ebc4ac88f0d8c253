import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTemplate, templateWriter } from '../../keys/template.ts';
import { inferTemplate, type KeySample } from './infer-template.ts';

/** Keys of sample items by a template. */
function samplesOf(template: string, items: readonly KeySample['values'][]): KeySample[] {
  const write = templateWriter(parseTemplate(template).template, '', '');
  return items.map((values) => ({ values, key: write(values) ?? '' }));
}

const word = fc.stringMatching(/^[A-Z]{2,8}$/);
const variables = [
  'name',
  'name:lower',
  'name:upper',
  'number:07',
  'number:inverse8',
  'at',
  'at:day',
  'at:utc',
  'code',
  'code:shard8',
];
const part = fc.record({ literal: word, variable: fc.constantFrom(...variables) });
const template = fc
  .tuple(fc.constantFrom('#', '|', '/'), fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([separator, parts, begins]) =>
    parts
      .map(({ literal, variable }, i) => `${i > 0 || begins ? separator : ''}${literal}${separator}{${variable}}`)
      .join(''),
  );
const item = fc.record({
  name: fc.stringMatching(/^[A-Z][a-z]{2,9}$/),
  number: fc.integer({ min: 1, max: 9_999_999 }),
  at: fc
    .date({ min: new Date('2020-01-01'), max: new Date('2029-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  code: fc.stringMatching(/^[a-z0-9]{8}$/),
  noise: fc.boolean(),
});
const items = fc.uniqueArray(item, { minLength: 40, maxLength: 60, selector: ({ number }) => number }).map((made) => [
  ...made,
  // So that padding, case and the parts of a time are visible.
  { name: 'Ab', number: 7, at: '2020-01-01T03:04:05.678Z', code: 'aaaa1111', noise: false },
  { name: 'Zyx', number: 9_999_998, at: '2029-11-30T23:59:59.999Z', code: 'zzzz9999', noise: true },
  { name: 'Mno', number: 12_345, at: '2024-02-29T12:00:00.000Z', code: 'abcd1234', noise: true },
]);
const attributes = ['name', 'number', 'at', 'code', 'noise'];

/** For a time in UTC, `{at:utc}` equals `{at}`, so the simpler one is correct too. */
function plain(source: string): string {
  return source.replaceAll('{at:utc}', '{at}');
}

describe('a template is inferred from keys and the attributes beside them', () => {
  test('whatever it is made of, it comes back', () => {
    fc.assert(
      fc.property(template, items, (source, values) => {
        const found = inferTemplate(samplesOf(source, values), attributes);
        expect([found?.template, ...(found?.alternatives ?? [])].map((each) => plain(each ?? ''))).toContain(
          plain(source),
        );
        expect(found?.fits).toBe(values.length);
      }),
      { numRuns: 50 },
    );
  });

  test('keys that were written otherwise lower the share that fits, and no more', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 8 }), (values, odd) => {
        const samples = samplesOf('USER#{name}#{number:07}', values);
        const mixed = samples.map((sample, i) => (i < odd ? { ...sample, key: `OLD-${i}` } : sample));
        const found = inferTemplate(mixed, attributes);
        expect(found).toMatchObject({
          template: 'USER#{name}#{number:07}',
          fits: values.length - odd,
          of: values.length,
        });
      }),
      { numRuns: 20 },
    );
  });

  test('keys that no attribute explains have none', () => {
    const samples = Array.from({ length: 20 }, (_, i) => ({ values: { total: i * 3 }, key: `USER#person${i}` }));
    expect(inferTemplate(samples, ['total'])).toBeUndefined();
  });

  test('what fits as well is said', () => {
    const samples = Array.from({ length: 20 }, (_, i) => ({ values: { id: `a${i}`, copy: `a${i}` }, key: `X#a${i}` }));
    expect(inferTemplate(samples, ['id', 'copy'])).toMatchObject({ template: 'X#{id}', alternatives: ['X#{copy}'] });
  });

  test('a word that is one value of an attribute in all keys stays a word where that attribute tells forms apart', () => {
    const samples = Array.from({ length: 9 }, (_, i) => ({ values: { status: 'Open', n: i }, key: `Open#${i}` }));
    expect(inferTemplate(samples, ['status', 'n'], new Set(['status']))?.template).toBe('Open#{n}');
    expect(inferTemplate(samples, ['status', 'n'])?.template).toBe('{status}#{n}');
  });

  test('empty samples have no template', () => {
    expect(inferTemplate([], ['id'])).toBeUndefined();
  });
});
