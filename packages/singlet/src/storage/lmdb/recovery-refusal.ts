import { StorageError } from '../storage-error.ts';
import type { DamagePosition, RecoveryProblem } from './recovery-plan.ts';

/** The message when a directory cannot be opened: which file, what is missing, and what to do. */
export function recoveryRefusal(problem: RecoveryProblem, directory: string): StorageError {
  const code = problem.reason === 'mark-newer' ? 'format' : 'damaged';
  return new StorageError(code, `${sentenceOf(problem, directory)} ${adviceOf(problem, directory)}`);
}

function sentenceOf(problem: RecoveryProblem, directory: string): string {
  switch (problem.reason) {
    case 'data-file-missing':
      return `The data file data.mdb in ${directory} is missing, empty, or not the one that was here; the write-ahead log holds ${counted(problem.writes, 'write')} that came after it.`;
    case 'data-file-of-other-store':
      return `The data file data.mdb in ${directory} belongs to another store than ${directory}/singlet.json.`;
    case 'data-file-older':
      return `The data file data.mdb in ${directory} is an old copy: it ends at generation ${problem.generation} of the write-ahead log, and generation ${problem.expected} was written to it before.`;
    case 'data-file-older-than-log':
      return `The data file data.mdb in ${directory} is an old copy: the write-ahead log ${problem.file} holds ${counted(problem.writes, 'write')} of a later generation than the data file expects.`;
    case 'mark-damaged':
      return `The data file data.mdb in ${directory} is damaged: its mark about the write-ahead log cannot be read.`;
    case 'mark-newer':
      return `The data in ${directory} was written by a newer version of Singlet (format ${problem.format} of the write-ahead log).`;
    case 'log-missing':
      return `The write-ahead log of ${directory} is incomplete: ${problem.file} should hold generation ${problem.generation}, ${foundInstead(problem.found)}.`;
    case 'log-damaged':
      return `The write-ahead log of ${directory} is damaged: in ${placeOf(problem)} ${lossOf(problem)}`;
    case 'log-cut':
      return `The write-ahead log of ${directory} was cut off: in ${placeOf(problem)} ${lossOf(problem)}`;
  }
}

function foundInstead(found: 'nothing' | 'other-store' | 'other-generation'): string {
  if (found === 'nothing') return 'and the file is missing, or its beginning is gone';
  return found === 'other-store' ? 'and the file belongs to another store' : 'and the file holds another generation';
}

function placeOf({ file, generation, offset, length, group }: DamagePosition): string {
  const size = length === undefined ? '' : `, ${length} bytes`;
  return `${file} (generation ${generation}), group ${group} at offset ${offset}${size} cannot be read.`;
}

function lossOf({ groupsMissing, groupsBehind, writesBehind, lastCertainMs }: DamagePosition): string {
  const missing =
    groupsMissing === undefined
      ? 'There was at least one acknowledged group more'
      : `At least ${counted(groupsMissing, 'acknowledged group')} from there on ${groupsMissing === 1 ? 'is' : 'are'} concerned`;
  const behind =
    groupsBehind === 0
      ? 'none can be read after it'
      : `${counted(groupsBehind, 'group')} with ${counted(writesBehind, 'write')} can still be read after it`;
  const moment =
    lastCertainMs === undefined
      ? ''
      : `; the last sound group before it was written at ${new Date(lastCertainMs).toISOString()}`;
  return `${missing}; ${behind}${moment}.`;
}

function adviceOf({ reason }: RecoveryProblem, directory: string): string {
  if (reason === 'mark-newer') return 'Open it with that version.';
  return `Nothing was changed. Put the right file back if you have it; "singlet doctor ${directory}" shows what can be saved.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
