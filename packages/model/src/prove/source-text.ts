/** A value as TypeScript: sets, bytes and big integers included. */
export function sourceText(value: unknown, indent = 0): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null)
    return value === undefined ? 'undefined' : (JSON.stringify(value) ?? 'undefined');
  if (value instanceof Set) return `new Set(${sourceText([...value])})`;
  if (value instanceof Uint8Array) return `Uint8Array.of(${value.join(', ')})`;
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== 'object' || each === null))
      return `[${value.map((each) => sourceText(each)).join(', ')}]`;
    const pad = ' '.repeat(indent + 2);
    return `[\n${value.map((each) => `${pad}${sourceText(each, indent + 2)},\n`).join('')}${' '.repeat(indent)}]`;
  }
  const fields = Object.entries(value).map(([name, each]) => `${fieldName(name)}: ${sourceText(each, indent)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
