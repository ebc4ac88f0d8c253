import type { AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import {
  type AttributeMap,
  type AttributeValue,
  type MutableAttributeMap,
  setAttribute,
  type UncheckedAttributeMap,
  type UncheckedAttributeValue,
} from '../../values/attribute-value.ts';
import { decodeBase64, encodeBase64 } from '../../values/base64.ts';

/** Converts items between files and the AWS SDK. Binaries are bytes in the SDK and base64 in files. */

export function toSdkItem(item: UncheckedAttributeMap): Record<string, SdkValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toSdkValue(value)]));
}

export function fromSdkItem(item: Readonly<Record<string, SdkValue>>): AttributeMap {
  const map: MutableAttributeMap = {};
  for (const [name, value] of Object.entries(item)) setAttribute(map, name, fromSdkValue(value));
  return map;
}

function toSdkValue(value: UncheckedAttributeValue): SdkValue {
  if (value.B !== undefined) return { B: decodeBase64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(decodeBase64) };
  if (value.L !== undefined) return { L: value.L.map(toSdkValue) };
  if (value.M !== undefined) return { M: toSdkItem(value.M) };
  // The other types are the same in both, and the endpoint refuses invalid ones.
  return value as SdkValue;
}

function fromSdkValue(value: SdkValue): AttributeValue {
  if (value.B !== undefined) return { B: encodeBase64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(encodeBase64) };
  if (value.L !== undefined) return { L: value.L.map(fromSdkValue) };
  if (value.M !== undefined) return { M: fromSdkItem(value.M) };
  // The other types are the same in both.
  return value as AttributeValue;
}
