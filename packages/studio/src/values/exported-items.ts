import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';

// Items as files, with every value complete and every digit of a number kept.

export const exportFormats = [
  { format: 'dynamodb-json', title: 'DynamoDB JSON', extension: 'json', type: 'application/json' },
  { format: 'json', title: 'JSON', extension: 'json', type: 'application/json' },
  { format: 'csv', title: 'CSV', extension: 'csv', type: 'text/csv' },
] as const;
export type ExportFormat = (typeof exportFormats)[number]['format'];

export function exportedItems(format: ExportFormat, items: readonly AttributeMap[]): string {
  switch (format) {
    case 'dynamodb-json':
      return `${JSON.stringify(items, undefined, 2)}\n`;
    case 'json':
      return `[\n${items.map((item) => plainText({ M: item })).join(',\n')}\n]\n`;
    case 'csv':
      return csvText(items);
  }
}

/** Without types: numbers as they are written, sets as lists, binary as Base64. */
export function plainText(value: AttributeValue): string {
  if ('N' in value) return value.N;
  if ('NS' in value) return `[${value.NS.join(',')}]`;
  if ('L' in value) return `[${value.L.map(plainText).join(',')}]`;
  if ('M' in value)
    return `{${Object.entries(value.M)
      .map(([name, each]) => `${JSON.stringify(name)}:${plainText(each)}`)
      .join(',')}}`;
  if ('NULL' in value) return 'null';
  return JSON.stringify(
    'S' in value
      ? value.S
      : 'B' in value
        ? value.B
        : 'BOOL' in value
          ? value.BOOL
          : 'SS' in value
            ? value.SS
            : value.BS,
  );
}

/** A column for each attribute of any item, in the order of first occurrence. Nested values are JSON. A missing attribute is empty. */
function csvText(items: readonly AttributeMap[]): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const rows = items.map((item) => names.map((name) => (item[name] === undefined ? '' : cell(item[name]))));
  return [names.map(quoted), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

function cell(value: AttributeValue): string {
  if ('S' in value) return quoted(value.S);
  if ('N' in value) return value.N;
  if ('B' in value) return value.B;
  return quoted(plainText(value));
}

/** In quotes if necessary, and if it is empty, so that an empty text differs from a missing one. */
function quoted(text: string): string {
  return /^$|[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
