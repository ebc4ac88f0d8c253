import { describe, expect, it } from 'vitest';
import type { AttributeMap, AttributeValue, MutableAttributeMap } from './attribute-value.ts';
import { getAttribute, setAttribute, typeTag } from './attribute-value.ts';

describe('attribute maps (DB-023)', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a', ''])(
    'DB-023: %j is a name like any other',
    (name) => {
      const map: MutableAttributeMap = {};
      expect(getAttribute(map, name)).toBeUndefined();
      setAttribute(map, name, { S: '1' });
      setAttribute(map, name, { S: '2' });
      expect(getAttribute(map, name)).toEqual({ S: '2' });
      expect(Object.keys(map)).toEqual([name]);
      expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
      expect(getAttribute(JSON.parse(JSON.stringify(map)) as AttributeMap, name)).toEqual({ S: '2' });
    },
  );

  it('DB-024: every value has the tag of its type', () => {
    const values: AttributeValue[] = [
      { S: '' },
      { N: '0' },
      { B: '' },
      { BOOL: false },
      { NULL: true },
      { L: [] },
      { M: {} },
      { SS: ['a'] },
      { NS: ['1'] },
      { BS: ['AA=='] },
    ];
    expect(values.map(typeTag)).toEqual(['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS', 'BS']);
  });
});
