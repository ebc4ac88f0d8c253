import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const script = join(root, 'scripts/release.mjs');
const run = promisify(execFile);

interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
}

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[];
}

test('a release has a bill of materials for each package, of what users install', async () => {
  const out = mkdtempSync(join(tmpdir(), 'singlet-release-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  await run(process.execPath, [script, '--out', out, '--only', 'sbom'], { cwd: root });
  expect(
    readdirSync(out)
      .map((file) => file.replace(/-\d.*(?=\.cdx)/, ''))
      .sort(),
  ).toEqual([
    'create-singlet.cdx.json',
    'singlet-model.cdx.json',
    'singlet-studio.cdx.json',
    'singlet-testing.cdx.json',
    'singlet.cdx.json',
  ]);
  const billOf = (start: RegExp): Bill => {
    const [file = ''] = readdirSync(out).filter((name) => start.test(name));
    return JSON.parse(readFileSync(join(out, file), 'utf8')) as Bill;
  };
  const bill = billOf(/^singlet-\d/);
  expect([bill.bomFormat, bill.metadata.component.name]).toEqual(['CycloneDX', 'singlet']);
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['lmdb', 'commander']));
  for (const development of ['vitest', 'typescript', '@11ty/eleventy']) expect(names).not.toContain(development);
  // These two bring nothing with them.
  for (const name of ['@singlet/model', '@singlet/testing']) {
    expect(billOf(new RegExp(`^${name.slice(1).replace('/', '-')}`))).toMatchObject({
      metadata: { component: { name, purl: expect.stringMatching(`^pkg:npm/%40${name.slice(1)}@`) as string } },
      components: [],
    });
  }
  for (const { purl } of bill.components) expect(purl).toMatch(/^pkg:npm\//);
});

test('the command as one file serves a database in memory, with nothing beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'singlet-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'singlet.cjs');
  await run(process.execPath, [join(root, 'scripts/single-file.mjs'), '--out', file], { cwd: root });
  expect(readdirSync(folder)).toEqual(['singlet.cjs']);
  const { version } = JSON.parse(
    readFileSync(join(root, 'packages/singlet/package.json'), 'utf8'),
  ) as Bill['components'][0];
  expect((await run(process.execPath, [file, '--version'], { cwd: folder })).stdout).toBe(`${version}\n`);

  const server = spawn(process.execPath, [file, 'serve', '--memory', '--port', '0'], { cwd: folder });
  const ended = once(server, 'close');
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line.toString())?.[0] ?? '';
  const client = new DynamoDBClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  onTestFinished(() => client.destroy());
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);

  // What it does not contain is named.
  const onDisk = await run(process.execPath, [file, 'serve', '--data', './data', '--port', '0'], { cwd: folder }).catch(
    (error: unknown) => error,
  );
  expect(onDisk).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The package "lmdb" cannot be loaded') as string,
  });
});

test('the changesets make one next version of all packages, whose tarballs describe it', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'singlet-version-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const folders = ['singlet', 'model', 'studio', 'create-singlet'].map((name) => `packages/${name}`);
  for (const folder of [...folders, 'systems', 'conformance', 'bench', 'site', '.']) {
    cpSync(join(root, folder, 'package.json'), join(copy, folder, 'package.json'));
  }
  cpSync(join(root, 'package-lock.json'), join(copy, 'package-lock.json'));
  cpSync(join(root, '.changeset'), join(copy, '.changeset'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, '.changeset/a-change.md'), "---\n'@singlet/model': minor\n---\n\nA planted change.\n");
  const git = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  await run('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: copy });
  await run('git', ['add', 'package.json', '.changeset', 'packages'], { cwd: copy });
  await run('git', [...git, 'commit', '--quiet', '--message', 'all'], { cwd: copy });
  await run(process.execPath, ['node_modules/@changesets/cli/bin.js', 'version'], { cwd: copy });

  const manifests = folders.map(
    (folder) => JSON.parse(readFileSync(join(copy, folder, 'package.json'), 'utf8')) as Manifest,
  );
  const [version = ''] = manifests.map((manifest) => manifest.version);
  expect(new Set(manifests.map((manifest) => manifest.version))).toEqual(new Set([version]));
  // No changeset is of a major change: that a package is a peer of another does not make it one.
  const { version: before } = JSON.parse(readFileSync(join(root, 'packages/singlet/package.json'), 'utf8')) as Manifest;
  expect(version.split('.')[0]).toBe(before.split('.')[0]);
  for (const [at, folder] of folders.entries()) {
    expect(manifests[at]).toMatchObject({
      license: 'Apache-2.0',
      keywords: expect.arrayContaining(['dynamodb']) as unknown,
    });
    expect(manifests[at]?.files).toContain('CHANGELOG.md');
    expect(readFileSync(join(copy, folder, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}\n`);
  }
  expect(readFileSync(join(copy, 'packages/model/CHANGELOG.md'), 'utf8')).toContain('A planted change.');
});

test('a version without a description is not packed', async () => {
  const out = mkdtempSync(join(tmpdir(), 'singlet-release-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  const released = existsSync(join(root, 'packages/singlet/CHANGELOG.md'));
  const ended = await run(process.execPath, [script, '--out', out], { cwd: root }).catch((error: unknown) => error);
  if (!released)
    expect(ended).toMatchObject({ stderr: expect.stringContaining('run npx changeset version') as string });
  expect(readdirSync(out).some((file) => file.endsWith('.tgz'))).toBe(released);
});

test('the workflow publishes with provenance, and pins what it uses', () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
  expect(workflow).toContain('npm publish "$file" --provenance');
  expect(workflow).toContain('permissions: {}');
  const used = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/);
});
