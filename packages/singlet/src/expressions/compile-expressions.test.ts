import { describe, expect, it } from 'vitest';
import { reservedWords } from '../values/reserved-words.ts';
import type { UncheckedAttributeMap } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { ExpressionOperation, ExpressionParameters } from './expression-parameters.ts';

/** The text with which a request is refused; undefined when it is accepted. */
function refusal(request: ExpressionParameters, operation: ExpressionOperation): string | undefined {
  try {
    compileExpressions(request, operation);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'ValidationException', status: 400 });
    return (error as Error).message;
  }
}

/** The text after `Invalid FilterExpression: `. */
function filterProblem(
  filterExpression: string,
  expressionAttributeValues?: UncheckedAttributeMap,
  expressionAttributeNames?: Record<string, string>,
): string | undefined {
  const message = refusal({ filterExpression, expressionAttributeValues, expressionAttributeNames }, 'Scan');
  return message?.replace('Invalid FilterExpression: ', '');
}

function updateProblem(
  updateExpression: string,
  expressionAttributeValues?: UncheckedAttributeMap,
  expressionAttributeNames?: Record<string, string>,
): string | undefined {
  const message = refusal({ updateExpression, expressionAttributeValues, expressionAttributeNames }, 'UpdateItem');
  return message?.replace('Invalid UpdateExpression: ', '');
}

const reserved = (name: string): string => `Attribute name is a reserved keyword; reserved keyword: ${name}`;
const misused = (name: string): string =>
  `The function is not allowed to be used this way in an expression; function: ${name}`;
const noName = (name: string): string =>
  `An expression attribute name used in the document path is not defined; attribute name: ${name}`;
const noValue = (name: string): string =>
  `An expression attribute value used in expression is not defined; attribute value: ${name}`;
const wrongCount = (operator: string, count: number): string =>
  `Incorrect number of operands for operator or function; operator or function: ${operator}, number of operands: ${count}`;
const wrongType = (operator: string, type: string): string =>
  `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`;
const needsPath = (name: string): string =>
  `Operator or function requires a document path; operator or function: ${name}`;
const notDistinct = (operator: string, path: string): string =>
  `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${path}`;
const overlap = (one: string, two: string): string =>
  `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ${one}, path two: ${two}`;
const conflict = (one: string, two: string): string =>
  `Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ${one}, path two: ${two}`;

describe('conditions and filters, by the order in which problems are reported (DB-223)', () => {
  it.each([
    // Visible in the text, from left to right
    ['a=a and whatever((:things)) > a', 'Invalid function name; function: whatever'],
    ['attRIbute_exIsts((views), #a)', 'Invalid function name; function: attRIbute_exIsts'],
    ['BEGINS_WITH(a, :b)', 'Invalid function name; function: BEGINS_WITH'],
    ['if_not_exists(s, :f) = :f', 'The function is not allowed in a condition expression; function: if_not_exists'],
    ['a = list_append(b, c)', 'The function is not allowed in a condition expression; function: list_append'],
    ['a=a and attribute_exists((views), (#a)) > b', misused('attribute_exists')],
    ['attribute_not_exists(things) > b', misused('attribute_not_exists')],
    ['attribute_type(things, :a) > b', misused('attribute_type')],
    ['begins_with(things, a) > b', misused('begins_with')],
    ['contains(:things, c) > b', misused('contains')],
    ['size(contains(a, b)) > a', misused('contains')],
    ['size(things)', misused('size')],
    ['NOT size(a)', misused('size')],
    ['(size(a)) AND b = c', misused('size')],
    ['a between b and attribute_exists(things)', misused('attribute_exists')],
    ['a in (b, attribute_exists(things))', misused('attribute_exists')],
    ['attribute_exists(views, #a)', reserved('views')],
    [':a < abOrT', reserved('abOrT')],
    ['m.COMMENT = :value', reserved('COMMENT')],
    ['set = :a', reserved('set')],
    ['l[4294967295] = :a', 'List index is not within the allowable range; index: [4294967295]'],
    ['l[999999999999999999999] = :a', 'List index is not within the allowable range; index: [999999999999999999999]'],
    ['views = :a AND foo(:a)', reserved('views')],
    // Then, condition by condition: placeholders
    ['attribute_exists(#Pictures.RearView, :a) and a=a', noName('#Pictures')],
    ['begins_with(Pictures.#RearView)', noName('#RearView')],
    ['(#P between :lo and :hi) and (#PC in (:cat1, :cat2))', noName('#P')],
    ['#4g > a', noName('#4g')],
    ['#_ > a', noName('#_')],
    ['(a)between(b.c[45].#d)and(:a)', noName('#d')],
    ['begins_with(:hello, #a, #b)', noValue(':hello')],
    [':a < :b', noValue(':a')],
    [':_ > a', noValue(':_')],
    ['a=b and :a < :b', noValue(':a')],
    [`${'a.'.repeat(32)}b = c`, 'The document path has too many nesting levels; nesting levels: 33'],
    [`a${'[0]'.repeat(1000)} = c`, 'The document path has too many nesting levels; nesting levels: 1001'],
    // The number of operands
    ['attribute_exists(things, a) and a=a', wrongCount('attribute_exists', 2)],
    ['attribute_not_exists(things, b)', wrongCount('attribute_not_exists', 2)],
    ['attribute_type(things)', wrongCount('attribute_type', 1)],
    ['begins_with(things)', wrongCount('begins_with', 1)],
    ['begins_with(things, size(a), b)', wrongCount('begins_with', 3)],
    ['contains(things)', wrongCount('contains', 1)],
    ['size(things, a) > b', wrongCount('size', 2)],
    [
      `a IN (${Array.from({ length: 101 }, () => 'b').join(',')})`,
      'The IN operator is provided with too many operands; number of operands: 101',
    ],
    // That the first operand is not among the others
    ['a = a AND #a = b AND :x > a', notDistinct('=', '[a]')],
    ['((a=a) OR (a=a))', notDistinct('=', '[a]')],
    ['a BETWEEN b AND a', notDistinct('BETWEEN', '[a]')],
    ['a IN (b, a)', notDistinct('IN', '[a]')],
    // Types
    ['attribute_type(a, size(a)) and a=a', wrongType('attribute_type', 'N')],
    [
      'attribute_type(ab.bc[1].a, SS)',
      wrongType(
        'attribute_type',
        '{S,SS,N,NS,B,BS,BOOL,NULL,L,M,HD,DOUBLE,FLOAT,HDS,FS,DOUBLESET,DICT,DECIMAL,INT,DECIMALSET,INTSET}',
      ),
    ],
    ['begins_with(a, size(a)) and a=a', wrongType('begins_with', 'N')],
    ['size(size(a)) > b', wrongType('size', 'N')],
    ['attribute_exists(size(a))', needsPath('attribute_exists')],
  ])('%s', (text, expected) => {
    expect(filterProblem(text)).toBe(expected);
  });

  it.each([
    ['#a <> a', notDistinct('<>', '[a]')],
    ['a > #a', notDistinct('>', '[a]')],
    ['contains(ab.bc[1].a, ab.bc[1].#a)', notDistinct('contains', '[ab, bc, [1], a]')],
    ['attribute_type(ab.bc[1].#a, ab.bc[1].a)', notDistinct('attribute_type', '[ab, bc, [1], a]')],
    ['begins_with(ab.bc[1].a, ab.bc[1].#a)', notDistinct('begins_with', '[ab, bc, [1], a]')],
  ])('first operands are compared by what they represent: %s', (text, expected) => {
    expect(filterProblem(text, undefined, { '#a': 'a' })).toBe(expected);
  });

  const values = {
    N: { N: '1' },
    B: { B: 'YQ==' },
    BOOL: { BOOL: true },
    NULL: { NULL: true },
    L: { L: [] },
    M: { M: {} },
    SS: { SS: ['1'] },
    NS: { NS: ['1'] },
    BS: { BS: ['YQ=='] },
  };
  const notString = Object.keys(values) as (keyof typeof values)[];
  const notPrefix = notString.filter((type) => type !== 'B');
  const notOrdered = notPrefix.filter((type) => type !== 'N');
  it.each([
    ...notString.map((type) => ['attribute_type(a, :a)', 'attribute_type', type] as const),
    ...notPrefix.map((type) => ['begins_with(a, :a)', 'begins_with', type] as const),
    ...notPrefix.map((type) => ['begins_with(:a, a)', 'begins_with', type] as const),
    ...(['N', 'BOOL', 'NULL'] as const).map((type) => ['size(:a) > a', 'size', type] as const),
    ['size(size(a)) > :a', 'size', 'N'],
    ['attribute_not_exists(size(:a))', 'size', 'N'],
    ...(['<', '<=', '>', '>='] as const).flatMap((comparator) =>
      notOrdered.map((type) => [`a ${comparator} :a`, comparator, type] as const),
    ),
    ...notOrdered.map((type) => [':a < a', '<', type] as const),
    ...notOrdered.map((type) => ['a BETWEEN :a AND :a', 'BETWEEN', type] as const),
    ...notOrdered.map((type) => [':a BETWEEN a AND b', 'BETWEEN', type] as const),
  ] as const)('types of literals (DB-226, DB-227, DB-229, DB-231): %s, %s, %s', (text, operator, type) => {
    expect(filterProblem(text, { ':a': values[type] })).toBe(wrongType(operator, type));
  });

  it.each(['a = :a', ':a <> a', 'a IN (:a)', 'contains(a, :a)', 'contains(:a, a)'])(
    'every type can be in %s (DB-231)',
    (text) => {
      for (const type of notString) expect(filterProblem(text, { ':a': values[type] })).toBeUndefined();
    },
  );

  it.each([
    ['attribute_exists(:a) and a=a', 'attribute_exists'],
    ['attribute_not_exists(size(:a))', 'attribute_not_exists'],
  ])('functions that want a path: %s', (text, name) => {
    expect(filterProblem(text, { ':a': { S: 'S' } })).toBe(needsPath(name));
  });

  it('attribute_type takes a value for its first operand', () => {
    expect(filterProblem('attribute_type(:a, :a)', { ':a': { S: 'S' } })).toBeUndefined();
    expect(filterProblem('attribute_type(:a, :b)', { ':a': { N: '1' }, ':b': { S: 'STRING' } })).toBe(
      'Invalid attribute type name found; type: STRING, valid types: {S,SS,N,NS,B,BS,BOOL,NULL,L,M}',
    );
  });

  it('the type that attribute_type asks for (DB-226)', () => {
    expect(filterProblem('attribute_type(a, :a)', { ':a': { S: 'STRING' } })).toBe(
      'Invalid attribute type name found; type: STRING, valid types: {S,SS,N,NS,B,BS,BOOL,NULL,L,M}',
    );
    for (const type of ['S', ...notString]) {
      expect(filterProblem('attribute_type(a, :a)', { ':a': { S: type } })).toBeUndefined();
    }
  });

  it.each([
    [{ N: '5' }, { N: '4' }, 'upper bound to be greater than or equal to lower bound', '{N:5}', '{N:4}'],
    [{ S: 'z' }, { S: 'a' }, 'upper bound to be greater than or equal to lower bound', '{S:z}', '{S:a}'],
    [{ B: 'eg==' }, { B: 'YQ==' }, 'upper bound to be greater than or equal to lower bound', '{B:eg==}', '{B:YQ==}'],
    [{ N: '1' }, { S: 'a' }, 'same data type for lower and upper bounds', '{N:1}', '{S:a}'],
  ])('bounds of BETWEEN: %j %j', (lower, upper, wanted, lowerText, upperText) => {
    expect(filterProblem('a BETWEEN :l AND :u', { ':l': lower, ':u': upper })).toBe(
      `The BETWEEN operator requires ${wanted}; lower bound operand: AttributeValue: ${lowerText}, upper bound operand: AttributeValue: ${upperText}`,
    );
    expect(filterProblem('a BETWEEN :l AND :l', { ':l': lower })).toBeUndefined();
  });

  it('accepts 32 levels, 100 operands of IN, and equal literals (DB-120, DB-197)', () => {
    expect(filterProblem(`${'a.'.repeat(31)}b = c`)).toBeUndefined();
    expect(filterProblem(`a IN (${Array.from({ length: 100 }, () => 'b').join(',')})`)).toBeUndefined();
    expect(filterProblem(':a > :a', { ':a': { N: '1' } })).toBeUndefined();
    expect(filterProblem('l[4294967294] = b')).toBeUndefined();
  });
});

describe('updates, by the order in which problems are reported (DB-237, DB-241, DB-247)', () => {
  const names = { '#a': 'a', '#b': 'b' };
  const values = { ':a': { S: 'a' }, ':b': { S: 'a' } };
  it.each([
    // Visible in the text
    [' set #c = :c set abOrt = true ', reserved('abOrt')],
    [' remove Absolute ', reserved('Absolute')],
    ['SET Name = :name', reserved('Name')],
    ['SET and = :a', reserved('and')],
    ['set #c = if_not_exist(:c) set c = d', 'Invalid function name; function: if_not_exist'],
    ['SET #r = contains(s, :n)', 'The function is not allowed in an update expression; function: contains'],
    ['SET #r = size(s)', 'The function is not allowed in an update expression; function: size'],
    ['SET #r = list_append(list_append(l, :t), :u)', misused('list_append')],
    ['SET #r = if_not_exists(l, list_append(l, :u))', misused('list_append')],
    ['set a = #c set c = :d', 'The "SET" section can only be used once in an update expression;'],
    ['remove #d set a = b remove e', 'The "REMOVE" section can only be used once in an update expression;'],
    ['add #d :e set a = b add e :f', 'The "ADD" section can only be used once in an update expression;'],
    ['delete #d :e set a = b delete #e :f', 'The "DELETE" section can only be used once in an update expression;'],
    ['REMOVE a[4294967295]', 'List index is not within the allowable range; index: [4294967295]'],
    // Names of written paths, then their overlaps
    ['SET #c = if_not_exists(:c)', noName('#c')],
    ['REMOVE x, #y, x', noName('#y')],
    ['SET a = :undefined, a = :undefined', overlap('[a]', '[a]')],
    // All names, then everything else, from the last action to the first
    ['SET x = #y, z = #w', noName('#w')],
    ['SET x = #y, z = :w', noName('#y')],
    ['SET #a = if_not_exists(:c)', noValue(':c')],
    ['SET x = :y, z = :w', noValue(':w')],
    [`SET a = ${'b.'.repeat(32)}c`, 'The document path has too many nesting levels; nesting levels: 33'],
    ['set a = if_not_exists(c)', wrongCount('if_not_exists', 1)],
    ['set a = list_append(c)', wrongCount('list_append', 1)],
    ['set a = if_not_exists(if_not_exists(a, b), c)', needsPath('if_not_exists')],
    ['set c = if_not_exists(a, a)', notDistinct('if_not_exists', '[a]')],
  ])('%s', (text, expected) => {
    expect(updateProblem(text, values, names)).toBe(expected);
  });

  it('a value where a path is wanted', () => {
    expect(updateProblem('set a = if_not_exists(:a, c)', { ':a': { S: 'a' } })).toBe(needsPath('if_not_exists'));
  });

  it.each([
    ['set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)', overlap('[c, [1], a]', '[c]')],
    ['set c.b.#c = a, c = a, #d = a', overlap('[c, b, c]', '[c]')],
    ['set a = b remove a, #c, #d', overlap('[a]', '[a]')],
    ['set #c[3].#d = a, #c[3] = a', overlap('[c, [3], [3]]', '[c, [3]]')],
    ['remove c, #c.a, #d', overlap('[c]', '[c, a]')],
    ['remove a, #c, a, #d', overlap('[a]', '[a]')],
    ['set #c[3].#d = a, #c.#d[3] = if_not_exists(a)', conflict('[c, [3], [3]]', '[c, [3], [3]]')],
    ['remove a.#c set a[1] = #d', conflict('[a, c]', '[a, [1]]')],
    ['SET a = :x REMOVE a.b', overlap('[a]', '[a, b]')],
  ])('paths: %s', (text, expected) => {
    expect(updateProblem(text, undefined, { '#c': 'c', '#d': '[3]' })).toBe(expected);
  });

  it.each([
    ['ADD', 'S', 'STRING'],
    ['ADD', 'B', 'BINARY'],
    ['ADD', 'NULL', 'NULL'],
    ['ADD', 'BOOL', 'BOOLEAN'],
    ['ADD', 'M', 'MAP'],
    ['ADD', 'L', 'LIST'],
    ['DELETE', 'S', 'STRING'],
    ['DELETE', 'N', 'NUMBER'],
    ['DELETE', 'L', 'LIST'],
  ] as const)('%s of %s (DB-244, DB-245)', (verb, type, longType) => {
    const value = {
      S: { S: 'a' },
      N: { N: '1' },
      B: { B: '' },
      NULL: { NULL: true },
      BOOL: { BOOL: true },
      M: { M: {} },
      L: { L: [] },
    };
    const request = { updateExpression: `${verb} a.b :a`, expressionAttributeValues: { ':a': value[type] } };
    const start = `Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ${verb}, operand type: ${longType}, typeSet: `;
    expect(refusal(request, 'UpdateItem')).toBe(`${start}ALLOWED_FOR_ADD_OPERAND`);
    expect(refusal(request, 'TransactUpdate')).toBe(`${start}ALLOWED_FOR_${verb}_OPERAND`);
  });

  it('looks at the last action first', () => {
    expect(updateProblem('set b = list_append(:a, a), c = if_not_exists(a) add a.b :a', { ':a': { S: 'a' } })).toBe(
      'Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND',
    );
  });

  const operands: Record<string, UncheckedAttributeMap[string]> = {
    ':a': { S: 'a' },
    ':b': { N: '1' },
    ':c': { B: 'YQ==' },
    ':d': { BOOL: true },
    ':e': { NULL: true },
    ':f': { SS: ['a'] },
    ':g': { NS: ['1'] },
    ':h': { BS: ['YQ=='] },
    ':i': { M: {} },
    ':j': { L: [] },
  };
  it.each([
    ['set a = list_append(:a, a)', 'list_append', 'S'],
    ['set a = list_append(a, :b)', 'list_append', 'N'],
    ['set a = list_append(:i, a)', 'list_append', 'M'],
    ['set a = a + :a', '+', 'S'],
    ['set a = :a + :c', '+', 'S'],
    ['set a = :c + a', '+', 'B'],
    ['set a = a + :d', '+', 'BOOL'],
    ['set a = a + :e', '+', 'NULL'],
    ['set a = a - :f', '-', 'SS'],
    ['set a = a - :g', '-', 'NS'],
    ['set a = a - :h', '-', 'BS'],
    ['set a = a - :j', '-', 'L'],
  ])('types of literals: %s', (text, operator, type) => {
    expect(updateProblem(text, operands)).toBe(wrongType(operator, type));
  });

  it.each([
    'SET a=:a, b=:b REMOVE c',
    'ADD n :n SET f = :s',
    'ADD m.n :n DELETE m.s :set',
    'SET a = if_not_exists(a, if_not_exists(b, :a))',
    'SET a = list_append(if_not_exists(l, :empty), :tail)',
    'SET a = if_not_exists(a, :n) + :n',
    'Set x[0] = y, x[1] = z rEMOVE w.#u',
  ])('accepts %s (DB-199, DB-237, DB-241)', (text) => {
    const all: UncheckedAttributeMap = {
      ':a': { S: 'a' },
      ':b': { S: 'b' },
      ':s': { S: 's' },
      ':n': { N: '1' },
      ':set': { SS: ['a'] },
      ':empty': { L: [] },
      ':tail': { L: [] },
    };
    const used = Object.fromEntries(Object.entries(all).filter(([name]) => new RegExp(`${name}\\b`).test(text)));
    const usedNames = text.includes('#u') ? { '#u': 'u' } : undefined;
    expect(updateProblem(text, Object.keys(used).length > 0 ? used : undefined, usedNames)).toBeUndefined();
  });
});

describe('projections (DB-219, DB-220)', () => {
  it.each([
    ['a, a', overlap('[a]', '[a]')],
    ['#x, #y', overlap('[x]', '[x]')],
    ['a, a.b.c', overlap('[a]', '[a, b, c]')],
    ['a.b, a', overlap('[a, b]', '[a]')],
    ['l, l[0]', overlap('[l]', '[l, [0]]')],
    ['a.b, a[0]', conflict('[a, b]', '[a, [0]]')],
    ['#undef, a, a', noName('#undef')],
    ['a.abOrT, bC', reserved('abOrT')],
    ['ADD', reserved('ADD')],
    ['Year', reserved('Year')],
    ['list[0].COMMENT', reserved('list')],
    [`${'a.'.repeat(32)}b`, 'The document path has too many nesting levels; nesting levels: 33'],
    ['l[4294967295]', 'List index is not within the allowable range; index: [4294967295]'],
    ['a.b, a.c, l[0], l[1]', undefined],
    [`${'a.'.repeat(31)}b`, undefined],
  ])('%s', (projectionExpression, expected) => {
    const usesNames = projectionExpression.includes('#x');
    const request = {
      projectionExpression,
      expressionAttributeNames: usesNames ? { '#x': 'x', '#y': 'x' } : undefined,
    };
    expect(refusal(request, 'GetItem')?.replace('Invalid ProjectionExpression: ', '')).toBe(expected);
  });
});

describe('reserved words (DB-121, DB-195)', () => {
  it('there are 573, and each of them, in any case, needs a placeholder', () => {
    expect(reservedWords).toHaveLength(573);
    for (const word of reservedWords) {
      for (const spelling of [word, word.toLowerCase()]) {
        const message = refusal({ projectionExpression: `a.${spelling}` }, 'GetItem');
        expect(message).toBe(`Invalid ProjectionExpression: ${reserved(spelling)}`);
      }
      expect(filterProblem('#w = :v', { ':v': { S: '' } }, { '#w': word })).toBeUndefined();
    }
  });
});

describe('several parameters', () => {
  it.each(['UpdateItem', 'TransactUpdate'] as const)('empty texts (DB-200): %s', (operation) => {
    const first = operation === 'UpdateItem' ? 'ConditionExpression' : 'UpdateExpression';
    expect(refusal({ conditionExpression: '', updateExpression: '' }, operation)).toBe(
      `Invalid ${first}: The expression can not be empty;`,
    );
  });

  it('of a Query the key condition comes first, then the filter, then the projection', () => {
    const values = { expressionAttributeValues: { ':0': { S: 'b' } } };
    const empty = (name: string): string => `Invalid ${name}: The expression can not be empty;`;
    const request = { keyConditionExpression: '', filterExpression: '', projectionExpression: '', ...values };
    expect(refusal(request, 'Query')).toBe(empty('KeyConditionExpression'));
    const withKey = { ...request, keyConditionExpression: 'a = :0' };
    expect(refusal(withKey, 'Query')).toBe(empty('FilterExpression'));
    expect(refusal({ ...withKey, filterExpression: 'a > b' }, 'Query')).toBe(empty('ProjectionExpression'));
  });

  it('what a key condition may not say is reported after everything else', () => {
    const request = { keyConditionExpression: 'a <> :a', expressionAttributeValues: { ':a': { S: 'a' } } };
    expect(refusal({ ...request, filterExpression: '' }, 'Query')).toBe(
      'Invalid FilterExpression: The expression can not be empty;',
    );
    expect(refusal({ ...request, expressionAttributeNames: { '#x': 'x' } }, 'Query')).toBe(
      'Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}',
    );
    expect(refusal(request, 'Query')).toBe(
      'Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: <>',
    );
  });

  it('a Query needs a key condition', () => {
    expect(refusal({ filterExpression: '' }, 'Query')).toBe(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  });

  it('placeholders may be used in any of the expressions (DB-198)', () => {
    const request = {
      keyConditionExpression: '#a = :a',
      filterExpression: '#b = :b',
      projectionExpression: '#c, #a',
      expressionAttributeNames: { '#a': 'a', '#b': 'b', '#c': 'c' },
      expressionAttributeValues: { ':a': { S: 'a' }, ':b': { S: 'b' } },
    };
    expect(refusal(request, 'Query')).toBeUndefined();
  });

  it.each([
    ['Scan', 'filterExpression', 'FilterExpression', '; expression size: 4097'],
    ['TransactPut', 'conditionExpression', 'ConditionExpression', '; expression size: 4097'],
    ['TransactUpdate', 'updateExpression', 'UpdateExpression', ';'],
    ['PutItem', 'conditionExpression', 'ConditionExpression', '; expression size: 4097'],
    ['UpdateItem', 'updateExpression', 'UpdateExpression', ';'],
    ['GetItem', 'projectionExpression', 'ProjectionExpression', ';'],
  ] as const)('4 KB of UTF-8 at most (DB-120): %s', (operation, parameter, name, end) => {
    const head = parameter === 'updateExpression' ? 'REMOVE ' : parameter === 'projectionExpression' ? '' : 'NOT x = ';
    const fits = head + 'a'.repeat(4096 - head.length);
    expect(refusal({ [parameter]: fits }, operation)).toBeUndefined();
    expect(refusal({ [parameter]: `${fits}a` }, operation)).toBe(
      `Invalid ${name}: Expression size has exceeded the maximum allowed size${end}`,
    );
    expect(refusal({ [parameter]: 'ä'.repeat(2049) }, operation)).toContain('Expression size has exceeded');
  });

  it('gives the same answer for a text that it knows already', () => {
    for (let repetition = 0; repetition < 3; repetition += 1) {
      expect(filterProblem('a = :v')).toBe(noValue(':v'));
      expect(filterProblem('a = :v', { ':v': { S: '' } })).toBeUndefined();
      expect(refusal({ conditionExpression: 'a = :v' }, 'PutItem')).toBe(
        `Invalid ConditionExpression: ${noValue(':v')}`,
      );
    }
  });
});
