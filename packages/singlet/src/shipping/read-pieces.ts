import { BackupError } from './backup-error.ts';
import { pieceName } from './backup-names.ts';
import type { ChainHead } from './backup-records.ts';
import type { BackupTarget } from './backup-target.ts';
import { headOfPiece } from './chain-end.ts';
import { decodePiece, type Piece } from './log-piece.ts';
import { isSamePosition, type WalkRules } from './log-position.ts';

/** The number of pieces prefetched. */
const aheadMax = 8;

export interface ReadRules extends WalkRules {
  /** Whether each piece must contain the hash of the one before. */
  readonly hashes?: boolean;
}

/**
 * Reads the pieces after a position in a chain, and checks that each follows the one before.
 *
 * @param last - the number of the last one.
 * @param rules - which checks are made; tests plant bugs here.
 * @throws {BackupError} `missing`, `damaged`; the message says how far the chain is intact.
 */
export async function* readPieces(
  target: BackupTarget,
  chain: string,
  { after, last, rules = {} }: { readonly after: ChainHead; readonly last: number; readonly rules?: ReadRules },
): AsyncGenerator<Piece> {
  const fetched: Promise<Buffer>[] = [];
  let head = after;
  let next = after.piece + 1;
  const fetchMore = (): void => {
    for (; next <= last && fetched.length < aheadMax; next += 1) {
      const bytes = target.readBytes(pieceName(chain, next));
      bytes.catch(() => undefined); // awaited later, in order
      fetched.push(bytes);
    }
  };
  for (fetchMore(); fetched.length > 0; fetchMore()) {
    const name = pieceName(chain, head.piece + 1);
    const piece = await soundPiece(name, fetched.shift() as Promise<Buffer>, head, rules);
    head = headOfPiece(piece.header, piece.hash);
    yield piece;
  }
}

async function soundPiece(name: string, bytes: Promise<Buffer>, before: ChainHead, rules: ReadRules): Promise<Piece> {
  try {
    const piece = await decodePiece(name, await bytes, rules);
    const follows = piece.header.before === before.hash && isSamePosition(piece.header.from, before.position);
    if (rules.hashes !== false && !follows) {
      throw new BackupError('damaged', `The object ${name} does not follow the piece before it.`);
    }
    return piece;
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const until = new Date(before.coveredUntilMs).toISOString();
    throw new BackupError(error.code, `${error.message} Before it, the log of the chain is sound until ${until}.`, {
      cause: error,
    });
  }
}
