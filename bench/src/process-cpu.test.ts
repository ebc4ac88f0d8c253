import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cpuMicroseconds, memoryUse, watchOtherLoad } from './process-cpu.ts';

const noSuchProcess = 2 ** 22 + 1;

describe.runIf(existsSync('/proc/self/stat'))('what the system tells of processes', () => {
  it('knows the CPU time of a process, near what the process itself says', () => {
    const own = process.cpuUsage();
    const ownMicroseconds = own.user + own.system;
    const told = cpuMicroseconds(process.pid) ?? Number.NaN;
    expect(told).toBeGreaterThan(0);
    // Ticks of 10 ms, rounded down twice. Some time may also pass between the two readings.
    expect(Math.abs(told - ownMicroseconds)).toBeLessThan(1_000_000);
  });

  it('knows the memory of a process', () => {
    expect(memoryUse(process.pid)?.privateBytes).toBeGreaterThan(10 * 2 ** 20);
    expect(memoryUse(process.pid)?.mappedBytes).toBeGreaterThan(0);
  });

  it('adds what a process has started', async () => {
    const script = 'const kept = Buffer.alloc(200 * 2 ** 20, 1); console.log(kept.length); process.stdin.resume();';
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      const alone = memoryUse(child.pid ?? 0)?.privateBytes ?? Number.NaN;
      expect(alone).toBeGreaterThan(200 * 2 ** 20);
      expect(memoryUse(process.pid)?.privateBytes).toBeGreaterThan(alone);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('knows the load of others as a share', () => {
    const load = watchOtherLoad();
    const endMs = performance.now() + 30;
    while (performance.now() < endMs);
    expect(load()).toBeGreaterThanOrEqual(0);
    expect(load()).toBeLessThanOrEqual(1);
  });
});

it('has no figures of a process that is not there', () => {
  expect(cpuMicroseconds(noSuchProcess)).toBeUndefined();
  expect(memoryUse(noSuchProcess)).toBeUndefined();
});
