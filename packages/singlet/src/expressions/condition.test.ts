import { describe, expect, it } from 'vitest';
import type { AttributeMap, UncheckedAttributeMap } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import type { Condition } from './condition.ts';
import { attributeSource } from './document-path.ts';

function compile(text: string, values?: UncheckedAttributeMap, names?: Record<string, string>): Condition {
  const { condition } = compileExpressions(
    { conditionExpression: text, expressionAttributeValues: values, expressionAttributeNames: names },
    'PutItem',
  );
  if (condition === undefined) throw new TypeError('no condition');
  return condition;
}

const item: AttributeMap = {
  s: { S: 'hello' },
  blank: { S: '' },
  euro: { S: '€' },
  clef: { S: '\u{1d11e}' },
  n: { N: '5' },
  b: { B: 'AQID' },
  yes: { BOOL: true },
  nothing: { NULL: true },
  l: { L: [{ S: 'x' }, { N: '1' }, { M: { deep: { S: 'y' } } }, { SS: ['p', 'q'] }] },
  m: { M: { k: { S: 'v' }, 'a.b': { N: '1' } } },
  ss: { SS: ['Jeff Bezos', 'Andy Jassy', 'x'] },
  ns: { NS: ['1', '2', '3'] },
  bs: { BS: ['AQ==', 'Ag=='] },
  'a.b': { N: '2' },
  a: { M: { b: { N: '1' } } },
  toy: { S: 'Toy Story' },
};

const values: UncheckedAttributeMap = {
  ':hello': { S: 'hello' },
  ':he': { S: 'he' },
  ':5': { N: '5' },
  ':50': { N: '5.0' },
  ':6': { N: '6' },
  ':4': { N: '4' },
  ':10': { N: '10' },
  ':1': { N: '1' },
  ':2': { N: '2' },
  ':3': { N: '3' },
  ':0': { N: '0' },
  ':s5': { S: '5' },
  ':true': { BOOL: true },
  ':false': { BOOL: false },
  ':null': { NULL: true },
  ':bin': { B: 'AQID' },
  ':prefix': { B: 'AQI=' },
  ':AQ': { B: 'AQ==' },
  ':list': { L: [{ S: 'x' }, { N: '1.00' }, { M: { deep: { S: 'y' } } }, { SS: ['q', 'p'] }] },
  ':map': { M: { 'a.b': { N: '1' }, k: { S: 'v' } } },
  ':ns': { NS: ['3.0', '2', '1'] },
  ':ns2': { NS: ['1', '2'] },
  ':jeff': { S: 'Jeff Bezos' },
  ':jeffJoined': { S: 'JeffBezos' },
  ':deep': { M: { deep: { S: 'y' } } },
  ':x': { S: 'x' },
  ':z': { S: 'z' },
  ':M': { S: 'M' },
  ':S': { S: 'S' },
};

function holds(text: string, source: AttributeMap = item): boolean {
  const used = Object.fromEntries(
    Object.entries(values).filter(([name]) => new RegExp(`${name}(?![0-9A-Za-z_])`).test(text)),
  );
  return compile(text, Object.keys(used).length > 0 ? used : undefined).evaluate(attributeSource(source));
}

describe('comparisons (DB-026, DB-230, DB-231)', () => {
  it.each([
    ['s = :hello', true],
    ['n = :5', true],
    ['n = :50', true], // 5.0
    ['n = :s5', false],
    ['n <> :s5', true],
    ['n < :6 AND n <= :5 AND n > :4 AND n >= :5', true],
    ['n < :5 OR n > :5', false],
    ['n < :10', true],
    ['n < :s5', false],
    ['n >= :s5', false],
    ['NOT n >= :s5', true],
    ['absent = :5', false],
    ['absent <> :5', true],
    ['absent < :5', false],
    [':5 <> absent', true],
    ['absent = gone', false],
    ['absent <> gone', true],
    ['yes = :true', true],
    ['yes <> :false', true],
    ['nothing = :null', true],
    ['b = :bin', true],
    ['l = :list', true],
    ['m = :map', true],
    ['ns = :ns', true],
    ['ns = :ns2', false],
    ['ns <> :ns2', true],
    ['yes < n', false],
    ['l < ss', false],
    ['l[1] = :1', true],
    ['l[2].deep = euro', false],
    ['l[9] = :1', false],
    ['m[0] = :1', false],
    ['l.k = :1', false],
    ['s.k = :1', false],
    ['n BETWEEN :4 AND :6', true],
    ['n BETWEEN :5 AND :5', true],
    ['n BETWEEN :6 AND :10', false],
    ['n BETWEEN :0 AND :4', false],
    ['n BETWEEN s AND :6', false],
    ['absent BETWEEN :4 AND :6', false],
    ['n BETWEEN :4 AND absent', false],
    [':5 BETWEEN :4 AND n', true],
    ['s IN (:x, :hello)', true],
    ['s IN (:x, :5)', false],
    ['s IN (absent)', false],
    ['absent IN (absent2, :x)', false],
    ['l IN (:list)', true],
  ])('%s is %s', (text, expected) => {
    expect(holds(text)).toBe(expected);
  });
});

describe('functions (DB-224 to DB-229)', () => {
  it.each([
    ['attribute_exists(nothing)', true],
    ['attribute_exists(m.k)', true],
    ['attribute_exists(m.x)', false],
    ['attribute_exists(l[3])', true],
    ['attribute_exists(l[4])', false],
    ['attribute_not_exists(absent)', true],
    ['attribute_not_exists(s)', false],
    ['attribute_not_exists(s.x.y[0])', true],
    ['attribute_type(m, :M)', true],
    ['attribute_type(s, :M)', false],
    ['attribute_type(absent, :S)', false],
    ['begins_with(s, :he)', true],
    ['begins_with(s, :hello)', true],
    ['begins_with(blank, :he)', false],
    ['begins_with(s, blank)', true],
    ['begins_with(n, :s5)', false],
    ['begins_with(b, :prefix)', true],
    ['begins_with(b, :he)', false],
    ['begins_with(absent, :he)', false],
    ['contains(s, :he)', true],
    ['contains(toy, :z)', false],
    ['contains(ss, :jeff)', true],
    ['contains(ss, :jeffJoined)', false],
    ['contains(ns, :1)', true],
    ['contains(ns, :4)', false],
    ['contains(bs, :AQ)', true],
    ['contains(b, :prefix)', true],
    ['contains(l, :x)', true],
    ['contains(l, :deep)', true],
    ['contains(l, :z)', false],
    ['contains(m, :x)', false],
    ['contains(absent, :x)', false],
    ['contains(ss, l[0])', true],
    ['size(s) = :5', true],
    ['size(euro) = :1', true],
    ['size(clef) = :2', true],
    ['size(blank) = :0', true],
    ['size(b) = :3', true],
    ['size(l) = :4', true],
    ['size(m) < :3', true],
    ['size(ss) = :3', true],
    ['size(bs) < size(ns)', true],
    ['size(n) = :1', false],
    ['size(n) < :10', false],
    ['size(yes) >= :0', false],
    ['size(nothing) >= :0', false],
    ['size(absent) >= :0', false],
    ['n = size(s)', true],
    ['size(s) BETWEEN :4 AND :6', true],
    ['size(s) IN (:4, n)', true],
  ])('%s is %s', (text, expected) => {
    expect(holds(text)).toBe(expected);
  });

  it('size counts what is larger than the usual', () => {
    const condition = compile('size(s) = :n', { ':n': { N: '1000' } });
    expect(condition.evaluate(attributeSource({ s: { S: 'x'.repeat(1000) } }))).toBe(true);
  });
});

describe('logic (DB-223)', () => {
  it.each([
    ['s = :x OR n = :5 AND yes = :true', true], // AND binds tighter
    ['(s = :x OR n = :5) AND yes = :false', false],
    ['NOT s = :x AND n = :6', false], // NOT binds tighter still
    ['NOT (s = :x AND n = :6)', true],
    ['NOT NOT s = :hello', true],
    ['s = :x OR n = :6 OR yes = :true', true],
    ['NOT s BETWEEN :x AND :z AND n = :5', true],
  ])('%s is %s', (text, expected) => {
    expect(holds(text)).toBe(expected);
  });

  it('conditions of 300 operators are evaluated', () => {
    const text = `NOT ${Array.from({ length: 150 }, () => 'absent=:5').join(' OR ')}`;
    expect(holds(text)).toBe(true);
    expect(holds(`${'NOT '.repeat(299)}n=:5`)).toBe(false);
  });
});

describe('names (DB-194, DB-196, DB-199)', () => {
  it('a dot is nesting, unless it is in a placeholder', () => {
    const source = attributeSource(item);
    expect(compile('a.b = :v', { ':v': { N: '1' } }).evaluate(source)).toBe(true);
    expect(compile('#ab = :v', { ':v': { N: '2' } }, { '#ab': 'a.b' }).evaluate(source)).toBe(true);
    expect(compile('m.#ab = :v', { ':v': { N: '1' } }, { '#ab': 'a.b' }).evaluate(source)).toBe(true);
  });

  it('are case-sensitive, may begin with a digit, and may be names that objects have', () => {
    const map = JSON.parse(
      '{"Name":{"S":"x"},"1st":{"S":"x"},"__proto__":{"M":{"__proto__":{"S":"x"}}}}',
    ) as AttributeMap;
    const source = attributeSource(map);
    const exists = (name: string): boolean =>
      compile('attribute_exists(#n)', undefined, { '#n': name }).evaluate(source);
    expect(['Name', 'name', '1st', '__proto__', 'constructor', 'toString'].map(exists)).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
    ]);
    const nested = compile('#p.#p = :x', { ':x': { S: 'x' } }, { '#p': '__proto__' });
    expect(nested.evaluate(source)).toBe(true);
    expect(nested.evaluate(attributeSource({}))).toBe(false);
  });
});

describe('what a condition looks at', () => {
  it('its paths in order, and their first names', () => {
    const { paths, attributeNames } = compile(
      'b.c[1] = a AND (size(d) < :v OR NOT #e IN (b))',
      { ':v': { N: '1' } },
      { '#e': 'x.y' },
    );
    expect(paths).toEqual([['b', 'c', 1], ['a'], ['d'], ['x.y'], ['b']]);
    expect([...attributeNames]).toEqual(['b', 'a', 'd', 'x.y']);
  });

  it('asks for no attribute that it does not need', () => {
    const asked: string[] = [];
    const source = {
      getAttribute: (name: string) => {
        asked.push(name);
        return item[name];
      },
    };
    compile('n = :v AND s = n', { ':v': { N: '1' } }).evaluate(source);
    expect(asked).toEqual(['n']);
  });
});

describe('uses', () => {
  it('bounds a set (DB-233): the eleventh is refused', () => {
    const condition = compile('attribute_not_exists(#s) OR size(#s) < :n', { ':n': { N: '10' } }, { '#s': 'jobs' });
    const jobs = (count: number): AttributeMap =>
      count === 0 ? {} : { jobs: { SS: Array.from({ length: count }, (_, index) => String(index)) } };
    const admitted = Array.from({ length: 11 }, (_, count) => condition.evaluate(attributeSource(jobs(count))));
    expect(admitted).toEqual([...Array.from({ length: 10 }, () => true), false]);
  });

  it('prevents overwriting (DB-201, DB-232)', () => {
    const condition = compile('attribute_not_exists(#username)', undefined, { '#username': 'Username' });
    expect(condition.evaluate(attributeSource({}))).toBe(true);
    expect(condition.evaluate(attributeSource({ Username: { S: 'alexdebrie' } }))).toBe(false);
  });
});
