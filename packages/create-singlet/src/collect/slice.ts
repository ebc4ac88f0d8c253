import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageOf, specifiersIn } from './imports.ts';

/** Modules together with everything that they import. */
export interface Slice {
  /** Paths relative to the root, with `/`. */
  readonly modules: ReadonlySet<string>;
  /** Names of packages. */
  readonly packages: ReadonlySet<string>;
  /** Whether a module imports a built-in module of Node. */
  readonly usesNode: (module: string) => boolean;
}

/**
 * The transitive closure of the entries' imports by path.
 *
 * @param root - a folder.
 * @param entries - paths below it.
 * @throws {@link SliceError} if a module is missing or is outside the root.
 */
export function sliceOf(root: string, entries: readonly string[]): Slice {
  const modules = new Set<string>();
  const packages = new Set<string>();
  const ofNode = new Set<string>();
  const left = entries.map((entry) => resolve(root, entry));
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const module = relative(root, path).replaceAll('\\', '/');
    if (modules.has(module)) continue;
    if (module.startsWith('../')) throw new SliceError(`${module} is imported, and is outside ${root}`);
    if (!existsSync(path)) throw new SliceError(`${module} is imported, and is not there`);
    modules.add(module);
    for (const specifier of specifiersIn(readFileSync(path, 'utf8'))) {
      const name = packageOf(specifier);
      if (specifier.startsWith('.')) left.push(resolve(dirname(path), specifier));
      else if (name === undefined) ofNode.add(specifier);
      else packages.add(name);
    }
  }
  return { modules, packages, usesNode: (module) => ofNode.has(`node:${module}`) };
}

/** The files that modules read at run time: style sheets, pages, scripts, and the contents of `testdata`, in the modules' own folders. */
export function filesBeside(root: string, modules: Iterable<string>): readonly string[] {
  const folders = new Set([...modules].map(dirname).filter((folder) => folder !== '.'));
  return [...folders].flatMap((folder) => [
    ...filesIn(root, folder).filter((file) => /\.(css|html|js|json)$/.test(file)),
    ...filesIn(root, `${folder}/testdata`),
  ]);
}

function filesIn(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
}

/** An import that cannot be resolved. */
export class SliceError extends Error {
  override readonly name = 'SliceError';
}
