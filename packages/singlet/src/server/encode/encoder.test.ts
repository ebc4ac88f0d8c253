import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ItemOutput, StoredItem } from '../../engine/index.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { attributes, boolean, double, item, list, long, map, pair, result, string } from '../shapes/shape.ts';
import { joinedBytes, UnjoinedBytes } from './answer-bytes.ts';
import { bodyChecksum } from './body-checksum.ts';
import { compileEncoder } from './encoder.ts';

interface Answer {
  readonly item?: ItemOutput;
  readonly items?: readonly ItemOutput[];
  readonly byTable?: Readonly<Record<string, readonly ItemOutput[]>>;
  readonly key?: AttributeMap;
  readonly name?: string;
  readonly flag?: boolean;
  readonly count?: number;
  readonly units?: number;
  readonly range?: readonly [number, number];
  readonly sseType?: string;
  readonly inner?: { readonly kmsMasterKeyArn?: string };
}

const encode = compileEncoder(
  result<Answer>({
    item,
    items: list(item),
    byTable: map(list(item)),
    key: attributes,
    name: string(),
    flag: boolean,
    count: long(),
    units: double,
    range: pair(double),
    sseType: string(),
    inner: result<{ readonly kmsMasterKeyArn?: string }>({ kmsMasterKeyArn: string() }),
  }),
);

const encodeJoined = (answer: Answer): Buffer => joinedBytes(encode(answer));
const text = (answer: Answer): string => encodeJoined(answer).toString('utf8');
const stored = (json: string): StoredItem => new StoredItem(Buffer.from(json), 0);

describe('answers', () => {
  it('leaves out what is undefined', () => {
    expect(text({})).toBe('{}');
    expect(text({ inner: {} })).toBe('{"Inner":{}}');
    expect(text({ count: 0, flag: false, name: '' })).toBe('{"Name":"","Flag":false,"Count":0}');
  });

  it('writes members in the order of the shape under their wire names', () => {
    expect(text({ sseType: 'KMS', inner: { kmsMasterKeyArn: 'a"b' }, range: [0, 1.5], units: 0.5 })).toBe(
      '{"Units":0.5,"Range":[0,1.5],"SSEType":"KMS","Inner":{"KMSMasterKeyArn":"a\\"b"}}',
    );
  });

  it('splices stored items in byte by byte', () => {
    // Blanks show that nothing was parsed and printed again.
    const items = [stored('{ "a" :{"S":"ü"}}'), { b: { N: '1' } }, stored('{"c":{"S":"𝄞"}}')];
    expect(text({ items, count: 3 })).toBe('{"Items":[{ "a" :{"S":"ü"}},{"b":{"N":"1"}},{"c":{"S":"𝄞"}}],"Count":3}');
    expect(text({ item: stored('{}') })).toBe('{"Item":{}}');
    expect(text({ items: [] })).toBe('{"Items":[]}');
  });

  it('keeps attribute and table names that objects treat specially', () => {
    const special = JSON.parse('{"__proto__":{"S":"a"},"toJSON":{"S":"b"},"constructor":{"S":"c"}}') as AttributeMap;
    expect(text({ key: special })).toBe(`{"Key":${JSON.stringify(special)}}`);
    const byTable = JSON.parse('{"__proto__":[{"a":{"S":"x"}}]}') as Record<string, ItemOutput[]>;
    expect(text({ byTable })).toBe('{"ByTable":{"__proto__":[{"a":{"S":"x"}}]}}');
  });

  it('is valid UTF-8 JSON of the same value, whatever mixture of items', () => {
    const attributeMap = fc.dictionary(
      fc.string({ unit: 'binary' }),
      fc.record({ S: fc.string({ unit: 'grapheme' }) }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), attributeMap)), fc.string({ unit: 'grapheme' }), (entries, name) => {
        const items = entries.map(([isStored, entry]) => (isStored ? stored(JSON.stringify(entry)) : entry));
        const answer = encode({ items, name });
        const bytes = joinedBytes(answer);
        expect(bodyChecksum(answer)).toBe(crc32(bytes));
        const expected = { Items: entries.map(([, entry]) => entry), Name: name };
        expect(bytes.equals(Buffer.from(JSON.stringify(expected)))).toBe(true);
      }),
    );
  });

  it('is the same for items behind headers, which are copied with them', () => {
    const header = fc.uint8Array({ maxLength: 20 });
    const attributeMap = fc.dictionary(fc.string(), fc.record({ S: fc.string({ maxLength: 2_000 }) }));
    fc.assert(
      fc.property(fc.array(fc.tuple(header, attributeMap), { minLength: 1, maxLength: 8 }), (entries) => {
        const items = entries.map(([head, entry]) => {
          const json = Buffer.from(JSON.stringify(entry));
          const bytes = Buffer.concat([head, json]);
          return new StoredItem(bytes, 0, undefined, head.length, bytes.length, crc32(json) | 0);
        });
        const answers = [encode({ items }), encode(items[0] === undefined ? {} : { item: items[0] })];
        const joined = answers.map(joinedBytes);
        expect(joined.map(String)).toEqual([
          JSON.stringify({ Items: entries.map(([, entry]) => entry) }),
          JSON.stringify({ Item: entries[0]?.[1] }),
        ]);
        for (const each of answers.toReversed()) expect(bodyChecksum(each)).toBe(crc32(joinedBytes(each)));
      }),
    );
  });

  it('is the same for long answers, which are not joined', () => {
    const attributeMap = fc.dictionary(
      fc.string(),
      fc.record({ S: fc.string({ unit: 'grapheme', maxLength: 1_500 }) }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), attributeMap), { minLength: 1, maxLength: 12 }),
        fc.string({ unit: 'grapheme' }),
        fc.nat(20),
        (entries, name, offset) => {
          const bytes = Buffer.from(`,${entries.map(([, entry]) => JSON.stringify(entry)).join(',')}`, 'utf8');
          let start = 1;
          const items = entries.map(([isKnown, entry]) => {
            const end = start + Buffer.byteLength(JSON.stringify(entry));
            const checksum = isKnown ? crc32(bytes.subarray(start, end)) | 0 : undefined;
            const each = new StoredItem(bytes, 0, undefined, start, end, checksum);
            start = end + 1;
            return each;
          });
          const filler = stored(JSON.stringify({ filler: { S: 'x'.repeat(5_000) } }));
          const answer = encode({ items: [...items, filler], name });
          const expected = { Items: [...entries.map(([, entry]) => entry), filler.toMap()], Name: name };
          expect(answer).toBeInstanceOf(UnjoinedBytes);
          const expectedBytes = Buffer.from(JSON.stringify(expected), 'utf8');
          expect(answer.length).toBe(expectedBytes.length);
          expect(bodyChecksum(answer)).toBe(crc32(expectedBytes));
          const target = Buffer.alloc(offset + answer.length);
          if (answer instanceof UnjoinedBytes) answer.copyTo(target, offset);
          expect(target.subarray(offset).equals(expectedBytes)).toBe(true);
          expect(joinedBytes(answer).equals(expectedBytes)).toBe(true);
        },
      ),
    );
  });

  it('is the same for items that lie side by side in memory, whatever is between them', () => {
    const items = fc.array(
      fc.tuple(fc.dictionary(fc.string(), fc.record({ S: fc.string() })), fc.constantFrom(',', '', ';', ',,', 'é')),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(items, fc.boolean(), (entries, isReversed) => {
        const bytes = Buffer.from(entries.map(([entry, between]) => JSON.stringify(entry) + between).join(''), 'utf8');
        let start = 0;
        const side = entries.map(([entry, between]) => {
          const end = start + Buffer.byteLength(JSON.stringify(entry));
          const item = new StoredItem(bytes, 0, undefined, start, end);
          start = end + Buffer.byteLength(between);
          return item;
        });
        const maps = entries.map(([entry]) => entry);
        const shown = isReversed ? side.toReversed() : side;
        const expected = { Items: isReversed ? maps.toReversed() : maps };
        expect(text({ items: shown })).toBe(JSON.stringify(expected));
      }),
    );
  });
});
