import type { CheckpointMark, FoundMark } from './checkpoint-mark.ts';
import type { DirectoryMarker } from './directory-marker.ts';
import { readFormatOneLog } from './log-format-1.ts';
import {
  countWrites,
  type FoundGeneration,
  holdsOtherGroups,
  readAnyGeneration,
  readGeneration,
  type ReadingRules,
} from './log-file-reader.ts';
import {
  entriesOfGroup,
  logFileNames,
  type LoggedWrite,
  nonceOf,
  readBegin,
  readWitness,
  storedChecksum,
  type Witness,
} from './write-ahead-log-format.ts';

/** Everything that decides how a directory is recovered. */
export interface RecoveryEvidence {
  readonly marker: DirectoryMarker;
  readonly dataFile: 'missing' | 'empty' | 'present';
  readonly mark: FoundMark;
  /** The contents of the log files; undefined for a missing file. */
  readonly logs: readonly [Buffer | undefined, Buffer | undefined];
}

/** Why a directory is not opened. Each has its sentence in `recovery-refusal.ts`. */
export type RecoveryProblem =
  /** The data file is missing, empty, or has no mark. */
  | { readonly reason: 'data-file-missing'; readonly writes: number }
  | { readonly reason: 'data-file-of-other-store' }
  | { readonly reason: 'data-file-older'; readonly generation: number; readonly expected: number }
  /** The log has groups that are not in the data file. */
  | { readonly reason: 'data-file-older-than-log'; readonly file: string; readonly writes: number }
  | { readonly reason: 'mark-damaged' }
  | { readonly reason: 'mark-newer'; readonly format: number }
  | {
      readonly reason: 'log-missing';
      readonly file: string;
      readonly generation: number;
      readonly found: 'nothing' | 'other-store' | 'other-generation';
    }
  /** A later group, the next generation or the witness proves that there was more. */
  | ({ readonly reason: 'log-damaged' } & DamagePosition)
  | ({ readonly reason: 'log-cut' } & DamagePosition);

export interface DamagePosition {
  readonly file: string;
  readonly generation: number;
  /** The first damaged byte belongs to the group that begins here. */
  readonly offset: number;
  /** Bytes of that group, when its head is sound. */
  readonly length: number | undefined;
  /** Its number: this many groups before it are sound, "begin" included. */
  readonly group: number;
  /** Acknowledged groups that are known to be missing, from this one on; undefined when only "at least one" is known. */
  readonly groupsMissing: number | undefined;
  /** How many groups after it can still be read. */
  readonly groupsBehind: number;
  readonly writesBehind: number;
  /** When the last sound group was written; milliseconds since 1970, undefined when there is none. */
  readonly lastCertainMs: number | undefined;
}

export type RecoveryPlan =
  /** Nothing was ever acknowledged: the store is given its id. */
  | { readonly action: 'create' }
  /** LMDB has everything. Log files that are left over are removed. */
  | { readonly action: 'start'; readonly mark: CheckpointMark }
  /** Entries of generations that LMDB does not have, in order. */
  | {
      readonly action: 'apply';
      readonly mark: CheckpointMark;
      readonly generations: readonly FoundGeneration[];
      readonly writes: readonly LoggedWrite[];
    }
  /** The same for format 1. */
  | {
      readonly action: 'upgrade';
      readonly mark: CheckpointMark | undefined;
      readonly generation: number;
      readonly writes: readonly LoggedWrite[];
    }
  | { readonly action: 'refuse'; readonly problem: RecoveryProblem };

/** Decides what recovery does: exactly one outcome for each combination, from the evidence alone. */
export function planRecovery(evidence: RecoveryEvidence, rules: ReadingRules = {}): RecoveryPlan {
  const { marker, mark, dataFile, logs } = evidence;
  if (mark.kind === 'damaged') return refuse({ reason: 'mark-damaged' });
  if (mark.kind === 'newer') return refuse({ reason: 'mark-newer', format: mark.format });
  if (marker.format === 1) return planUpgrade(evidence);
  if (dataFile !== 'present' || mark.kind === 'none') {
    const writes = countAllWrites(logs);
    const isNew = marker.state === 'creating' && writes === 0;
    return isNew ? { action: 'create' } : refuse({ reason: 'data-file-missing', writes });
  }
  if (mark.kind === 'format-1') return refuse({ reason: 'data-file-older', generation: mark.generation, expected: 0 });
  const problem = marker.state === 'ready' ? problemOfDataFile(mark.mark, marker) : undefined;
  if (problem !== undefined) return refuse(problem);
  return mark.mark.state === 'closed' ? planClosed(mark.mark, logs) : planOpen(mark.mark, logs, rules);
}

function problemOfDataFile(
  mark: CheckpointMark,
  marker: { readonly store: string; readonly generation: number },
): RecoveryProblem | undefined {
  if (mark.store.toString('hex') !== marker.store) return { reason: 'data-file-of-other-store' };
  if (mark.generation >= marker.generation) return undefined;
  return { reason: 'data-file-older', generation: mark.generation, expected: marker.generation };
}

/** Log files may be left that were about to be removed: their groups are in LMDB. A new generation may have begun, and nothing more. */
function planClosed(mark: CheckpointMark, logs: RecoveryEvidence['logs']): RecoveryPlan {
  const known = [0, 1, 2, 3, 4].map((back) => nonceOf(mark.era, Math.max(0, mark.generation - back)));
  for (const [at, log] of logs.entries()) {
    const file = logFileNames[at as 0 | 1]; // of two
    if (log === undefined || !holdsOtherGroups(log, (nonce) => known.some((one) => one.equals(nonce)))) continue;
    return refuse({ reason: 'data-file-older-than-log', file, writes: writesOf(log) });
  }
  return { action: 'start', mark };
}

function planOpen(mark: CheckpointMark, logs: RecoveryEvidence['logs'], rules: ReadingRules): RecoveryPlan {
  const later = logs.findIndex((log) => log !== undefined && newestGeneration(log, mark) > mark.generation + 2);
  if (later >= 0) {
    const file = logFileNames[later as 0 | 1];
    return refuse({ reason: 'data-file-older-than-log', file, writes: writesOf(logs[later] as Buffer) });
  }
  const first = look(mark, 1, mark.end, logs, rules);
  if (first.found === undefined || first.found.begin === 'absent') return refuse(missingLog(first, mark));
  const problem = problemOf(first.found, first);
  if (problem !== undefined) return refuse(problem);

  const second = look(mark, 2, first.found.end, logs, rules);
  const begun = second.file && readBegin(second.file);
  if (begun?.nonce.equals(second.nonce) === true && second.found?.begin !== 'whole') {
    // The next generation records how this one ended, and it does not end that way.
    return refuse({
      ...placeOf(first.found, first),
      reason: 'log-damaged',
      groupsMissing: Math.max(1, begun.predecessor.groups - first.found.end.groups),
    });
  }
  const hasBegun =
    second.witness !== undefined ||
    (second.found !== undefined && (second.found.behind.durable > 0 || second.found.stopped.isMisplaced));
  if (second.found === undefined || second.found.begin === 'absent') {
    if (hasBegun) return refuse(missingLog(second, mark));
    return apply(mark, [first.found], [first.file]);
  }
  const secondProblem = problemOf(second.found, second);
  if (secondProblem !== undefined) return refuse(secondProblem);
  return apply(mark, [first.found, second.found], [first.file, second.file]);
}

function apply(
  mark: CheckpointMark,
  generations: readonly FoundGeneration[],
  files: readonly (Buffer | undefined)[],
): RecoveryPlan {
  const writes = generations.flatMap(({ groups }, at) => {
    const file = files[at] as Buffer; // a generation was found in it
    return groups.flatMap((group) => entriesOfGroup(file, group));
  });
  return { action: 'apply', mark, generations, writes };
}

/** The parts of one generation that a directory holds. */
interface Look {
  readonly generation: number;
  readonly nonce: Buffer;
  readonly name: string;
  readonly file: Buffer | undefined;
  readonly found: FoundGeneration | undefined;
  /** The witness in the other file. */
  readonly witness: Witness | undefined;
}

function look(
  mark: CheckpointMark,
  ahead: 1 | 2,
  predecessor: CheckpointMark['end'],
  logs: RecoveryEvidence['logs'],
  rules: ReadingRules,
): Look {
  const generation = mark.generation + ahead;
  const nonce = nonceOf(mark.era, generation);
  const at = generation % 2 === 0 ? 0 : 1;
  const file = logs[at];
  const other = logs[1 - at];
  const witness = other && readWitness(other);
  return {
    generation,
    nonce,
    name: logFileNames[at],
    file,
    found: file && readGeneration(file, { store: mark.store, generation, nonce, predecessor }, rules),
    witness: witness?.nonce.equals(nonce) === true ? witness : undefined,
  };
}

function missingLog({ name, generation, file }: Look, mark: CheckpointMark): RecoveryProblem {
  const begin = file && readBegin(file);
  const found = begin === undefined ? 'nothing' : begin.store.equals(mark.store) ? 'other-generation' : 'other-store';
  return { reason: 'log-missing', file: name, generation, found };
}

function problemOf(found: FoundGeneration, { name, file, witness }: Look): RecoveryProblem | undefined {
  const { end, behind, stopped } = found;
  const known = Math.max(behind.durable, witness?.end.groups ?? 0);
  const place = placeOf(found, { name });
  if (stopped.isMisplaced) return { ...place, reason: 'log-damaged' };
  if (known > end.groups) {
    return { ...place, reason: stopped.isCut ? 'log-cut' : 'log-damaged', groupsMissing: known - end.groups };
  }
  if (stopped.isCut) return { ...place, reason: 'log-cut' };
  // The chain must pass through the end in the witness. Otherwise the groups are not those that existed when the witness was written.
  const last = witness === undefined ? undefined : found.groups[witness.end.groups - 2];
  if (last !== undefined && storedChecksum(file as Buffer, last.offset) !== witness?.end.checksum) {
    return { ...place, reason: 'log-damaged' };
  }
  return undefined;
}

function placeOf(found: FoundGeneration, { name }: { readonly name: string }): DamagePosition {
  const { start, end, groups, stopped, behind } = found;
  return {
    file: name,
    generation: start.generation,
    offset: end.length,
    length: stopped.length,
    group: end.groups,
    groupsMissing: undefined,
    groupsBehind: behind.groups.length,
    writesBehind: behind.writes,
    lastCertainMs: groups.at(-1)?.timeMs,
  };
}

/** The newest generation of an era that a file names, in its own "begin" or as a witness. */
function newestGeneration(log: Buffer, mark: CheckpointMark): number {
  let newest = 0;
  for (const named of [readBegin(log), readWitness(log)]) {
    if (named?.nonce.equals(nonceOf(mark.era, named.generation)) === true) newest = Math.max(newest, named.generation);
  }
  return newest;
}

/** The old reader, with the information that format 1 has. */
function planUpgrade({ mark, dataFile, logs }: RecoveryEvidence): RecoveryPlan {
  const found = logs.flatMap((log, at) => {
    const content = log && readFormatOneLog(log);
    return content === undefined ? [] : [{ ...content, file: logFileNames[at as 0 | 1] }];
  });
  const all = found.reduce((sum, { groups }) => sum + groups.flat().length, 0);
  if (dataFile !== 'present' && all > 0) return refuse({ reason: 'data-file-missing', writes: all });
  const applied = mark.kind === 'format-1' ? mark.generation : mark.kind === 'mark' ? mark.mark.generation : 0;
  const newer = found
    .filter(({ generation }) => generation > applied)
    .toSorted((left, right) => left.generation - right.generation);
  for (const { file, generation, endOffset, groups, behind } of newer) {
    if (behind.groups === 0) continue;
    return refuse({
      reason: 'log-damaged',
      file,
      generation,
      offset: endOffset,
      length: undefined,
      group: groups.length,
      groupsMissing: undefined,
      groupsBehind: behind.groups,
      writesBehind: behind.writes,
      lastCertainMs: undefined,
    });
  }
  return {
    action: 'upgrade',
    mark: mark.kind === 'mark' ? mark.mark : undefined,
    generation: newer.at(-1)?.generation ?? applied,
    writes: newer.flatMap(({ groups }) => groups.flat()),
  };
}

function countAllWrites(logs: RecoveryEvidence['logs']): number {
  return logs.reduce((sum, log) => sum + (log === undefined ? 0 : writesOf(log)), 0);
}

/** How many entries can be read in a file, whatever its generation and format. */
function writesOf(log: Buffer): number {
  const old = readFormatOneLog(log);
  if (old !== undefined) return old.groups.flat().length;
  const found = readAnyGeneration(log);
  return found === undefined ? 0 : countWrites(log, found.groups) + found.behind.writes;
}

function refuse(problem: RecoveryProblem): RecoveryPlan {
  return { action: 'refuse', problem };
}
