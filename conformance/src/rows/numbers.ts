import { messageContaining } from '../matchers.ts';
import type { Matcher } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, assumed, CAPTURED_2026, docs, DYNALITE } from '../sources.ts';
import { get, items, put, query, update } from '../steps.ts';
import { hashTable, numberRangeTable } from '../tables.ts';
import { L, N, NS, S } from '../values.ts';

const NUMBER = docs('Naming rules and data types, Number');
const OVERFLOW = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const UNDERFLOW = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const TOO_PRECISE = 'Attempting to store more than 38 significant digits in a Number';
const NINES = '9'.repeat(38);

function reads(id: string, source: string, written: string, read: string): Row {
  return row(`numbers/${id}`, 'DB-029', source, {
    table: hashTable,
    steps: [
      put({ pk: S('x'), n: N(written) }).gives({}),
      get({ pk: S('x') }).gives({ Item: { pk: S('x'), n: N(read) } }),
    ],
  });
}

function refused(id: string, source: string, text: string, message: string | Matcher): Row {
  return row(`numbers/${id}`, 'DB-029 DB-273', source, {
    table: hashTable,
    steps: [put({ pk: S('x'), n: N(text) }).invalid(message), get({ pk: S('x') }).gives({})],
  });
}

/** SET n = a op b, for two numbers in the item. */
function arithmetic(id: string, source: string, a: string, operator: '+' | '-', b: string, result: string): Row {
  return row(`numbers/${id}`, 'DB-029 DB-240', source, {
    table: hashTable,
    items: [{ pk: S('x'), a: N(a), b: N(b) }],
    steps: [
      update({ pk: S('x') }, `SET n = a ${operator} b`, { ReturnValues: 'UPDATED_NEW' }).gives({
        Attributes: { n: N(result) },
      }),
    ],
  });
}

export const numberRows: readonly Row[] = [
  reads('trailing-zeros', NUMBER, '3.140', '3.14'),
  reads('leading-zeros', NUMBER, '0042.1200', '42.12'),
  reads('one-point-zero', NUMBER, '1.0', '1'),
  reads('plus-sign', assumed('read as Java reads a decimal'), '+1', '1'),
  reads('no-digit-before-the-point', NUMBER, '.5', '0.5'),
  reads('negative', NUMBER, '-0012.50', '-12.5'),
  reads('zero', NUMBER, '0.000', '0'),
  reads('negative-zero', ALTERNATOR, '-0', '0'),
  reads('zero-with-a-large-exponent', ALTERNATOR, '0e100', '0'),
  reads('exponent-is-written-out', CAPTURED_2026, '1E125', `1${'0'.repeat(125)}`),
  reads('small-exponent-is-written-out', NUMBER, '1e-5', '0.00001'),
  reads('smallest', NUMBER, '1E-130', `0.${'0'.repeat(129)}1`),
  reads('thirty-eight-digits', NUMBER, NINES, NINES),
  reads('thirty-eight-digits-around-the-point', NUMBER, `123456789.${'1'.repeat(29)}`, `123456789.${'1'.repeat(29)}`),
  reads('largest', NUMBER, `${NINES}E88`, NINES + '0'.repeat(88)),
  reads('zeros-do-not-count-as-digits', NUMBER, `1${'0'.repeat(60)}`, `1${'0'.repeat(60)}`),

  refused('thirty-nine-digits', DYNALITE, '1'.repeat(39), TOO_PRECISE),
  refused('thirty-nine-digits-in-a-fraction', DYNALITE, `0.${'1'.repeat(39)}`, TOO_PRECISE),
  refused('overflow', DYNALITE, '1e126', OVERFLOW),
  refused('negative-overflow', DYNALITE, '-1e126', OVERFLOW),
  refused('underflow', DYNALITE, '1e-131', UNDERFLOW),
  refused('negative-underflow', DYNALITE, '-1e-131', UNDERFLOW),
  refused('not-a-number', DYNALITE, 'abc', 'The parameter cannot be converted to a numeric value: abc'),
  refused('two-points', DYNALITE, '1.2.3', 'The parameter cannot be converted to a numeric value: 1.2.3'),
  refused('empty', DYNALITE, '', messageContaining('The parameter cannot be converted to a numeric value')),
  refused('infinity', ALTERNATOR, 'Infinity', 'The parameter cannot be converted to a numeric value: Infinity'),
  refused('hexadecimal', ALTERNATOR, '0x10', 'The parameter cannot be converted to a numeric value: 0x10'),
  row('numbers/checked-inside-documents-and-sets', 'DB-029', DYNALITE, {
    table: hashTable,
    steps: [
      put({ pk: S('x'), a: L(N('x')) }).invalid('The parameter cannot be converted to a numeric value: x'),
      put({ pk: S('x'), a: NS('1', '1e126') }).invalid(OVERFLOW),
      put({ pk: S('x'), a: NS('0012', '-1.50') }).gives({}),
      get({ pk: S('x') }).gives({ Item: { pk: S('x'), a: NS('12', '-1.5') } }),
    ],
  }),

  arithmetic('tenths-add-exactly', NUMBER, '0.1', '+', '0.2', '0.3'),
  arithmetic('subtraction', NUMBER, '5', '-', '7.5', '-2.5'),
  arithmetic('addition-over-the-whole-width', NUMBER, '1E37', '+', '1', `1${'0'.repeat(36)}1`),
  arithmetic('cancels-to-zero', NUMBER, '-7.10', '+', '7.1', '0'),
  row('numbers/sum-may-not-overflow', 'DB-029 DB-240', ALTERNATOR, {
    table: hashTable,
    items: [{ pk: S('x'), n: N('9e125') }],
    steps: [
      update({ pk: S('x') }, 'SET n = n + :n', { ExpressionAttributeValues: { ':n': N('9e125') } }).invalid(OVERFLOW),
      update({ pk: S('x') }, 'ADD n :n', { ExpressionAttributeValues: { ':n': N('9e125') } }).invalid(OVERFLOW),
    ],
  }),
  row('numbers/equal-numbers-are-equal-however-they-are-written', 'DB-029 DB-231', NUMBER, {
    table: numberRangeTable,
    steps: [
      put({ pk: S('x'), sk: N('1.00'), n: N('1e1') }).gives({}),
      put(
        { pk: S('x'), sk: N('1'), n: N('2') },
        {
          ConditionExpression: 'n = :ten AND n < :more',
          ExpressionAttributeValues: { ':ten': N('10.0'), ':more': N('10.01') },
        },
      ).gives({}),
      query('pk = :p AND sk = :s', { ':p': S('x'), ':s': N('100e-2') }).gives(
        items({ pk: S('x'), sk: N('1'), n: N('2') }),
      ),
    ],
  }),
  row('numbers/key-order', 'DB-029 DB-051', NUMBER, {
    table: numberRangeTable,
    items: ['10', '-1', '1E-130', '2', '-1E125', '0', '-1E-130', '1E125', '1.5', '-10'].map((n) => ({
      pk: S('x'),
      sk: N(n),
    })),
    steps: [
      query('pk = :p', { ':p': S('x') }).gives(
        items(
          ...[
            `-1${'0'.repeat(125)}`,
            '-10',
            '-1',
            `-0.${'0'.repeat(129)}1`,
            '0',
            `0.${'0'.repeat(129)}1`,
            '1.5',
            '2',
            '10',
            `1${'0'.repeat(125)}`,
          ].map((n) => ({ pk: S('x'), sk: N(n) })),
        ),
      ),
    ],
  }),
];
