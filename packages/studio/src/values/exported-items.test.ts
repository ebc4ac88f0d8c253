import { describe, expect, test } from 'vitest';
import { exportedItems } from './exported-items.ts';

const digits = '12345678901234567890123456789012345678';
const items = [
  { PK: { S: 'a,"b"\n' }, n: { N: digits }, m: { M: { x: { L: [{ N: '1E-130' }, { NULL: true as const }] } } } },
  {
    PK: { S: '' },
    s: { NS: ['1', digits] },
    b: { B: 'aGk=' },
    t: { BOOL: false },
    q: { SS: ['x'] },
    z: { BS: ['aGk='] },
  },
];

describe('exported items', () => {
  test('WB-40: DynamoDB JSON is the items as they came', () => {
    expect(JSON.parse(exportedItems('dynamodb-json', items))).toEqual(items);
  });

  test('WB-40: JSON has every digit of every number', () => {
    const text = exportedItems('json', items);
    expect(text).toContain(`"n":${digits}`);
    expect(text).toContain('{"x":[1E-130,null]}');
    expect(text).toContain(`"s":[1,${digits}],"b":"aGk=","t":false,"q":["x"],"z":["aGk="]`);
    expect(JSON.parse(text)).toHaveLength(2);
  });

  test('WB-40: CSV has a column for every attribute, and tells empty texts from missing ones', () => {
    expect(exportedItems('csv', items)).toBe(
      [
        'PK,n,m,s,b,t,q,z\r\n',
        `"a,""b""\n",${digits},"{""x"":[1E-130,null]}",,,,,\r\n`,
        `"",,,"[1,${digits}]",aGk=,false,"[""x""]","[""aGk=""]"\r\n`,
      ].join(''),
    );
  });
});
