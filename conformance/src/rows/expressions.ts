import { matching, messageContaining } from '../matchers.ts';
import type { Matcher } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { reservedWords } from '../reserved-words.ts';
import { ALTERNATOR, CAPTURED_2026, docs, DYNALITE, MOTO } from '../sources.ts';
import { check, get, items, put, query, scan, update } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { L, M, N, S } from '../values.ts';

const EXPRESSIONS = docs('Using expressions in DynamoDB');
const key = { pk: S('x') };
const grammarWords = ['AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'SET', 'REMOVE', 'ADD', 'DELETE'];

/** A GetItem whose projection or placeholders are refused. */
function refusedGet(id: string, covers: string, source: string, more: JsonObject, message: string | Matcher): Row {
  return row(`expressions/${id}`, covers, source, { table: hashTable, steps: [get(key, more).invalid(message)] });
}

function refusedUpdate(id: string, covers: string, source: string, more: JsonObject, message: string | Matcher): Row {
  return row(`expressions/${id}`, covers, source, {
    table: hashTable,
    steps: [update(key, undefined, more).invalid(message), get(key).gives({})],
  });
}

export const expressionRows: readonly Row[] = [
  row('expressions/each-kind-on-its-action', 'DB-192', EXPRESSIONS, {
    table: rangeTable,
    items: [{ pk: S('x'), sk: S('1'), a: N(1) }],
    steps: [
      put(
        { pk: S('x'), sk: S('1'), a: N(2) },
        { ConditionExpression: 'a = :a', ExpressionAttributeValues: { ':a': N(1) } },
      ).gives({}),
      update({ pk: S('x'), sk: S('1') }, 'SET a = :a', { ExpressionAttributeValues: { ':a': N(3) } }).gives({}),
      query('pk = :p', { ':p': S('x'), ':a': N(3) }, { FilterExpression: 'a = :a', ProjectionExpression: 'a' }).gives(
        items({ a: N(3) }),
      ),
      get({ pk: S('x'), sk: S('1') }, { ProjectionExpression: 'a' }).gives({ Item: { a: N(3) } }),
    ],
  }),
  row('expressions/not-on-other-actions', 'DB-192', EXPRESSIONS, {
    table: hashTable,
    steps: [
      // The actions do not have these parameters, so they are ignored.
      put(key, { UpdateExpression: 'nonsense', FilterExpression: 'nonsense' }).gives({}),
      get(key, { ConditionExpression: 'nonsense', KeyConditionExpression: 'nonsense' }).gives({ Item: key }),
    ],
  }),
  row('expressions/names-by-placeholder', 'DB-194 DB-195', docs('Expression attribute names'), {
    table: hashTable,
    items: [{ ...key, Year: N(2010), 'a.b': N(1), '2nd': N(2), 'with blank': N(3), Ünï: N(4) }],
    steps: [
      get(key, {
        ProjectionExpression: '#y, #dotted, #digit, #blank, #accents',
        ExpressionAttributeNames: {
          '#y': 'Year',
          '#dotted': 'a.b',
          '#digit': '2nd',
          '#blank': 'with blank',
          '#accents': 'Ünï',
        },
      }).gives({ Item: { Year: N(2010), 'a.b': N(1), '2nd': N(2), 'with blank': N(3), Ünï: N(4) } }),
      get(key, { ProjectionExpression: '2nd' }).invalid(
        matching(/^Invalid ProjectionExpression: (Syntax error; token: "2|The)/),
      ),
    ],
  }),
  row('expressions/placeholder-names-may-start-with-a-digit', 'DB-194', ALTERNATOR, {
    table: hashTable,
    items: [{ ...key, a: N(1) }],
    steps: [
      update(key, 'SET #0 = :0', {
        ExpressionAttributeNames: { '#0': 'a' },
        ExpressionAttributeValues: { ':0': N(2) },
      }).gives({}),
      get(key, { ProjectionExpression: '#_a', ExpressionAttributeNames: { '#_a': 'a' } }).gives({ Item: { a: N(2) } }),
    ],
  }),
  row('expressions/reserved-word', 'DB-195 DB-121 DB-220', DYNALITE, {
    table: hashTable,
    steps: [
      update(key, 'SET Name = :n', { ExpressionAttributeValues: { ':n': S('x') } }).invalid(
        'Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: Name',
      ),
      update(key, 'SET #n = :n', {
        ExpressionAttributeNames: { '#n': 'Name' },
        ExpressionAttributeValues: { ':n': S('x') },
      }).gives({}),
      get(key, { ProjectionExpression: 'Year' }).invalid(
        'Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: Year',
      ),
      get(key, { ProjectionExpression: 'a.timestamp' }).invalid(
        'Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: timestamp',
      ),
      scan({ FilterExpression: 'attribute_exists(count)' }).invalid(
        'Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: count',
      ),
      put(key, { ConditionExpression: 'attribute_exists(Timezone)' }).invalid(
        'Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: Timezone',
      ),
    ],
  }),
  row('expressions/all-573-reserved-words', 'DB-121', docs('Reserved words'), {
    table: hashTable,
    steps: [
      check('each word, in a projection', async ({ send, expect }) => {
        expect('how many', reservedWords.length, 573);
        for (const word of reservedWords) {
          const bare = await send('GetItem', {
            TableName: '$T',
            Key: key,
            ProjectionExpression: `a.${word.toLowerCase()}`,
          });
          expect(`${word}: refused`, bare.status, 400);
          // The words of the grammar itself are refused as syntax errors.
          if (grammarWords.includes(word)) continue;
          const message = String((bare.body as JsonObject)['message']);
          expect(
            `${word}: why`,
            message.endsWith(`Attribute name is a reserved keyword; reserved keyword: ${word.toLowerCase()}`),
            true,
          );
        }
      }),
      check('each word, by placeholder', async ({ send, expect }) => {
        for (let start = 0; start < reservedWords.length; start += 100) {
          const words = reservedWords.slice(start, start + 100);
          const answer = await send('GetItem', {
            TableName: '$T',
            Key: key,
            ProjectionExpression: words.map((_, index) => `#w${index}`).join(','),
            ExpressionAttributeNames: Object.fromEntries(words.map((word, index) => [`#w${index}`, word])),
          });
          expect('accepted', answer.status, 200);
        }
      }),
    ],
  }),
  row('expressions/dot-means-nesting', 'DB-196', docs('Expression attribute names'), {
    table: hashTable,
    items: [{ ...key, a: M({ b: N(1) }), 'a.b': N(2) }],
    steps: [
      get(key, { ProjectionExpression: 'a.b' }).gives({ Item: { a: M({ b: N(1) }) } }),
      get(key, { ProjectionExpression: '#ab', ExpressionAttributeNames: { '#ab': 'a.b' } }).gives({
        Item: { 'a.b': N(2) },
      }),
      get(key, { ProjectionExpression: '#a.#b', ExpressionAttributeNames: { '#a': 'a', '#b': 'b' } }).gives({
        Item: { a: M({ b: N(1) }) },
      }),
    ],
  }),
  row('expressions/document-paths', 'DB-197', docs('Referring to item attributes'), {
    table: hashTable,
    items: [{ ...key, a: M({ b: L(N(0), N(1), M({ c: S('deep') })) }), l: L(L(S('00'), S('01')), L(S('10'))) }],
    steps: [
      get(key, { ProjectionExpression: 'a.b[2].c' }).gives({ Item: { a: M({ b: L(M({ c: S('deep') })) }) } }),
      get(key, { ProjectionExpression: 'l[0][1], l [ 1 ] [ 0 ]' }).gives({ Item: { l: L(L(S('01')), L(S('10'))) } }),
      get(key, { ProjectionExpression: 'a.b[9], a.x.y' }).gives({ Item: {} }),
    ],
  }),
  refusedGet(
    'negative-index',
    'DB-197',
    EXPRESSIONS,
    { ProjectionExpression: 'a[-1]' },
    messageContaining('Invalid ProjectionExpression: Syntax error; token: "-"'),
  ),
  refusedGet(
    'placeholder-as-an-index',
    'DB-197',
    EXPRESSIONS,
    { ProjectionExpression: 'a[:i]' },
    messageContaining('Invalid ProjectionExpression: Syntax error; token: ":i"'),
  ),

  refusedGet(
    'name-not-defined',
    'DB-198',
    DYNALITE,
    { ProjectionExpression: '#a' },
    'Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; attribute name: #a',
  ),
  refusedUpdate(
    'value-not-defined',
    'DB-198',
    CAPTURED_2026,
    { UpdateExpression: 'SET a = :v' },
    'Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute value: :v',
  ),
  refusedUpdate(
    'name-not-used',
    'DB-198',
    CAPTURED_2026,
    { UpdateExpression: 'REMOVE a', ExpressionAttributeNames: { '#unused': 'b' } },
    'Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}',
  ),
  refusedUpdate(
    'value-not-used',
    'DB-198',
    CAPTURED_2026,
    { UpdateExpression: 'SET a = :v', ExpressionAttributeValues: { ':v': N(1), ':unused': N(2) } },
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}',
  ),
  row('expressions/name-misspelt', 'DB-198', EXPRESSIONS, {
    table: rangeTable,
    steps: [
      query(
        'pk = :p AND #ot > :t',
        { ':p': S('x'), ':t': S('y') },
        { ExpressionAttributeNames: { '#osd': 'sk' } },
      ).invalid(
        'Invalid KeyConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #ot',
      ),
    ],
  }),
  refusedGet(
    'names-without-an-expression',
    'DB-198',
    DYNALITE,
    { ExpressionAttributeNames: { '#a': 'a' } },
    'ExpressionAttributeNames can only be specified when using expressions',
  ),
  refusedUpdate(
    'values-without-an-expression',
    'DB-198',
    DYNALITE,
    { ExpressionAttributeValues: { ':a': N(1) } },
    messageContaining('ExpressionAttributeValues can only be specified when using expressions'),
  ),
  row('expressions/values-without-an-expression-on-put', 'DB-198', DYNALITE, {
    table: hashTable,
    steps: [
      put(key, { ExpressionAttributeValues: { ':a': N(1) } }).invalid(
        messageContaining('ExpressionAttributeValues can only be specified when using expressions'),
      ),
    ],
  }),
  refusedGet(
    'empty-names',
    'DB-198',
    MOTO,
    { ProjectionExpression: 'a', ExpressionAttributeNames: {} },
    'ExpressionAttributeNames must not be empty',
  ),
  refusedUpdate(
    'empty-values',
    'DB-198',
    MOTO,
    { UpdateExpression: 'REMOVE a', ExpressionAttributeValues: {} },
    'ExpressionAttributeValues must not be empty',
  ),
  refusedGet(
    'name-without-a-hash',
    'DB-194 DB-198',
    DYNALITE,
    { ProjectionExpression: 'a', ExpressionAttributeNames: { a: 'b' } },
    'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
  ),
  refusedUpdate(
    'value-without-a-colon',
    'DB-193 DB-198',
    DYNALITE,
    { UpdateExpression: 'REMOVE a', ExpressionAttributeValues: { b: N(1) } },
    'ExpressionAttributeValues contains invalid key: Syntax error; key: "b"',
  ),
  refusedUpdate(
    'invalid-value',
    'DB-193',
    DYNALITE,
    { UpdateExpression: 'SET a = :v', ExpressionAttributeValues: { ':v': N('abc') } },
    messageContaining('The parameter cannot be converted to a numeric value: abc'),
  ),
  refusedUpdate(
    'empty-value',
    'DB-193',
    DYNALITE,
    { UpdateExpression: 'SET a = :v', ExpressionAttributeValues: { ':v': {} } },
    messageContaining('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes'),
  ),

  row('expressions/case', 'DB-199', EXPRESSIONS, {
    table: rangeTable,
    items: [{ pk: S('x'), sk: S('b'), a: N(1), A: N(2) }],
    steps: [
      query('pk = :p and sk between :a And :c', { ':p': S('x'), ':a': S('a'), ':c': S('c') }).givesPartly({ Count: 1 }),
      scan({
        FilterExpression: 'not a in (:two) or A = :two',
        ExpressionAttributeValues: { ':two': N(2) },
      }).givesPartly({ Count: 1 }),
      get({ pk: S('x'), sk: S('b') }, { ProjectionExpression: 'A' }).gives({ Item: { A: N(2) } }),
      query('pk = :p AND BEGINS_WITH(sk, :b)', { ':p': S('x'), ':b': S('b') }).invalid(
        'Invalid KeyConditionExpression: Invalid function name; function: BEGINS_WITH',
      ),
      scan({ FilterExpression: 'Attribute_Exists(a)' }).invalid(
        'Invalid FilterExpression: Invalid function name; function: Attribute_Exists',
      ),
    ],
  }),
  row('expressions/empty', 'DB-200', DYNALITE, {
    table: hashTable,
    steps: [
      put(key, { ConditionExpression: '' }).invalid('Invalid ConditionExpression: The expression can not be empty;'),
      update(key, '').invalid('Invalid UpdateExpression: The expression can not be empty;'),
      query('', {}).invalid('Invalid KeyConditionExpression: The expression can not be empty;'),
      scan({ FilterExpression: '' }).invalid('Invalid FilterExpression: The expression can not be empty;'),
      get(key, { ProjectionExpression: '' }).invalid('Invalid ProjectionExpression: The expression can not be empty;'),
    ],
  }),
  row('expressions/values-only-where-there-are-operands', 'DB-201', EXPRESSIONS, {
    table: hashTable,
    steps: [
      put(key, { ConditionExpression: 'attribute_not_exists(pk)' }).gives({}),
      update(key, 'REMOVE a', { ConditionExpression: 'attribute_exists(pk)' }).gives({}),
    ],
  }),
  row('expressions/order-of-evaluation', 'DB-202', docs('Query, filter expressions'), {
    table: rangeTable,
    items: ['1', '2', '3', '4'].map((sk) => ({ pk: S('x'), sk: S(sk), even: N(Number(sk) % 2), covert: S('h') })),
    steps: [
      // Two items are read, one of them passes the filter, one of its attributes is returned. The filter sees the others.
      query(
        'pk = :p',
        { ':p': S('x'), ':zero': N(0), ':h': S('h') },
        {
          Limit: 2,
          FilterExpression: 'even = :zero AND covert = :h',
          ProjectionExpression: 'sk',
        },
      ).gives({ Count: 1, ScannedCount: 2, Items: [{ sk: S('2') }], LastEvaluatedKey: { pk: S('x'), sk: S('2') } }),
    ],
  }),
];
