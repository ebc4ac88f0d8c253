import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template } from '../templates.ts';
import { applicationReadme, beginningOf } from './application-readme.ts';
import { generatedFiles } from './generated-files.ts';
import { applicationsIn, type Starter, starterOf } from './starter.ts';

// Writes `dist/templates`: a folder for each application, and `templates.json`, which lists them. This is a step of the build.

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines?: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const workspace = fileURLToPath(new URL('../../../../', import.meta.url));
const root = join(workspace, 'systems');
const target = fileURLToPath(new URL('../templates/', import.meta.url));

const manifestOf = (folder: string): Manifest => readJson(join(folder, 'package.json')) as Manifest;
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(workspace, path), 'utf8'));

const own = [manifestOf('packages/singlet'), manifestOf('packages/model')];
const ranges: Readonly<Record<string, string>> = {
  ...manifestOf('packages/singlet').devDependencies,
  ...manifestOf('.').devDependencies,
  ...manifestOf('systems').devDependencies,
  ...manifestOf('systems').dependencies,
  ...Object.fromEntries(own.map(({ name, version }) => [name, `^${version}`])),
};
const { compilerOptions } = readJson('tsconfig.base.json') as {
  readonly compilerOptions: Readonly<Record<string, unknown>>;
};

function versionOf(name: string): string {
  const range = ranges[name];
  if (range === undefined)
    throw new RangeError(`The workspace has no version of ${name}: add it to systems/package.json`);
  return range;
}

function writeStarter(starter: Starter): Template {
  const { name, files } = starter;
  const folder = join(target, name);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  cpSync(join(workspace, 'LICENSE'), join(folder, 'LICENSE'));
  const readme = readFileSync(join(root, name, 'README.md'), 'utf8');
  const has = (path: string): boolean => existsSync(join(folder, normalize(`${name}/${path}`)));
  writeFileSync(join(folder, name, 'README.md'), applicationReadme(readme, { name, has }));
  const { title, lead } = beginningOf(readme);
  const node = own[0]?.engines?.node ?? '';
  const generated = generatedFiles({ starter, title, lead: textOf(lead), versionOf, node, compilerOptions });
  for (const [file, text] of Object.entries(generated)) writeFileSync(join(folder, file), text);
  return { name, summary: sentenceOf(textOf(lead)) };
}

/** Without links, whose targets are relative to a README of the workspace. */
const textOf = (markdown: string): string => markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
const sentenceOf = (text: string): string => /^.*?[.](?= |$)/.exec(text)?.[0] ?? text;

rmSync(target, { recursive: true, force: true });
const templates = applicationsIn(root).map((name) => writeStarter(starterOf(root, name)));
writeFileSync(join(target, 'templates.json'), `${JSON.stringify(templates, undefined, 2)}\n`);
