import { describe, expect, it } from 'vitest';
import { DynamoError } from '../../values/service-error.ts';
import { alone, lengthAtLeast, lengthAtMost, namePattern, unechoed, valueAtLeast, valueAtMost } from './constraint.ts';
import { compileDecoder } from './decoder.ts';
import {
  attributeMap,
  attributeValue,
  boolean,
  double,
  enumeration,
  integer,
  list,
  listOfStrings,
  long,
  map,
  mapByTable,
  required,
  type Shape,
  string,
  structure,
  tableName,
} from './shape.ts';

const context = { accountId: '123456789012', region: 'eu-west-1' };

function decodeWith<T>(shape: Shape<T>): (json: unknown) => T {
  const decode = compileDecoder(shape);
  return (json) => decode(json, 'GetItem', context);
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DynamoError) return `${error.name}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

interface Everything {
  readonly text?: string | undefined;
  readonly flag?: boolean | undefined;
  readonly count?: number | undefined;
  readonly big?: number | undefined;
  readonly exact?: number | undefined;
  readonly names?: readonly string[] | undefined;
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly inner?: { readonly text?: string | undefined } | undefined;
  readonly inners?: readonly { readonly text?: string | undefined }[] | undefined;
  readonly keys?: readonly object[] | undefined;
  readonly lists?: Readonly<Record<string, readonly { readonly text?: string | undefined }[]>> | undefined;
  readonly value?: object | undefined;
  readonly item?: object | undefined;
}

const inner = structure<{ readonly text?: string | undefined }>('Inner', { text: string() });

const everything = decodeWith(
  structure<Everything>('Everything', {
    text: string(),
    flag: boolean,
    count: integer(),
    big: long(),
    exact: double,
    names: list(string()),
    aliases: map(string()),
    inner,
    inners: list(inner),
    keys: list(attributeMap),
    lists: map(list(inner)),
    value: attributeValue,
    item: attributeMap,
  }),
);

const cast =
  'class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class ' +
  '(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader ' +
  "'bootstrap')";
const attributeMapArray =
  'Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>';
const structureStart = 'Start of structure or map found where not expected';

describe('wrong JSON types', () => {
  it.each<[string, unknown, string]>([
    ['Text', true, 'TRUE_VALUE cannot be converted to String'],
    ['Text', false, 'FALSE_VALUE cannot be converted to String'],
    ['Text', 23, 'NUMBER_VALUE cannot be converted to String'],
    ['Text', 34.56, 'DECIMAL_VALUE cannot be converted to String'],
    ['Text', [], 'Unrecognized collection type class java.lang.String'],
    ['Text', {}, structureStart],
    ['Flag', '23', 'Unexpected token received from parser'],
    ['Flag', 23, 'NUMBER_VALUE cannot be converted to Boolean'],
    ['Flag', 34.56, 'DECIMAL_VALUE cannot be converted to Boolean'],
    ['Flag', [], 'Unrecognized collection type class java.lang.Boolean'],
    ['Flag', {}, structureStart],
    ['Count', '23', 'STRING_VALUE cannot be converted to Integer'],
    ['Count', true, 'TRUE_VALUE cannot be converted to Integer'],
    ['Count', [], 'Unrecognized collection type class java.lang.Integer'],
    ['Count', {}, structureStart],
    ['Big', '23', 'STRING_VALUE cannot be converted to Long'],
    ['Exact', false, 'FALSE_VALUE cannot be converted to Double'],
    ['Names', '23', 'Unexpected field type'],
    ['Names', {}, structureStart],
    ['Names', [1], 'NUMBER_VALUE cannot be converted to String'],
    ['Aliases', 23, 'Unexpected field type'],
    ['Aliases', [], 'Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>'],
    ['Aliases', { '#a': 1 }, 'NUMBER_VALUE cannot be converted to String'],
    ['Inner', 'a', 'Unexpected field type'],
    ['Inner', [], 'Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Inner'],
    ['Inners', ['a'], 'Unexpected value type in payload'],
    ['Inners', [[]], 'Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Inner'],
    ['Keys', ['a'], cast],
    ['Keys', [[]], attributeMapArray],
    ['Lists', { a: true }, cast],
    ['Lists', { a: {} }, structureStart],
    [
      'Lists',
      [],
      'Unrecognized collection type java.util.Map<java.lang.String, java.util.List<com.amazonaws.dynamodb.v20120810.Inner>>',
    ],
    ['Value', 'a', 'Unexpected field type'],
    ['Value', [], 'Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue'],
    ['Item', 'a', 'Unexpected field type'],
    ['Item', [], attributeMapArray],
    ['Item', { a: 'a' }, 'Unexpected value type in payload'],
  ])('DB-280 %s of %j', (member, value, message) => {
    expect(failure(() => everything({ [member]: value }))).toBe(`SerializationException: ${message}`);
  });

  it.each([[[]], ['a'], [1], [true], [null]])('DB-280 a body that is no object: %j', (json) => {
    expect(failure(() => everything(json))).toBe('SerializationException: ');
  });

  it('DB-280 is reported before any constraint, and in the order of the body', () => {
    const decode = decodeWith(
      structure<{ readonly first: string; readonly second: string }>('S', {
        first: required(string(lengthAtLeast(3))),
        second: required(string()),
      }),
    );
    expect(failure(() => decode({ First: '', Second: 1 }))).toMatch(/^SerializationException: NUMBER_VALUE/);
    expect(failure(() => decode({ Second: [], First: 1 }))).toMatch(/java\.lang\.String$/);
  });
});

describe('what is taken', () => {
  it('converts names and keeps absent members absent', () => {
    expect(everything({ Text: 'a', Inner: { Text: 'b' }, Inners: [{ Text: 'c' }, {}] })).toStrictEqual({
      text: 'a',
      inner: { text: 'b' },
      inners: [{ text: 'c' }, {}],
    });
  });

  it('passes over null and unknown members', () => {
    expect(everything({ Text: null, Item: null, Unknown: [1], __proto__: 1, toString: 1 })).toStrictEqual({});
    expect(everything(JSON.parse('{"__proto__":{"Text":"x"},"constructor":1}'))).toStrictEqual({});
  });

  it('takes the words for booleans', () => {
    const flags = ['true', 'TRUE', '1', 'yes', 'False', '0', 'NO'].map((Flag) => everything({ Flag }).flag);
    expect(flags).toStrictEqual([true, true, true, true, false, false, false]);
  });

  it('cuts fractions off and keeps integers in range', () => {
    expect(everything({ Count: 2.9, Big: -2.9, Exact: 2.9 })).toStrictEqual({ count: 2, big: -2, exact: 2.9 });
    expect(everything({ Count: 1e12, Big: 1e12 })).toStrictEqual({ count: 2_147_483_647, big: 1e12 });
    expect(everything({ Count: -1e12 })).toStrictEqual({ count: -2_147_483_648 });
    expect(everything({ Big: Infinity, Exact: Infinity })).toStrictEqual({ big: 2 ** 63, exact: Number.MAX_VALUE });
  });

  it('does not copy attribute values', () => {
    const body = { Item: { a: { S: 'x' } }, Value: { N: '1' } };
    const decoded = everything(body);
    expect(decoded.item).toBe(body.Item);
    expect(decoded.value).toBe(body.Value);
  });

  it('keeps keys that objects treat specially', () => {
    const decoded = everything(
      JSON.parse('{"Aliases":{"__proto__":"a","constructor":"b"},"Lists":{"__proto__":[{"Text":"x"}]}}'),
    );
    expect(Object.entries(decoded.aliases ?? {})).toStrictEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(Object.entries(decoded.lists ?? {})).toStrictEqual([['__proto__', [{ text: 'x' }]]]);
  });

  it('takes a null entry of a map for no entry', () => {
    expect(everything({ Aliases: { '#a': null, '#b': 'b' } }).aliases).toStrictEqual({ '#b': 'b' });
  });
});

interface Constrained {
  readonly name: string;
  readonly mode?: 'A' | 'B' | undefined;
  readonly limit?: number | undefined;
  readonly size?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly parts?: readonly { readonly name: string }[] | undefined;
  readonly tables?: Readonly<Record<string, readonly string[]>> | undefined;
}

const constrained = decodeWith(
  structure<Constrained>('Constrained', {
    mode: enumeration(['B', 'A']),
    name: required(tableName(namePattern, lengthAtLeast(3), lengthAtMost(5))),
    limit: integer(unechoed(valueAtLeast(1))),
    size: long(valueAtLeast(1), valueAtMost(10)),
    tags: listOfStrings([lengthAtMost(2), lengthAtLeast(1)], lengthAtMost(3)),
    parts: list(
      structure<{ readonly name: string }>('Part', { name: required(string(lengthAtLeast(1))) }),
      lengthAtMost(20),
    ),
    tables: mapByTable(list(string()), {
      keyConstraints: [lengthAtMost(5), lengthAtLeast(1), namePattern],
      valueConstraints: [lengthAtMost(2), lengthAtLeast(1)],
      echo: 'java',
      badKeys: 'with-others',
      join: (first, second) => [...first, ...second],
    }),
  }),
);

describe('violated constraints', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['required', {}, ["Value null at 'name' failed to satisfy constraint: Member must not be null"]],
    ['required, null', { Name: null }, ["Value null at 'name' failed to satisfy constraint: Member must not be null"]],
    [
      'length at least',
      { Name: 'ab' },
      ["Value 'ab' at 'name' failed to satisfy constraint: Member must have length greater than or equal to 3"],
    ],
    [
      'pattern and length at most',
      { Name: 'abc!!!' },
      [
        "Value 'abc!!!' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        "Value 'abc!!!' at 'name' failed to satisfy constraint: Member must have length less than or equal to 5",
      ],
    ],
    [
      'set of values, before the name as declared',
      { Name: 'ab', Mode: 'C' },
      [
        "Value 'C' at 'mode' failed to satisfy constraint: Member must satisfy enum value set: [B, A]",
        "Value 'ab' at 'name' failed to satisfy constraint: Member must have length greater than or equal to 3",
      ],
    ],
    [
      'unechoed',
      { Name: 'abc', Limit: 0 },
      ["Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"],
    ],
    [
      'value at most',
      { Name: 'abc', Size: 11 },
      ["Value '11' at 'size' failed to satisfy constraint: Member must have value less than or equal to 10"],
    ],
    [
      'elements of a list of strings',
      { Name: 'abc', Tags: ['ok', 'long', ''] },
      [
        "Value '[ok, long, ]' at 'tags' failed to satisfy constraint: Member must satisfy constraint: " +
          '[Member must have length less than or equal to 2, Member must have length greater than or equal to 1]',
      ],
    ],
    [
      'null in a list',
      { Name: 'abc', Tags: ['ok', null] },
      [
        "Value '[ok, null]' at 'tags' failed to satisfy constraint: Member must satisfy constraint: [Member must not be null]",
      ],
    ],
    [
      'members of elements',
      { Name: 'abc', Parts: [{ Name: 'x' }, {}, { Name: '' }] },
      [
        "Value null at 'parts.2.member.name' failed to satisfy constraint: Member must not be null",
        "Value '' at 'parts.3.member.name' failed to satisfy constraint: Member must have length greater than or equal to 1",
      ],
    ],
    [
      'keys of a map',
      { Name: 'abc', Tables: { 'a b': ['x'] } },
      [
        "Value '{a b=[x]}' at 'tables' failed to satisfy constraint: Map keys must satisfy constraint: " +
          '[Member must have length less than or equal to 5, Member must have length greater than or equal to 1, ' +
          'Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]',
      ],
    ],
    [
      'values of a map',
      { Name: 'abc', Tables: { abc: [] } },
      [
        "Value '{abc=[]}' at 'tables' failed to satisfy constraint: Map value must satisfy constraint: " +
          '[Member must have length less than or equal to 2, Member must have length greater than or equal to 1]',
      ],
    ],
  ])('DB-273 %s', (_, json, texts) => {
    const count = `${texts.length} validation error${texts.length > 1 ? 's' : ''} detected: `;
    expect(failure(() => constrained(json))).toBe(`ValidationException: ${count}${texts.join('; ')}`);
  });

  it('DB-273 lists ten at most', () => {
    const message = failure(() => constrained({ Mode: 'C', Parts: Array.from({ length: 15 }, () => ({})) }));
    expect(message).toMatch(/^ValidationException: 10 validation errors detected: Value 'C'/);
    expect(message.split('; ')).toHaveLength(10);
    expect(message).toContain("'parts.8.member.name'");
    expect(message).not.toContain("'parts.9.member.name'");
  });

  it('DB-273 reports some of them on their own', () => {
    const decode = decodeWith(
      structure<{ readonly mode: 'A'; readonly name: string; readonly other: string }>('S', {
        mode: required(enumeration(['A'])),
        name: required(tableName(alone(unechoed(lengthAtLeast(1))))),
        other: required(string(), 'Nothing but this'),
      }),
    );
    expect(failure(() => decode({ Mode: 'X', Name: '', Other: 'x' }))).toBe(
      "ValidationException: 1 validation error detected: Value at 'Name' failed to satisfy constraint: " +
        'Member must have length greater than or equal to 1',
    );
    expect(failure(() => decode({ Mode: 'X', Name: 'x' }))).toBe('ValidationException: Nothing but this');
  });

  it('DB-273 reports some only when nothing else is wrong, and prints some as JSON', () => {
    const decode = decodeWith(
      structure<{ readonly size: number; readonly tables: Readonly<Record<string, string>> }>('S', {
        tables: required(
          mapByTable(string(), {
            keyConstraints: [namePattern],
            valueConstraints: [],
            echo: 'json',
            badKeys: 'last',
            join: (first) => first,
          }),
        ),
        size: required(integer(valueAtLeast(1))),
      }),
    );
    expect(failure(() => decode({ Tables: { 'a b': 'x' }, Size: 0 }))).toMatch(
      /1 validation error detected: Value '0'/,
    );
    expect(failure(() => decode({ Tables: { 'a b': 'x' }, Size: 1 }))).toBe(
      `ValidationException: 1 validation error detected: Value '{"a b":"x"}' at 'tables' failed to satisfy constraint: ` +
        'Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]',
    );
  });

  it('DB-273 words some as the older layer does, when the request makes it so', () => {
    const decode = decodeWith(
      structure<{ readonly name: string; readonly mode?: 'A' | undefined }>(
        'S',
        { name: required(tableName(alone(unechoed(lengthAtLeast(1))))), mode: enumeration(['A']) },
        { older: (json) => 'Old' in json },
      ),
    );
    expect(failure(() => decode({ Name: '', Mode: 'X', Old: true }))).toBe(
      "ValidationException: 2 validation errors detected: Value '' at 'name' failed to satisfy constraint: " +
        "Member must have length greater than or equal to 1; Value 'X' at 'mode' failed to satisfy constraint: " +
        'Member must satisfy enum value set: [A]',
    );
    expect(failure(() => decode({ Name: '', Mode: 'X' }))).toMatch(/1 validation error detected: Value at 'Name'/);
  });

  it('prints whole structures as the service prints its classes', () => {
    const decode = decodeWith(
      structure<{ readonly parts: readonly { readonly first: string; readonly second?: string | undefined }[] }>('S', {
        parts: required(
          list(
            structure<{ readonly first: string; readonly second?: string | undefined }>(
              'Part',
              { first: required(string()), second: string() },
              { printed: ['Second', 'Hidden', 'First'] },
            ),
            lengthAtMost(1),
          ),
        ),
      }),
    );
    expect(failure(() => decode({ Parts: [{ First: 'a' }, { First: 'b', Second: 'c' }] }))).toBe(
      "ValidationException: 1 validation error detected: Value '[Part(second=null, hidden=null, first=a), " +
        "Part(second=c, hidden=null, first=b)]' at 'parts' failed to satisfy constraint: " +
        'Member must have length less than or equal to 1',
    );
  });
});

describe('table ARNs', () => {
  const arn = (region: string, account: string, rest: string): string =>
    `arn:aws:dynamodb:${region}:${account}:${rest}`;
  const here = arn('eu-west-1', '123456789012', 'table/abc.d-e_f');

  it('DB-132 decode to the name, where a table is named and as keys', () => {
    expect(constrained({ Name: here, Tables: { [here]: ['x'] } })).toMatchObject({
      name: 'abc.d-e_f',
      tables: { 'abc.d-e_f': ['x'] },
    });
  });

  const invalid = 'ValidationException: 1 validation error detected:';

  it.each([
    [arn('eu-west-2', '123456789012', 'table/abc'), 'AWS region'],
    ['arn:moon:dynamodb:eu-west-1:123456789012:table/abc', 'AWS partition'],
    [arn('eu-west-1', '123456789012', 'stream/abc'), 'resource type'],
  ])('DB-132 refuses %s for its %s', (name, part) => {
    expect(failure(() => constrained({ Name: name }))).toBe(`${invalid} Invalid ${part} in '${name}'`);
  });

  it.each([
    ['of an index', arn('eu-west-1', '123456789012', 'table/abc/index/i')],
    ['of a long name', arn('eu-west-1', '123456789012', `table/${'a'.repeat(256)}`)],
    ['without parts', 'arn:'],
    ['of another service', 'arn:aws:s3:eu-west-1:123456789012:table/abc'],
    ['that is too long', `arn:${'a'.repeat(2000)}`],
  ])('DB-132 refuses an ARN %s', (_, name) => {
    expect(failure(() => constrained({ Name: name }))).toContain(
      `${invalid} Value '${name}' at 'tableName' failed to satisfy constraint: Valid ARN format is 'arn:`,
    );
  });

  it('DB-132 denies the table of another account, before its region is looked at', () => {
    const name = arn('us-east-1', '999999999999', 'table/abc');
    expect(failure(() => constrained({ Name: name }))).toBe(
      'AccessDeniedException: User: arn:aws:iam::123456789012:root is not authorized to perform: dynamodb:GetItem on ' +
        `resource: ${name} because no resource-based policy allows the dynamodb:GetItem action`,
    );
  });

  it('is looked at after the constraints', () => {
    expect(failure(() => constrained({ Name: 'arn:x', Size: 0 }))).toMatch(/1 validation error detected: Value '0'/);
  });

  it('join what is asked of the same table by its name', () => {
    const both = { abc: ['x'], [arn('eu-west-1', '123456789012', 'table/abc')]: ['y'] };
    expect(constrained({ Name: 'abc', Tables: both })).toMatchObject({ tables: { abc: ['x', 'y'] } });
  });

  it('are told, for the answer to call the table the same', () => {
    const decode = compileDecoder(structure<{ readonly name: string }>('S', { name: required(tableName()) }));
    const told: string[][] = [];
    for (const Name of [here, 'abc', arn('eu-west-2', '123456789012', 'table/abc')]) {
      try {
        decode({ Name }, 'GetItem', context, (...named) => told.push(named));
      } catch {
        told.push([]);
      }
    }
    expect(told).toEqual([['abc.d-e_f', here], []]);
  });
});
