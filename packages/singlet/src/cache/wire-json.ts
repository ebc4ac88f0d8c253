import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isObject, type WireObject } from './item-identity.ts';

/** The JSON that a server sends, of an item or of an object with items, from the SDK's representation of it. */
export function wireJsonOf(value: object): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    each instanceof Uint8Array ? Buffer.from(each.buffer, each.byteOffset, each.byteLength).toString('base64') : each,
  );
}

/**
 * Whether the server returns an item exactly as it was sent. It does, except for numbers that it normalises. If so, the item as written can be
 * cached.
 */
export function isReadAsWritten(item: unknown): boolean {
  if (Array.isArray(item)) return item.every(isReadAsWritten);
  if (!isObject(item)) return true;
  return Object.entries(item).every(([name, value]) => {
    if (name === 'N' && typeof value === 'string') return isPlainNumber(value);
    // An attribute may have the name of a type. Its value is then an object or a list, and is checked recursively.
    if (name === 'NS' && Array.isArray(value))
      return value.every((each) => typeof each === 'string' && isPlainNumber(each));
    return isReadAsWritten(value);
  });
}

function isPlainNumber(text: string): boolean {
  return /^(0|-?[1-9]\d{0,17}|-?(0|[1-9]\d{0,8})\.\d{0,8}[1-9])$/.test(text);
}

/** A key as the SDK represents it, from its JSON on the wire. */
export function attributesOf(key: WireObject): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(key).map(([name, value]) => {
      const B = isObject(value) ? value['B'] : undefined;
      // Checked when the key got its id: it is a string, a number or binary.
      return [
        name,
        typeof B === 'string' ? { B: new Uint8Array(Buffer.from(B, 'base64')) } : (value as AttributeValue),
      ];
    }),
  );
}
