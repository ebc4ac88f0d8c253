import { stat } from 'node:fs/promises';
import { BackupError } from './backup-error.ts';
import {
  chainName,
  chainPrefix,
  databaseName,
  headName,
  logPrefix,
  manifestName,
  numberOf,
  pieceName,
} from './backup-names.ts';
import { directoryOf } from './open-target.ts';
import type { ChainHead, ChainRecord, DatabaseRecord, SnapshotManifest } from './backup-records.ts';
import type { BackupTarget } from './backup-target.ts';
import { headOfPiece, startOfChain } from './chain-end.ts';
import type { PieceHeader } from './log-piece.ts';
import { chainsOf, snapshotsOf } from './retention.ts';

/** A complete snapshot. */
export interface SnapshotInfo {
  readonly id: string;
  readonly manifest: SnapshotManifest;
}

/** The contents of a target that belong to one chain. */
export interface ChainInfo {
  readonly chain: string;
  readonly startedAtMs: number;
  /** The oldest first. */
  readonly snapshots: readonly SnapshotInfo[];
  /** The last piece that is known to have been written; -1 if there is none. */
  readonly lastPiece: number;
  /** All writes acknowledged before this time are in the pieces present. */
  readonly coveredUntilMs: number;
  /** Problems of the chain, as sentences. */
  readonly problems: readonly string[];
}

/** A period in which every moment can be restored to the millisecond. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Reads the catalog of a target: the records of its chains and snapshots, and the names of all other objects.
 *
 * @returns the oldest chain first.
 * @throws {BackupError} `no-backup`, `damaged`, `format`.
 */
export async function readCatalog(target: BackupTarget): Promise<readonly ChainInfo[]> {
  if ((await target.find(databaseName)) === undefined) {
    throw new BackupError('no-backup', await whyNone(target));
  }
  const { header } = await target.read<DatabaseRecord>(databaseName);
  const chains: ChainInfo[] = [];
  for (const chain of await chainsOf(target)) chains.push(await readChain(target, chain, header.database));
  return chains;
}

/** A target without a backup, in a sentence: misspelled, not yet written to, or of something else. */
async function whyNone(target: BackupTarget): Promise<string> {
  const { url } = target;
  const path = directoryOf(url);
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path !== undefined && found?.isDirectory() !== true)
    return found === undefined ? `There is no directory ${path}.` : `${path} is not a directory.`;
  for await (const name of target.names(''))
    return `${url} holds no backup of Singlet, but other files, such as ${name}.`;
  return path === undefined
    ? `${url} holds no backup of Singlet, and nothing else: the bucket has no object below that prefix.`
    : `${url} holds no backup of Singlet: the directory is empty.`;
}

/** The periods that the snapshots and pieces of chains can restore. */
export function intervalsOf(chains: readonly ChainInfo[]): readonly Interval[] {
  return chains.flatMap(({ snapshots: [first], coveredUntilMs }) => {
    const fromMs = first?.manifest.validFromMs;
    return fromMs === undefined || fromMs > coveredUntilMs ? [] : [{ fromMs, toMs: coveredUntilMs }];
  });
}

async function readChain(target: BackupTarget, chain: string, database: string): Promise<ChainInfo> {
  const problems: string[] = [];
  const noted = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BackupError) || error.code === 'format') throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const begin = await noted(() => target.read<ChainRecord>(chainName(chain)));
  const head = (await noted(() => target.read<ChainHead>(headName(chain))))?.header;
  if (begin !== undefined && begin.header.database !== database) {
    problems.push(`The chain ${chainPrefix(chain)} belongs to another database.`);
  }
  const snapshots: SnapshotInfo[] = [];
  for (const { id, isFinished } of await snapshotsOf(target, chain)) {
    if (!isFinished) continue;
    const manifest = await noted(() => target.read<SnapshotManifest>(manifestName(chain, id)));
    if (manifest?.header.database === database) snapshots.push({ id, manifest: manifest.header });
  }
  const found = await lastPieceOf(target, chain);
  const last = found < 0 ? undefined : await noted(() => target.read<PieceHeader>(pieceName(chain, found)));
  const end =
    last !== undefined ? headOfPiece(last.header, last.hash) : begin && startOfChain(begin.header, begin.hash);
  if (
    head !== undefined &&
    head.piece > found &&
    !(found < 0 && snapshots.some(({ manifest }) => manifest.first.piece === head.piece))
  ) {
    problems.push(
      `The chain ${chainPrefix(chain)} had reached piece ${head.piece} of the log, but ends with piece ${found}.`,
    );
  }
  if (head !== undefined && last !== undefined && head.piece === found && head.hash !== last.hash) {
    problems.push(`The object ${pieceName(chain, found)} is not the one that the chain had reached.`);
  }
  // If the log that a snapshot needs is complete, its own moment can be restored whatever else is missing.
  const whole = snapshots.filter(
    ({ manifest: { first, last: needed } }) => needed.piece <= Math.max(found, first.piece),
  );
  const isHeadKnown = head !== undefined && problems.length === 0;
  return {
    chain,
    startedAtMs: begin?.header.startedAtMs ?? 0,
    snapshots,
    lastPiece: Math.max(found, head?.piece ?? -1),
    coveredUntilMs: Math.max(
      end?.coveredUntilMs ?? 0,
      isHeadKnown ? head.coveredUntilMs : 0,
      ...whole.map(({ manifest }) => manifest.last.coveredUntilMs),
    ),
    problems,
  };
}

async function lastPieceOf(target: BackupTarget, chain: string): Promise<number> {
  let last = -1;
  for await (const name of target.names(logPrefix(chain))) last = Math.max(last, numberOf(name) ?? -1);
  return last;
}
