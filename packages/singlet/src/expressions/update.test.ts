import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import {
  type AttributeMap,
  type AttributeValue,
  type UncheckedAttributeMap,
  getAttribute,
} from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { Update } from './update.ts';

function compile(text: string, values?: UncheckedAttributeMap, names?: Record<string, string>): Update {
  const { update } = compileExpressions(
    { updateExpression: text, expressionAttributeValues: values, expressionAttributeNames: names },
    'UpdateItem',
  );
  if (update === undefined) throw new TypeError('no update');
  return update;
}

/** The item after an update that uses each of the values that its text names. */
function updated(item: AttributeMap, text: string): AttributeMap {
  const used = Object.entries(values).filter(([name]) => new RegExp(`${name}(?![0-9A-Za-z_])`).test(text));
  return compile(text, used.length > 0 ? Object.fromEntries(used) : undefined).apply(item);
}

const values: UncheckedAttributeMap = {
  ':0': { N: '0' },
  ':1': { N: '1' },
  ':minus1': { N: '-1' },
  ':s': { S: 's' },
  ':t': { S: 't' },
  ':l': { L: [{ S: 'new' }] },
  ':none': { L: [] },
  ':set': { SS: ['b', 'c'] },
  ':numbers': { NS: ['1.0', '3'] },
  ':binaries': { BS: ['AQ=='] },
  ':huge': { N: '9.9E+125' },
  ':map': { M: {} },
};

const x: AttributeValue = { S: 'x' };
const y: AttributeValue = { S: 'y' };
const z: AttributeValue = { S: 'z' };

const missingAttribute = 'The provided expression refers to an attribute that does not exist in the item';
const invalidPath = 'The document path provided in the update expression is invalid for update';
const wrongType = 'An operand in the update expression has an incorrect data type';

describe('SET (DB-236, DB-238 to DB-242)', () => {
  it.each<[string, AttributeMap, string, AttributeMap]>([
    [
      'adds and overwrites, and leaves the rest',
      { a: x, k: z },
      'SET a = :s, b = :t',
      { a: { S: 's' }, b: { S: 't' }, k: z },
    ],
    ['creates', {}, 'SET a = :s', { a: { S: 's' } }],
    ['copies', { a: x }, 'SET b = a', { a: x, b: x }],
    ['reads the old item (DB-246)', { a: x, b: y }, 'SET a = b, b = a', { a: y, b: x }],
    ['adds', { n: { N: '0.1' } }, 'SET n = n + :1', { n: { N: '1.1' } }],
    ['subtracts', { n: { N: '1' } }, 'SET n = (n - :1)', { n: { N: '0' } }],
    [
      'is exact (DB-029)',
      { a: { N: '0.1' }, b: { N: '0.2' } },
      'SET c = a + b',
      { a: { N: '0.1' }, b: { N: '0.2' }, c: { N: '0.3' } },
    ],
    ['counts from a fallback', {}, 'SET c = if_not_exists(c, :0) + :1', { c: { N: '1' } }],
    ['keeps what is there', { a: x }, 'SET a = if_not_exists(a, :s)', { a: x }],
    ['falls back twice', { b: y }, 'SET a = if_not_exists(a, if_not_exists(b, :s))', { a: y, b: y }],
    ['appends', { l: { L: [x] } }, 'SET l = list_append(l, :l)', { l: { L: [x, { S: 'new' }] } }],
    ['prepends', { l: { L: [x] } }, 'SET l = list_append(:l, l)', { l: { L: [{ S: 'new' }, x] } }],
    ['appends to a fallback', {}, 'SET l = list_append(if_not_exists(l, :none), :l)', { l: { L: [{ S: 'new' }] } }],
    ['a map entry', { m: { M: { a: x, b: y } } }, 'SET m.a = :s', { m: { M: { a: { S: 's' }, b: y } } }],
    ['a new map entry', { m: { M: {} } }, 'SET m.a = :s', { m: { M: { a: { S: 's' } } } }],
    ['a list element', { l: { L: [x, y] } }, 'SET l[1] = :s', { l: { L: [x, { S: 's' }] } }],
    ['beyond the end of a list appends', { l: { L: [x] } }, 'SET l[99] = :s', { l: { L: [x, { S: 's' }] } }],
    [
      'beyond the end, in the order of positions',
      { l: { L: [] } },
      'SET l[9] = :s, l[4] = :t',
      { l: { L: [{ S: 't' }, { S: 's' }] } },
    ],
    [
      'deep',
      { a: { M: { l: { L: [x, { M: { b: y } }] } } } },
      'SET a.l[1].b = :s',
      { a: { M: { l: { L: [x, { M: { b: { S: 's' } } }] } } } },
    ],
    [
      'several entries of one map',
      { m: { M: { a: x } } },
      'SET m.b = m.a, m.c = :s REMOVE m.a',
      { m: { M: { b: x, c: { S: 's' } } } },
    ],
  ])('%s', (_, item, text, expected) => {
    expect(updated(item, text)).toEqual(expected);
  });

  it.each<[string, AttributeMap, string, string]>([
    ['a missing operand', {}, 'SET a = b', missingAttribute],
    ['a missing nested operand', { m: { M: {} } }, 'SET a = m.b.c', missingAttribute],
    ['a missing number (DB-240)', {}, 'SET n = n + :1', missingAttribute],
    ['a missing list', {}, 'SET l = list_append(l, :l)', missingAttribute],
    ['a string in a sum', { a: x }, 'SET n = a + :1', wrongType],
    ['a string in a difference', { a: x }, 'SET n = :1 - a', wrongType],
    ['a fallback of the wrong type', {}, 'SET n = if_not_exists(n, :s) + :1', wrongType],
    ['no list', { a: x }, 'SET l = list_append(a, :l)', wrongType],
    ['a missing parent (DB-242)', {}, 'SET a.b = :s', invalidPath],
    ['a missing grandparent', { a: { M: {} } }, 'SET a.b.c = :s', invalidPath],
    ['a list taken for a map', { a: { L: [] } }, 'SET a.b = :s', invalidPath],
    ['a map taken for a list', { a: { M: {} } }, 'SET a[0] = :s', invalidPath],
    ['a set taken for a list', { a: { SS: ['x'] } }, 'SET a[0] = :s', invalidPath],
    ['a string taken for a map', { a: x }, 'SET a.b = :s', invalidPath],
    ['operands come before paths', {}, 'SET a.b = :s, c = d', missingAttribute],
    [
      'a sum out of range',
      { n: { N: `99${'0'.repeat(124)}` } },
      'SET n = n + :huge',
      'Number overflow. Attempting to store a number with magnitude larger than supported range',
    ],
  ])('refuses %s', (_, item, text, expected) => {
    expect(() => updated(item, text)).toThrow(
      expect.objectContaining({ name: 'ValidationException', message: expected }) as Error,
    );
  });

  it('the farthest position costs no more than any other', () => {
    expect(updated({ l: { L: [x] } }, 'SET l[4294967294] = :s')).toEqual({ l: { L: [x, { S: 's' }] } });
    expect(updated({ l: { L: [x] } }, 'REMOVE l[4294967294]')).toEqual({ l: { L: [x] } });
  });

  it('32 levels at most (DB-036)', () => {
    const nested = (levels: number): AttributeValue =>
      Array.from({ length: levels - 1 }).reduce<AttributeValue>((inner) => ({ M: { a: inner } }), x);
    const update = compile('SET m.b = c', undefined);
    expect(() => update.apply({ m: { M: {} }, c: nested(31) })).not.toThrow();
    expect(() => update.apply({ m: { M: {} }, c: nested(32) })).toThrow(
      'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
    );
  });
});

describe('REMOVE (DB-243)', () => {
  it.each<[string, AttributeMap, string, AttributeMap]>([
    ['an attribute', { a: x, b: y }, 'REMOVE a', { b: y }],
    ['what is not there', { b: y }, 'REMOVE a', { b: y }],
    ['a map entry', { m: { M: { a: x, b: y } } }, 'REMOVE m.a', { m: { M: { b: y } } }],
    ['a missing map entry', { m: { M: { b: y } } }, 'REMOVE m.a', { m: { M: { b: y } } }],
    ['the last map entry', { m: { M: { a: x } } }, 'REMOVE m.a', { m: { M: {} } }],
    ['a list element; later ones shift', { l: { L: [x, y, z] } }, 'REMOVE l[1]', { l: { L: [x, z] } }],
    ['several, by their old positions', { l: { L: [x, y, z, x] } }, 'REMOVE l[1], l[2]', { l: { L: [x, x] } }],
    ['beyond the end', { l: { L: [x] } }, 'REMOVE l[7]', { l: { L: [x] } }],
    ['and set beside it', { l: { L: [x, y, z] } }, 'SET l[2] = :s REMOVE l[0]', { l: { L: [y, { S: 's' }] } }],
  ])('%s', (_, item, text, expected) => {
    expect(updated(item, text)).toEqual(expected);
  });

  it('refuses a missing parent', () => {
    expect(() => updated({}, 'REMOVE a.b')).toThrow(invalidPath);
  });
});

describe('ADD and DELETE (DB-244, DB-245, DB-248)', () => {
  it.each<[string, AttributeMap, string, AttributeMap]>([
    ['adds to a number', { n: { N: '5' } }, 'ADD n :1', { n: { N: '6' } }],
    ['takes a missing number for zero', {}, 'ADD n :1', { n: { N: '1' } }],
    ['decrements', { n: { N: '5' } }, 'ADD n :minus1', { n: { N: '4' } }],
    ['makes a union', { a: { SS: ['a', 'b'] } }, 'ADD a :set', { a: { SS: ['a', 'b', 'c'] } }],
    ['is idempotent (DB-034)', { a: { SS: ['b', 'c'] } }, 'ADD a :set', { a: { SS: ['b', 'c'] } }],
    ['makes a set', {}, 'ADD a :set', { a: { SS: ['b', 'c'] } }],
    ['compares numbers by value', { a: { NS: ['1'] } }, 'ADD a :numbers', { a: { NS: ['1', '3'] } }],
    ['adds binaries', { a: { BS: ['Ag=='] } }, 'ADD a :binaries', { a: { BS: ['AQ==', 'Ag=='] } }],
    ['keeps a set in order', { a: { NS: ['1', '20'] } }, 'ADD a :numbers', { a: { NS: ['1', '3', '20'] } }],
    ['adds to nested paths', { m: { M: { n: { N: '5' } } } }, 'ADD m.n :1', { m: { M: { n: { N: '6' } } } }],
    [
      'adds to a list element',
      { l: { L: [{ N: '5' }] } },
      'ADD l[0] :1, l[1] :set',
      { l: { L: [{ N: '6' }, { SS: ['b', 'c'] }] } },
    ],
    ['removes elements', { a: { SS: ['a', 'b'] } }, 'DELETE a :set', { a: { SS: ['a'] } }],
    ['ignores absent elements', { a: { SS: ['a'] } }, 'DELETE a :set', { a: { SS: ['a'] } }],
    ['ignores an absent set', { k: x }, 'DELETE a :set', { k: x }],
    ['removes an emptied set', { a: { SS: ['b'] }, k: x }, 'DELETE a :set', { k: x }],
    ['removes an emptied nested set', { m: { M: { a: { NS: ['3'] } } } }, 'DELETE m.a :numbers', { m: { M: {} } }],
    ['removes an emptied set from a list', { l: { L: [x, { NS: ['1'] }] } }, 'DELETE l[1] :numbers', { l: { L: [x] } }],
  ])('%s', (_, item, text, expected) => {
    expect(updated(item, text)).toEqual(expected);
  });

  it.each<[AttributeMap, string, string]>([
    [{ a: x }, 'ADD a :1', wrongType],
    [{ a: { L: [] } }, 'ADD a :set', wrongType],
    [{ a: { SS: ['1'] } }, 'ADD a :numbers', wrongType],
    [{ a: { N: '1' } }, 'ADD a :set', wrongType],
    [{ a: { NS: ['1'] } }, 'DELETE a :set', wrongType],
    [{ a: x }, 'DELETE a :set', wrongType],
    [{}, 'ADD a.b :1', invalidPath],
    [{}, 'DELETE a.b :set', invalidPath],
  ])('%j %s is refused', (item, text, expected) => {
    expect(() => updated(item, text)).toThrow(
      expect.objectContaining({ name: 'ValidationException', message: expected }) as Error,
    );
  });
});

describe('what an update says of itself', () => {
  it('targets in order, and the types it writes', () => {
    const update = compile(
      'SET b[0].c = :s, #d = :n + e, f = if_not_exists(f, :s), g = h REMOVE a ADD i :n DELETE j :set',
      { ':s': { S: 's' }, ':n': { N: '1' }, ':set': { SS: ['a'] } },
      { '#d': 'd.d' },
    );
    expect(update.targets).toEqual([['b', 0, 'c'], ['d.d'], ['f'], ['g'], ['a'], ['i'], ['j']]);
    expect([...update.staticTypes]).toEqual([
      ['d.d', 'N'],
      ['f', 'S'],
      ['i', 'N'],
    ]);
  });

  it.each([
    ['SET a = :s', true],
    ['ADD a :1', true],
    ['REMOVE a', false],
    ['DELETE a :set', false],
    ['REMOVE a SET b = :s', true],
  ])('%s creates an item: %s', (text, expected) => {
    const used = Object.entries(values).filter(([name]) => new RegExp(`${name}(?![0-9A-Za-z_])`).test(text));
    expect(compile(text, used.length > 0 ? Object.fromEntries(used) : undefined).createsItem).toBe(expected);
  });

  it('names that objects have are ordinary names', () => {
    const item = JSON.parse('{"__proto__":{"M":{"toString":{"S":"x"}}},"a":{"S":"x"}}') as AttributeMap;
    const names = { '#p': '__proto__', '#t': 'toString', '#c': 'constructor' };
    const after = compile('SET #p.#c = #p.#t, #c = :s REMOVE #p.#t', { ':s': { S: 's' } }, names).apply(item);
    expect(Object.keys(after).sort()).toEqual(['__proto__', 'a', 'constructor']);
    expect(getAttribute(after, '__proto__')).toEqual({ M: { constructor: { S: 'x' } } });
    const removed = compile('REMOVE #p', undefined, { '#p': '__proto__' }).apply(item);
    expect(Object.keys(removed)).toEqual(['a']);
    expect(Object.getPrototypeOf(removed)).toBe(Object.prototype);
  });
});

describe('purity', () => {
  it('the item is not changed, and what is not written is shared', () => {
    const item: AttributeMap = { m: { M: { a: { M: {} }, b: y } }, l: { L: [x, y] }, s: { SS: ['b'] }, k: z };
    const before = structuredClone(item);
    const after = updated(item, 'SET m.a.c = :s, l[0] = :s REMOVE l[1] DELETE s :set');
    expect(item).toEqual(before);
    expect(after['k']).toBe(item['k']);
    expect(after['m']).toEqual({ M: { a: { M: { c: { S: 's' } } }, b: y } });
  });

  it('removing and setting list elements agrees with doing it to an array', () => {
    const positions = fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.nat({ max: 6 }), positions, fc.infiniteStream(fc.boolean()), (length, chosen, removals) => {
        const list = Array.from({ length }, (_, index) => ({ N: String(index) }));
        const actions = chosen.map((position) => ({ position, isRemoval: removals.next().value === true }));
        const set = actions.filter(({ isRemoval }) => !isRemoval).map(({ position }) => `l[${position}] = :s`);
        const removed = actions.filter(({ isRemoval }) => isRemoval).map(({ position }) => `l[${position}]`);
        const text = [set.length && `SET ${set.join(', ')}`, removed.length && `REMOVE ${removed.join(', ')}`];
        const expected = Array.from({ length: 8 }, (_, index) => {
          const action = actions.find(({ position }) => position === index);
          return action === undefined ? list[index] : action.isRemoval ? undefined : { S: 's' };
        });
        const after = updated({ l: { L: list } }, text.filter(Boolean).join(' '));
        expect(after).toEqual({ l: { L: expected.filter((element) => element !== undefined) } });
      }),
    );
  });
});
