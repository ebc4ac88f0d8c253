import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawn } from '../../../systems/testing/drawn.ts';
import { environment, install, npm, packed, workspace } from '../../singlet/test/packed-packages.ts';

/*
 * What a new user does: creates an application from the packages as they would be published, installs what it needs, runs its tests and
 * starts it. One of them in the suite; all with `npm run long -- starters`, some with `STARTERS=github,blog`. Needs `npm run build`.
 */

/** An operation of each application that starts without sample data, and what its answer has in it. */
const operations: Readonly<Record<string, readonly [path: string, body: object]>> = {
  'access-control': ['/api/users/absent/roles', { items: [] }],
  'additive-manufacturing': ['/api/orders/absent', { detail: 'There is no such order.' }],
  'big-time-deals': ['/api/front-page', { featured: [], deals: [] }],
  blog: ['/api/authors/absent', { detail: 'There is no such author.' }],
  'dating-app': ['/api/deck', { code: 'not-signed-in' }],
  'e-commerce': ['/api/account', { code: 'not-signed-in' }],
  github: ['/api/users/absent', { detail: 'There is no such account.' }],
  'github-migrations': ['/api/migrations', { items: [{ id: 'MIG-1', state: 'ready' }, {}, {}, {}, {}] }],
  'job-scheduler': ['/api/jobs/absent', { detail: 'There is no such job.' }],
  'lesson-shop': ['/api/products/absent', { detail: 'There is no such product.' }],
  'session-store': ['/api/session', { code: 'not-signed-in' }],
  'support-desk': ['/api/customers/absent', { code: 'not-signed-in' }],
};

const names = readdirSync(join(workspace, 'systems')).filter((name) =>
  existsSync(join(workspace, 'systems', name, 'http')),
);
const wanted = process.env['STARTERS'] ?? 'blog';
const tried = wanted === 'all' ? names : wanted.split(',');

let folder: string;
let create: string;
let packages: readonly string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-starters-'));
  [create = '', ...packages] = packed(folder, ['create-singlet', 'singlet', 'model']);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates an application by the packed command. */
function created(template: string): string {
  const said = npm(
    folder,
    'exec',
    '--yes',
    '--offline',
    `--package=${create}`,
    '--',
    'create-singlet',
    '--template',
    template,
  );
  expect(said).toContain('npm start');
  return join(folder, template);
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Installs what a project needs. */
function installed(project: string): void {
  const text = readFileSync(join(project, 'package.json'), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(text) as Manifest;
  install(project, packages, Object.keys({ ...dependencies, ...devDependencies }));
}

/** Starts an application, and ends it after the story. */
async function started(project: string, story: (url: string) => Promise<void>): Promise<void> {
  const child = spawn('npm', ['start', '--', '--port', '0', '--scale', '0'], {
    cwd: project,
    env: environment,
    // npm starts the application in a process of its own: both are ended as one group.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    let url: string | undefined;
    for await (const line of createInterface(child.stdout)) {
      url = /^The application is on (\S+);/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    expect(url).toBeDefined();
    await story(url ?? '');
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}

describe.each(tried)('%s', (template) => {
  let project: string;

  beforeAll(() => {
    project = created(template);
    installed(project);
  });

  test('its types and its model are sound', () => {
    expect(npm(project, 'run', 'check')).toMatch(
      /(\d+) of \1 patterns served as declared(, \d+ of them unproven)?; 0 errors/,
    );
  });

  test('its tests pass', () => {
    const { status, stdout, stderr } = spawnSync('npm', ['test'], { cwd: project, env: environment, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/Tests .*\d+ passed/);
  });

  test('it is served: a page, a description, an operation', async () => {
    await started(project, async (url) => {
      const page = await fetch(`${url}/`);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('<title>');
      expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({
        openapi: expect.stringMatching(/^3\.1/) as string,
      });
      const [path, body] = operations[template] ?? ['/', {}];
      expect(await (await fetch(`${url}${path}`)).json()).toMatchObject(body);
    });
  });
});

describe('all', () => {
  test('are the applications that are served', () => {
    expect(names).toEqual(Object.keys(operations));
  });

  test('are created, and the types of those that the run has drawn hold', () => {
    const all = mkdtempSync(join(folder, 'all-'));
    for (const name of names) {
      execFileSync(process.execPath, [join(workspace, 'packages/create-singlet/bin/create-singlet.js'), '-t', name], {
        cwd: all,
      });
    }
    symlinkSync(join(workspace, 'node_modules'), join(all, 'node_modules'));
    const include = drawn('types of starters', names, 6).map((name) => `${name}/**/*.ts`);
    writeFileSync(join(all, 'tsconfig.json'), JSON.stringify({ extends: `./${names[0]}/tsconfig.json`, include }));
    const { status, stdout } = spawnSync('npx', ['tsc', '-p', all], { cwd: workspace, encoding: 'utf8' });
    expect(status, stdout).toBe(0);
  });

  test.each(names)('the READMEs of %s name files and commands that are there', (name) => {
    const root = join(workspace, 'packages/create-singlet/dist/templates', name);
    for (const file of ['README.md', `${name}/README.md`]) {
      const text = readFileSync(join(root, file), 'utf8');
      const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path = '']) => path);
      const absent = links.filter((path) => !/^https?:/.test(path) && !existsSync(join(root, dirname(file), path)));
      expect([file, absent]).toEqual([file, []]);
      expect(text).not.toMatch(/systems\/|npm run (?!(?:check|load)\b)/);
    }
  });
});
