import { readFileSync } from 'node:fs';
import { afterAll, afterEach, type RunnerTestFile } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU time of a test file and of the processes that it started and that have ended. */
    cpuMs?: number;
  }
}

/** Linux counts the time of processes in hundredths of a second. */
const tickMs = 10;

/** Runs before every test file, and notes its CPU time for the reporter of heavy files: elapsed time would depend on what else the machine does. */
const startedAtMs = cpuMs();

let file: RunnerTestFile | undefined;
afterEach(({ task }) => {
  file = task.file;
});

afterAll(() => {
  if (file !== undefined) file.meta.cpuMs = cpuMs() - startedAtMs;
});

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

/** CPU time of the ended child processes: the fields cutime and cstime of proc(5). */
function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The second field, the name of the program in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}
