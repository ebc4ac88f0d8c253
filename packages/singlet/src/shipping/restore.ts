import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { entriesIn, entriesOfGroup } from '../storage/lmdb/write-ahead-log-format.ts';
import type { Store, StoreWrite } from '../storage/store.ts';
import { type ChainInfo, intervalsOf, readCatalog, type SnapshotInfo } from './backup-catalog.ts';
import { BackupError } from './backup-error.ts';
import { decodeObject } from './backup-object.ts';
import { partName } from './backup-names.ts';
import type { BackupTarget } from './backup-target.ts';
import { readPieces, type ReadRules } from './read-pieces.ts';

/** Entries, and bytes of values, per write. */
const batchEntries = 2_000;
const batchBytes = 4 * 1024 * 1024;

const inflate = promisify(gunzip);

export interface RestoreOptions {
  /** Milliseconds since 1970; undefined means the end of the backup. */
  readonly atMs: number | undefined;
  /** Called with the number of bytes loaded. */
  readonly onProgress?: (bytes: number, total: number) => void;
  /** Which checks are made; tests plant bugs here. */
  readonly rules?: ReadRules;
}

export interface Restored {
  readonly chain: string;
  readonly snapshot: string;
  /** The moment whose state was restored. */
  readonly restoredToMs: number;
  readonly entries: number;
  /** The number of log groups applied. */
  readonly groups: number;
  /** Further information for the user. */
  readonly notes: readonly string[];
}

/**
 * Restores the state of a moment into an empty store: the last snapshot before it, and then the log up to it.
 *
 * @throws {BackupError} if the exact state cannot be restored. The message says what is wrong, and which moments can be restored. The store is
 *   then unusable.
 */
export async function restore(target: BackupTarget, store: Store, options: RestoreOptions): Promise<Restored> {
  const { atMs, onProgress, rules } = options;
  const { chain, snapshot, notes } = choose(await readCatalog(target), target, atMs);
  const writer = new BatchWriter(store);
  const total = snapshot.manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let loaded = 0;
  for (const [number, part] of snapshot.manifest.parts.entries()) {
    const name = partName(chain.chain, snapshot.id, number);
    const { body, hash } = decodeObject(name, await target.readBytes(name));
    if (hash !== part.hash && rules?.hashes !== false) {
      throw new BackupError('damaged', `The object ${name} is not the part that belongs to the snapshot.`);
    }
    for (const write of entriesIn(await inflate(body))) await writer.add(write);
    loaded += part.bytes;
    onProgress?.(loaded, total);
  }
  const untilMs = atMs ?? Infinity;
  let groups = 0;
  let lastPiece = snapshot.manifest.first.piece;
  let isReached = false;
  const pieces = readPieces(target, chain.chain, {
    after: snapshot.manifest.first,
    last: chain.lastPiece,
    ...(rules && { rules }),
  });
  for await (const piece of pieces) {
    lastPiece = piece.header.piece;
    for (const head of piece.heads) {
      // "Begin" has neither a time nor entries.
      if (head.number === 0) continue;
      isReached = head.timeMs > untilMs;
      if (isReached) break;
      for (const write of entriesOfGroup(piece.groups, head)) await writer.add(write);
      groups += 1;
    }
    if (isReached) break;
  }
  if (lastPiece < snapshot.manifest.last.piece) {
    throw new BackupError('missing', `The log that the snapshot ${snapshot.id} needs is missing.`);
  }
  await writer.flush();
  const restoredToMs = atMs ?? chain.coveredUntilMs;
  return { chain: chain.chain, snapshot: snapshot.id, restoredToMs, entries: writer.entries, groups, notes };
}

/** @throws {BackupError} `no-backup`, with the moments that can be restored. */
function choose(
  chains: readonly ChainInfo[],
  target: BackupTarget,
  atMs: number | undefined,
): { readonly chain: ChainInfo; readonly snapshot: SnapshotInfo; readonly notes: readonly string[] } {
  const notes: string[] = [];
  for (const chain of chains.toReversed()) {
    const { coveredUntilMs, problems } = chain;
    const snapshot = chain.snapshots.findLast(({ manifest }) => manifest.validFromMs <= (atMs ?? Infinity));
    if (snapshot === undefined) {
      if (atMs === undefined)
        notes.push(`The chain ${chain.chain} is newer and has no snapshot yet, so it cannot be restored.`);
      continue;
    }
    if (atMs !== undefined && coveredUntilMs < atMs) continue;
    if (atMs === undefined && problems.length > 0) {
      const until = new Date(coveredUntilMs).toISOString();
      throw new BackupError(
        'damaged',
        `${problems.join(' ')} The latest writes may be missing: name a time up to ${until} to restore what exists.`,
      );
    }
    return { chain, snapshot, notes };
  }
  const intervals = intervalsOf(chains).map(
    ({ fromMs, toMs }) => `from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`,
  );
  const asked = atMs === undefined ? 'anything' : new Date(atMs).toISOString();
  const there =
    intervals.length === 0 ? 'There is no finished snapshot.' : `It can be restored ${intervals.join(', and ')}.`;
  const problems = chains.flatMap(({ problems }) => problems).map((problem) => ` ${problem}`);
  throw new BackupError('no-backup', `${target.url} does not reach ${asked}. ${there}${problems.join('')}`);
}

/** Writes entries in batches. Of several entries for one key, it keeps the last. */
class BatchWriter {
  readonly #store: Store;
  #batch = new Map<string, StoreWrite>();
  #bytes = 0;
  entries = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async add(write: StoreWrite): Promise<void> {
    this.#batch.set(Buffer.from(write.key).toString('latin1'), write);
    this.#bytes += write.key.length + (write.value?.length ?? 0);
    this.entries += 1;
    if (this.#batch.size >= batchEntries || this.#bytes >= batchBytes) await this.flush();
  }

  async flush(): Promise<void> {
    const writes = [...this.#batch.values()];
    this.#batch = new Map();
    this.#bytes = 0;
    if (writes.length > 0) await this.#store.write([], () => ({ answer: undefined, writes }));
  }
}
