import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { entryHeadBytes, writeEntry } from '../storage/lmdb/write-ahead-log-format.ts';
import type { Store } from '../storage/store.ts';
import { encodeObject } from './backup-object.ts';
import { manifestName, partName } from './backup-names.ts';
import type { ChainHead, SnapshotManifest, SnapshotPart } from './backup-records.ts';
import type { BackupTarget } from './backup-target.ts';

/** A part is complete once it has this many bytes of entries. */
const partBytesMax = 8 * 1024 * 1024;

/** Bytes of entries read in one turn of the event loop. */
const sliceBytesMax = 512 * 1024;

const compress = promisify(gzip);

/** Keys below and above every other key. */
const lowest = Buffer.alloc(0);
const highest = Buffer.alloc(64, 0xff);

export interface SnapshotSource {
  readonly store: Store;
  readonly database: string;
  readonly chain: string;
  /** Ships everything acknowledged so far. @returns the end of the chain after that. */
  readonly shipAll: () => Promise<ChainHead>;
  readonly nowMs: () => number;
  /** Lets other work run for this many milliseconds. Rejects to end the snapshot. */
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * Writes a snapshot of a store while it is written to.
 *
 * The store is read in slices, each from a newer state than the one before. The log of that period makes them consistent: a key that changed
 * between the first slice and the last gets its value from the log, and any other key had the same value throughout.
 */
export async function writeSnapshot(
  target: BackupTarget,
  id: string,
  source: SnapshotSource,
): Promise<SnapshotManifest> {
  const { store, chain, database, nowMs, pause } = source;
  const startedAtMs = nowMs();
  const first = await source.shipAll();
  const parts: SnapshotPart[] = [];
  let part = new PartBuffer();
  let from: Buffer = lowest;
  const finishPart = async (): Promise<void> => {
    const name = partName(chain, id, parts.length);
    const { entries, bytes } = part;
    const object = encodeObject(name, { entries, bytes }, await compress(part.content(), { level: 1 }));
    parts.push({ hash: await target.create(name, object), entries, bytes });
    part = new PartBuffer();
  };
  for (;;) {
    const sliceAtMs = performance.now();
    const limit = part.bytes + sliceBytesMax;
    let last: Buffer | undefined;
    const end = await store.range({ from, to: highest }, (key, value) => {
      part.add(key, value);
      if (part.bytes < limit) return true;
      last = Buffer.from(key);
      return false;
    });
    if (end === 'end' || last === undefined) break;
    from = Buffer.concat([last, Buffer.alloc(1)]);
    if (part.bytes >= partBytesMax) await finishPart();
    // As long as reading the slice took, so that requests get at least half of the time.
    await pause(Math.max(1, performance.now() - sliceAtMs));
  }
  if (part.entries > 0 || parts.length === 0) await finishPart();
  const last = await source.shipAll();
  const validFromMs = Math.max(last.coveredUntilMs, last.lastGroupMs);
  const manifest = { database, chain, startedAtMs, first, last, validFromMs, parts };
  const name = manifestName(chain, id);
  await target.create(name, encodeObject(name, manifest));
  return manifest;
}

/** Entries in the format of the log. */
class PartBuffer {
  entries = 0;
  bytes = 0;
  #content: Buffer = Buffer.allocUnsafe(2 * sliceBytesMax);
  #used = 0;

  add(key: Uint8Array, value: Uint8Array): void {
    const end = this.#used + entryHeadBytes + key.length + value.length;
    if (end > this.#content.length) {
      const larger = Buffer.allocUnsafe(2 * end);
      this.#content.copy(larger, 0, 0, this.#used);
      this.#content = larger;
    }
    writeEntry(this.#content, this.#used, key, value);
    this.#used = end;
    this.entries += 1;
    this.bytes += key.length + value.length;
  }

  content(): Buffer {
    return this.#content.subarray(0, this.#used);
  }
}
