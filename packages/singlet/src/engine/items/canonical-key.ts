import { type AttributeMap, getAttribute } from '../../values/attribute-value.ts';

/** A string that is equal for equal keys, regardless of the order of their attributes; for finding duplicates in a request. */
export function canonicalKey(key: AttributeMap): string {
  return JSON.stringify(
    Object.keys(key)
      .toSorted()
      .map((name) => [name, getAttribute(key, name)]),
  );
}
