import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** The directory of Linux whose files are in memory. */
const memory = '/dev/shm';

/** What the tests of a run may write there together, with room to spare. Containers often have only 64 MB of it. */
const freeBytesMin = 8 * 1024 ** 3;

/**
 * Puts the temporary directory of the tests into memory, where there is enough of it: syncing a file takes no time there. The tests kill
 * processes and build the images of power cuts themselves, so what a disk would keep makes no difference to them. `TMPDIR` names another one.
 */
export function setup() {
  if (process.env['TMPDIR'] !== undefined || freeBytes() < freeBytesMin) return;
  directory = mkdtempSync(join(memory, 'singlet-tests-'));
  chmodSync(directory, 0o1777); // as /tmp: PostgreSQL runs as another user
  process.env['TMPDIR'] = directory;
}

export function teardown() {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}

let directory;

function freeBytes() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
