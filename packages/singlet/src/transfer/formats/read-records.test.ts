import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { ItemText } from '../../values/item-text.ts';
import {
  dynamoDbJsonLine,
  FormatError,
  ionLineWriter,
  type ItemFormat,
  itemMapOf,
  type ItemRecord,
  readRecords,
} from './index.ts';
import { arbitraryChunkLengths, arbitraryItem, inChunks } from './testing/arbitrary-items.ts';

const recordBytesMax = 10_000;

interface Reading {
  readonly format: ItemFormat;
  readonly chunkLengths?: readonly number[];
  readonly keyTypes?: Readonly<Record<string, 'S' | 'N' | 'B'>>;
  readonly delimiter?: string;
  readonly headerList?: readonly string[];
}

async function recordsOf(text: string | Uint8Array, reading: Reading): Promise<readonly ItemRecord[]> {
  const { format, keyTypes = {}, delimiter, headerList } = reading;
  const csv = { keyTypes: new Map(Object.entries(keyTypes)), delimiter, headerList };
  const chunks = inChunks(Buffer.from(text as string), reading.chunkLengths ?? [64]);
  const records: ItemRecord[] = [];
  for await (const record of readRecords(chunks, { format, csv, recordBytesMax })) {
    records.push({ ...record, item: itemMapOf(record) });
  }
  return records;
}

async function itemsOf(text: string | Uint8Array, reading: Reading): Promise<readonly unknown[]> {
  return (await recordsOf(text, reading)).map(({ item }) => item);
}

/** `line: reason` of the error that ends the reading. */
async function problemOf(text: string | Uint8Array, reading: Reading): Promise<string> {
  try {
    await recordsOf(text, reading);
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
  return 'none';
}

describe('DynamoDB JSON', () => {
  const format = 'DYNAMODB_JSON';

  test('what is written is read again, in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryItem, { maxLength: 4 }),
        arbitraryChunkLengths,
        async (items, chunkLengths) => {
          const text = items.map(dynamoDbJsonLine).join('');
          expect(await itemsOf(text, { format, chunkLengths })).toEqual(items);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a line that an export wrote comes as text, any other parsed', async () => {
    const lines = [
      '{"Item":{"pk":{"S":"ä"}}}',
      '{"Item":{"pk":{"S":"a"}} }',
      '{"Item":{"pk":{"N":"1.0"}}}',
      '{"Item":{"pk":{"S":"a"}},"other":1}',
      '{"Item":{"pk":{"S":"a"}}}\r',
      '{"Item":{}}',
    ];
    const areTexts: boolean[] = [];
    for await (const { item } of readRecords(inChunks(Buffer.from(lines.join('\n')), [7]), {
      format,
      recordBytesMax,
    })) {
      areTexts.push(item instanceof ItemText);
    }
    expect(areTexts).toEqual([true, false, false, false, false, true]);
  });

  test('a line that looks plain and is not UTF-8 ends the reading', async () => {
    const text = Buffer.from('{"Item":{"pk":{"S":"a\xff"}}}', 'latin1');
    expect(await problemOf(text, { format })).toBe('line 1: not UTF-8 text');
  });

  test('empty and blank lines are passed over, and lines are counted with them', async () => {
    const text = '\n{"Item":{"pk":{"S":"a"}}}\n   \r\n{"Item":{"pk":{"S":"b"}}}';
    expect(await recordsOf(text, { format })).toEqual([
      { line: 2, item: { pk: { S: 'a' } } },
      { line: 4, item: { pk: { S: 'b' } } },
    ]);
  });

  test('a condition is read with its names and values', async () => {
    const record = {
      Item: { pk: { S: 'a' } },
      ConditionExpression: '#v < :v',
      ExpressionAttributeNames: { '#v': 'v' },
      ExpressionAttributeValues: { ':v': { N: '2' } },
    };
    expect(await recordsOf(JSON.stringify(record), { format })).toEqual([
      {
        line: 1,
        item: record.Item,
        condition: {
          conditionExpression: '#v < :v',
          expressionAttributeNames: { '#v': 'v' },
          expressionAttributeValues: { ':v': { N: '2' } },
        },
      },
    ]);
  });

  test.each([
    ['{"Item": ', 'line 1: not JSON: Unexpected end of JSON input'],
    ['{"Item":{}}\n[1]', 'line 2: there is no "Item" in it'],
    ['{"NotAnItem":{}}', 'line 1: there is no "Item" in it'],
    ['{"Item":[]}', 'line 1: Item is not a map of attribute values'],
    ['{"Item":{"a":"x"}}', 'line 1: Item.a is not an attribute value such as {"S":"…"}'],
    ['{"Item":{"a":{}}}', 'line 1: Item.a has no type'],
    ['{"Item":{"a":{"S":"x","N":"1"}}}', 'line 1: Item.a has more than one type'],
    ['{"Item":{"a":{"N":1}}}', 'line 1: Item.a: N is not a string'],
    ['{"Item":{"a":{"B":"!"}}}', 'line 1: Item.a: B is not base64'],
    ['{"Item":{"a":{"X":"1"}}}', 'line 1: Item.a: "X" is not an attribute type'],
    ['{"Item":{"a":{"L":[{"BOOL":"yes"}]}}}', 'line 1: Item.a[0]: BOOL is neither true nor false'],
    ['{"Item":{"a":{"SS":[1]}}}', 'line 1: Item.a: SS is not a list of strings'],
    ['{"Item":{"a":{"BS":["?"]}}}', 'line 1: Item.a: BS is not a list of base64 strings'],
    ['{"Item":{},"ConditionExpression":1}', 'line 1: ConditionExpression is not a string'],
    [
      '{"Item":{},"ConditionExpression":"x","ExpressionAttributeNames":{"#a":1}}',
      'line 1: ExpressionAttributeNames is not a map of strings',
    ],
  ])('%s is refused', async (text, problem) => {
    expect(await problemOf(text, { format })).toBe(problem);
  });

  test('bytes that are not UTF-8, endless lines and endless nesting are refused', async () => {
    expect(await problemOf(Uint8Array.of(0x7b, 0xff, 0x7d), { format })).toBe('line 1: not UTF-8 text');
    expect(await problemOf('x'.repeat(recordBytesMax + 1), { format })).toBe(
      'line 1: the line is longer than 10000 bytes',
    );
    const nested = `{"Item":{"a":${'{"L":['.repeat(300)}${']}'.repeat(300)}}}`;
    expect(await problemOf(nested, { format })).toMatch(/^line 1: Item\.a(\[0\])+ is nested too deeply$/);
  });
});

describe('Ion text', () => {
  const format = 'ION';

  test('what is written is read again, in any chunks', async () => {
    const line = await ionLineWriter();
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryItem, { maxLength: 4 }),
        arbitraryChunkLengths,
        async (items, chunkLengths) => {
          const read = await itemsOf(items.map(line).join(''), { format, chunkLengths });
          expect(read.map((item) => checkAttributeMap(item as AttributeMap))).toEqual(items);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('is written as the documentation shows it', async () => {
    const line = await ionLineWriter();
    const item: AttributeMap = {
      Authors: { SS: ['Author1', 'Author2'] },
      Dimensions: { S: '8.5 x 11.0 x 1.5' },
      ISBN: { S: '333-3333333333' },
      Id: { N: '103' },
      InPublication: { BOOL: false },
      PageCount: { N: '600' },
      Price: { N: '2000' },
      ProductCategory: { S: 'Book' },
      Title: { S: 'Book 103 Title' },
    };
    expect(line(item)).toBe(
      '$ion_1_0 {Item:{Authors:$dynamodb_SS::["Author1","Author2"],Dimensions:"8.5 x 11.0 x 1.5",ISBN:"333-3333333333",' +
        'Id:103.,InPublication:false,PageCount:6d2,Price:2d3,ProductCategory:"Book",Title:"Book 103 Title"}}\n',
    );
  });

  test('structs need no lines of their own; comments, long strings and blobs hide their braces', async () => {
    const text = `$ion_1_0 // a { comment
      /* another } */ {Item:{pk:"}",'sy}mbol':'''long } ' '' ''' '''string''',b:{{Lz8vLz8v}},e:1.5}}
      {
        Item:{pk:"two",n:[1,-2.50,7d-2]}}`;
    expect(await recordsOf(text, { format })).toEqual([
      {
        line: 1,
        item: { pk: { S: '}' }, 'sy}mbol': { S: "long } ' '' string" }, b: { B: 'Lz8vLz8v' }, e: { N: '15E-1' } },
      },
      { line: 3, item: { pk: { S: 'two' }, n: { L: [{ N: '1' }, { N: '-250E-2' }, { N: '7E-2' }] } } },
    ]);
  });

  test.each([
    ['{Item:{a:1e0}}', 'line 1: Ion type float has no attribute type'],
    ['{Item:{a:2024-01-01}}', 'line 1: Ion type timestamp has no attribute type'],
    ['{Item:{a:$dynamodb_NS::["x"]}}', 'line 1: an element of a $dynamodb_NS has another type'],
    ['{Item:{a:$dynamodb_XS::["x"]}}', 'line 1: the annotation $dynamodb_XS is not known'],
    ['\n\n{Item:{a:"x"', "line 3: not Ion text: expected ',' or '}'"],
    ['$ion_1_0\n"alone" {Item:{}}', 'line 1: a struct was expected, not string'],
    ['{NotAnItem:{}}', 'line 1: there is no "Item" in it'],
    [`{a:"${'x'.repeat(recordBytesMax)}"}`, 'line 1: the value that begins here is longer than 10000 bytes'],
  ])('%.30s is refused', async (text, problem) => {
    expect(await problemOf(text, { format })).toBe(problem);
  });

  test('binary Ion is refused', async () => {
    expect(await problemOf(Uint8Array.of(0xe0, 1, 0, 0xea), { format })).toBe('this is binary Ion; Ion text is read');
  });
});

describe('CSV', () => {
  const format = 'CSV';

  test('columns are strings, but keys have the types of their table', async () => {
    const text = 'pk,n,title\r\na,1.50,"Book ""7"", or\nnot"\nb,-2,\n';
    expect(await recordsOf(text, { format, keyTypes: { n: 'N' } })).toEqual([
      { line: 2, item: { pk: { S: 'a' }, n: { N: '1.50' }, title: { S: 'Book "7", or\nnot' } } },
      { line: 4, item: { pk: { S: 'b' }, n: { N: '-2' }, title: { S: '' } } },
    ]);
  });

  test('a header list takes the place of the first line, and the delimiter is any of six', async () => {
    for (const delimiter of [',', ';', ':', '|', '\t', ' ']) {
      expect(await itemsOf(`1${delimiter}2\n`, { format, delimiter, headerList: ['a', 'b'] })).toEqual([
        { a: { S: '1' }, b: { S: '2' } },
      ]);
    }
  });

  test.each([
    ['a,b\n1\n', 'line 2: not CSV: Invalid Record Length: expect 2, got 1 on line 2'],
    ['a,a\n1,2\n', 'line 1: the header names "a" twice'],
    ['a,\n1,2\n', 'line 1: a column of the header has no name'],
    ['id,value "123",x\n', /^line 1: not CSV: Invalid Opening Quote/],
  ])('%j is refused', async (text, problem) => {
    expect(await problemOf(text, { format })).toMatch(problem);
  });
});
