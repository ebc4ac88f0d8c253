import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** How long the files of a replaced build are kept. */
export const KEPT_MS = 24 * 60 * 60 * 1000;

/** How much of them is kept in one folder; the ones replaced first go first. */
export const KEPT_BYTES_MAX = 64 * 1024 * 1024;

const LIST = '.npmignore';
const BEFORE =
  '# Written by the build: files that a package does not contain. Files of earlier builds are kept for processes that may still load them.';

/**
 * Removes what earlier builds left in a folder, except what a process that runs may still load on demand: files named by their content are kept for
 * {@link KEPT_MS} after the build that replaced them. They are listed in the folder's `.npmignore`, so that no package contains them.
 *
 * @param {object} options
 * @param {string} options.folder
 * @param {(file: string) => boolean} options.isOurs - whether builds write this file; given relative to the folder, with `/`.
 * @param {ReadonlySet<string>} options.written - what this build wrote, likewise.
 * @param {readonly string[]} [options.unused] - further files that no package contains, likewise.
 * @param {number} [options.now] - milliseconds since 1970.
 */
export function removeFormerFiles({ folder, isOurs, written, unused = [], now = Date.now() }) {
  const list = join(folder, LIST);
  const listed = new Set(existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []);
  const former = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, sep).length).replaceAll(sep, '/'))
    .filter((file) => isOurs(file) && !written.has(file));
  const kept = [];
  let bytes = 0;
  for (const each of former.map(replacedAt).sort((a, b) => b.at - a.at)) {
    bytes += each.bytes;
    const stays = isNamedByContent(each.file) && each.at > now - KEPT_MS && bytes <= KEPT_BYTES_MAX;
    if (stays) kept.push(each.file);
    else rmSync(join(folder, each.file), { force: true });
  }
  writeFileSync(list, `${[BEFORE, ...kept, ...unused.map((file) => `/${file}`)].join('\n')}\n`);

  /** The time of a file that this build replaced is now, and stays. */
  function replacedAt(file) {
    const path = join(folder, file);
    if (!listed.has(file)) utimesSync(path, now / 1000, now / 1000);
    const { mtimeMs, size } = statSync(path);
    return { file, at: mtimeMs, bytes: size };
  }
}

/** `name-HASH.js`, and its compressed copies. A process needs no source map. */
function isNamedByContent(file) {
  return /-[A-Z0-9]{8}\.(?:c?js|css|woff2)(?:\.br|\.gz)?$/.test(file);
}
