import { readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

/**
 * CPU time that a process and its descendants have used so far, all threads, in microseconds (in steps of 10 ms).
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
 * The share of the machine's CPU that other processes used during a measurement.
 *
 * @returns a function to call once all processes started meanwhile have ended (only then does the system count
 *   their time as this process's). It returns the share of all processors, 0 to 1; undefined where there is no /proc.
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

/** Clock ticks since the start of the system: the busy ticks of all processors, and those of this process tree. */
function readLoad(): { readonly total: number; readonly busy: number; readonly own: number } | undefined {
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; user time already includes guest time.
  const all = /^cpu +(.+)$/m
    .exec(readProc('/proc/stat') ?? '')?.[1]
    ?.split(' ')
    .slice(0, 8)
    .map(Number);
  const own = statFields(process.pid);
  if (all === undefined || own === undefined) return undefined;
  const total = all.reduce((sum, ticks) => sum + ticks, 0);
  // utime, stime, and the same of exited children.
  const ownTicks = own.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return { total, busy: total - (all[3] ?? 0) - (all[4] ?? 0), own: ownTicks };
}

/** Memory in bytes: the process's own, and the pages of mapped files, which the system can reclaim. */
export interface MemoryUse {
  readonly privateBytes: number;
  readonly mappedBytes: number;
}

/**
 * Resident memory of a process and its descendants.
 *
 * @returns undefined where the system does not report it.
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

/** The process and its descendants that still run, such as a server's workers. */
function withDescendants(processId: number): number[] {
  const children = readProc(`/proc/${processId}/task/${processId}/children`)?.trim().split(' ') ?? [];
  return [processId, ...children.filter((text) => text !== '').flatMap((text) => withDescendants(Number(text)))];
}

/** The fields of /proc/PID/stat after the name: utime and stime, 14th and 15th of all, are 11 and 12 here. */
function statFields(processId: number): string[] | undefined {
  const text = readProc(`/proc/${processId}/stat`);
  // The name, in parentheses, may contain blanks, so fields are counted from its end.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
