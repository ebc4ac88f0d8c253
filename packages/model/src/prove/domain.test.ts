import { expect, test } from 'vitest';
import { z } from 'zod';
import { acceptedAsInput } from './domain.ts';

test.each([
  ['a schema that takes what it yields', z.string().trim(), [' b ', 'c'], ['b', 'c']],
  // Values of another form than the one that was checked: given again, they would be refused.
  [
    'a schema that changes text after its checks',
    z
      .string()
      .regex(/^[b-z7]+$/)
      .toUpperCase(),
    ['bc', 'BC', '7'],
    ['7'],
  ],
  ['a schema that refuses some values', z.string().max(2), ['a', 'abc', 4], ['a']],
  ['a schema that throws for some values', z.string().readonly(), ['a', new Uint8Array([1])], ['a']],
])('of %s, an input is what it takes again as it is', (_, schema, values, inputs) => {
  expect(acceptedAsInput(schema, values)).toEqual(inputs);
});
