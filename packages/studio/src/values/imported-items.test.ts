import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { exportedItems, plainText } from './exported-items.ts';
import { type ImportedItem, type ImportFormat, importedItems, likelyFormat } from './imported-items.ts';

async function read(format: ImportFormat, text: string, pieceLength = 7): Promise<readonly ImportedItem[]> {
  async function* pieces(): AsyncGenerator<string> {
    for (let from = 0; from < text.length; from += pieceLength) yield text.slice(from, from + pieceLength);
  }
  const found: ImportedItem[] = [];
  for await (const each of importedItems(format, pieces(), { PK: 'S', at: 'N' })) found.push(each);
  return found;
}

const itemsIn = (found: readonly ImportedItem[]) => found.flatMap((each) => ('item' in each ? [each.item] : []));

test('WB-57: DynamoDB JSON on lines, as the service exports it, and as a list', async () => {
  const items: AttributeMap[] = [
    { PK: { S: 'a\n"b"' }, n: { N: '12345678901234567890123456789012345678' }, set: { NS: ['1', '2.50'] } },
    { PK: { S: '😀' }, deep: { M: { list: { L: [{ BOOL: true }, { NULL: true }] } } } },
  ];
  const lines = items.map((Item) => JSON.stringify({ Item })).join('\n');
  expect(itemsIn(await read('dynamodb-json', lines))).toEqual(items);
  expect(itemsIn(await read('dynamodb-json', items.map((item) => JSON.stringify(item)).join('\r\n')))).toEqual(items);
  expect(itemsIn(await read('dynamodb-json', exportedItems('dynamodb-json', items)))).toEqual(items);
});

test('WB-57: plain JSON keeps every digit of a number', async () => {
  const text =
    '{"PK":"a","n":12345678901234567890123456789012345678,"small":1E-130,"list":[1.50,{"x":null}],"\\u0001":"9"}';
  expect(itemsIn(await read('json', text))).toEqual([
    {
      PK: { S: 'a' },
      n: { N: '12345678901234567890123456789012345678' },
      small: { N: '1E-130' },
      list: { L: [{ N: '1.50' }, { M: { x: { NULL: true } } }] },
      '\u0001': { S: '9' },
    },
  ]);
});

test('WB-57: a line that cannot be read is named, and the others are read', async () => {
  const found = await read('dynamodb-json', '{"PK":{"S":"a"}}\n{"PK":{"S":5}}\n\n{oops\n{"PK":{"S":"b"}}');
  expect(found.map((each) => ('item' in each ? each.line : `${each.line}: ${each.problem.slice(0, 24)}`))).toEqual([
    1,
    '2: PK: text is in quotes',
    expect.stringMatching(/^4: /),
    5,
  ]);
  expect(await read('csv', 'PK,at\na,1\nb,2,3\nc,x\n')).toEqual([
    { line: 2, item: { PK: { S: 'a' }, at: { N: '1' } } },
    { line: 3, problem: '3 cells, but the first line has 2' },
    { line: 4, problem: expect.stringMatching(/^at: /) },
  ]);
});

test('WB-57: CSV with quotes, line ends in cells, empty and missing cells', async () => {
  const text = '\uFEFFPK,at,note\r\na,1,"x ""y"",\r\nz"\r\nb,2,""\r\nc,3,\r\n'.slice(1);
  expect(itemsIn(await read('csv', text, 1))).toEqual([
    { PK: { S: 'a' }, at: { N: '1' }, note: { S: 'x "y",\r\nz' } },
    { PK: { S: 'b' }, at: { N: '2' }, note: { S: '' } },
    { PK: { S: 'c' }, at: { N: '3' } },
  ]);
});

test('WB-57: what is exported as JSON comes back, whatever the pieces in which a file arrives', async () => {
  const value = fc.letrec<{ value: AttributeMap[string] }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.record({ S: fc.string({ unit: 'binary' }) }),
      fc.record({ N: fc.integer().map(String) }),
      fc.record({ BOOL: fc.boolean() }),
      fc.record({ L: fc.array(tie('value'), { maxLength: 3 }) }),
      fc.record({ M: fc.dictionary(fc.string(), tie('value'), { maxKeys: 3, noNullPrototype: true }) }),
    ),
  })).value;
  const item = fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 4, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 4 }), fc.integer({ min: 1, max: 50 }), async (items, length) => {
      const lines = items.map((each) => plainText({ M: each })).join('\n');
      expect(itemsIn(await read('json', lines, length))).toEqual(items);
      const typed = items.map((each) => JSON.stringify(each)).join('\n');
      expect(itemsIn(await read('dynamodb-json', typed, length))).toEqual(items);
    }),
  );
});

test.each([
  ['a.csv.gz', 'x', 'csv'],
  ['a.json', '{"Item":{"PK":{"S":"a"}}}', 'dynamodb-json'],
  ['a.json', '[\n  {\n    "PK": {', 'dynamodb-json'],
  ['a.jsonl', '{"PK":"a"}', 'json'],
  ['a.jsonl', '{"PK":{"name":"a"}}', 'json'],
])('WB-57: the format of %s beginning with %s is %s', (name, beginning, format) => {
  expect(likelyFormat(name, beginning)).toBe(format);
});
