import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mixed } from '../../test/patterns.model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { sampleItems } from './sample-items.ts';
import { sampleValue } from './sample-value.ts';

const source = { index: 3, at: Date.UTC(2026, 0, 2), random: () => 0.4 };

describe('a sample value', () => {
  const schemas: Readonly<Record<string, StandardSchema>> = {
    email: z.email(),
    userId: z.uuid(),
    status: z.enum(['OPEN', 'CLOSED']),
    optionalStatus: z.enum(['OPEN']).optional(),
    state: v.picklist(['ON', 'OFF']),
    mode: v.optional(v.picklist(['A', 'B'])),
    kind: type("'x' | 'y'"),
    createdAt: z.iso.datetime(),
    expiresAt: z.number().int(),
    tags: z.set(z.string()),
    address: z.record(z.string(), z.string()),
    paid: z.boolean(),
    code: v.pipe(v.string(), v.length(1)),
    part: z.string().regex(/^\d{2}$/),
  };

  test.each(Object.entries(schemas))('of %s is one that the schema accepts', (name, schema) => {
    const value = sampleValue(name, schema, source);
    expect(value).toBeDefined();
    expect(schema['~standard'].validate(value)).not.toHaveProperty('issues', expect.anything());
  });

  test.each([
    [z.int().min(0).max(5), 7, 1],
    [z.int().min(10).max(12), 4, 11],
    [z.number().min(2.5).max(4), 3, 4],
    [v.pipe(v.number(), v.integer(), v.minValue(-3), v.maxValue(-2)), 3, -2],
    [type('90 <= number.integer <= 99'), 20, 90],
  ])('of a bounded number is within its bounds, however many there are: %#', (schema, index, expected) => {
    expect(sampleValue('thing', schema, { ...source, index })).toBe(expected);
  });

  test('is missing where nothing fits', () => {
    expect(sampleValue('thing', z.string().regex(/^only this$/), source)).toBeUndefined();
  });
});

test('items of all entities are made up, with keys of their own and children of known parents', () => {
  const model = resolve(mixed);
  const items = [...sampleItems(model, { count: () => 4 })];
  const singletons = new Set(['Brands', 'FrontPage', 'DealsCache']);
  for (const { name } of model.entities.values()) {
    const found = items.filter(({ entity }) => entity.name === name);
    expect(found.length, name).toBe(singletons.has(name) ? 1 : 4);
  }
  for (const { entity, values } of items)
    for (const { entity: parent, by } of entity.parents.filter((each) =>
      each.by.every(([, child]) => values[child] !== undefined),
    ))
      expect(
        items.filter(
          (each) => each.entity.name === parent && by.every(([of, child]) => each.values[of] === values[child]),
        ),
        `${parent} of ${entity.name}`,
      ).toHaveLength(1);
  const forks = items.filter(({ entity, values }) => entity.name === 'Repo' && values['originalOwner'] !== undefined);
  expect(forks).toHaveLength(1);
  expect([...sampleItems(model, { count: () => 4 })]).toEqual(items);
});
