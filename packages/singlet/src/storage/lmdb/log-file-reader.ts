import {
  anyGroupPrefix,
  beginGroup,
  endOfBegin,
  entriesOfGroup,
  formatOf,
  type FoundHead,
  type GenerationStart,
  isWholeGroup,
  type LogEnd,
  nonceOffset,
  readBegin,
  readGroupHead,
  storedChecksum,
  witnessBlockBytes,
} from './write-ahead-log-format.ts';

/**
 * A file is always longer than its last group by at least this much, because it grows before a group would leave less. A file whose groups
 * come closer to its end was cut.
 */
export const tailBytesMin = 4096;

/** The part of one generation that a log file holds. */
export interface FoundGeneration {
  readonly start: GenerationStart;
  /** `damaged`: it is not as it was written, and group 1 proves what it was. */
  readonly begin: 'whole' | 'damaged' | 'absent';
  /** The groups that follow "begin", each whole and chained to the previous one. */
  readonly groups: readonly FoundHead[];
  /** Where the chain ends. */
  readonly end: LogEnd;
  /** The bytes after the chain, if they look like a group. */
  readonly stopped: {
    /** The length of the incomplete group, from its own checksum. Undefined when its head is damaged, too. */
    readonly length: number | undefined;
    /** The file ends inside the group, or too soon after the chain. */
    readonly isCut: boolean;
    /** It is a sound head of this generation, but not of the next group. */
    readonly isMisplaced: boolean;
  };
  /** Groups of the same generation that come after the end of the chain. */
  readonly behind: GroupsBehind;
}

export interface GroupsBehind {
  /** How many groups of the generation were on disk, according to the latest of these groups; 0 without any. */
  readonly durable: number;
  /** The whole ones of these groups, in order. */
  readonly groups: readonly FoundHead[];
  /** Entries in them. */
  readonly writes: number;
}

/**
 * Follows the chain of a generation through a file.
 *
 * @param expected - the contents of "begin".
 * @param rules - what is checked; tests plant bugs here.
 */
export function readGeneration(
  file: Buffer,
  expected: GenerationStart,
  { chain = true }: ReadingRules = {},
): FoundGeneration {
  const start = { ...expected, format: expected.format ?? formatOf(file, expected.nonce) };
  const derived = beginGroup(start);
  const found = file.subarray(witnessBlockBytes, witnessBlockBytes + derived.length);
  const isWhole = found.equals(derived);
  const groups: FoundHead[] = [];
  let end = endOfBegin(derived);
  for (;;) {
    const head = readGroupHead(file, end.length);
    if (head === undefined || head.number !== end.groups || !head.nonce.equals(start.nonce)) break;
    if (chain && head.before !== end.checksum) break;
    if (!isWholeGroup(file, head)) break;
    groups.push(head);
    end = { groups: end.groups + 1, length: head.offset + head.length, checksum: storedChecksum(file, head.offset) };
  }
  const begin = isWhole ? 'whole' : groups.length > 0 || resembles(found, derived) ? 'damaged' : 'absent';
  const next = readGroupHead(file, end.length);
  const isNext = next !== undefined && next.nonce.equals(start.nonce);
  const extent = isNext ? end.length + next.length : end.length;
  return {
    start,
    begin,
    groups,
    end,
    stopped: {
      length: isNext ? next.length : undefined,
      isCut: begin !== 'absent' && file.length < extent + tailBytesMin,
      isMisplaced: isNext && (next.number !== end.groups || (chain && next.before !== end.checksum)),
    },
    behind: groupsBehind(file, start.nonce, end.length),
  };
}

export interface ReadingRules {
  /** Whether each group must repeat the checksum of the previous one. */
  readonly chain?: boolean;
}

/** Where "begin" differs from that of any other generation and store: nonce, checksum of the previous group, and its own two. */
const tellingBytes = [...range(4, 12), ...range(24, 28), ...range(36, 44)];

/** Whether bytes are a damaged copy of a certain "begin", and not of another one. */
function resembles(found: Buffer, derived: Buffer): boolean {
  return tellingBytes.filter((at) => found[at] === derived[at]).length > tellingBytes.length / 2;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** Looks for groups of a generation from an offset on, chained or not. */
function groupsBehind(file: Buffer, nonce: Buffer, from: number): GroupsBehind {
  const groups: FoundHead[] = [];
  let durable = 0;
  let writes = 0;
  // Not at `from` itself: a group that begins there is the one where the chain stopped.
  const firstAt = from + 1 + nonceOffset;
  for (let nonceAt = file.indexOf(nonce, firstAt); nonceAt >= 0; nonceAt = file.indexOf(nonce, nonceAt + 1)) {
    const head = readGroupHead(file, nonceAt - nonceOffset);
    if (head === undefined) continue;
    durable = Math.max(durable, head.durable);
    if (!isWholeGroup(file, head)) continue;
    groups.push(head);
    writes += entriesOfGroup(file, head).length;
    nonceAt += head.length - 1;
  }
  return { durable, groups, writes };
}

/** What a file holds when the era is unknown: the generation at its start, or any that can be found. */
export function readAnyGeneration(file: Buffer): FoundGeneration | undefined {
  const start = readBegin(file);
  if (start !== undefined) return readGeneration(file, start);
  for (let at = file.indexOf(anyGroupPrefix); at >= 0; at = file.indexOf(anyGroupPrefix, at + 1)) {
    const head = readGroupHead(file, at);
    if (head === undefined || head.number === 0) continue;
    const unknown = { store: Buffer.alloc(16), generation: 0, nonce: head.nonce };
    return readGeneration(file, { ...unknown, predecessor: { groups: 0, length: 0, checksum: 0 } });
  }
  return undefined;
}

/** Whether a file holds a whole group, "begin" excepted, of a generation other than these. */
export function holdsOtherGroups(file: Buffer, isKnown: (nonce: Buffer) => boolean): boolean {
  for (let at = file.indexOf(anyGroupPrefix); at >= 0; at = file.indexOf(anyGroupPrefix, at + 1)) {
    const head = readGroupHead(file, at);
    if (head === undefined || !isWholeGroup(file, head)) continue;
    if (head.number > 0 && !isKnown(head.nonce)) return true;
    at += head.length - 1;
  }
  return false;
}

/** Counts the entries of groups. */
export function countWrites(file: Buffer, groups: readonly FoundHead[]): number {
  let count = 0;
  for (const group of groups) count += entriesOfGroup(file, group).length;
  return count;
}
