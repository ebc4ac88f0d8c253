import { expect, test } from 'vitest';
import { Entities } from './entities.ts';

const table = {
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
} as const;
const form = (PK: string, SK: string) => ({
  place: 'table',
  attributes: { PK: [{ text: PK }, { variable: 'id' }], SK: [{ text: SK }, { variable: 'id' }] },
});

test('WB-12: entities have the colours of the order in which the model declares them, and its names', () => {
  const entities = new Entities(table, [
    { name: 'Customer', table: 'Shop', type: { attribute: 'kind', value: 'cust' }, forms: [form('C#', 'C#')] },
    { name: 'Order.Line', table: 'Shop', type: null, forms: [form('C#', 'LINE.')] },
    { name: 'Order', table: 'Shop', type: null, forms: [form('C#', 'O#')] },
  ]);
  const named = (item: Record<string, { S: string }>) => entities.of(item)?.name;
  expect(entities.all).toEqual([]);
  expect(named({ PK: { S: 'C#a' }, SK: { S: 'O#1' } })).toBe('Order');
  expect(named({ PK: { S: 'C#a' }, SK: { S: 'LINE.1' } })).toBe('Order.Line');
  expect(named({ PK: { S: 'C#a' }, SK: { S: 'LINEx1' }, Type: { S: 'Other' } })).toBe('Other');
  expect(named({ PK: { S: 'C#a' }, SK: { S: 'O#1' }, kind: { S: 'cust' } })).toBe('Customer');
  expect(entities.all.map(({ name, color }) => [name, color])).toEqual([
    ['Customer', 1],
    ['Order.Line', 2],
    ['Order', 3],
    ['Other', 4],
  ]);
  expect(new Set(entities.all.map(({ badge }) => badge)).size).toBe(4);
});

test('WB-05: a partition key has the entity that it identifies, whatever is first in its collection', () => {
  const part = (text: string, ...variables: string[]) => [{ text }, ...variables.map((variable) => ({ variable }))];
  const entity = (name: string, PK: ReturnType<typeof part>, SK: ReturnType<typeof part>) => ({
    name,
    table: 'Shop',
    type: null,
    forms: [
      { place: 'GSI1', attributes: { GSI1PK: part('ORDER#', 'id') } },
      { place: 'table', attributes: { PK, SK } },
    ],
  });
  const entities = new Entities(table, [
    entity('Order', part('CUSTOMER#', 'name'), part('#ORDER#', 'id')),
    entity('Anything', [{ text: '' }, { variable: 'key' }], part('A')),
    entity('Customer', part('CUSTOMER#', 'name'), part('CUSTOMER#', 'name')),
    entity('Line', part('ORDER#', 'id'), part('ITEM#', 'item')),
    entity('Account', part('CUSTOMER#ACCOUNT#', 'name'), part('ACCOUNT')),
  ]);
  const named = (S: string) => entities.ofPartition({ S })?.name;
  expect(named('CUSTOMER#alex')).toBe('Customer');
  expect(named('CUSTOMER#ACCOUNT#1')).toBe('Account');
  expect(named('BOOK#1')).toBe('Anything');
  expect(named('ORDER#1')).toBeUndefined();
  expect(named('')).toBeUndefined();
  expect(new Entities(table, [entity('Order', part('C#', 'name'), part('O#', 'id'))]).ofPartition({ S: 'C#a' })).toBe(
    undefined,
  );
});
