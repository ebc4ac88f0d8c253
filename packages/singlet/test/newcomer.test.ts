import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environment, install, npm, packed, workspace } from './packed-packages.ts';

/*
 * What a new user does: an empty folder, `npm init -y`, the packages as they would be published, and the lines of the README that need no
 * server, as a module, in CommonJS, in jest and in vitest. Needs `npm run build`.
 */
const readme = readFileSync(join(workspace, 'README.md'), 'utf8');

let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'singlet-newcomer-'));
  npm(project, 'init', '-y');
  install(project, [packed(project, 'singlet'), packed(project, 'model')], ['vitest', '@aws-sdk/client-dynamodb']);
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

/** The lines of the README that use a database without a server, and one more that sends it a request. */
function readmeLines(): { readonly imports: readonly string[]; readonly body: string } {
  const [block = ''] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].flatMap(([, code = '']) =>
    code.includes('createDatabase()') ? [code] : [],
  );
  const lines = block.split('\n');
  const asks = 'const { TableNames } = await client.send(new (await sdk).ListTablesCommand({}));';
  return {
    imports: lines.filter((line) => line.startsWith('import ')),
    body: lines
      .filter((line) => !line.startsWith('import '))
      .join('\n')
      .replace('await database.close();', `${asks}\nawait database.close();`),
  };
}

function required(imports: readonly string[]): string {
  return imports.map((line) => line.replace(/^import (.*) from (.*);$/, 'const $1 = require($2);')).join('\n');
}

function node(file: string, text: string, ...command: readonly string[]): string {
  writeFileSync(join(project, file), text);
  const run = spawnSync(process.execPath, [...command, file], { cwd: project, env: environment, encoding: 'utf8' });
  expect(run.status, run.stdout + run.stderr).toBe(0);
  return run.stdout + run.stderr;
}

const bin = (path: string): string => join(workspace, 'node_modules', path);
const { imports, body } = readmeLines();
const loadSdk = "const sdk = import('@aws-sdk/client-dynamodb');";
const requireSdk = "const sdk = require('@aws-sdk/client-dynamodb');";

describe('the lines of the README, with the packages installed from their tarballs', () => {
  test('are there', () => {
    expect(imports.length).toBeGreaterThanOrEqual(2);
    expect(body).toContain('TableNames');
  });

  test('run as a module', () => {
    expect(node('lines.mjs', [...imports, loadSdk, body, 'console.log(TableNames);'].join('\n'))).toContain('[]');
  });

  test('run in CommonJS', () => {
    const text = `${required(imports)}\n${requireSdk}\n(async () => {\n${body}\nconsole.log(TableNames);\n})();`;
    expect(node('lines.cjs', text)).toContain('[]');
  });

  test('run in jest, without flags', () => {
    const text = `${required(imports)}\n${requireSdk}\ntest('lines', async () => {\n${body}\nexpect(TableNames).toEqual([]);\n});`;
    expect(
      node(
        'lines.test.js',
        text,
        bin('jest/bin/jest.js'),
        '--testTimeout=600000',
        '--rootDir',
        '.',
        '--testMatch',
        '**/*.test.js',
      ),
    ).toMatch(/Tests: .*1 passed/);
  });

  test('run in vitest', () => {
    const runner = "import { expect, test } from 'vitest';";
    const text = [
      ...imports,
      runner,
      loadSdk,
      `test('lines', async () => {\n${body}\nexpect(TableNames).toEqual([]);\n});`,
    ].join('\n');
    expect(node('lines.test.mjs', text, bin('vitest/vitest.mjs'), 'run', '--testTimeout=600000')).toMatch(
      /Tests .*1 passed/,
    );
  });

  test('the toolkit is loaded by require, and its entries share their classes', () => {
    const text = `
const toolkit = require('@singlet/model');
const { rules } = require('@singlet/model/check');
const testing = require('singlet/testing');
const { DynamoError } = require('singlet');
testing.seedDatabase({ tables: [{}] }).catch((error) => console.log(typeof toolkit.model, rules.length > 50, error instanceof DynamoError));`;
    expect(node('toolkit.cjs', text)).toContain('function true true');
  });

  test('the command is there, and says what it lacks', () => {
    const folder = join(project, 'node_modules/singlet');
    const command = (): string => {
      const file = join(folder, 'bin/singlet.js');
      const run = spawnSync(process.execPath, [file, '--version'], {
        cwd: project,
        env: environment,
        encoding: 'utf8',
      });
      return run.stdout + run.stderr;
    };
    expect(command()).toMatch(/^\d+\.\d+\.\d+\n$/);
    const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
    writeFileSync(join(folder, 'package.json'), manifest.replace(/>=20\.\d+/, '>=20.999'));
    expect(command()).toMatch(/^singlet: Node 20\.999 or newer is needed, and this is Node \S+: .*\n$/);
    writeFileSync(join(folder, 'package.json'), manifest);
    rmSync(join(folder, 'dist'), { recursive: true });
    expect(command()).toBe(
      'singlet: The command has not been built: run npm run build in the folder of the workspace.\n',
    );
  });
});
