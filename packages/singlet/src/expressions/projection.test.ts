import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { AttributeMap, AttributeValue } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import { type DocumentPath, attributeSource, resolvePath } from './document-path.ts';
import { type Projection, projectPaths } from './projection.ts';

function compile(text: string, names?: Record<string, string>): Projection {
  const { projection } = compileExpressions({ projectionExpression: text, expressionAttributeNames: names }, 'GetItem');
  if (projection === undefined) throw new TypeError('no projection');
  return projection;
}

const item: AttributeMap = {
  pk: { S: 'p' },
  a: { M: { b: { S: 'bb' }, c: { M: { d: { N: '1' }, e: { N: '2' } } } } },
  l: {
    L: [
      { M: { x: { S: 'x0' }, y: { S: 'y0' }, n: { L: [{ S: 'n0' }, { S: 'n1' }] } } },
      { S: 'l1' },
      { M: { x: { S: 'x2' } } },
    ],
  },
  'a.b': { S: 'dotted' },
  ss: { SS: ['s'] },
};

describe('projections (DB-216, DB-217)', () => {
  it.each<[string, AttributeMap]>([
    ['pk', { pk: { S: 'p' } }],
    ['pk, absent', { pk: { S: 'p' } }],
    ['absent.b, absent2[0]', {}],
    ['a.b', { a: { M: { b: { S: 'bb' } } } }],
    ['a.c.e, a.b', { a: { M: { b: { S: 'bb' }, c: { M: { e: { N: '2' } } } } } }],
    ['a.absent', {}],
    ['a.c.absent', {}],
    ['a[0]', {}],
    ['l.x', {}],
    ['pk.x, ss[0]', {}],
    ['l[1]', { l: { L: [{ S: 'l1' }] } }],
    ['l[2], l[1]', { l: { L: [{ S: 'l1' }, { M: { x: { S: 'x2' } } }] } }],
    ['l[9], l[2].x', { l: { L: [{ M: { x: { S: 'x2' } } }] } }],
    ['l[9]', {}],
    ['l[0].x, l[0].n[1]', { l: { L: [{ M: { x: { S: 'x0' }, n: { L: [{ S: 'n1' }] } } }] } }],
    [
      'l[0].n[1], l[0].n[0], l[2].x',
      { l: { L: [{ M: { n: { L: [{ S: 'n0' }, { S: 'n1' }] } } }, { M: { x: { S: 'x2' } } }] } },
    ],
  ])('%s', (text, expected) => {
    expect(compile(text).project(attributeSource(item))).toEqual(expected);
  });

  it('names with dots, and names that objects have, go through placeholders (DB-196)', () => {
    const source = attributeSource(
      JSON.parse('{"__proto__":{"S":"x"},"a.b":{"S":"y"},"c":{"M":{"__proto__":{"S":"z"}}}}') as AttributeMap,
    );
    const projected = compile('#p, #d, c.#p', { '#p': '__proto__', '#d': 'a.b' }).project(source);
    expect(JSON.stringify(projected)).toBe('{"__proto__":{"S":"x"},"a.b":{"S":"y"},"c":{"M":{"__proto__":{"S":"z"}}}}');
    expect(compile('#c', { '#c': 'constructor' }).project(source)).toEqual({});
  });

  it('say which paths and attributes they want', () => {
    const { paths, attributeNames } = compile('a.c.e, l[2], a.b');
    expect(paths).toEqual([
      ['a', 'c', 'e'],
      ['l', 2],
      ['a', 'b'],
    ]);
    expect([...attributeNames]).toEqual(['a', 'l']);
  });

  it('share whole values with the item', () => {
    expect(compile('a').project(attributeSource(item))['a']).toBe(item['a']);
  });
});

describe('projectPaths (DB-185)', () => {
  it('takes maps and sources alike, even a map with an attribute called getAttribute', () => {
    expect(projectPaths(item, [['a', 'b']])).toEqual({ a: { M: { b: { S: 'bb' } } } });
    expect(projectPaths(attributeSource(item), [['a', 'b']])).toEqual({ a: { M: { b: { S: 'bb' } } } });
    const odd: AttributeMap = { getAttribute: { S: 'x' } };
    expect(projectPaths(odd, [['getAttribute']])).toEqual(odd);
  });

  it('without paths there is nothing', () => {
    expect(projectPaths(item, [])).toEqual({});
  });

  it('holds exactly what the paths find', () => {
    const { value: valueArbitrary } = fc.letrec<{ value: AttributeValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.nat({ max: 9 }).map((n) => ({ N: String(n) })),
        fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { maxKeys: 2 }).map((M) => ({ M })),
      ),
    }));
    const pathArbitrary = fc
      .tuple(
        fc.constantFrom('a', 'b'),
        fc.array(fc.oneof(fc.constantFrom('a', 'b'), fc.nat({ max: 2 })), { maxLength: 3 }),
      )
      .map(([first, rest]): DocumentPath => [first, ...rest]);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b'), valueArbitrary), pathArbitrary, (map, path) => {
        const found = resolvePath(attributeSource(map), path);
        const projected = projectPaths(map, [path]);
        // In the projection of one path every list has one element.
        const shortened = path.map((element) => (typeof element === 'number' ? 0 : element));
        expect(resolvePath(attributeSource(projected), shortened)).toEqual(found);
        expect(Object.keys(projected)).toHaveLength(found === undefined ? 0 : 1);
      }),
    );
  });
});
