import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeTypeTag, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { parseItem, textOfValue, valueOfText } from './value-problem.ts';

const text = fc.string({ unit: 'binary' });
const digits = fc.stringMatching(/^-?[1-9][0-9]{0,37}$/);
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text.map((S) => ({ S })),
    digits.map((N) => ({ N })),
    fc.constantFrom({ N: '1E-130' }, { N: '9.9999999999999999999999999999999999999E+125' }, { N: '-0.10' }),
    fc.uint8Array().map((bytes) => ({ B: Buffer.from(bytes).toString('base64') })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true } as const),
    fc.uniqueArray(text, { minLength: 1 }).map((SS) => ({ SS })),
    fc.uniqueArray(digits, { minLength: 1 }).map((NS) => ({ NS })),
    fc.array(tie('value')).map((L) => ({ L })),
    fc.dictionary(fc.oneof(text, fc.constant('__proto__')), tie('value')).map((M) => ({ M })),
  ),
}));

describe('WB-25: values and what is typed', () => {
  test('the text of a field gives the same value again', () => {
    fc.assert(
      fc.property(value, (each) => {
        const [type] = Object.keys(each) as [AttributeTypeTag];
        expect(JSON.stringify(valueOfText(type, textOfValue(each)))).toBe(JSON.stringify(each));
      }),
    );
  });

  test('an item in JSON is the same item again', () => {
    fc.assert(
      fc.property(fc.dictionary(text, value), (item) => {
        expect(JSON.stringify(parseItem(JSON.stringify(item, undefined, 2)))).toBe(JSON.stringify(item));
      }),
    );
  });

  test.each([
    ['[]', 'An item is an object'],
    ['{"a":"b"}', 'a: a value has the form'],
    ['{"a":{}}', 'a: a value has one type, not 0'],
    ['{"a":{"S":"b","N":"1"}}', 'a: a value has one type, not 2'],
    ['{"a":{"N":1}}', 'a: a number is in quotes'],
    ['{"a":{"N":"one"}}', 'a: The parameter cannot be converted to a numeric value'],
    ['{"a":{"N":"123456789012345678901234567890123456789"}}', 'a: Attempting to store more than 38 significant digits'],
    ['{"a":{"SS":[]}}', 'a: a set has at least one element'],
    ['{"a":{"SS":["b","b"]}}', 'a: a set has each element once'],
    ['{"a":{"B":"?"}}', 'a: binary is written in Base64'],
    ['{"a":{"X":"b"}}', 'a: there is no type X'],
    ['{"a":{"M":{"b":{"L":[{"NULL":false}]}}}}', 'a.b[0]: NULL is true'],
    [`{"a":${'{"L":['.repeat(33)}${']}'.repeat(33)}}`, 'nested at most 32 levels deep'],
    ['{"a"', 'JSON'],
  ])('%s is not an item', (json, problem) => {
    expect(() => parseItem(json)).toThrow(problem);
  });
});
