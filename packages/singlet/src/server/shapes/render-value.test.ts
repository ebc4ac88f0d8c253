import { expect, it } from 'vitest';
import { renderValue } from './render-value.ts';
import { attributeMap, attributeValue, list, string } from './shape.ts';

const nothing =
  'iNT=null, dECIMAL=null, dOUBLE=null, sS=null, nS=null, bS=null, iNTSET=null, dECIMALSET=null, dOUBLESET=null, ' +
  'm=null, l=null, nULL=null, bOOL=null';

it('prints an attribute value with all members of its class, as recorded', () => {
  expect(renderValue(attributeMap, { pk: { S: 'bw-0' } })).toBe(
    `{pk=AttributeValue(s=bw-0, n=null, b=null, ${nothing})}`,
  );
});

it('prints bytes as a Java buffer, and collections within', () => {
  const printed = renderValue(attributeValue, { B: 'AAEC', SS: ['a', 'b'], L: [{ N: '1' }], BOOL: true });
  expect(printed).toContain('b=java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]');
  expect(printed).toContain('sS=[a, b]');
  expect(printed).toContain('l=[AttributeValue(s=null, n=1,');
  expect(printed).toContain('bOOL=true');
});

it('is bounded', () => {
  const values = Array.from({ length: 100_000 }, () => ({ a: { S: '' } }));
  const printed = renderValue(list(attributeMap), values);
  expect(printed.length).toBeLessThan(300_000);
  expect(printed).toMatch(/\.\.\.$/);
  expect(renderValue(string(), 'x'.repeat(1_000_000)).length).toBeLessThan(300_000);
});
