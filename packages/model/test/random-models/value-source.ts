/** A value of an application as TypeScript, as an application would write it: dates, sets and bytes by their constructors. */
export function valueSource(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object' || value === null)
    return value === undefined ? 'undefined' : JSON.stringify(value).replaceAll(/[\u0085\u2028\u2029]/g, escaped);
  if (value instanceof Date) return `new Date(${Number.isNaN(value.getTime()) ? 'NaN' : value.getTime()})`;
  // Without elements, a set has the type that is expected of it.
  if (value instanceof Set) return `new Set(${value.size === 0 ? '' : valueSource([...value])})`;
  if (value instanceof Uint8Array) return `Uint8Array.of(${value.join(', ')})`;
  if (Array.isArray(value)) return `[${value.map(valueSource).join(', ')}]`;
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${valueSource(each)}`);
  return `{ ${members.join(', ')} }`;
}

/** Characters that end a line for some readers of the source. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The form of a value: its members and the types of their values. Values of one form have the same type, but for literals. */
export function formOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(formOf))].toSorted().join()}]`;
  if (value instanceof Set) return `Set${formOf([...value])}`;
  if (value instanceof Date || value instanceof Uint8Array) return value.constructor.name;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const members = Object.entries(value).map(([name, each]) => `${name}:${formOf(each)}`);
  return `{${members.join()}}`;
}
