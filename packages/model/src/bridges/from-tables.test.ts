import { expect, test } from 'vitest';
import { draftFromTables } from './from-tables.ts';

test.each([
  ['orders', ['putOrders', 'orders', 'deleteOrders', 'ordersOfPk']],
  ['status', ['putStatus', 'status', 'deleteStatus', 'statusesOfPk']],
  ['box', ['putBox', 'box', 'deleteBox', 'boxesOfPk']],
])('a table %s has patterns named after it', (name, patterns) => {
  const draft = draftFromTables('shop', [
    {
      description: {
        TableName: name,
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      },
    },
  ]);
  expect(draft.patterns.map((each) => each.name)).toEqual(patterns);
});
