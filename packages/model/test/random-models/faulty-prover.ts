import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { proveSteps } from '../../src/prove/index.ts';
import type { modelOf, ModelScript } from './model-script.ts';
import type { proveScript, refusals } from './prove-script.ts';
import type { ProverFault } from './prover-faults.ts';

/** The functions that draw, check and prove models, with or without a fault. Models of one instance cannot be used with another. */
export interface Prover {
  readonly modelOf: typeof modelOf;
  readonly refusals: typeof refusals;
  readonly proveScript: typeof proveScript;
  readonly proveSteps: typeof proveSteps;
}

/** A model that a faulty prover accepts, and the seed of the items and calls that demonstrate the fault. */
export interface Witness {
  readonly seed: number;
  readonly script: ModelScript;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const source = fileURLToPath(new URL('../../src/', import.meta.url));
/** A folder from which imports resolve packages, and which no tool scans. */
const folder = fileURLToPath(new URL(`../../../../node_modules/.cache/provers-${process.pid}/`, import.meta.url));

/** Removes the files that `proverWith` has written. */
export function removeProvers(): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Bundles the sources with one piece replaced.
 *
 * @param fault - undefined: the sources as they are.
 * @param name - of the file. An addition tells it from one that another test file of this process has loaded.
 * @throws {Error} if the code to replace does not occur exactly once.
 */
export async function proverWith(fault: ProverFault | undefined, name: string): Promise<Prover> {
  const contents = `export { modelOf } from './model-script.ts'; export { refusals, proveScript } from './prove-script.ts'; export { proveSteps } from '../../src/prove/index.ts';`;
  return (await bundleWith(fault, name, contents)) as Prover;
}

/** Bundles what a file in this folder exports, from the sources with one piece replaced. */
export async function bundleWith(fault: ProverFault | undefined, name: string, contents: string): Promise<unknown> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}-${randomUUID()}.mjs`);
  await build({
    stdin: { contents, resolveDir: here, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    plugins: fault === undefined ? [] : [replacing(fault)],
  });
  return import(pathToFileURL(outfile).href);
}

/** The source around the code that a fault replaces: two pieces if it occurs once. */
export function piecesAround({ file, code }: ProverFault): readonly string[] {
  return readFileSync(join(source, file), 'utf8').split(formatted(code));
}

function replacing(fault: ProverFault): Plugin {
  const { file, code, becomes } = fault;
  return {
    name: 'fault',
    setup: ({ onLoad }) =>
      onLoad({ filter: new RegExp(`${literal(join(source, file))}$`) }, () => {
        const pieces = piecesAround(fault);
        if (pieces.length !== 2) return { errors: [{ text: `${file} has "${code}" ${pieces.length - 1} times` }] };
        return { contents: pieces.join(becomes), loader: 'ts' };
      }),
  };
}

/** Matches a piece of code regardless of the formatter's line breaks. */
function formatted(code: string): RegExp {
  const open = literal(code).replaceAll(/\\[({[]/g, (bracket) => String.raw`${bracket}\s*`);
  const closed = open.replaceAll(/\\[)}\]]/g, (bracket) => String.raw`,?\s*${bracket}`);
  return new RegExp(closed.replaceAll(/ +/g, String.raw`\s*`));
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
