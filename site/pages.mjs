// Which files of the repository are pages of the site, and where each one is in the output. A README is the index of its folder.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders whose READMEs are pages. All of `docs` is. */
const withReadme = /^(packages\/[^/]+|systems|systems\/[^/]+|conformance|bench)\/README\.md$/;

/** @returns the paths, from the root, of all files that git knows or would add; in a copy without a repository, as in an image, of its sources. */
export function repositoryFiles() {
  if (!existsSync(join(root, '.git'))) return sourceFiles();
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split('\n').filter((file) => file !== '');
}

/** Folders with what is installed, built or written by a server. */
const otherFolders = new Set(['.git', '.vitest', 'coverage', 'dist', 'node_modules', 'singlet-data']);

/** @returns the paths of all files that are not in one of {@link otherFolders}. */
export function sourceFiles(folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return otherFolders.has(entry.name) ? [] : sourceFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

/**
 * @param files - paths of the repository.
 * @returns the pages, in the order of their paths: `file` from the root, `url` from the site's root, `title`, `summary` (the
 *   text of the first paragraph) and the Markdown in `text`.
 */
export function pagesOf(files) {
  return files
    .filter((file) => file.endsWith('.md') && isPage(file))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return { file, url: urlOf(file), title: titleOf(text) ?? file, summary: summaryOf(text), text };
    });
}

function isPage(file) {
  return file === 'README.md' || file === 'CONTRIBUTING.md' || file.startsWith('docs/') || withReadme.test(file);
}

function urlOf(file) {
  const path = file.replace(/^docs\//, '');
  const folder = posix.dirname(path);
  const name = posix.basename(path, '.md');
  return posix.join(folder, name === 'README' ? 'index.html' : `${name.toLowerCase()}.html`);
}

function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '');
}

function summaryOf(text) {
  const paragraph = text.split(/\n{2,}/).find((part) => /^[A-Z*_`"[]/.test(part)) ?? '';
  return paragraph
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*_`]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
