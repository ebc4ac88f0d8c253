import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { entity } from '../../src/index.ts';
import type { Model } from '../../src/model.ts';

/*
 * What a schema yields is more than its JSON Schema says: patterns lose their flags there, and checks are listed although a function
 * replaces the value afterwards.
 */

/** A list in the order of one attribute, with this sort key. */
function inOrder(schema: unknown, sort: string): string[] {
  const attributes = { h: z.string().regex(/^[a-z]+$/), id: z.string().regex(/^[a-z0-9]{8}$/), v: schema };
  const { findings } = check({
    name: 'notes',
    entities: { Note: entity(attributes as never) },
    relationships: [],
    patterns: { create: { creates: 'Note' }, x: { reads: ['Note'], by: ['h'], order: 'v asc', limit: 5 } },
    tables: { Notes: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } },
    keys: { Note: { Notes: ['NOTE#{id}', 'NOTE'], GSI1: ['H#{h}', sort] } },
    storage: {},
    served: { create: 'PutItem', x: { query: 'GSI1' } },
  } as unknown as Model);
  return findings.filter(({ path, level }) => level === 'error' && path === 'served.x').map(({ code }) => code);
}

const letters = /^[a-z]+$/;
const two = z.int().min(10).max(99);

describe('a schema yields what its description leaves out', () => {
  test.each<[string, unknown, string]>([
    ['a pattern for any case', z.string().regex(/^[a-z]+$/i), '{v}_{id}'],
    ['such a pattern of valibot', v.pipe(v.string(), v.regex(/^[a-z]+$/i)), '{v}_{id}'],
    ['such a pattern of arktype', type(/^[a-z]+$/i), '{v}_{id}'],
    ['a pattern for one of several lines', z.string().regex(/^[a-z]+$/m), '{v}#{id}'],
    ['such a pattern of valibot', v.pipe(v.string(), v.regex(/^[a-z]+$/m)), '{v}#{id}'],
    ['such a pattern of arktype', type(/^[a-z]+$/m), '{v}#{id}'],
    ['such a pattern in a pipe', v.pipe(v.pipe(v.string(), v.regex(/^[a-z]+$/m)), v.minLength(1)), '{v}#{id}'],
    ['such a pattern in a list of schemas', z.union([z.string().regex(/^[a-z]+$/m), z.literal('a')]), '{v}#{id}'],
    ['such a pattern that is looked up later', z.lazy(() => z.string().regex(/^[a-z]+$/i)), '{v}_{id}'],
    ['small letters of arktype, among which others stay', type('string.lower'), '{v}#{id}'],
    ['trimmed text of arktype, which may have several lines', type('string.trim'), '{v}#{id}'],
    ['such text in a union', type('string.upper | 5'), '{v}#{id}'],
    ['a class with the syntax of the flag v', z.string().regex(new RegExp('^[[a-z]--[b]]$', 'v')), '{v}{id}'],
    ['text that is trimmed after its length is checked', z.string().min(4).max(4).trim(), '{v}{id}'],
    ['text in capitals after its pattern is checked', z.string().regex(letters).toUpperCase(), '{v}_{id}'],
    ['text that a function replaces', z.string().regex(letters).overwrite((text) => `${text}!`), '{v}#{id}'], // prettier-ignore
    ['a format that a function replaces', z.ulid().overwrite((text) => text.slice(0, 4)), '{v}{id}'],
    ['a number that a function replaces', two.overwrite((number) => number * 10), '{v}#{id}'],
    ['an enumeration that a function replaces', z.enum(['a', 'b']).overwrite(() => 'b!' as never), '{v}#{id}'],
    ['a value in the place of a refused one', two.catch(5), '{v}#{id}'],
    ['a value of a function in its place', two.catch(() => Date.now()), '{v}#{id}'],
    ['a fallback of valibot', v.fallback(v.pipe(v.number(), v.integer(), v.minValue(10), v.maxValue(99)), 5), '{v}#{id}'], // prettier-ignore
    ['a default that is beyond the bounds', two.default(5), '{v}#{id}'],
    ['a default that the pattern refuses', z.string().regex(letters).default('!'), '{v}#{id}'],
    ['a default that is in another form', z.iso.datetime({ precision: 0 }).default('2024-01-01T00:00:00.5Z'), '{v}#{id}'], // prettier-ignore
    ['a pattern with a dash in front of a class', z.string().regex(/^[.-\w]+$/), '{v}-{id}'],
    ['a pattern that only its metadata has', z.string().min(1).meta({ pattern: '^[b-z]{3}$' }), '{v}{id}'],
    ['lengths that only its metadata has', z.string().min(1).meta({ minLength: 3, maxLength: 3 }), '{v}{id}'],
    [
      'values that only its metadata has',
      z
        .string()
        .min(1)
        .meta({ enum: ['bcd', 'cde'] }),
      '{v}{id}',
    ],
    ['bounds that only its metadata has', z.int().min(0).meta({ minimum: 10, maximum: 99 }), '{v}#{id}'],
    ['such bounds within a union', z.union([z.int().min(0).meta({ minimum: 10, maximum: 99 }), z.literal(10)]), '{v}#{id}'], // prettier-ignore
    ['a default within a union', z.union([two.default(5), z.literal(10)]), '{v}#{id}'],
  ])('%s', (_, schema, sort) => {
    expect(inOrder(schema, sort)).toEqual(['order-not-served']);
  });
});

describe('a schema is as it says', () => {
  test.each<[string, unknown, string]>([
    ['a pattern for any case before what sorts below letters', z.string().regex(/^[a-z]+$/i), '{v}#{id}'],
    ['a pattern with other flags', z.string().regex(/^[a-z]+$/u), '{v}_{id}'],
    ['text that is changed before it is checked', z.string().trim().toLowerCase().regex(letters), '{v}_{id}'],
    ['small letters only, of arktype', type('string.lower.preformatted'), '{v}#{id}'],
    ['a default within the bounds', two.default(50), '{v}#{id}'],
    ['whole numbers between two that are excluded', z.int().gt(9).lt(100), '{v}#{id}'],
    ['such numbers of arktype', type('9 < number.integer < 100'), '{v}#{id}'],
    ['a default that fits the pattern', z.string().regex(letters).default('none'), '{v}_{id}'],
    ['a default that is a time of the form', z.iso.datetime({ precision: 0 }).default('2024-01-01T00:00:00Z'), '{v}#{id}'], // prettier-ignore
    ['a default of an enumeration', z.enum(['a', 'b']).default('a'), '{v}#{id}'],
    ['what a missing value is read as', two.prefault(50), '{v}#{id}'],
    ['a default of valibot', v.optional(v.pipe(v.number(), v.integer(), v.minValue(10), v.maxValue(99)), 50), '{v}#{id}'], // prettier-ignore
  ])('%s', (_, schema, sort) => {
    expect(inOrder(schema, sort)).toEqual([]);
  });
});

describe('an encoder that changes none of the values', () => {
  const word = z.string().regex(/^[a-z]+$/);
  test.each<[string, unknown, string]>([
    ['lower', word, '{v:lower}_{id}'],
    ['upper', z.string().regex(/^[A-Z0-9]+$/), '{v:upper}#{id}'],
    ['trim', word, '{v:trim}_{id}'],
    ['slug', z.string().regex(/^[a-z0-9]+$/), '{v:slug}#{id}'],
    ['escape', word, '{v:escape}_{id}'],
    ['bare', word, '{v:bare}_{id}'],
    ['digits that are padded to their own width', z.string().regex(/^\d{4}$/), '{v:04}{id}'],
    ['several', word, '{v:trim:lower:escape}_{id}'],
  ])('keeps them and their order: %s', (_, schema, sort) => {
    expect(inOrder(schema, sort)).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['capitals in lower case', z.string().regex(/^[a-zA-Z]+$/), '{v:lower}_{id}'],
    ['letters that ASCII does not have', z.string().regex(/^[^A-Z]+$/), '{v:lower}'],
    ['spaces that are trimmed', z.string().regex(/^[a-z ]+$/), '{v:trim}'],
    ['a dash in a slug', z.string().regex(/^[a-z-]+$/), '{v:slug}'],
    ['digits of another width', z.string().regex(/^\d{3}$/), '{v:04}{id}'],
    ['digits of any width', z.string().regex(/^\d{1,4}$/), '{v:04}{id}'],
    ['texts that are shards', word, '{v:lower:shard4}'],
  ])('is none: %s', (_, schema, sort) => {
    expect(inOrder(schema, sort)).not.toEqual([]);
  });
});

test.each<[string, unknown]>([
  ['an identifier', z.enum(['a', 'b']).meta({ id: 'Letter' })],
  ['a description', z.enum(['a', 'b']).describe('a letter')],
  ['a schema with an identifier in a union', z.union([z.enum(['a', 'b']).meta({ id: 'Letters' }), z.literal('c')])],
])('%s changes nothing', (_, schema) => {
  expect(inOrder(schema, '{v}#{id}')).toEqual([]);
});
