import { statSync } from 'node:fs';

/** The polling interval, milliseconds. */
const watchMs = 500;

/**
 * Calls back when one of some files has changed. The files are polled, which detects every way of replacing a file on every file system.
 *
 * @returns a function that stops watching.
 */
export function watchFiles(paths: readonly string[], onChange: () => void, everyMs: number = watchMs): () => void {
  let before = stateOf(paths);
  const timer = setInterval(() => {
    const now = stateOf(paths);
    if (now === before) return;
    before = now;
    onChange();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

function stateOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const state = statSync(path, { bigint: true, throwIfNoEntry: false });
      return state === undefined ? 'missing' : `${state.ino} ${state.size} ${state.mtimeNs}`;
    })
    .join('\n');
}
