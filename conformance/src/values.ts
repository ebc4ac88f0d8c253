/** Attribute values in wire form, in short notation, because rows contain so many. */

export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

export const S = (text: string): WireValue => ({ S: text });
/** A number; give digits as text where JavaScript would round or reformat them. */
export const N = (value: number | string): WireValue => ({ N: String(value) });
/** Binary: the bytes of a text (UTF-8), or given as numbers. */
export const B = (bytes: string | readonly number[]): WireValue => ({ B: base64(bytes) });
export const BOOL = (value: boolean): WireValue => ({ BOOL: value });
export const NULL: WireValue = { NULL: true };
export const L = (...elements: readonly WireValue[]): WireValue => ({ L: elements });
export const M = (members: WireItem): WireValue => ({ M: members });
export const SS = (...elements: readonly string[]): WireValue => ({ SS: elements });
export const NS = (...elements: readonly (number | string)[]): WireValue => ({ NS: elements.map(String) });
export const BS = (...elements: readonly (string | readonly number[])[]): WireValue => ({ BS: elements.map(base64) });

export function base64(bytes: string | readonly number[]): string {
  return (typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : Buffer.from(bytes)).toString('base64');
}

/** `leaf` inside `depth` maps: depth 1 is `{M: {n: leaf}}`. */
export function nestedMap(depth: number, leaf: WireValue = S('leaf')): WireValue {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = M({ n: value });
  return value;
}

/** `leaf` inside `depth` lists. */
export function nestedList(depth: number, leaf: WireValue = S('leaf')): WireValue {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = L(value);
  return value;
}
