/** JSON as it is on the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/**
 * A unique text for each item: the name of the table as given, and the key with its attributes by name and its numbers by value, since `1` and
 * `1.0` are the same key.
 *
 * @returns undefined for an invalid key, which the server will refuse.
 */
export function itemIdOf(table: unknown, key: unknown): string | undefined {
  if (typeof table !== 'string' || !isObject(key)) return undefined;
  const parts: string[] = [];
  for (const name of Object.keys(key).toSorted()) {
    const text = keyValueText(key[name]);
    if (text === undefined) return undefined;
    parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return parts.length === 0 ? undefined : `${table} ${parts.join()}`;
}

/** The table in an item's id. */
export function tableOf(itemId: string): string {
  return itemId.slice(0, itemId.indexOf(' '));
}

/** The name of a table, which may be given by its ARN. */
export function tableNameOf(table: string): string {
  return table.startsWith('arn:') ? table.slice(table.lastIndexOf('/') + 1) : table;
}

/** JSON with the members of objects sorted, so that equal requests give equal texts. */
export function orderedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(orderedJson).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${orderedJson(value[name])}`).join()}}`;
}

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keyValueText(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const [[type, content] = ['', undefined], ...more] = Object.entries(value);
  if (more.length > 0 || typeof content !== 'string') return undefined;
  if (type === 'S' || type === 'B') return `${type}${JSON.stringify(content)}`;
  return type === 'N' ? numberText(content) : undefined;
}

/** The digits without zeros at either end, and the power of ten: `N-15e-1` for `-1.50`. */
function numberText(text: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/.exec(text.trim()) ?? [];
  const digits = `${whole}${fraction}`;
  if (digits === '') return undefined;
  const significant = digits.replace(/^0+/, '');
  if (significant === '') return 'N0';
  const trimmed = significant.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + significant.length - trimmed.length;
  return `N${sign === '-' ? '-' : ''}${trimmed}e${power}`;
}
