import { expect, test } from 'vitest';
import type { ItemRecord } from '../../transfer/formats/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { findItemText } from '../../values/item-text.ts';
import { RecordBatch } from './record-batch.ts';

const asMap = (item: UncheckedAttributeMap): ItemRecord => ({ line: 1, item });
/** A record as a line of an export. */
const asText = (item: UncheckedAttributeMap): ItemRecord => {
  const text = findItemText(Buffer.from(JSON.stringify(item)), 0);
  expect(text).toBeDefined();
  return { line: 1, item: text ?? item };
};
const added = (keyNames: readonly string[], ...records: ItemRecord[]): readonly boolean[] => {
  const batch = new RecordBatch(keyNames);
  return records.map((record) => batch.add(record));
};

test('takes 25 records', () => {
  const records = Array.from({ length: 26 }, (_, n) => asText({ pk: { N: String(n) } }));
  expect(added(['pk'], ...records)).toEqual(records.map((_, n) => n < 25));
});

test('takes no item twice, however its key is written', () => {
  const one = { pk: { N: '1' }, sk: { S: 'ä"' } };
  const records = [
    asText(one),
    asText({ other: { S: 'x' }, sk: one.sk, pk: one.pk }),
    asMap(one),
    asMap({ ...one, pk: { N: '1.0' } }),
    asMap({ ...one, pk: { N: '10e-1' } }),
    asMap({ ...one, pk: { N: '2.0' } }),
    asText({ ...one, pk: { N: '2' } }),
    asText({ ...one, pk: { S: '1' } }),
    asText({ ...one, sk: { S: 'ä' } }),
  ];
  expect(added(['pk', 'sk'], ...records)).toEqual([true, false, false, false, false, true, false, true, true]);
});

test('takes what has no key, or one that is no value: the table says what is wrong with it', () => {
  const records = [asText({ a: { S: 'x' } }), asMap({ pk: { N: 'x' } }), asMap({ toString: { S: 'x' } })];
  expect(added(['pk'], ...records)).toEqual([true, true, false]);
  expect(added(['toString'], asMap({}), asMap({}))).toEqual([true, false]);
});
