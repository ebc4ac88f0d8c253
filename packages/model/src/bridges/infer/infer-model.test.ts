import { describe, expect, test } from 'vitest';
import { mixed } from '../../../test/patterns.model.ts';
import { shop } from '../../../test/shop.model.ts';
import { testDatabase } from '../../../test/test-database.ts';
import type { Model } from '../../model.ts';
import { parseTemplate, templateWriter } from '../../keys/template.ts';
import { resolve } from '../../resolve/resolve.ts';
import { sampleItems } from '../../samples/sample-items.ts';
import { seed } from '../../samples/seed.ts';
import { inferModel } from './infer-model.ts';
import { sampleTable } from './sample-table.ts';

/** What two templates have in common though their encoders differ on values that the sample has not. */
function structure(source: string): string {
  return parseTemplate(source)
    .template.parts.map((part) => (typeof part === 'string' ? part : `{${part.name}}`))
    .join('');
}

async function inferred(model: Model, items: number): Promise<ReturnType<typeof inferModel>> {
  await using database = await testDatabase(model);
  await seed(model, { client: database.client, items });
  const samples = await Promise.all(
    Object.keys(model.tables).map((table) => sampleTable(table, { client: database.client })),
  );
  return inferModel(model.name, samples);
}

/** Every template of the model is the inferred one, or one that would do as well, in structure; and all give the same keys. */
function compare(
  model: Model,
  { draft, entities }: ReturnType<typeof inferModel>,
  except: readonly string[] = [],
): void {
  for (const entity of resolve(model).entities.values()) {
    if (except.includes(entity.name)) continue;
    const found = draft.entities.find(({ type }) => type === entity.type);
    const evidence = entities.find((each) => each.entity === found?.name);
    const places = [{ place: entity.table.place, forms: [entity.key] }, ...entity.indexes];
    for (const { place, forms } of places) {
      const slots = evidence?.slots.filter((slot) => slot.place === place.name) ?? [];
      const expected = forms.flatMap(({ partition, sort }) => [...partition, ...sort]);
      expect(slots.length, `${entity.name} ${place.name}`).toBe(expected.length);
      for (const { attribute, template } of expected) {
        const options = slots
          .filter((slot) => slot.attribute === attribute)
          .flatMap((slot) => [slot.template, ...slot.alternatives].map(structure));
        expect(options, `${entity.name} ${place.name} ${attribute}`).toContain(structure(template.source));
      }
      for (const slot of slots) expect(slot.fits).toBe(slot.of);
    }
  }
}

test('a shop is found again in its tables: entities, templates, the guard of a unique attribute', async () => {
  const found = await inferred(shop as Model, 40);
  compare(shop as Model, found);
  expect(found.draft.entities.map(({ name }) => name).sort()).toEqual(['Customer', 'Order', 'OrderItem']);
  const customer = found.draft.entities.find(({ name }) => name === 'Customer');
  expect(customer?.rules).toEqual({ unique: ['email'] });
  expect(customer?.unique?.['email']?.type).toBe('CustomerEmail');
  for (const { confidence, items } of found.entities) {
    expect(items).toBe(40);
    expect(confidence).toBeGreaterThan(0.6);
  }
});

test('cut times, padded and inverted numbers, shards, several forms and multi-attribute keys are found again', async () => {
  const found = await inferred(mixed as Model, 60);
  // Copies are told by their number, which is in no attribute; no message was made up that is unread.
  compare(mixed as Model, found, ['DealsCache', 'Message']);
  const issue = found.draft.entities.find(({ name }) => name === 'Issue');
  expect(issue?.keys[1]?.forms).toEqual(
    expect.arrayContaining([
      { when: { status: 'Open' }, templates: ['REPO#{owner}#{repo}', 'ISSUE#OPEN#{number:inverse8}'] },
      { when: { status: 'Closed' }, templates: ['REPO#{owner}#{repo}', '#ISSUE#CLOSED#{number:08}'] },
    ]),
  );
  expect(found.draft.tables['Readings']).toMatchObject({ key: ['device', 'at:N'], type: 'kind' });
});
