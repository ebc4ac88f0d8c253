import { type CheckpointMark, type FoundMark } from './checkpoint-mark.ts';
import { type DirectoryMarker } from './directory-marker.ts';
import { readFormatOneLog } from './log-format-1.ts';
import { countWrites, type FoundGeneration, readAnyGeneration, readGeneration } from './log-file-reader.ts';
import { planRecovery, type RecoveryEvidence, type RecoveryPlan } from './recovery-plan.ts';
import { recoveryRefusal } from './recovery-refusal.ts';
import {
  entriesOfGroup,
  type FoundHead,
  logFileNames,
  type LogFormat,
  type LoggedWrite,
  nonceOf,
  readBegin,
  readWitness,
} from './write-ahead-log-format.ts';

/** The contents of a directory's write-ahead log, and what a start would do with it. */
export interface LogInspection {
  readonly marker: DirectoryMarker;
  readonly mark: FoundMark;
  readonly plan: RecoveryPlan;
  /** The message with which a start would fail; undefined when it would succeed. */
  readonly refusal: string | undefined;
  readonly files: readonly LogFileInspection[];
}

/** The contents of one log file, whether or not it belongs to the data file. */
export interface LogFileInspection {
  readonly name: string;
  /** Undefined when there is no such file. */
  readonly sizeBytes: number | undefined;
  /** Format of the log; undefined when nothing in the file can be recognised. */
  readonly format: 1 | LogFormat | undefined;
  readonly generation: number | undefined;
  /** Id of the store, hexadecimal; from format 2 on. */
  readonly store: string | undefined;
  /** Sound groups from the beginning on, "begin" not counted. */
  readonly groups: number;
  /** Entries in these groups. */
  readonly writes: number;
  /** Offset of what follows them: the end of the log, or damage. */
  readonly endOffset: number;
  /** Bytes of the group at that offset, if its head is sound. */
  readonly nextGroupBytes: number | undefined;
  /** Sound groups after that. Only damage leaves any, or a crash while two groups were being written. */
  readonly groupsBehind: number;
  readonly writesBehind: number;
  /** When the last group before the end was written; milliseconds since 1970, undefined when unknown. */
  readonly lastCertainMs: number | undefined;
  /** What the file records about the generation in the other file: how many groups it had, "begin" included. */
  readonly witness: { readonly generation: number; readonly groups: number } | undefined;
}

/** Reads both log files, the marker and the mark. It changes nothing, and reads nothing else. */
export function inspectLogs(evidence: RecoveryEvidence, directory: string): LogInspection {
  const plan = planRecovery(evidence);
  return {
    marker: evidence.marker,
    mark: evidence.mark,
    plan,
    refusal: plan.action === 'refuse' ? recoveryRefusal(plan.problem, directory).message : undefined,
    files: evidence.logs.map((log, at) => inspectFile(logFileNames[at as 0 | 1], log)), // of two
  };
}

function inspectFile(name: string, file: Buffer | undefined): LogFileInspection {
  const nothing = {
    name,
    sizeBytes: file?.length,
    format: undefined,
    generation: undefined,
    store: undefined,
    groups: 0,
    writes: 0,
    endOffset: 0,
    nextGroupBytes: undefined,
    groupsBehind: 0,
    writesBehind: 0,
    lastCertainMs: undefined,
    witness: undefined,
  };
  if (file === undefined) return nothing;
  const old = readFormatOneLog(file);
  if (old !== undefined) {
    return {
      ...nothing,
      format: 1,
      generation: old.generation,
      groups: old.groups.length,
      writes: old.groups.flat().length,
      endOffset: old.endOffset,
      groupsBehind: old.behind.groups,
      writesBehind: old.behind.writes,
    };
  }
  const found = readAnyGeneration(file);
  const witness = readWitness(file);
  const witnessed = witness && { generation: witness.generation, groups: witness.end.groups };
  if (found === undefined) return { ...nothing, witness: witnessed };
  const isNamed = readBegin(file) !== undefined;
  return {
    ...nothing,
    format: found.start.format,
    generation: isNamed ? found.start.generation : undefined,
    store: isNamed ? found.start.store.toString('hex') : undefined,
    groups: found.groups.length,
    writes: countWrites(file, found.groups),
    endOffset: found.end.length,
    nextGroupBytes: found.stopped.length,
    groupsBehind: found.behind.groups.length,
    writesBehind: found.behind.writes,
    lastCertainMs: found.groups.at(-1)?.timeMs,
    witness: witnessed,
  };
}

/** A write that can be read in a log, but is not proved to follow from what is in LMDB. */
export interface SalvagedWrite extends LoggedWrite {
  readonly file: string;
  readonly generation: number;
  /** Number of the group. */
  readonly group: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
}

/** The writes that a damaged log still holds. */
export interface Salvage {
  /** The last known generation of the log. */
  readonly generation: number;
  /** Up to the damage: exactly what was acknowledged until then, in order. */
  readonly certain: readonly LoggedWrite[];
  /** After the damage, in order: acknowledged, but the values it replaced and the writes it belongs with may be missing. */
  readonly behind: readonly SalvagedWrite[];
}

/** Collects what can be read in the log of an open mark. */
export function salvage(mark: CheckpointMark, logs: RecoveryEvidence['logs']): Salvage {
  const certain: LoggedWrite[] = [];
  const behind: SalvagedWrite[] = [];
  let isCertain = true;
  let { end } = mark;
  for (const ahead of [1, 2]) {
    const generation = mark.generation + ahead;
    const at = generation % 2 === 0 ? 0 : 1;
    const file = logs[at];
    const nonce = nonceOf(mark.era, generation);
    const found = file && findGeneration(file, { store: mark.store, generation, nonce, predecessor: end });
    if (file === undefined || found === undefined) {
      isCertain = false;
      continue;
    }
    isCertain &&= found.isDerived;
    const salvaged = (groups: readonly FoundHead[]): SalvagedWrite[] =>
      groups.flatMap((group) =>
        entriesOfGroup(file, group).map((write) => ({
          ...write,
          file: logFileNames[at],
          generation,
          group: group.number,
          timeMs: group.timeMs,
        })),
      );
    if (isCertain) certain.push(...found.groups.flatMap((group) => entriesOfGroup(file, group)));
    else behind.push(...salvaged(found.groups));
    behind.push(...salvaged(found.behind.groups));
    isCertain &&= found.behind.durable <= found.end.groups;
    ({ end } = found);
  }
  return { generation: mark.generation + 2, certain, behind };
}

/** The generation that follows from the previous one, or else the one that the file itself names. */
function findGeneration(
  file: Buffer,
  start: FoundGeneration['start'],
): (FoundGeneration & { readonly isDerived: boolean }) | undefined {
  const derived = readGeneration(file, start);
  if (derived.begin === 'whole' || (derived.begin === 'damaged' && derived.groups.length > 0)) {
    return { ...derived, isDerived: true };
  }
  const begun = readBegin(file);
  if (begun?.nonce.equals(start.nonce) === true) return { ...readGeneration(file, begun), isDerived: false };
  return derived.behind.groups.length > 0 ? { ...derived, groups: [], isDerived: false } : undefined;
}
