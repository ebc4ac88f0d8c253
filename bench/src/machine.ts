import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './statistics.ts';

export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
  /** Median time to make 4 KB durable on the measured disk. Near zero, the disk does not sync at all. */
  readonly fdatasyncMs: number;
}

export interface Versions {
  readonly singlet: string;
  readonly dynalite: string;
  /** Absent if it is not installed. */
  readonly dynoxide?: string;
  readonly lmdb: string;
  readonly sdk: string;
}

export function describeMachine(directory: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${platform()} ${release()}`,
    node: process.version,
    fdatasyncMs: measureFdatasyncMs(directory),
  };
}

export function describeVersions(): Versions {
  const dynoxide = installedVersion('@dynoxide/linux-x64', '@dynoxide/linux-x64/package.json');
  const singlet = fileURLToPath(new URL('../../packages/singlet/package.json', import.meta.url));
  return {
    singlet: versionIn(singlet),
    dynalite: installedVersion('dynalite'),
    ...(dynoxide === unknownVersion ? {} : { dynoxide }),
    lmdb: installedVersion('lmdb'),
    sdk: installedVersion('@aws-sdk/client-dynamodb'),
  };
}

/** The version of an installed package: the nearest package.json of that name above its entry. */
function installedVersion(name: string, file = name): string {
  let directory: string;
  try {
    directory = dirname(fileURLToPath(import.meta.resolve(file)));
  } catch {
    return unknownVersion;
  }
  for (; directory !== dirname(directory); directory = dirname(directory)) {
    const version = versionIn(join(directory, 'package.json'), name);
    if (version !== unknownVersion) return version;
  }
  return unknownVersion;
}

const unknownVersion = 'unknown';

function versionIn(file: string, name?: string): string {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: string; readonly version?: string };
    return name === undefined || manifest.name === name ? (manifest.version ?? unknownVersion) : unknownVersion;
  } catch {
    return unknownVersion;
  }
}

function measureFdatasyncMs(directory: string): number {
  const file = join(directory, 'fdatasync-probe');
  const bytes = Buffer.alloc(4096, 1);
  const handle = openSync(file, 'w');
  try {
    const timesMs = Array.from({ length: 30 }, (_, index) => {
      writeSync(handle, bytes, 0, bytes.length, index * bytes.length);
      const startMs = performance.now();
      fdatasyncSync(handle);
      return performance.now() - startMs;
    });
    return median(timesMs);
  } finally {
    closeSync(handle);
    rmSync(file);
  }
}
