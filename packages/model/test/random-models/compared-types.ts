import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TypedFile } from './typed-source.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** The toolkit, as a file in the folder of `comparedTypes` imports it. */
export const toolkit = '../../../src/index.ts';

/** The compiler's options: those of the repository, for files that are only checked. */
const options = {
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  isolatedDeclarations: false,
  verbatimModuleSyntax: false,
  rewriteRelativeImportExtensions: false,
  allowImportingTsExtensions: true,
};

/**
 * Compiles typed files, and compares what the compiler says of each line with what it should say.
 *
 * @param name - of the folder in which the files are kept, below packages/model/dist/typed-models.
 * @returns each difference: the line, what it states, and the compiler's error if it refuses the line.
 */
export function comparedTypes(name: string, files: ReadonlyMap<string, TypedFile>): string[] {
  const folder = join(root, 'packages/model/dist/typed-models', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, { source }] of files) writeFileSync(join(folder, file), source);
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions: options, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, error } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', folder, '--pretty', 'false', '--singleThreaded'],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  if (error !== undefined) throw error;
  const errors = errorsIn(stdout);
  const differences: string[] = [];
  for (const [file, { lines }] of files)
    for (const [at, { about, compiles }] of lines) {
      const place = `${file}:${at}`;
      const found = errors.get(place);
      errors.delete(place);
      if (compiles && found !== undefined) differences.push(`${place}: ${about}: ${found}`);
      if (!compiles && found === undefined) differences.push(`${place}: the type permits ${about}`);
    }
  return [...differences, ...[...errors].map(([place, text]) => `${place}: ${text}`)];
}

/** The errors of the compiler by `file:line`, the first of each line. */
function errorsIn(output: string): Map<string, string> {
  const errors = new Map<string, string>();
  for (const [, file = '', line = '', message = ''] of output.matchAll(
    /([^/\n(]+\.ts)\((\d+),\d+\): error (.*(?:\n {2,}.*)*)/g,
  ))
    if (!errors.has(`${file}:${line}`)) errors.set(`${file}:${line}`, message);
  // An error without a place is one of the configuration.
  for (const [, message = ''] of output.matchAll(/^error (.*)$/gm)) errors.set('tsc', message);
  return errors;
}
