import { BackupError } from './backup-error.ts';
import { chainName, headName, pieceName } from './backup-names.ts';
import { decodeObject } from './backup-object.ts';
import type { ChainHead, ChainRecord } from './backup-records.ts';
import type { BackupTarget } from './backup-target.ts';
import type { PieceHeader } from './log-piece.ts';

/**
 * Finds the end of a chain. Its head is only updated from time to time, so there may be later pieces.
 *
 * @returns undefined if the target has no such chain.
 * @throws {BackupError} `damaged`; `missing` if the chain has no head.
 */
export async function findChainEnd(target: BackupTarget, chain: string): Promise<ChainHead | undefined> {
  if ((await target.find(chainName(chain))) === undefined) return undefined;
  let { header: end } = await target.read<ChainHead>(headName(chain));
  for (;;) {
    const next = pieceName(chain, end.piece + 1);
    const piece = await target.find(next);
    if (piece === undefined) return end;
    const found = decodeObject<PieceHeader>(next, piece);
    if (found.header.before !== end.hash) {
      throw new BackupError('damaged', `The object ${next} does not follow the piece before it.`);
    }
    end = headOfPiece(found.header, found.hash);
  }
}

export function startOfChain({ from, startedAtMs }: ChainRecord, hash: string): ChainHead {
  return { piece: -1, hash, position: from, coveredUntilMs: startedAtMs, lastGroupMs: 0 };
}

export function headOfPiece({ piece, to, coveredUntilMs, lastGroupMs }: PieceHeader, hash: string): ChainHead {
  return { piece, hash, position: to, coveredUntilMs, lastGroupMs };
}
