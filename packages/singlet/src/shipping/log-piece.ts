import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FoundHead } from '../storage/lmdb/write-ahead-log-format.ts';
import { BackupError } from './backup-error.ts';
import { pieceName } from './backup-names.ts';
import { type BackupObject, decodeObject, encodeObject } from './backup-object.ts';
import { isSamePosition, type LogPosition, type LogRun, walkRun, type WalkRules } from './log-position.ts';

/**
 * A piece of the log in a backup: groups of one generation, verbatim. Pieces of a chain are numbered from 0, and each contains the hash of the
 * one before.
 */
export interface PieceHeader {
  readonly chain: string;
  readonly piece: number;
  /** Hash of the previous piece; for piece 0, of the object that begins the chain. */
  readonly before: string;
  readonly era: string;
  readonly generation: number;
  /** The position in the log that it continues from; null if it is the beginning. */
  readonly from: LogPosition | null;
  readonly to: LogPosition;
  /** All writes acknowledged before this time are in this piece or an earlier one. Milliseconds since 1970. */
  readonly coveredUntilMs: number;
  /** When the last group was written. */
  readonly lastGroupMs: number;
}

/** A piece that has been read and checked. */
export interface Piece extends BackupObject<PieceHeader> {
  readonly groups: Buffer;
  readonly heads: readonly FoundHead[];
}

const compress = promisify(gzip);
const inflate = promisify(gunzip);

export async function encodePiece(header: Omit<PieceHeader, 'era' | 'generation'>, run: LogRun): Promise<Buffer> {
  const { era, generation, groups } = run;
  const body = await compress(groups, { level: 1 });
  return encodeObject(pieceName(header.chain, header.piece), { ...header, era, generation }, body);
}

/**
 * @param rules - which checks are made; tests plant bugs here.
 * @throws {BackupError} `damaged`.
 */
export async function decodePiece(name: string, object: Buffer, rules?: WalkRules): Promise<Piece> {
  const decoded = decodeObject<PieceHeader>(name, object);
  const { era, generation, from, to } = decoded.header;
  const groups = await inflate(decoded.body);
  const walked = walkRun({ era, generation, groups }, from ?? undefined, rules);
  if (walked === undefined || !isSamePosition(walked.position, to)) {
    throw new BackupError(
      'damaged',
      `The object ${name} is damaged: a group of the log does not follow the one before.`,
    );
  }
  return { ...decoded, groups, heads: walked.heads };
}
