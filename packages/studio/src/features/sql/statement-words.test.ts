import { describe, expect, test } from 'vitest';
import { completionsOf, type Vocabulary, withoutValues } from './statement-words.ts';

const vocabulary: Vocabulary = {
  tables: [
    { name: 'Shop', indexes: ['GSI1'], attributes: ['PK', 'SK', 'Price', 'Type'] },
    { name: 'my-logs', indexes: [], attributes: ['id'] },
  ],
  entities: new Map([['Shop', ['Customer', 'Order']]]),
};
const at = (text: string): readonly string[] => {
  const caret = text.indexOf('|');
  return completionsOf(text.replace('|', ''), caret, vocabulary)?.choices ?? [];
};

describe('WB-39: completion', () => {
  test.each([
    ['SELECT * FROM |', ['"Shop"', '"Shop"."GSI1"', '"my-logs"']],
    ['SELECT * FROM "Shop"."|', ['"Shop"."GSI1"']],
    ['select * from my|', ['"my-logs"']],
    ['DEL|', ['DELETE']],
    ['SELECT "P| FROM "Shop"', ['"PK"', '"Price"']],
    [`SELECT * FROM "Shop" WHERE "Type" = '|`, ['Customer', 'Order']],
    [`SELECT * FROM "Shop" WHERE "Type" = 'Cu|`, ['Customer']],
    [`SELECT * FROM "Shop" WHERE begins_with("SK", 'Pr|`, []],
    [`SELECT * FROM "my-logs" WHERE i|`, ['"id"', 'IN', 'IS', 'INSERT', 'INTO']],
  ])('%s', (text, choices) => {
    expect([...at(text)].sort()).toEqual([...choices].sort());
  });
});

describe('WB-39: a history without values', () => {
  test.each([
    [`SELECT * FROM "Shop" WHERE "PK" = 'it''s' AND "n2" > -1.5e3`, 'SELECT * FROM "Shop" WHERE "PK" = ? AND "n2" > ?'],
    [`INSERT INTO "T" VALUE {'PK': 'secret',\n 'n': 4111}`, 'INSERT INTO "T" VALUE {?: ?, ?: ?}'],
  ])('%s', (statement, kept) => {
    expect(withoutValues(statement)).toBe(kept);
  });
});
