import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { entriesIn } from '../storage/lmdb/write-ahead-log-format.ts';
import { type ChainInfo, type Interval, intervalsOf, readCatalog, type SnapshotInfo } from './backup-catalog.ts';
import { BackupError } from './backup-error.ts';
import { partName } from './backup-names.ts';
import { decodeObject } from './backup-object.ts';
import type { BackupTarget } from './backup-target.ts';
import { readPieces } from './read-pieces.ts';

const inflate = promisify(gunzip);

/** The result of verifying one chain. */
export interface VerifiedChain {
  readonly chain: string;
  /** The moments that can be restored; undefined without a snapshot. */
  readonly interval: Interval | undefined;
  readonly snapshots: number;
  readonly parts: number;
  /** Pieces of the log that a snapshot needs. */
  readonly pieces: number;
  readonly groups: number;
  /** Problems, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Reads everything in a target: the checksum of every object, every part of every snapshot, and the log since the oldest snapshot, group by
 * group.
 *
 * @throws {BackupError} if the target contains nothing to verify.
 */
export async function verify(
  target: BackupTarget,
  { onObject }: { readonly onObject?: (name: string) => void } = {},
): Promise<readonly VerifiedChain[]> {
  const verified: VerifiedChain[] = [];
  for (const chain of await readCatalog(target)) verified.push(await verifyChain(target, chain, onObject));
  return verified;
}

async function verifyChain(
  target: BackupTarget,
  info: ChainInfo,
  onObject: ((name: string) => void) | undefined,
): Promise<VerifiedChain> {
  const problems = [...info.problems];
  let parts = 0;
  for (const snapshot of info.snapshots) {
    for (const number of snapshot.manifest.parts.keys()) {
      onObject?.(partName(info.chain, snapshot.id, number));
      const problem = await problemOf(() => verifyPart(target, info.chain, snapshot, number));
      if (problem === undefined) parts += 1;
      else problems.push(problem);
    }
  }
  let pieces = 0;
  let groups = 0;
  const [oldest] = info.snapshots;
  if (oldest !== undefined) {
    const problem = await problemOf(async () => {
      const after = oldest.manifest.first;
      for await (const piece of readPieces(target, info.chain, { after, last: info.lastPiece })) {
        onObject?.(`piece ${piece.header.piece}`);
        pieces += 1;
        groups += piece.heads.filter(({ number }) => number > 0).length;
      }
    });
    if (problem !== undefined) problems.push(problem);
  }
  const [interval] = intervalsOf([info]);
  return { chain: info.chain, interval, snapshots: info.snapshots.length, parts, pieces, groups, problems };
}

async function verifyPart(
  target: BackupTarget,
  chain: string,
  { id, manifest }: SnapshotInfo,
  number: number,
): Promise<void> {
  const name = partName(chain, id, number);
  const { body, hash } = decodeObject(name, await target.readBytes(name));
  const part = manifest.parts[number];
  const entries = entriesIn(await inflate(body)).length;
  if (hash !== part?.hash || entries !== part.entries) {
    throw new BackupError('damaged', `The object ${name} is not the part that belongs to the snapshot.`);
  }
}

async function problemOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof BackupError) return error.message;
    throw error;
  }
}
