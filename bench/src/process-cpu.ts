import { readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

/**
 * CPU time that a process and those it has started have used so far, all threads, in microseconds (in steps of 10 ms).
 *
 * @returns undefined where there is no /proc, or no such process.
 */
export function cpuMicroseconds(processId: number): number | undefined {
  const ticks = withDescendants(processId).map((id) => {
    const fields = statFields(id);
    return fields === undefined ? undefined : Number(fields[11]) + Number(fields[12]);
  });
  return ticks[0] === undefined
    ? undefined
    : ticks.reduce((sum: number, each) => sum + (each ?? 0), 0) * microsecondsPerTick;
}

/**
 * How much of the machine other processes took while something was measured.
 *
 * @returns a function to be called once all processes that were started meanwhile have ended (only then does the system
 *   count their time as this process's). It gives the share of all processors, 0 to 1; undefined where there is no /proc.
 */
export function watchOtherLoad(): () => number | undefined {
  const start = readLoad();
  return () => {
    const end = readLoad();
    if (start === undefined || end === undefined || end.total === start.total) return undefined;
    const others = end.busy - start.busy - (end.own - start.own);
    return Math.max(0, others) / (end.total - start.total);
  };
}

/** Clock ticks since the start of the system: of all processors, those that were not idle, those of this process tree. */
function readLoad(): { readonly total: number; readonly busy: number; readonly own: number } | undefined {
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; a guest's time is already in the user's.
  const all = /^cpu +(.+)$/m
    .exec(readProc('/proc/stat') ?? '')?.[1]
    ?.split(' ')
    .slice(0, 8)
    .map(Number);
  const own = statFields(process.pid);
  if (all === undefined || own === undefined) return undefined;
  const total = all.reduce((sum, ticks) => sum + ticks, 0);
  // utime, stime, and the same of children that have ended.
  const ownTicks = own.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return { total, busy: total - (all[3] ?? 0) - (all[4] ?? 0), own: ownTicks };
}

/** Memory in bytes: the process's own, and the pages of mapped files, which the system takes back when it needs them. */
export interface MemoryUse {
  readonly privateBytes: number;
  readonly mappedBytes: number;
}

/**
 * Resident memory of a process and those it has started.
 *
 * @returns undefined where the system does not tell.
 */
export function memoryUse(processId: number): MemoryUse | undefined {
  const parts = withDescendants(processId).map((id) => {
    const status = readProc(`/proc/${id}/status`) ?? '';
    const bytes = (name: string): number | undefined => {
      const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
      return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
    };
    return { privateBytes: bytes('RssAnon'), mappedBytes: bytes('RssFile') };
  });
  if (parts[0]?.privateBytes === undefined || parts[0].mappedBytes === undefined) return undefined;
  return {
    privateBytes: parts.reduce((sum, each) => sum + (each.privateBytes ?? 0), 0),
    mappedBytes: parts.reduce((sum, each) => sum + (each.mappedBytes ?? 0), 0),
  };
}

/** The process, and what it has started that still runs: workers of a server. */
function withDescendants(processId: number): number[] {
  const children = readProc(`/proc/${processId}/task/${processId}/children`)?.trim().split(' ') ?? [];
  return [processId, ...children.filter((text) => text !== '').flatMap((text) => withDescendants(Number(text)))];
}

/** The fields of /proc/PID/stat after the name: utime and stime, 14th and 15th of all, are 11 and 12 here. */
function statFields(processId: number): string[] | undefined {
  const text = readProc(`/proc/${processId}/stat`);
  // The name, in parentheses, may hold blanks: fields are counted from its end.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
