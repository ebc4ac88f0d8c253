import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The code that every application loads before its first call. Decisions 0081 and 0093 say why it is half a kilobyte more than it was. */
const entryBytesMax = 12.5 * 1024;
/** The same, plus the code for gets, plain puts and queries. Decisions 0080 and 0091 say why it is half a kilobyte more than it was. Decision 0135 says why it is 160 bytes more since. */
const plainBytesMax = 18.5 * 1024 + 160;

interface Bundle {
  /** Minified and compressed. */
  readonly bytes: number;
  /** Its imports from outside the package. */
  readonly externals: readonly string[];
}

/** Excludes lazily loaded code from a bundle, as a bundler with code splitting does. */
const later: Plugin = {
  name: 'later',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
};

async function bundled(contents: string, plugins: Plugin[] = [later]): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    outfile: 'bundle.js',
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    packages: 'external',
    plugins,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    bytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
    externals: [...new Set(imports.filter(({ path }) => !path.startsWith('.')).map(({ path }) => path))],
  };
}

describe('the run-time entry', () => {
  test('is small, with all that it exports', async () => {
    const { bytes } = await bundled(`export * from './src/index.ts';`);
    expect(bytes).toBeGreaterThan(6 * 1024);
    expect(bytes).toBeLessThanOrEqual(entryBytesMax);
  });

  test('is all that a model of gets, puts and queries needs, but for little', async () => {
    const modules = ['index', 'run/commands', 'run/read-item', 'run/put', 'run/query-runner', 'run/cursor'];
    const { bytes } = await bundled(modules.map((name) => `export * from './src/${name}.ts';`).join('\n'));
    expect(bytes).toBeLessThanOrEqual(plainBytesMax);
  });

  test('gives no more than what is imported from it', async () => {
    const id = await bundled(`export { ulid } from './src/index.ts';`);
    const declaration = await bundled(`export { entity, model, ref } from './src/index.ts';`);
    const connection = await bundled(`export { connect, entity, model } from './src/index.ts';`);
    const whole = await bundled(`export * from './src/index.ts';`);
    expect(id.bytes).toBeLessThan(512);
    expect(declaration.bytes).toBeLessThan(512);
    expect(connection.bytes).toBeLessThan(whole.bytes - 1024);
  });

  test('imports the AWS SDK and nothing else, now or later', async () => {
    expect((await bundled(`export * from './src/index.ts';`)).externals).toEqual([]);
    const { externals } = await bundled(`export * from './src/index.ts';`, []);
    expect(externals).toEqual(['@aws-sdk/client-dynamodb']);
  });
});
