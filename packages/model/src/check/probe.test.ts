import { expect, test } from 'vitest';
import { z } from 'zod';
import { kindOf } from './probe.ts';

test.each([
  ['a time', z.iso.datetime(), true],
  ['a date', z.iso.date(), true],
  ['any text', z.string(), false],
  ['small letters and digits', z.string().regex(/^[a-z0-9-]+$/), false],
  // It also accepts 2024-01-15, so it is not recognised as a time.
  ['capital letters and digits', z.string().regex(/^[A-Z0-9-]+$/), false],
])('%s', (_, schema, isTime) => {
  expect(kindOf(schema).time).toBe(isTime);
});
