import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Condition } from '../patterns/value.ts';
import type { SortBound } from '../resolve/resolved.ts';
import { casesOf } from './cases.ts';

/** A bound of a form that inputs choose, of an entity with one attribute. */
const bound = (picks: Condition | undefined, schema?: unknown): SortBound =>
  ({ picks, part: { entity: { attributes: new Map(schema === undefined ? [] : [['state', { schema }]]) } } }) as never;

const choices = (bounds: readonly SortBound[]): string[] =>
  casesOf(bounds).map(({ forms }) => forms.map((form) => bounds.indexOf(form)).join());

test('values that the schema of one entity does not have choose a form of another', () => {
  const bounds = [
    bound({ state: 'OPEN' }, z.enum(['OPEN', 'DONE'])),
    bound({ state: 'DONE' }, z.enum(['OPEN', 'DONE'])),
    bound({ state: 'LATE' }, z.enum(['DONE', 'LATE'])),
  ];
  expect(choices(bounds)).toEqual(['0', '1', '2']);
  const numbers = [bound({ state: { below: 10 } }, z.int().max(5)), bound({ state: { atLeast: 10 } }, z.int().min(0))];
  expect(choices(numbers)).toEqual(['0', '1']);
  expect(choices([bound({ state: 'x' }, z.string()), bound({ state: 7 }, z.literal(7))])).toEqual(['1', '', '0']);
});

test('of forms whose choice is unknown, each two may be read without the others', () => {
  const bounds = Array.from({ length: 10 }, (_, n) => bound({ 'document.state': n }));
  const found = choices([...bounds, bound(undefined)]);
  expect(found).toEqual(expect.arrayContaining(['10', '0,10', '9,10', '0,9,10', '8,9,10', '0,1,2,3,4,5,6,7,8,9,10']));
  expect(found).toHaveLength(1 + 10 + 45 + 1);
  expect(choices(bounds.slice(0, 3))).toHaveLength(8);
});
