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
