import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { mixed } from '../../../test/patterns.model.ts';
import { shop } from '../../../test/shop.model.ts';
import { testDatabase } from '../../../test/test-database.ts';
import type { Model } from '../../model.ts';
import { parseTemplate } from '../../keys/template.ts';
import { resolve } from '../../resolve/resolve.ts';
import type { StoredItem } from '../../run/attribute-value.ts';
import { seed } from '../../samples/seed.ts';
import { draftModel } from '../draft.ts';
import { inferModel } from './infer-model.ts';
import { sampleTable } from './sample-table.ts';

/** What two templates have in common if their encoders differ only on values that the sample does not contain. */
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

/** Every template of the model has the structure of the inferred one or of an equivalent one, and all produce the same keys. */
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
  const found = await inferred(shop, 40);
  compare(shop, found);
  expect(found.draft.entities.map(({ name }) => name).sort()).toEqual(['Customer', 'Order', 'OrderItem']);
  const customer = found.draft.entities.find(({ name }) => name === 'Customer');
  expect(customer?.rules).toEqual({ unique: ['email'] });
  expect(customer?.unique?.['email']?.type).toBe('CustomerEmail');
  for (const { confidence, items } of found.entities) {
    expect(items).toBe(40);
    expect(confidence).toBeGreaterThan(0.6);
  }
});

test("a migration's checkpoints are not items of the application", async () => {
  await using database = await testDatabase(shop);
  const { client } = database;
  await seed(shop, { client, items: 5 });
  const checkpoint = { PK: { S: 'MIGRATION#0123456789ab' }, SK: { S: 'state' }, Type: { S: 'Migration' } };
  const Item = { ...checkpoint, Checkpoint: { S: '{}' } };
  await client.send(new PutItemCommand({ TableName: 'Shop', Item }));
  const { items } = await sampleTable('Shop', { client });
  expect(items.map(({ Type }) => Type?.S)).not.toContain('Migration');
  expect(items.length).toBe(20); // including the guards of five customers
});

test('cut times, padded and inverted numbers, shards, several forms and multi-attribute keys are found again', async () => {
  const found = await inferred(mixed, 60);
  // Copies are identified by their number, which no attribute contains. No unread message was generated.
  compare(mixed, found, ['DealsCache', 'Message']);
  const issue = found.draft.entities.find(({ name }) => name === 'Issue');
  expect(issue?.keys[1]?.forms).toEqual(
    expect.arrayContaining([
      { when: { status: 'Open' }, templates: ['REPO#{owner}#{repo}', 'ISSUE#OPEN#{number:inverse8}'] },
      { when: { status: 'Closed' }, templates: ['REPO#{owner}#{repo}', '#ISSUE#CLOSED#{number:08}'] },
    ]),
  );
  expect(found.draft.tables['Readings']).toMatchObject({ key: ['device', 'at:N'], type: 'kind' });
});

const description = (
  attributes: readonly string[],
  indexes: Readonly<Record<string, readonly string[]>> = {},
): object => {
  const schema = ([hash = '', range]: readonly string[]): object[] => [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' }]),
  ];
  const all = [...attributes, ...Object.values(indexes).flat()];
  return {
    TableName: 'things',
    KeySchema: schema(attributes),
    AttributeDefinitions: all.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, keys]) => ({
      IndexName,
      KeySchema: schema(keys),
    })),
  };
};
const texts = (item: Readonly<Record<string, string>>): StoredItem =>
  Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }]));
const numbers = Array.from({ length: 30 }, (_, i) => i);

describe('tables that were made without a model', () => {
  test('without a type attribute, kinds of items are told by their keys, and it says what that takes', () => {
    const { draft } = inferModel('things', [
      {
        description: description(['PK', 'SK']),
        items: numbers.flatMap((i) => [
          texts({ PK: `USER#u${i}`, SK: 'PROFILE', user: `u${i}` }),
          texts({ PK: `USER#u${i}`, SK: `ORDER#o${i}`, user: `u${i}`, order: `o${i}` }),
        ]),
      },
    ]);
    const charts = Object.fromEntries(draft.entities.map(({ name, keys }) => [name, keys[0]?.forms[0]?.templates]));
    expect(charts).toEqual({ Profile: ['USER#{user}', 'PROFILE'], Order: ['USER#{user}', 'ORDER#{order}'] });
    expect(draft.notes.join(' ')).toContain('refuse items that have none');
  });

  test('attributes whose names are not those of TypeScript get others, in keys, conditions and guards as well', () => {
    const { draft, entities } = inferModel('things', [
      {
        description: description(['PK'], { 'by-state': ['GSI1PK'] }),
        expires: 'expires-at',
        items: numbers.flatMap((i) => [
          {
            ...texts({
              PK: `ORDER#o${i}`,
              Type: 'Order',
              'order-id': `o${i}`,
              'e.mail': `m${i}`,
              'order-state': i % 2 === 0 ? 'OPEN' : 'DONE',
              ...(i % 2 === 0 && { GSI1PK: `OPEN#o${i}` }),
            }),
            'expires-at': { N: '4000000000' },
          },
          texts({ PK: `MAIL#m${i}`, Type: 'OrderMail', 'e.mail': `m${i}`, 'order-id': `o${i}` }),
        ]),
      },
    ]);
    const [order, ...others] = draft.entities;
    expect(others).toEqual([]);
    expect(order?.keys.map(({ forms }) => forms)).toEqual([
      [{ templates: ['ORDER#{orderId}'] }],
      [{ when: { orderState: 'OPEN' }, templates: ['{orderState}#{orderId}'] }],
    ]);
    expect(order?.attributes.map(({ name, stored }) => [name, stored])).toContainEqual(['orderId', 'order-id']);
    expect(order?.rules).toEqual({ expires: 'expiresAt', unique: ['eMail'] });
    expect(order?.unique).toEqual({ eMail: { key: ['MAIL#{eMail}'], type: 'OrderMail' } });
    expect(entities[0]?.slots[0]?.template).toBe('ORDER#{orderId}');
    expect(resolve(draftModel(draft)).problems).toEqual([]);
  });

  test('an index of the type attribute has a constant for each entity', () => {
    const { draft } = inferModel('things', [
      {
        description: description(['PK'], { 'by-type': ['Type'] }),
        items: numbers.map((i) => texts({ PK: `USER#u${i}`, Type: i % 2 === 0 ? 'User' : 'Guest', user: `u${i}` })),
      },
    ]);
    expect(draft.entities.map(({ name, keys }) => [name, keys[1]?.forms])).toEqual([
      ['User', [{ templates: ['User'] }]],
      ['Guest', [{ templates: ['Guest'] }]],
    ]);
    expect(resolve(draftModel(draft)).problems).toEqual([]);
  });

  test('the type of items gets a name that no attribute has', () => {
    const { draft } = inferModel('things', [
      {
        description: description(['Type']),
        items: numbers.map((i) => texts({ Type: `t${i}`, name: `n${i % 3}` })),
      },
    ]);
    expect(draft.tables).toMatchObject({ things: { type: 'Type2' } });
    expect(resolve(draftModel(draft)).problems).toEqual([]);
  });

  test('keys that no attribute gives are attributes themselves', () => {
    const { draft, entities } = inferModel('things', [
      {
        description: description(['PK']),
        items: numbers.map((i) => texts({ PK: `USER#u${i}`, Type: 'User', name: `Name ${i % 4}` })),
      },
    ]);
    expect(draft.entities[0]?.keys[0]?.forms).toEqual([{ templates: ['{PK}'] }]);
    expect(draft.entities[0]?.attributes.map(({ name }) => name)).toEqual(['PK', 'name']);
    expect(entities[0]?.slots[0]).toMatchObject({ template: '{PK}', fits: 30 });
  });

  test('a sparse index has its condition, by value or by existence', () => {
    const { draft } = inferModel('things', [
      {
        description: description(['PK'], { Open: ['OPK', 'OSK'], Mail: ['MPK', 'MSK'] }),
        items: numbers.map((i) => ({
          ...texts({ PK: `T#${i}`, Type: 'Ticket', id: String(i), status: i % 3 === 0 ? 'OPEN' : 'DONE' }),
          ...(i % 3 === 0 ? texts({ OPK: 'OPEN', OSK: `T#${i}` }) : {}),
          ...(i % 2 === 0 ? texts({ mail: `m${i}@x`, MPK: `MAIL#m${i}@x`, MSK: `T#${i}` }) : {}),
        })),
      },
    ]);
    const keys = draft.entities[0]?.keys ?? [];
    expect(keys.find(({ place }) => place === 'Open')?.forms).toEqual([
      { when: { status: 'OPEN' }, templates: [expect.any(String), 'T#{id}'] },
    ]);
    expect(keys.find(({ place }) => place === 'Mail')?.forms).toEqual([{ templates: ['MAIL#{mail}', 'T#{id}'] }]);
  });

  const user = (i: number, more: Readonly<Record<string, string>> = {}): StoredItem =>
    texts({ PK: `USER#u${i}`, Type: 'User', user: `u${i}`, mail: `m${i}`, ...more });
  const mailOf = (i: number, owner = i): StoredItem =>
    texts({ PK: `MAIL#m${i}`, Type: 'Mail', mail: `m${i}`, user: `u${owner}` });
  const kinds = (items: readonly StoredItem[]): { readonly entities: string[]; readonly guards: object[] } => {
    const { draft, guards } = inferModel('things', [{ description: description(['PK']), items }]);
    return { entities: draft.entities.map(({ name }) => name).sort(), guards: [...guards] };
  };

  test('no kind of item is lost: it is an entity, or said to be the guard of one', () => {
    const guard = { type: 'Mail', table: 'things', items: 30, entity: 'User', attribute: 'mail' };
    const named = numbers.flatMap((i) => [user(i, { name: `Name ${i % 4}` }), mailOf(i)]);
    expect(kinds(named)).toEqual({ entities: ['User'], guards: [guard] });
    // Each could be the guard of the other.
    expect(kinds(numbers.flatMap((i) => [user(i), mailOf(i)]))).toEqual({ entities: ['Mail', 'User'], guards: [] });
    // An item that holds what otherwise only a user's guard holds is not a guard of that guard.
    const badges = numbers.map((i) => texts({ PK: `B#${i}`, Type: 'Badge', user: `u${i}`, mail: `m${i}` }));
    expect(kinds([...named, ...badges])).toMatchObject({ entities: expect.arrayContaining(['User', 'Badge']) });
  });

  test.each<[string, (i: number) => readonly StoredItem[]]>([
    ['another value than its owner', (i) => [mailOf(i, (i + 1) % 30)]],
    [
      'one owner with others',
      (i) => [mailOf(i), texts({ PK: `MAIL#x${i}`, Type: 'Mail', mail: `x${i}`, user: `u${i}` })],
    ],
    ['no owner in the sample', (i) => [mailOf(i, i + 100)]],
  ])('a kind of item that has %s is an entity', (_, mails) => {
    const items = numbers.flatMap((i) => [user(i, { name: `Name ${i % 4}` }), ...mails(i)]);
    expect(kinds(items)).toEqual({ entities: ['Mail', 'User'], guards: [] });
  });

  test('of no items, nothing is made up', () => {
    const { draft, entities } = inferModel('things', [{ description: description(['PK']), items: [] }]);
    expect(draft.entities).toEqual([]);
    expect(entities).toEqual([]);
    expect(draft.tables).toEqual({ things: { key: ['PK'] } });
  });
});
