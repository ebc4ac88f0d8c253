import { describe, expect, it } from 'vitest';
import { checkFilterWithoutKeys, checkKeysNotNested } from './check-key-paths.ts';
import { compileExpressions } from './compile-expressions.ts';

describe('paths into key attributes', () => {
  it.each([
    [[['a', 'b']], 'Key: a'],
    [[['c', 0]], 'IndexKey: c'],
    [
      [
        ['c', 0],
        ['a', 'b'],
      ],
      'Key: a',
    ],
    [[['a'], ['c'], ['x', 'y']], undefined],
  ])('%j', (paths, end) => {
    const check = (): void => checkKeysNotNested(paths, { table: ['a', 'b'], indexes: ['c'] });
    if (end === undefined) expect(check).not.toThrow();
    else {
      expect(check).toThrow(
        `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${end}`,
      );
    }
  });
});

describe('a filter of a Query on its own key (DB-212)', () => {
  it('is refused', () => {
    const { filter } = compileExpressions({ filterExpression: 'x = y AND sk = pk' }, 'Scan');
    if (filter === undefined) throw new TypeError('no filter');
    expect(() => checkFilterWithoutKeys(filter, ['pk', 'sk'], 'Filter Expression')).toThrow(
      'Filter Expression can only contain non-primary key attributes: Primary key attribute: pk',
    );
    expect(() => checkFilterWithoutKeys(filter, ['sk'], 'QueryFilter')).toThrow(
      'QueryFilter can only contain non-primary key attributes: Primary key attribute: sk',
    );
    expect(() => checkFilterWithoutKeys(filter, ['other'], 'Filter Expression')).not.toThrow();
  });
});
