import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DynamoError } from '../../values/service-error.ts';
import { checkAttributeMap, checkAttributeValue } from './attribute-value-json.ts';

function failure(value: unknown): string {
  try {
    checkAttributeValue(value, 'element');
  } catch (error) {
    if (error instanceof DynamoError) return error.name === 'SerializationException' ? error.message : error.name;
    throw error;
  }
  return 'accepted';
}

const list = 'Unexpected field type';
const base64 = 'Invalid last non-pad Base64 character dectected';

describe('JSON types of attribute values', () => {
  it.each<[unknown, string]>([
    [{ S: 1 }, 'NUMBER_VALUE cannot be converted to String'],
    [{ N: 1 }, 'NUMBER_VALUE cannot be converted to String'],
    [{ N: [] }, 'Unrecognized collection type class java.lang.String'],
    [{ B: 1 }, 'only base-64-encoded strings are convertible to bytes'],
    [{ B: true }, 'only base-64-encoded strings are convertible to bytes'],
    [{ B: [] }, 'Unrecognized collection type class java.nio.ByteBuffer'],
    [{ B: {} }, 'Start of structure or map found where not expected'],
    [{ B: '23456' }, 'Base64 encoded length is expected a multiple of 4 bytes but found: 5'],
    [{ B: '=+/=' }, base64],
    [{ B: '+/+=' }, base64],
    [{ BOOL: 1 }, 'NUMBER_VALUE cannot be converted to Boolean'],
    [{ BOOL: 'maybe' }, 'Unexpected token received from parser'],
    [{ NULL: {} }, 'Start of structure or map found where not expected'],
    [{ SS: 'a' }, list],
    [{ SS: {} }, 'Start of structure or map found where not expected'],
    [{ SS: [1] }, 'NUMBER_VALUE cannot be converted to String'],
    [{ NS: [1] }, 'NUMBER_VALUE cannot be converted to String'],
    [{ BS: ['23456'] }, 'Base64 encoded length is expected a multiple of 4 bytes but found: 5'],
    [{ L: 1 }, list],
    [{ L: ['a'] }, 'Unexpected value type in payload'],
    [{ L: [[]] }, 'Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue'],
    [{ L: [{ L: [{ S: 1 }] }] }, 'NUMBER_VALUE cannot be converted to String'],
    [{ M: 1 }, list],
    [
      { M: [] },
      'Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>',
    ],
    [{ M: { a: { M: { b: { N: true } } } } }, 'TRUE_VALUE cannot be converted to String'],
  ])('DB-280 refuses %j', (value, message) => {
    expect(failure(value)).toBe(message);
  });

  it('DB-025 lets any number of tags through: to refuse them is the meaning, not the form', () => {
    expect(failure({})).toBe('accepted');
    expect(failure({ S: '1', N: '1' })).toBe('accepted');
    expect(failure({ N: 'not a number', SS: [], NULL: false })).toBe('accepted');
  });

  it('DB-024 takes all ten types as they are', () => {
    const item = {
      s: { S: 'a' },
      n: { N: '1' },
      b: { B: 'AAEC' },
      bool: { BOOL: false },
      null: { NULL: true },
      l: { L: [{ S: 'a' }, { L: [] }] },
      m: { M: { a: { N: '1' } } },
      ss: { SS: ['a'] },
      ns: { NS: ['1'] },
      bs: { BS: ['AA=='] },
    };
    const before = structuredClone(item);
    checkAttributeMap(item, 'field');
    expect(item).toStrictEqual(before);
  });

  it('removes unknown and null tags, and turns null values into empty ones', () => {
    const map = JSON.parse(
      '{"a":{"X":1,"S":"x"},"b":{"S":null,"N":"1"},"c":null,"__proto__":{"S":null},"l":{"L":[null]}}',
    );
    checkAttributeMap(map, 'field');
    expect(JSON.stringify(map)).toBe('{"a":{"S":"x"},"b":{"N":"1"},"c":{},"__proto__":{},"l":{"L":[{}]}}');
  });

  it('converts words for booleans', () => {
    const map = { a: { BOOL: 'TRUE' }, b: { NULL: 'yes' } };
    checkAttributeMap(map, 'field');
    expect(map).toStrictEqual({ a: { BOOL: true }, b: { NULL: true } });
  });

  it('DB-273 refuses null in a set', () => {
    expect(failure({ SS: ['a', null] })).toBe('ValidationException');
    expect(failure({ NS: [null] })).toBe('ValidationException');
    expect(failure({ BS: [null] })).toBe('ValidationException');
  });

  it('DB-036 passes on what nests deeper than the service stores, but not without end', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'{"L":['.repeat(levels)}${']}'.repeat(levels)}`);
    expect(failure(nested(100))).toBe('accepted');
    expect(failure(nested(10_000))).toBe('');
    const map = JSON.parse(`${'{"M":{"a":'.repeat(10_000)}{"S":"x"}${'}}'.repeat(10_000)}`);
    expect(failure(map)).toBe('');
  });

  it('takes base64 exactly when decoding loses nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(failure({ B: Buffer.from(bytes).toString('base64') })).toBe('accepted');
      }),
    );
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const canonical = Buffer.from(text, 'base64').toString('base64') === text;
        expect(failure({ B: text }) === 'accepted').toBe(canonical);
      }),
    );
  });
});
