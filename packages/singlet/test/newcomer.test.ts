import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  install(project, packed(project, ['singlet', 'model']), ['vitest', '@aws-sdk/client-dynamodb']);
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
  return nodeIn(project, file, text, ...command);
}

function nodeIn(folder: string, file: string, text: string, ...command: readonly string[]): string {
  writeFileSync(join(folder, file), text);
  const run = spawnSync(process.execPath, [...command, file], { cwd: folder, env: environment, encoding: 'utf8' });
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

  test('hold with TypeScript, which checks the declarations of all packages', () => {
    const options = {
      module: 'nodenext',
      target: 'es2022',
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [bin('@types')],
    };
    writeFileSync(join(project, 'lines.mts'), [...imports, loadSdk, body, 'export { TableNames };'].join('\n'));
    const config = { compilerOptions: { ...options, skipLibCheck: false }, files: ['lines.mts'] };
    expect(node('tsconfig.json', JSON.stringify(config), bin('typescript/bin/tsc'), '-p')).toBe('');
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

  test('npx serves, and takes the server with it when it is ended', async ({ skip }) => {
    if (!existsSync(join(project, 'node_modules/.bin/singlet')))
      skip('packages were linked, because there is no registry');
    const npx = spawn('npm', ['exec', '--offline', '--', 'singlet', 'serve', '--memory', '--port', '0'], {
      cwd: project,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    npx.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    const [line] = (await once(npx.stdout, 'data')) as [Buffer];
    expect(line.toString()).toMatch(/^singlet ready on http:/);
    npx.kill('SIGTERM');
    // The server has these pipes, too.
    await once(npx, 'close');
    expect(stderr).toMatch(/stopping (?:signal=SIGTERM|reason="npx has ended")/);
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

describe('a database for tests alone', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'singlet-for-tests-'));
    const source = join(folder, 'package');
    execFileSync(process.execPath, [join(workspace, 'scripts/testing-package.mjs'), '--out', source]);
    const [tarball] = JSON.parse(npm(folder, 'pack', source, '--json', '--ignore-scripts')) as {
      readonly filename: string;
    }[];
    rmSync(source, { recursive: true });
    npm(folder, 'init', '-y');
    // Under the name that the README imports. It has no dependencies, so no registry is needed, and scripts may run.
    const file = `singlet@file:${tarball?.filename ?? ''}`;
    const { status, stderr } = spawnSync('npm', ['install', '--save-dev', '--offline', file], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    // What npm says of the configuration of this machine is not about the package.
    expect(stderr).not.toMatch(/npm warn (?!Unknown|config|using)/);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is one package of less than 20 MB, without native code', () => {
    const modules = join(folder, 'node_modules');
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['singlet']);
    const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
    const onDisk = files.reduce((sum, file) => sum + statSync(join(modules, file)).blocks * 512, 0);
    expect(onDisk).toBeGreaterThan(1024 * 1024);
    expect(onDisk).toBeLessThan(20 * 1024 * 1024);
    expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
  });

  test('runs the lines of the README, as a module and in CommonJS', () => {
    symlinkSync(join(workspace, 'node_modules/@aws-sdk'), join(folder, 'node_modules/@aws-sdk'));
    expect(nodeIn(folder, 'lines.mjs', [...imports, loadSdk, body, 'console.log(TableNames);'].join('\n'))).toContain(
      '[]',
    );
    const text = `${required(imports)}\n${requireSdk}\n(async () => {\n${body}\nconsole.log(TableNames);\n})();`;
    expect(nodeIn(folder, 'lines.cjs', text)).toContain('[]');
  });

  test('has the entries of the presets, and says what keeps data on a disk', () => {
    const text = `
import { createDatabase, databasePerTest, seedDatabase } from 'singlet';
import * as testing from 'singlet/testing';
const seeded = await seedDatabase({ tables: [] });
const fork = await seeded.fork();
console.log(typeof databasePerTest, testing.seedDatabase === seedDatabase, (await fork.request('ListTables', {})).TableNames);
await fork.close();
await seeded.close();
await createDatabase({ directory: 'data' }).catch((error) => console.log(error.message));
console.log(import.meta.resolve('singlet/vitest'), import.meta.resolve('singlet/jest'), import.meta.resolve('singlet/jest-preset'));`;
    const output = nodeIn(folder, 'entries.mjs', text);
    expect(output).toContain('function true []\n');
    expect(output).toContain('The package "lmdb" cannot be loaded: install it, or keep the data in memory.\n');
  });
});
