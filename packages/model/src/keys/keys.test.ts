import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Encoder, encoderNamed, type KeyValue, shardNumber, startOf } from './encoders.ts';
import { ksuid, ksuidTime, ulid, ulidTime, uuidv7 } from './ids.ts';
import { hmacSha256, sha256 } from './sha256.ts';
import { encoded, parseTemplate, templateWriter } from './template.ts';

const encode = (name: string, value: KeyValue): KeyValue | undefined => encoderNamed(name)?.encode(value);
const compare = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0);
const instants = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) });

describe('encoders', () => {
  test.each([
    ['07', 1],
    ['inverse7', -1],
    ['tens7', -1],
  ])('%s keeps the order of numbers and can be undone', (name, direction) => {
    const numbers = fc.integer({ min: 1, max: 9_999_999 });
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(compare(encode(name, a), encode(name, b))).toBe(Math.sign(a - b) * direction + 0);
        expect(encoderNamed(name)?.decode?.(String(encode(name, a)))).toBe(a);
        expect(String(encode(name, a))).toHaveLength(7);
      }),
    );
  });

  test('numbers that do not fit are refused', () => {
    expect(encode('07', 42)).toBe('0000042');
    expect(encode('inverse5', 157)).toBe('99842');
    expect(encode('tens5', 2)).toBe('99998');
    for (const value of [100_000, -1, 1.5, Number.NaN]) expect(() => encode('05', value)).toThrow('5 digits');
    expect(() => encode('tens5', 0)).toThrow('5 digits');
  });

  test.each(['lower', 'upper'])('%s makes of no letter beyond ASCII a character below "A"', (name) => {
    const low: string[] = [];
    for (let code = 0x80; code <= 0x10ffff; code++) {
      const text = String.fromCodePoint(code);
      if (text.isWellFormed() && /[\0-@]/.test(String(encode(name, text)))) low.push(text);
    }
    expect(low).toEqual([]);
  });

  test.each([['utc'], ['seconds']])('%s sorts instants, whatever the zone they are written in', (name) => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        const [x, y] = [a - (a % 1000), b - (b % 1000)];
        const shifted = new Date(x + 3_600_000).toISOString().replace('Z', '+01:00');
        expect(encode(name, shifted)).toBe(encode(name, new Date(x).toISOString()));
        expect(compare(encode(name, x), encode(name, y))).toBe(Math.sign(x - y));
      }),
    );
  });

  test('bare leaves the prefix of a reference away', () => {
    for (const reference of ['org:1', 'a#org:1', 'org/1', '1']) expect(encode('bare', reference)).toBe('1');
    const { template } = parseTemplate('org:{orgId:bare}');
    expect(templateWriter(template, ':', 'User')({ orgId: 'org:1' })).toBe('org:1');
    expect(() => templateWriter(template, ':', 'User')({ orgId: 'org:' })).toThrow('is empty');
  });

  test('rest takes any text, and is the last of a key', () => {
    const { template, problem } = parseTemplate('job:{jobId:rest}');
    expect(problem).toBeUndefined();
    expect(templateWriter(template, ':', 'Job')({ jobId: 'policy:1@2' })).toBe('job:policy:1@2');
    expect(parseTemplate('{jobId:rest}#{at}').problem).toContain('not the last');
  });

  test('times: inverse, cut to units, and no display formats', () => {
    const at = '2020-02-14T12:52:14Z';
    expect(encode('day', at)).toBe('2020-02-14T00:00:00');
    expect(encode('second', '2020-02-14T12:52:14.987+01:00')).toBe('2020-02-14T11:52:14');
    expect(encode('hour', at)).toBe('2020-02-14T12:00:00');
    expect(encode('week', at)).toBe('2020-02-10T00:00:00');
    expect(encode('month', at)).toBe('2020-02-01T00:00:00');
    expect(encode('year', at)).toBe('2020-01-01T00:00:00');
    expect(encode('date', at)).toBe('2020-02-14');
    expect(encode('day', '2020-02-14T12:52:14')).toBe('2020-02-14T00:00:00');
    expect(compare(encode('inverseTime', at), encode('inverseTime', '2020-02-14T12:52:15Z'))).toBe(1);
    expect(encoderNamed('inverseTime')?.decode?.(String(encode('inverseTime', at)))).toBe('2020-02-14T12:52:14.000Z');
    for (const wrong of ['May 26, 1988', '15/01/2024', '', '2020-13-01'])
      expect(() => encode('utc', wrong)).toThrow('ISO-8601');
    fc.assert(
      fc.property(instants, fc.constantFrom('second', 'hour', 'day', 'week', 'month', 'year'), (instant, unit) => {
        const start = startOf(unit, instant);
        expect(start).toBeLessThanOrEqual(instant);
        expect(startOf(unit, start)).toBe(start);
        expect(startOf(unit, start - 1)).toBeLessThan(start);
      }),
    );
  });

  test('a time is a number of any type, or text with any fraction of a second', () => {
    expect(encode('utc', 1_709_251_199_000n)).toBe('2024-02-29T23:59:59.000Z');
    expect(encode('inverseTime', 1n)).toBe(encode('inverseTime', 1));
    expect(encode('day', '2024-02-29T23:59:59.99999999999999999999Z')).toBe('2024-02-29T00:00:00');
    for (const wrong of [true, 10n ** 20n]) expect(() => encode('utc', wrong)).toThrow('ISO-8601');
  });

  test('times beyond the years 0 to 9999 are in no key', () => {
    for (const name of ['utc', 'seconds', 'day', 'year', 'date', 'inverseTime'])
      for (const value of [253_402_300_800_000, -62_167_219_200_001, 1e16, '9999-12-31T23:59:59-01:00'])
        expect(() => encode(name, value)).toThrow();
    expect(encode('utc', 253_402_300_799_999)).toBe('9999-12-31T23:59:59.999Z');
  });

  test('13 digits are of times from 1970 to 2286, and an error says so', () => {
    const written = (value: string): unknown => encoded(value, [encoderNamed('inverseTime') as Encoder], 'Task.at');
    expect(written('1970-01-01')).toBe('9999999999999');
    expect(written('2286-11-20T17:46:39.999Z')).toBe('0000000000000');
    for (const beyond of ['1969-12-31T23:59:59.999Z', '2286-11-20T17:46:40Z'])
      expect(() => written(beyond)).toThrow(
        `Task.at: ${Date.parse(beyond)}: is not a time of 1970 to 2286-11-20; use {…:utc}`,
      );
  });

  test('text, and escapes that can be undone', () => {
    expect(encode('slug', 'GitHub Analytics')).toBe('githubanalytics');
    expect([encode('lower', 'A@B.C'), encode('upper', 'Food & Drink'), encode('trim', ' x ')]).toEqual([
      'a@b.c',
      'FOOD & DRINK',
      'x',
    ]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const escaped = String(encode('escape', text));
        expect(escaped).not.toMatch(/[#|:]/);
        expect(encoderNamed('escape')?.decode?.(escaped)).toBe(text);
      }),
    );
  });

  test('shards are even, stable and the same everywhere', () => {
    const first = createHash('sha256').update('m1').digest().readUInt32BE(0);
    expect(shardNumber('m1', 10)).toBe(first % 10);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) counts[shardNumber(`match${i}`, 10)]! += 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  test('names that are none', () => {
    for (const name of ['', 'loud', '0', '019', 'shard0', 'shard99999', 'inverse', 'toString'])
      expect(encoderNamed(name)).toBeUndefined();
  });
});

describe('ids', () => {
  test('a KSUID of the specification', () => {
    const id = '1YnlHOfSSk3DhX4BR6lMAceAo1V';
    expect(new Date(ksuidTime(id)).toISOString()).toBe('2020-03-07T13:02:30.000Z');
    const random = Buffer.from('5D6068ACBE766CF717E210D69C94D115', 'hex');
    expect(ksuid({ at: Date.parse('2020-03-07T13:02:30Z'), random })).toBe(id);
    expect(() => ksuidTime('x')).toThrow('is not a KSUID');
  });

  test.each([
    ['KSUID', ksuid, ksuidTime, 27, 1000],
    ['ULID', ulid, ulidTime, 26, 1],
  ] as const)('%s sorts by time and holds it', (_, make, timeOf, length, precision) => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        const [x, y] = [a + 1.4e12, b + 1.4e12].map((at) => at - (at % precision)) as [number, number];
        expect(make({ at: x })).toHaveLength(length);
        expect(timeOf(make({ at: x }))).toBe(x);
        if (x !== y) expect(compare(make({ at: x }), make({ at: y }))).toBe(Math.sign(x - y));
      }),
    );
  });

  test('a UUID of version 7 sorts by time', () => {
    expect(uuidv7({ at: 1 })).toMatch(/^00000000-0001-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(compare(uuidv7({ at: 1000 }), uuidv7({ at: 1001 }))).toBe(-1);
  });

  test('hashes are those of the platform', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 100 }), (bytes, key) => {
        expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(Buffer.from(hmacSha256(key, bytes)).toString('hex')).toBe(
          createHmac('sha256', key).update(bytes).digest('hex'),
        );
      }),
    );
  });
});

describe('templates', () => {
  const write = (source: string, values: object): string | undefined =>
    templateWriter(parseTemplate(source).template, '#', 'E')(values as Record<string, unknown>);

  test('are filled in, and incomplete without a value', () => {
    expect(write('REPO#{owner}#{n:04}', { owner: 'alex', n: 7 })).toBe('REPO#alex#0007');
    expect(write('REPO#{owner}#{n:04}', { owner: 'alex' })).toBeUndefined();
    expect(write('FRONTPAGE', {})).toBe('FRONTPAGE');
  });

  test('refuse separators, empty values and what is not a key value', () => {
    expect(() => write('A#{x}', { x: 'a#b' })).toThrow('E.x: "a#b" has the separator "#"');
    expect(write('A#{x:escape}', { x: 'a#b' })).toBe('A#a%23b');
    for (const separator of ['~', '/', '-', '_', '!'])
      expect(templateWriter(parseTemplate('A{x:escape}').template, separator, 'X')({ x: `a${separator}b%` })).toBe(
        `Aa%${separator.charCodeAt(0).toString(16)}b%25`,
      );
    expect(write('{x}', { x: 'a#b' })).toBe('a#b');
    expect(() => write('A#{x}', { x: '' })).toThrow('is empty');
    expect(() => write('A#{x}', { x: {} })).toThrow('neither text nor a number');
  });

  test('say what is wrong with them', () => {
    expect(parseTemplate('A#{x').problem).toContain('unmatched brace');
    expect(parseTemplate('A#{x:loud}').problem).toBe('no encoder "loud"');
    expect(parseTemplate('A#{}').problem).toContain('without a name');
  });
});
