// Loaded before an application: builds the packages that it imports, unless the last build is newer than all of their sources. A build that
// has nothing to do takes a second, which is half of the time that an application has until its first page.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const PACKAGES = ['singlet', 'model'];
/** What a package is built from. A folder changes when a file in it is added or removed. */
const SOURCES = ['src', 'package.json', 'tsconfig.json', 'bundle.mjs'];

/** The newest time of a file or a folder and all in it, 0 if there is none. */
function newestMs(url) {
  if (!existsSync(url)) return 0;
  const { mtimeMs } = statSync(url);
  const inside = statSync(url).isDirectory() ? readdirSync(url, { recursive: true }) : [];
  return Math.max(mtimeMs, ...inside.map((name) => statSync(new URL(name, `${url}/`)).mtimeMs));
}

const shared = Math.max(newestMs(new URL('tsconfig.base.json', root)), newestMs(new URL('package-lock.json', root)));
const isBuilt = PACKAGES.every((name) => {
  const sources = SOURCES.map((source) => newestMs(new URL(`packages/${name}/${source}`, root)));
  // Every build writes the entry.
  return newestMs(new URL(`packages/${name}/dist/index.js`, root)) > Math.max(shared, ...sources);
});
if (!isBuilt) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build:packages'], {
    cwd: fileURLToPath(root),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
