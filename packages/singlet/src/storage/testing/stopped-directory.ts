/** Data directories as processes leave them, with the real file system and the real LMDB. */
import { cpSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFileSystem } from '../files/node-file-system.ts';
import { ensureMarker } from '../lmdb/data-directory.ts';
import { openDatabase } from '../lmdb/lmdb-database.ts';
import type { LmdbDatabase } from '../lmdb/lmdb-package.ts';
import { LmdbEnvironment } from '../lmdb/lmdb-environment.ts';
import { readAnyGeneration } from '../lmdb/log-file-reader.ts';
import { readLogs } from '../lmdb/recovery.ts';
import { readWitness } from '../lmdb/write-ahead-log-format.ts';
import { ManualAlarm } from './manual-alarm.ts';
import { bytes, testKey } from './store-probe.ts';

/**
 * How a process ended: it closed its store; it was killed at rest, after the log was sealed; it was killed between two writes;
 * or it was killed between two writes while a checkpoint ran, with groups in both logs.
 */
export type HowStopped = 'closed' | 'at rest' | 'under load' | 'during a checkpoint';

export interface StoppedDirectory {
  readonly path: string;
  /** An earlier copy of the directory. */
  readonly older: string;
  /** How many puts were acknowledged: `keyOf(at)` has the value `valueOf(at)`, each from a group of its own. */
  readonly puts: number;
}

export const keyAt = (at: number): Uint8Array => testKey(1, at % 256, [at >> 8]);
export const valueAt = (at: number): string => `value ${at} `.padEnd(60 + (at % 5) * 40, 'x');

/** Writes a directory and leaves it like a process that ended this way. */
export async function stoppedDirectory(parent: string, how: HowStopped, puts = 24): Promise<StoppedDirectory> {
  const running = join(parent, `${how} (running)`);
  const path = join(parent, how);
  const older = join(parent, `${how} (older)`);
  await mkdir(running);
  await ensureMarker(running, nodeFileSystem);
  // An earlier session.
  const before = await openHeld(running);
  for (let at = 0; at < 4; at += 1) await put(before.environment, at);
  await before.environment.close();

  const { environment, alarms, gate } = await openHeld(running);
  for (let at = 4; at < puts; at += 1) {
    await put(environment, at);
    if (at === Math.floor(puts / 2)) {
      cpSync(running, older, { recursive: true });
      if (how === 'during a checkpoint') {
        gate.isClosed = true;
        alarms[0]?.ring(); // rest: a checkpoint, which does not progress
        await gate.reached;
      }
    }
  }
  if (how === 'at rest') {
    alarms[1]?.ring();
    while (!(await isSealed(running))) await new Promise((resolve) => setImmediate(resolve));
  }
  if (how === 'closed') await environment.close();
  cpSync(running, path, { recursive: true });
  gate.open();
  if (how !== 'closed') await environment.close();
  return { path, older, puts };
}

async function put(environment: LmdbEnvironment, at: number): Promise<void> {
  await environment.commits.write([], () => ({
    answer: undefined,
    writes: [{ key: keyAt(at), value: bytes(valueAt(at)) }],
  }));
}

/** A store that rests only on command, and whose checkpoints can be blocked. */
async function openHeld(
  directory: string,
): Promise<{ environment: LmdbEnvironment; alarms: readonly ManualAlarm[]; gate: Gate }> {
  const alarms: ManualAlarm[] = [];
  const gate = new Gate();
  const environment = await LmdbEnvironment.open(directory, false, {
    files: nodeFileSystem,
    openDatabase: async (path) => {
      const opened = await openDatabase(path);
      return { ...opened, database: gate.before(opened.database) };
    },
    log: {
      alarm: (action) => {
        const alarm = new ManualAlarm(action);
        alarms.push(alarm);
        return alarm;
      },
    },
  });
  return { environment, alarms, gate };
}

/** Blocks the puts of a checkpoint. */
class Gate {
  isClosed = false;
  readonly reached: Promise<void>;
  #reach = (): void => undefined;
  #waiting: (() => void)[] = [];

  constructor() {
    this.reached = new Promise((resolve) => (this.#reach = resolve));
  }

  before(database: LmdbDatabase): LmdbDatabase {
    return Object.assign(Object.create(database) as LmdbDatabase, {
      put: async (key: Uint8Array, value: Uint8Array) => {
        if (this.isClosed) {
          this.#reach();
          await new Promise<void>((pass) => this.#waiting.push(pass));
        }
        return database.put(key, value);
      },
    });
  }

  open(): void {
    this.isClosed = false;
    for (const pass of this.#waiting.splice(0)) pass();
  }
}

/** Whether a witness covers all groups of the log. */
async function isSealed(directory: string): Promise<boolean> {
  const logs = await readLogs(nodeFileSystem, directory);
  return logs.some((log, at) => {
    const found = log && readAnyGeneration(log);
    const other = logs[at === 0 ? 1 : 0];
    const witness = other && readWitness(other);
    if (found === undefined || found.groups.length === 0 || witness === undefined) return false;
    return witness.nonce.equals(found.start.nonce) && witness.end.groups === found.end.groups;
  });
}
