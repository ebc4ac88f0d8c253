import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { StoredItem } from '../run/attribute-value.ts';

/** Whether the service considers two stored values equal: sets have no order, and numbers may have several spellings. */
export function sameValue(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return comparableText(a) === comparableText(b);
}

/** Whether two stored items have the same attributes. */
export function sameItem(a: StoredItem, b: StoredItem): boolean {
  return comparableText({ M: a }) === comparableText({ M: b });
}

function comparableText(value: AttributeValue): string {
  if (value.S !== undefined) return `S${JSON.stringify(value.S)}`;
  if (value.N !== undefined) return `N${numberText(value.N)}`;
  if (value.BOOL !== undefined) return `BOOL${value.BOOL}`;
  if (value.B !== undefined) return `B${value.B.join()}`;
  if (value.SS !== undefined) return `SS${JSON.stringify([...value.SS].sort())}`;
  if (value.NS !== undefined) return `NS${value.NS.map(numberText).sort().join()}`;
  if (value.BS !== undefined)
    return `BS${value.BS.map((each) => each.join('.'))
      .sort()
      .join()}`;
  if (value.L !== undefined) return `L[${value.L.map(comparableText).join()}]`;
  if (value.M === undefined) return 'NULL';
  const entries = Object.entries(value.M).sort(([a], [b]) => (a < b ? -1 : 1));
  return `M{${entries.map(([name, each]) => `${JSON.stringify(name)}:${comparableText(each)}`).join()}}`;
}

/** One text for each number, whatever its spelling: the digits without zeros at the ends, and the exponent of the last. */
function numberText(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant}e${scale}`;
}
