import { expect, test } from 'vitest';
import { ksuid, ksuidParts } from './ids.ts';

test('S-51: a KSUID is taken apart and put together', () => {
  const parts = {
    string: '1YnlHOfSSk3DhX4BR6lMAceAo1V',
    raw: '0AF14D665D6068ACBE766CF717E210D69C94D115',
    time: '2020-03-07T13:02:30Z',
    timestamp: 183_586_150,
    payload: '5D6068ACBE766CF717E210D69C94D115',
  };
  expect(ksuidParts(parts.string)).toEqual(parts);
  expect(ksuid({ at: Date.parse(parts.time), random: Buffer.from(parts.payload, 'hex') })).toBe(parts.string);
});

test('S-51: the least and the greatest', () => {
  expect(ksuidParts('0'.repeat(27)).raw).toBe('0'.repeat(40));
  expect(ksuidParts('aWgEPTl1tmebfsQzFP4bxwgy80V').raw).toBe('F'.repeat(40));
  expect(() => ksuidParts('aWgEPTl1tmebfsQzFP4bxwgy80W')).toThrow('is not a KSUID');
  expect(() => ksuidParts('1YnlH')).toThrow('is not a KSUID');
  expect(() => ksuidParts('')).toThrow('is not a KSUID');
});

test('S-51: ids sort by the second they were made in', () => {
  const ids = Array.from({ length: 10_000 }, (_, second) => ksuid({ at: 1_600_000_000_000 + second * 1000 }));
  expect(ids.toSorted()).toEqual(ids);
});
