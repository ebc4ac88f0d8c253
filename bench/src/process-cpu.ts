import { readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

/**
 * CPU time that a process has used so far, all threads, in microseconds (in steps of 10 ms).
 *
 * @returns undefined where there is no /proc, or no such process.
 */
export function cpuMicroseconds(processId: number): number | undefined {
  const text = readProc(`/proc/${processId}/stat`);
  // The name, in parentheses, may hold blanks: fields are counted from its end. utime and stime are the 14th and 15th.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined) return undefined;
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}

/** Resident memory of a process, in bytes; undefined where the system does not tell. */
export function residentBytes(processId: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`/proc/${processId}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
