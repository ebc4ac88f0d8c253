import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const script = join(root, 'scripts/release.mjs');
const run = promisify(execFile);

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
  ).toEqual(['create-singlet.cdx.json', 'singlet-model.cdx.json', 'singlet-studio.cdx.json', 'singlet.cdx.json']);
  const billOf = (start: RegExp): Bill => {
    const [file = ''] = readdirSync(out).filter((name) => start.test(name));
    return JSON.parse(readFileSync(join(out, file), 'utf8')) as Bill;
  };
  const bill = billOf(/^singlet-\d/);
  expect([bill.bomFormat, bill.metadata.component.name]).toEqual(['CycloneDX', 'singlet']);
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['lmdb', 'commander']));
  for (const development of ['vitest', 'typescript', '@11ty/eleventy']) expect(names).not.toContain(development);
  // The model brings nothing with it.
  expect(billOf(/^singlet-model/)).toMatchObject({
    metadata: { component: { name: '@singlet/model' } },
    components: [],
  });
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

test('the workflow publishes with provenance, and pins what it uses', () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
  expect(workflow).toContain('npm publish "$file" --provenance');
  expect(workflow).toContain('permissions: {}');
  const used = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/);
});
