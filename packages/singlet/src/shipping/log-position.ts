import {
  type FoundHead,
  isWholeGroup,
  nonceOf,
  readGroupHead,
  storedChecksum,
  witnessBlockBytes,
} from '../storage/lmdb/write-ahead-log-format.ts';
import type { LogEnd } from '../storage/lmdb/write-ahead-log-format.ts';

/** A position in the log of a store: everything before it has been processed. */
export interface LogPosition {
  /** The era of the log, in hexadecimal. */
  readonly era: string;
  readonly generation: number;
  readonly end: LogEnd;
}

/** Where a generation begins: before its "begin". */
export const startOfGeneration: LogEnd = { groups: 0, length: witnessBlockBytes, checksum: 0 };

/** Groups of one generation, verbatim and one after the other. */
export interface LogRun {
  readonly era: string;
  readonly generation: number;
  readonly groups: Buffer;
}

/** The result of walking over a run. */
export interface WalkedRun {
  readonly heads: readonly FoundHead[];
  readonly position: LogPosition;
}

/**
 * Follows the chain of the log through a run.
 *
 * @param before - the position that the run has to continue; undefined if it has to be the first of its era.
 * @param rules - which checks are made; tests plant bugs here.
 * @returns undefined if a group is damaged, or does not follow the one before.
 */
export function walkRun(
  { era, generation, groups }: LogRun,
  before: LogPosition | undefined,
  { chain = true }: WalkRules = {},
): WalkedRun | undefined {
  const nonce = nonceOf(Buffer.from(era, 'hex'), generation);
  const heads: FoundHead[] = [];
  let end = startOfRun(era, generation, before);
  for (let at = 0; at < groups.length;) {
    const head = readGroupHead(groups, at);
    if (head === undefined || !isWholeGroup(groups, head) || !head.nonce.equals(nonce)) return undefined;
    const follows = end !== undefined && head.number === end.groups && head.before === end.checksum;
    if (chain && !follows) return undefined;
    heads.push(head);
    end = {
      groups: head.number + 1,
      length: (end ?? startOfGeneration).length + head.length,
      checksum: storedChecksum(groups, head.offset),
    };
    at += head.length;
  }
  return { heads, position: { era, generation, end: end ?? startOfGeneration } };
}

export interface WalkRules {
  /** Whether each group must follow the one before. */
  readonly chain?: boolean;
}

/** "Begin" repeats the checksum of the last group of the previous generation; the first generation of an era has no previous one. */
function startOfRun(era: string, generation: number, before: LogPosition | undefined): LogEnd | undefined {
  if (before?.era !== era) return startOfGeneration;
  if (generation === before.generation) return before.end;
  return generation === before.generation + 1 ? { ...startOfGeneration, checksum: before.end.checksum } : undefined;
}

export function isSamePosition(one: LogPosition | null, other: LogPosition | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.era !== other.era || one.generation !== other.generation) return false;
  return one.end.groups === other.end.groups && one.end.checksum === other.end.checksum;
}
