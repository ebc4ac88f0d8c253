import { expect, test } from 'vitest';
import { plainJson } from './plain-json.ts';

test('values that JSON lacks become what it has', () => {
  const value = { map: new Map([['a', new Set([1, 2])]]), bytes: Uint8Array.of(1, 2), big: 2n ** 70n, none: undefined };
  expect(plainJson(value)).toEqual({ map: { a: [1, 2] }, bytes: 'AQI=', big: '1180591620717411303424' });
  expect(plainJson(undefined)).toBeNull();
});
