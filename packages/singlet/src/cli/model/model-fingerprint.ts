import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/*
 * Detects that a model may have changed, without running it. A model may import the files beside it, so all of them are checked.
 */

/** The maximum number of files beside a model that are checked for changes. */
const watchedFilesMax = 500;
/** The polling interval, milliseconds. */
const watchMs = 300;

/** Sizes and times of a file and its neighbours, or of the files in a directory. */
export function fingerprintOf(given: string): string {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'absent';
  const directory = stat.isDirectory() ? path : dirname(path);
  const names = readdirSync(directory).filter((name) => /\.(ts|mts|js|mjs|json)$/.test(name));
  return names
    .slice(0, watchedFilesMax)
    .map((name) => {
      const file = statSync(join(directory, name), { throwIfNoEntry: false });
      return `${name} ${file?.mtimeMs} ${file?.size}`;
    })
    .join('\n');
}

/** Resolves when one of the models, or a file beside it, no longer matches the fingerprint. */
export function changeOf(paths: readonly string[], before: string, everyMs: number = watchMs): Promise<void> {
  return new Promise((resolved) => {
    const timer = setInterval(() => {
      if (fingerprintsOf(paths) === before) return;
      clearInterval(timer);
      resolved();
    }, everyMs);
  });
}

/** The combined fingerprint of several paths. */
export function fingerprintsOf(paths: readonly string[]): string {
  return paths.map(fingerprintOf).join('\n\n');
}
