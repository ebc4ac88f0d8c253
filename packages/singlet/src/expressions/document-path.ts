import { type AttributeMap, type AttributeValue, getAttribute } from '../values/attribute-value.ts';

/** A step of a document path: the name of an attribute or map entry, or the zero-based position in a list. */
export type PathElement = string | number;

/** Where in an item a value is. The first element is always the name of a top-level attribute. */
export type DocumentPath = readonly PathElement[];

/** The source that expressions read: an item, which may decode an attribute only when it is requested. */
export interface AttributeSource {
  /** The top-level attribute of that name, or undefined. */
  getAttribute(name: string): AttributeValue | undefined;
}

/** A checked attribute map as a source that expressions can read. */
export function attributeSource(item: AttributeMap): AttributeSource {
  return { getAttribute: (name) => getAttribute(item, name) };
}

/**
 * The value at a path, or undefined when it or anything on the way to it is missing or of another type: `a.b` finds
 * nothing in a list, `a[0]` nothing in a map or set.
 */
export function resolvePath(source: AttributeSource, path: DocumentPath): AttributeValue | undefined {
  let value = source.getAttribute(attributeNameOf(path));
  for (let depth = 1; depth < path.length && value !== undefined; depth += 1) {
    value = childValue(value, path[depth] as PathElement); // `depth` is below the length
  }
  return value;
}

/** The element of a list or map, or undefined. */
export function childValue(value: AttributeValue, element: PathElement): AttributeValue | undefined {
  if (typeof element === 'number') return 'L' in value ? value.L[element] : undefined;
  return 'M' in value ? getAttribute(value.M, element) : undefined;
}

/** The top-level attribute that a path begins with. */
export function attributeNameOf(path: DocumentPath): string {
  return path[0] as string; // no path is empty, and none begins with a list position
}

/** A path as error texts show it: `[a, b, [2], c]`. */
export function formatPath(path: DocumentPath): string {
  return `[${path.map((element) => (typeof element === 'number' ? `[${element}]` : element)).join(', ')}]`;
}

export function pathsEqual(a: DocumentPath, b: DocumentPath): boolean {
  return a.length === b.length && a.every((element, depth) => element === b[depth]);
}

/** The top-level attributes that paths begin with. */
export function attributeNamesOf(paths: readonly DocumentPath[]): ReadonlySet<string> {
  return new Set(paths.map(attributeNameOf));
}
