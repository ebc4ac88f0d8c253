import type { DocumentPath, PathElement } from './document-path.ts';
import type { ExpressionKind } from './expression-kind.ts';
import { invalidExpression, pathsConflict, pathsOverlap } from './expression-problem.ts';

/**
 * Paths with common prefixes, merged: `a.b, a.c[1], d` is
 *
 *     root
 *     ├── a
 *     │   ├── b          ends: path 0
 *     │   └── c
 *     │       └── [1]    ends: path 1
 *     └── d              ends: path 2
 */
export interface PathTree {
  readonly children: ReadonlyMap<PathElement, PathTree>;
  /** The position, in the list the tree was made of, of the path that made this node. */
  readonly firstPath: number;
  /** The positions of the paths that end here: at most one once the tree has been checked. */
  readonly ends: readonly number[];
}

interface GrowingTree extends PathTree {
  readonly children: Map<PathElement, GrowingTree>;
  readonly ends: number[];
}

export function makePathTree(paths: readonly DocumentPath[]): PathTree {
  const root = newNode(0);
  for (const [position, path] of paths.entries()) {
    let node = root;
    for (const element of path) {
      let child = node.children.get(element);
      if (child === undefined) {
        child = newNode(position);
        node.children.set(element, child);
      }
      node = child;
    }
    node.ends.push(position);
  }
  return root;
}

function newNode(firstPath: number): GrowingTree {
  return { children: new Map(), firstPath, ends: [] };
}

/** Whether all paths are different top-level attributes: then there is nothing to merge and nothing that could clash. */
export function areDistinctAttributes(paths: readonly DocumentPath[]): boolean {
  if (paths.length > fewPaths) return false; // they may be; the tree finds out faster
  for (let at = 0; at < paths.length; at += 1) {
    const path = paths[at] as DocumentPath; // within the bounds
    if (path.length > 1) return false;
    for (let before = 0; before < at; before += 1) if (paths[before]?.[0] === path[0]) return false;
  }
  return true;
}

const fewPaths = 8;

/**
 * Refuses paths that overlap (one equals, or is within, another) or conflict (one treats as a list what another
 * treats as a map). Of several clashes, the service reports the first one found by traversing this tree
 * with the newest branch first, each branch before its node.
 *
 * @throws {ValidationException}
 */
export function checkPathsDisjoint(tree: PathTree, paths: readonly DocumentPath[], kind: ExpressionKind): void {
  const entries = newestFirst(tree);
  const isMixed = entries.length > 1 && !areAlike(entries);
  for (const entry of entries) {
    if (entry.child) checkPathsDisjoint(entry.child, paths, kind);
    if (isMixed) checkEntry(entry, entries, paths, kind);
  }
}

interface Entry {
  readonly position: number;
  /** Absent for a path that ends at the node. */
  readonly element?: PathElement;
  readonly child?: PathTree;
}

function newestFirst({ children, ends }: PathTree): readonly Entry[] {
  const entries: Entry[] = ends.map((position) => ({ position }));
  for (const [element, child] of children) entries.push({ position: child.firstPath, element, child });
  return entries.sort((a, b) => b.position - a.position);
}

function areAlike(entries: readonly Entry[]): boolean {
  const [first, ...others] = entries;
  const type = typeof first?.element;
  return type !== 'undefined' && others.every(({ element }) => typeof element === type);
}

function checkEntry(
  entry: Entry,
  entries: readonly Entry[],
  paths: readonly DocumentPath[],
  kind: ExpressionKind,
): void {
  for (const other of entries) {
    if (other === entry) continue;
    const isOverlap = entry.child === undefined || other.child === undefined;
    if (!isOverlap && typeof entry.element === typeof other.element) continue;
    const [one, two] = [newestEnd(entry), newestEnd(other)].sort((a, b) => a - b).map((position) => paths[position]);
    if (one === undefined || two === undefined) continue;
    throw invalidExpression(kind, isOverlap ? pathsOverlap(one, two) : pathsConflict(one, two));
  }
}

/** A path that goes through an entry: always into the newest branch. */
function newestEnd(entry: Entry): number {
  let newest = entry;
  while (newest.child) {
    const [first] = newestFirst(newest.child);
    if (first === undefined) break;
    newest = first;
  }
  return newest.position;
}
