import type { UncheckedAttributeValue } from '../../values/attribute-value.ts';

/**
 * A value as plain JSON text, for programs that do not use DynamoDB's types: numbers with all their digits, sets and lists as arrays, binaries
 * as base64, NULL as null.
 */
export function plainJson(value: UncheckedAttributeValue): string {
  if (value.S !== undefined) return JSON.stringify(value.S);
  if (value.N !== undefined) return value.N;
  if (value.B !== undefined) return JSON.stringify(value.B);
  if (value.BOOL !== undefined) return String(value.BOOL);
  if (value.L !== undefined) return `[${value.L.map(plainJson).join(',')}]`;
  if (value.NS !== undefined) return `[${value.NS.join(',')}]`;
  const strings = value.SS ?? value.BS;
  if (strings !== undefined) return JSON.stringify(strings);
  if (value.M === undefined) return 'null';
  const members = Object.entries(value.M).map(([name, member]) => `${JSON.stringify(name)}:${plainJson(member)}`);
  return `{${members.join(',')}}`;
}
