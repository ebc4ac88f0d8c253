// Prepares the packages for publication: `node scripts/release.mjs --out FOLDER [--repository URL]`. For each package it writes a tarball and
// a software bill of materials (CycloneDX, by npm itself) of what an installation without development dependencies contains. With
// `--repository` the tarballs name the repository, which npm compares with the place that signs their provenance. The address is not in the
// repository: it depends on where that is hosted. The command as one file is there as well. `--only sbom` leaves out all but the bills.
// CONTRIBUTING.md says what comes before.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['packages/singlet', 'packages/model', 'packages/studio', 'packages/create-singlet'];

const { values: flags } = parseArgs({
  options: { out: { type: 'string' }, repository: { type: 'string' }, only: { type: 'string' } },
});
if (flags.out === undefined) fail('--out names the folder for the files');
if (flags.only !== undefined && flags.only !== 'sbom') fail('--only takes sbom');
const out = resolve(flags.out);
mkdirSync(out, { recursive: true });

/** What npm wrote, by the name of the workspace. */
const bills = new Map();
if (flags.only === undefined) folders.forEach(refuseUndescribed);
for (const folder of folders) {
  const manifest = manifestIn(folder);
  writeBill(manifest, billOfMaterials(manifest));
  if (flags.only === 'sbom') continue;
  if (flags.repository !== undefined) nameRepository(folder, flags.repository);
  npm(['pack', '--silent', '--pack-destination', out], join(root, folder));
}
const testing = {
  ...manifestIn('packages/singlet'),
  name: '@singlet/testing',
  description: 'A DynamoDB-compatible database for tests',
};
writeBill(testing, billOfMaterials(testing, { of: 'singlet', dependencies: {} }));
if (flags.only === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'singlet-testing-'));
  execFileSync(process.execPath, [join(root, 'scripts/testing-package.mjs'), '--out', folder]);
  npm(['pack', '--silent', '--pack-destination', out], folder);
  rmSync(folder, { recursive: true });
  execFileSync(process.execPath, [join(root, 'scripts/single-file.mjs'), '--out', join(out, 'singlet.cjs')]);
}

/**
 * By the lockfile, so the bill does not depend on the machine. npm lists everything that any workspace depends on; what the package itself
 * brings to an installation are its dependencies and theirs.
 */
function billOfMaterials(manifest, { of = manifest.name, dependencies = manifest.dependencies ?? {} } = {}) {
  const { name, version } = manifest;
  const flags = ['--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--omit', 'dev', '--package-lock-only'];
  bills.set(of, bills.get(of) ?? npm(['sbom', '--workspace', of, ...flags], root));
  const bill = JSON.parse(bills.get(of));
  const self = `${of}@${version}`;
  const below = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const nameOf = (ref) => ref.slice(0, ref.lastIndexOf('@'));
  const direct = [...below.keys()].filter((ref) => nameOf(ref) in dependencies);
  const kept = new Set();
  for (const waiting = [...direct]; waiting.length > 0;) {
    const ref = waiting.pop();
    if (kept.has(ref)) continue;
    kept.add(ref);
    waiting.push(...(below.get(ref) ?? []));
  }
  const ref = `${name}@${version}`;
  const purl = `pkg:npm/${ref.replace(/^@/, '%40')}`;
  const component = bill.components.find((each) => each['bom-ref'] === self);
  bill.metadata.component = { ...component, 'bom-ref': ref, name, description: manifest.description, purl };
  bill.components = bill.components.filter((each) => kept.has(each['bom-ref']));
  bill.dependencies = [{ ref, dependsOn: direct }, ...bill.dependencies.filter((each) => kept.has(each.ref))];
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function writeBill({ name, version }, text) {
  writeFileSync(join(out, `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`), text);
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

/** The changes of a version are described before it is published: `npx changeset version` does that. */
function refuseUndescribed(folder) {
  const { version } = manifestIn(folder);
  const changelog = join(root, folder, 'CHANGELOG.md');
  if (existsSync(changelog) && readFileSync(changelog, 'utf8').includes(`\n## ${version}\n`)) return;
  fail(`${folder}/CHANGELOG.md does not describe ${version}: run npx changeset version`);
}

function nameRepository(folder, url) {
  const path = join(root, folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.repository = { type: 'git', url: `git+${url.replace(/^git\+/, '')}`, directory: folder };
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

function fail(sentence) {
  process.stderr.write(`release: ${sentence}\n`);
  process.exit(1);
}
