import { Entity } from 'electrodb';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/test-database.ts';
import { check } from '../check/check.ts';
import { connect, type Model } from '../index.ts';
import { draftFromElectrodb, type ElectrodbSchema } from './electrodb.ts';
import { modelFile } from './model-file.ts';

const written = fileURLToPath(new URL('../../test/imported/electrodb.model.ts', import.meta.url));

const customer = {
  model: { entity: 'customer', service: 'Shop', version: '1' },
  attributes: {
    username: { type: 'string', required: true },
    email: { type: 'string', required: true, field: 'e' },
    level: { type: ['gold', 'silver'], default: 'silver' },
    tags: { type: 'set', items: 'string' },
    address: { type: 'map', properties: { street: { type: 'string', required: true }, zip: { type: 'string' } } },
  },
  indexes: {
    primary: {
      pk: { field: 'pk', composite: ['username'] },
      sk: { field: 'sk', composite: [] },
      collection: 'account',
    },
    byEmail: { index: 'gsi1', pk: { field: 'gsi1pk', composite: ['email'] }, sk: { field: 'gsi1sk', composite: [] } },
  },
} as const;

const order = {
  model: { entity: 'order', service: 'Shop', version: '2' },
  attributes: {
    username: { type: 'string', required: true },
    number: { type: 'number', required: true, padding: { length: 6, char: '0' } },
    status: { type: ['PLACED', 'SHIPPED'], required: true },
    note: { type: 'string' },
  },
  indexes: {
    primary: {
      pk: { field: 'pk', composite: ['username'] },
      sk: { field: 'sk', composite: ['number'] },
      collection: 'account',
    },
    byStatus: {
      index: 'gsi1',
      pk: { field: 'gsi1pk', composite: ['status'], template: 'STATUS#${status}', casing: 'none' },
      sk: { field: 'gsi1sk', composite: ['number', 'username'], casing: 'upper' },
    },
  },
} as const;

const schemas: readonly ElectrodbSchema[] = [customer, order];

test('items of electrodb are read, and electrodb reads what is written', async () => {
  const draft = draftFromElectrodb(schemas, { table: 'Shop' });
  await expect(modelFile(draft, { entry: '../../src/index.ts' })).toMatchFileSnapshot(written);
  const { shop } = await import('../../test/imported/electrodb.model.ts');
  expect(check(shop as Model).findings.filter(({ level }) => level === 'error')).toEqual([]);

  await using database = await testDatabase(shop);
  const { client } = database;
  const customers = new Entity(customer, { client, table: 'Shop' });
  const orders = new Entity(order, { client, table: 'Shop' });
  await customers.put({ username: 'Alex', email: 'Alex@Example.com', tags: ['new'], address: { street: 'Main' } }).go();
  await orders.put({ username: 'Alex', number: 7, status: 'PLACED' }).go();
  await orders.put({ username: 'Alex', number: 12, status: 'SHIPPED', note: 'rush' }).go();

  const db = connect(shop, { client });
  expect(await db.customer({ username: 'Alex' })).toEqual({
    username: 'Alex',
    email: 'Alex@Example.com',
    level: 'silver',
    tags: new Set(['new']),
    address: { street: 'Main' },
    edbVersion: '1',
  });
  expect((await db.customersByGsi1({ email: 'Alex@Example.com' })).items.map(({ username }) => username)).toEqual([
    'Alex',
  ]);
  expect((await db.ordersOfUsername({ username: 'Alex' })).items.map(({ number }) => number)).toEqual([7, 12]);
  expect((await db.ordersByGsi1({ status: 'SHIPPED' })).items.map(({ note }) => note)).toEqual(['rush']);

  await db.putOrder({ username: 'Alex', number: 9, status: 'PLACED', note: 'ours' });
  expect((await orders.get({ username: 'Alex', number: 9 }).go()).data).toEqual({
    username: 'Alex',
    number: 9,
    status: 'PLACED',
    note: 'ours',
  });
  const { data } = await orders.query.byStatus({ status: 'PLACED' }).go();
  expect(data.map(({ number }) => number)).toEqual([7, 9]);
});

test('keys of one attribute, scopes, clusters and number keys', () => {
  const odd: ElectrodbSchema = {
    model: { entity: 'Reading', service: 'Iot', version: '1' },
    attributes: {
      device: { type: 'string', required: true },
      at: { type: 'number', required: true },
      kind: { type: 'string', required: true },
    },
    indexes: {
      primary: {
        pk: { field: 'device', composite: ['device'] },
        sk: { field: 'at', composite: ['at'], cast: 'number' },
      },
      clustered: {
        index: 'gsi1',
        type: 'clustered',
        collection: ['all', 'some'],
        scope: 'Eu',
        pk: { field: 'gsi1pk', composite: ['kind'] },
        sk: { field: 'gsi1sk', composite: ['device'] },
      },
    },
  };
  const { entities, tables } = draftFromElectrodb([odd]);
  expect(tables['Iot']?.key).toEqual(['device', 'at:N']);
  expect(entities[0]?.keys.map(({ forms }) => forms[0]?.templates)).toEqual([
    ['{device}', '{at}'],
    ['$iot_eu#kind_{kind:lower}', '$all#some#device_{device:lower}#reading_1'],
  ]);
});
