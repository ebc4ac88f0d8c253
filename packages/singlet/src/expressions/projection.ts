import {
  type AttributeMap,
  type AttributeValue,
  type MutableAttributeMap,
  setAttribute,
} from '../values/attribute-value.ts';
import {
  type AttributeSource,
  type DocumentPath,
  type PathElement,
  attributeNamesOf,
  attributeSource,
  childValue,
} from './document-path.ts';
import { type PathTree, checkPathsDisjoint, makePathTree } from './path-tree.ts';
import type { Placeholders } from './placeholders.ts';
import type { ProjectionNode } from './syntax-tree.ts';

/** Which parts of an item are returned. */
export interface Projection {
  readonly paths: readonly DocumentPath[];
  readonly attributeNames: ReadonlySet<string>;
  /** The chosen parts of an item, each in its place, but lists without the elements that were not chosen. */
  project(source: AttributeSource): AttributeMap;
}

/** @throws {ValidationException} for undefined names, paths that are too deep, and overlapping paths. */
export function bindProjection(tree: ProjectionNode, placeholders: Placeholders): Projection {
  const paths = tree.paths.map((path) => placeholders.path(path, 'ProjectionExpression'));
  const pathTree = makePathTree(paths);
  checkPathsDisjoint(pathTree, paths, 'ProjectionExpression');
  return makeProjection(paths, pathTree);
}

/** The projection on whole top-level attributes. */
export function projectAttributes(attributeNames: readonly string[]): Projection {
  const paths = attributeNames.map((name) => [name]);
  return makeProjection(paths, makePathTree(paths));
}

function makeProjection(paths: readonly DocumentPath[], tree: PathTree): Projection {
  return { paths, attributeNames: attributeNamesOf(paths), project: (source) => projectTree(source, tree) };
}

/**
 * The parts of an item at paths, merged, each in its place; lists hold the chosen elements only, in their order. Missing
 * parts are omitted, as are containers that would be empty. Paths must not overlap.
 */
export function projectPaths(item: AttributeSource | AttributeMap, paths: readonly DocumentPath[]): AttributeMap {
  return projectTree(isAttributeSource(item) ? item : attributeSource(item), makePathTree(paths));
}

/** An attribute map contains no functions, whatever its attributes are named. */
function isAttributeSource(item: AttributeSource | AttributeMap): item is AttributeSource {
  return typeof item.getAttribute === 'function';
}

function projectTree(source: AttributeSource, tree: PathTree): AttributeMap {
  const result: MutableAttributeMap = {};
  for (const [element, child] of tree.children) {
    const name = String(element);
    const value = source.getAttribute(name);
    const part = value && projectValue(value, child);
    if (part) setAttribute(result, name, part);
  }
  return result;
}

/** The chosen part of a value, or undefined when nothing of it was chosen. */
function projectValue(value: AttributeValue, { children }: PathTree): AttributeValue | undefined {
  if (children.size === 0) return value;
  if ('M' in value) {
    const map: MutableAttributeMap = {};
    let isEmpty = true;
    for (const [element, child] of children) {
      const entry = childValue(value, element);
      const part = entry && projectValue(entry, child);
      if (part === undefined) continue;
      setAttribute(map, String(element), part);
      isEmpty = false;
    }
    return isEmpty ? undefined : { M: map };
  }
  if ('L' in value) {
    const list: AttributeValue[] = [];
    for (const [position, child] of byPosition(children)) {
      const element = childValue(value, position);
      const part = element && projectValue(element, child);
      if (part) list.push(part);
    }
    return list.length === 0 ? undefined : { L: list };
  }
  return undefined;
}

/** In list order, whatever the order of the paths. Children of a list that are not positions match no element. */
export function byPosition(children: PathTree['children']): readonly (readonly [PathElement, PathTree])[] {
  return [...children].sort(([a], [b]) => Number(a) - Number(b));
}
