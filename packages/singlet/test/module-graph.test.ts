import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cyclesOf, moduleGraph, readSources } from './module-graph.ts';

const sources = readSources(fileURLToPath(new URL('../../..', import.meta.url)));

/**
 * Modules may import each other's types if they are parts of one description: a few files of one folder. Such cycles do not
 * exist at run time, but the files of each must be read together.
 */
const typeCyclesMax = 12;
const typeCycleModulesMax = 6;

describe('modules', () => {
  test('of packages, systems, conformance and bench are all looked at', () => {
    const folders = new Set([...sources.keys()].map((file) => file.split('/')[0]));
    for (const folder of ['packages', 'systems', 'conformance', 'bench']) expect(folders).toContain(folder);
    expect(moduleGraph(sources, { types: true }).get('packages/singlet/src/engine/create-engine.ts')).toContain(
      'packages/singlet/src/engine/engine.ts',
    );
  });

  test('import each other in no cycle', () => {
    expect(cyclesOf(moduleGraph(sources, { types: false }))).toEqual([]);
  });

  test('know each other’s types in few cycles, small and within a folder', () => {
    const cycles = cyclesOf(moduleGraph(sources, { types: true }));
    expect(cycles.filter((cycle) => new Set(cycle.map(dirname)).size > 1)).toEqual([]);
    expect(cycles.filter(({ length }) => length > typeCycleModulesMax)).toEqual([]);
    expect(cycles.length, cycles.map((cycle) => cycle.join(' ')).join('\n')).toBeLessThanOrEqual(typeCyclesMax);
  });

  test('that are shipped import no testing folder', () => {
    const isTesting = (file: string): boolean => /\/(testing|test)\/|\.test\.ts$/.test(file);
    const found = [...moduleGraph(sources, { types: true })]
      .filter(([file]) => /^packages\/[^/]+\/src\//.test(file) && !isTesting(file))
      .flatMap(([file, imported]) => imported.filter(isTesting).map((target) => `${file} imports ${target}`));
    expect(found).toEqual([]);
  });
});

describe('a cycle', () => {
  const planted = (c: string): ReadonlyMap<string, string> =>
    new Map([
      ['src/a.ts', "import { b } from './b.ts';\n"],
      ['src/b.ts', "import {\n  c,\n} from './in/c.ts';\n"],
      ['src/in/c.ts', c],
      ['src/d.ts', "import './a.ts';\n"],
    ]);
  const group = ['src/a.ts', 'src/b.ts', 'src/in/c.ts'];

  test.each(["export { a } from '../a.ts';\n", "import '../a.ts';\n", "import { type A, a } from '../a.ts';\n"])(
    'is found that is closed by %j',
    (code) => {
      expect(cyclesOf(moduleGraph(planted(code), { types: false }))).toEqual([group]);
    },
  );

  test('of types is found as one of types only', () => {
    const graphs = planted("import type { A } from '../a.ts';\n");
    expect(cyclesOf(moduleGraph(graphs, { types: false }))).toEqual([]);
    expect(cyclesOf(moduleGraph(graphs, { types: true }))).toEqual([group]);
  });

  test.each(["import { a } from 'a';\n", "const a = import('../a.ts');\n", "// import '../a.ts';\n"])(
    'is none with %j',
    (code) => {
      expect(cyclesOf(moduleGraph(planted(code), { types: true }))).toEqual([]);
    },
  );
});
