import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A module, by its path from the root of the repository, with the modules it imports: all of them, or without types. */
export type ModuleGraph = ReadonlyMap<string, readonly string[]>;

/** An import or a re-export at the start of a line, as Prettier writes it. The first group matches a type import. */
const importStatement = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gms;

/** The TypeScript files of the repository, including uncommitted ones. */
export function sourceFiles(root: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate', '*.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file !== '');
}

/**
 * The import graph. Imports on demand (`import('./x.ts')`) are left out: they run when all modules are loaded, so
 * they cannot find a module half initialized.
 *
 * @param sources - texts by path.
 * @param options.types - whether to count type imports, which do not exist at run time.
 */
export function moduleGraph(sources: ReadonlyMap<string, string>, options: { readonly types: boolean }): ModuleGraph {
  const graph = new Map<string, readonly string[]>();
  for (const [file, text] of sources) {
    const imported: string[] = [];
    for (const [, isType, specifier = ''] of text.matchAll(importStatement)) {
      if (!specifier.startsWith('.') || (isType !== undefined && !options.types)) continue;
      const target = normalize(join(dirname(file), specifier));
      if (sources.has(target)) imported.push(target);
    }
    graph.set(file, imported);
  }
  return graph;
}

/** Reads the files that {@link moduleGraph} takes. */
export function readSources(root: string): ReadonlyMap<string, string> {
  return new Map(sourceFiles(root).map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** The groups of modules that import each other, directly or indirectly (Tarjan), each sorted by name. */
export function cyclesOf(graph: ModuleGraph): readonly (readonly string[])[] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const cycles: string[][] = [];
  const lower = (module: string, to: number | undefined): void => {
    lowest.set(module, Math.min(lowest.get(module) ?? Infinity, to ?? Infinity));
  };
  const visit = (module: string): void => {
    indexes.set(module, indexes.size);
    lower(module, indexes.get(module));
    path.push(module);
    onPath.add(module);
    for (const imported of graph.get(module) ?? []) {
      if (!indexes.has(imported)) {
        visit(imported);
        lower(module, lowest.get(imported));
      } else if (onPath.has(imported)) {
        lower(module, indexes.get(imported));
      }
    }
    if (lowest.get(module) !== indexes.get(module)) return;
    const cycle = path.splice(path.indexOf(module));
    for (const member of cycle) onPath.delete(member);
    if (cycle.length > 1) cycles.push(cycle.toSorted());
  };
  for (const module of graph.keys()) if (!indexes.has(module)) visit(module);
  return cycles.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
}
