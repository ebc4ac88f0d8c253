import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/*
 * Tells that a model may have changed, without running it: a model may import the files beside it, so that all of them are looked at.
 */

/** Files beside a model's that are looked at for changes. */
const watchedFilesMax = 500;
/** How often files are looked at, milliseconds. */
const watchMs = 300;

/** Sizes and times of a file and those beside it, or of those of a directory. */
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

/** Resolves when one of the models, or a file beside it, is no longer what the fingerprint was made of. */
export function changeOf(paths: readonly string[], before: string, everyMs: number = watchMs): Promise<void> {
  return new Promise((resolved) => {
    const timer = setInterval(() => {
      if (fingerprintsOf(paths) === before) return;
      clearInterval(timer);
      resolved();
    }, everyMs);
  });
}

/** The fingerprint of several. */
export function fingerprintsOf(paths: readonly string[]): string {
  return paths.map(fingerprintOf).join('\n\n');
}
