import type { AttributeMap } from '../../src/values/attribute-value.ts';

/** Items by name. */
export type State = ReadonlyMap<string, AttributeMap>;

/** A history has shown something wrong. */
export class WrongError extends Error {
  override readonly name = 'WrongError';
}

export function keyOf(name: string): AttributeMap {
  const [pk = '', sk = ''] = name.split('/');
  return { pk: { S: pk }, sk: { S: sk } };
}

export function nameOf(item: AttributeMap | undefined): string {
  const text = (attribute: string): string => Object.values(item?.[attribute] ?? {}).join('');
  return `${text('pk')}/${text('sk')}`;
}

export function shown(item: AttributeMap | undefined): string {
  return item === undefined ? 'nothing' : JSON.stringify(item).replace(/x{9,}/g, 'x…');
}
