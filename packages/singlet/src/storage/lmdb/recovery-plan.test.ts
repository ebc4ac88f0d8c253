/** Every combination of mark, marker and log files has one outcome. */
import { describe, expect, test } from 'vitest';
import type { CheckpointMark, FoundMark } from './checkpoint-mark.ts';
import type { DirectoryMarker } from './directory-marker.ts';
import { planRecovery, type RecoveryEvidence, type RecoveryPlan } from './recovery-plan.ts';
import {
  beginGroup,
  encodeWitness,
  endOfBegin,
  entryHeadBytes,
  groupHeadBytes,
  type LogEnd,
  noEnd,
  nonceOf,
  witnessBlockBytes,
  type Witness,
  writeEntry,
  writeGroupHead,
} from './write-ahead-log-format.ts';

const store = Buffer.alloc(16, 3);
const era = Buffer.alloc(16, 5);
const generation = 10; // of the mark
const mark = (state: 'open' | 'closed'): CheckpointMark => ({ state, store, era, generation, end: noEnd });
const ready: DirectoryMarker = { format: 2, state: 'ready', store: store.toString('hex'), generation };

interface Content {
  readonly file: Buffer;
  readonly end: LogEnd;
  /** Offsets of its groups. */
  readonly offsets: readonly number[];
}

/** A log file with this many groups of one entry. */
function logOf(
  number: number,
  groups: number,
  { predecessor = noEnd, of = store, eraOf = era }: { predecessor?: LogEnd; of?: Buffer; eraOf?: Buffer } = {},
): Content {
  const nonce = nonceOf(eraOf, number);
  const begin = beginGroup({ store: of, generation: number, nonce, predecessor });
  const parts = [Buffer.alloc(witnessBlockBytes), begin];
  const offsets: number[] = [];
  let end = endOfBegin(begin);
  for (let at = 1; at <= groups; at += 1) {
    const group = Buffer.alloc(groupHeadBytes + entryHeadBytes + 30);
    writeEntry(group, groupHeadBytes, Buffer.alloc(24, at), Buffer.alloc(6, number));
    const head = { nonce, number: at, durable: at, before: end.checksum, timeMs: at };
    offsets.push(end.length);
    end = { groups: at + 1, length: end.length + group.length, checksum: writeGroupHead(group, head) };
    parts.push(group);
  }
  return { file: Buffer.concat([...parts, Buffer.alloc(16 * 1024)]), end, offsets };
}

function withWitness({ file }: Content, witness: Witness | undefined): Buffer {
  const copy = Buffer.from(file);
  if (witness !== undefined) copy.set(encodeWitness(witness), 0);
  return copy;
}

const witnessOf = (number: number, end: LogEnd): Witness => ({ generation: number, nonce: nonceOf(era, number), end });

/** Generation 11 is in log-1, 12 in log-0. */
const first = logOf(11, 5);
const second = logOf(12, 3, { predecessor: first.end });
const stale = logOf(10, 4);

function plan(
  logs: RecoveryEvidence['logs'],
  found: FoundMark = { kind: 'mark', mark: mark('open') },
  marker = ready,
): RecoveryPlan {
  return planRecovery({ marker, dataFile: 'present', mark: found, logs });
}

const outcomeOf = (made: RecoveryPlan): string =>
  made.action === 'refuse'
    ? made.problem.reason
    : made.action === 'apply'
      ? `apply ${made.writes.length}`
      : made.action;

function flipped(file: Buffer, at: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = copy[at]! ^ 16;
  return copy;
}

describe('an open mark', () => {
  const sealed = witnessOf(11, first.end);
  test.each<[string, RecoveryEvidence['logs'], string]>([
    ['one generation', [withWitness(stale, sealed), first.file], 'apply 5'],
    ['two generations', [withWitness(second, sealed), withWitness(first, witnessOf(12, second.end))], 'apply 8'],
    ['a generation that has only begun', [stale.file, logOf(11, 0).file], 'apply 0'],
    ['the last group torn', [stale.file, flipped(first.file, first.offsets[4]! + 50)], 'apply 4'],
    [
      'the last group damaged, and a seal',
      [withWitness(stale, sealed), flipped(first.file, first.offsets[4]! + 50)],
      'log-damaged',
    ],
    ['a group in the middle damaged', [stale.file, flipped(first.file, first.offsets[1]! + 50)], 'log-damaged'],
    [
      'the head of a group in the middle damaged',
      [stale.file, flipped(first.file, first.offsets[1]! + 14)],
      'log-damaged',
    ],
    ['"begin" damaged', [stale.file, flipped(first.file, witnessBlockBytes + 50)], 'apply 5'],
    ['the file cut', [stale.file, first.file.subarray(0, first.offsets[3])], 'log-cut'],
    ['the last group of the older damaged', [second.file, flipped(first.file, first.offsets[4]! + 50)], 'log-damaged'],
    [
      'the last group of the older and "begin" of the newer damaged',
      [flipped(second.file, witnessBlockBytes + 50), flipped(first.file, first.offsets[4]! + 50)],
      'log-missing',
    ],
    ['no files', [undefined, undefined], 'log-missing'],
    ['the file missing', [stale.file, undefined], 'log-missing'],
    ['an older generation in its place', [stale.file, logOf(9, 3).file], 'log-missing'],
    ['the files swapped', [first.file, second.file], 'log-missing'],
    [
      'a file of another store',
      [stale.file, logOf(11, 5, { of: Buffer.alloc(16, 9), eraOf: Buffer.alloc(16) }).file],
      'log-missing',
    ],
    [
      'the newer missing, of which there is a witness',
      [undefined, withWitness(first, witnessOf(12, endOfBegin(second.file.subarray(4096, 4096 + 84))))],
      'log-missing',
    ],
    ['the newer not begun', [undefined, first.file], 'apply 5'],
    ['logs that are two generations ahead', [logOf(14, 1).file, logOf(13, 1).file], 'data-file-older-than-log'],
  ])('%s', (_, logs, outcome) => {
    expect(outcomeOf(plan(logs))).toBe(outcome);
  });

  test('nothing but the chain shows that two generations do not belong together', () => {
    const logs: RecoveryEvidence['logs'] = [
      flipped(second.file, witnessBlockBytes + 50),
      flipped(first.file, first.offsets[4]! + 50),
    ];
    const evidence: RecoveryEvidence = {
      marker: ready,
      dataFile: 'present',
      mark: { kind: 'mark', mark: mark('open') },
      logs,
    };
    expect(outcomeOf(planRecovery(evidence))).toBe('log-missing');
    // The result of the bug: four writes of the older generation and three of the newer, across the gap.
    expect(outcomeOf(planRecovery(evidence, { chain: false }))).toBe('apply 7');
  });

  test('nothing but the witness shows that the last group was durable', () => {
    const damaged = flipped(first.file, first.offsets[4]! + 50);
    expect(outcomeOf(plan([withWitness(stale, witnessOf(11, first.end)), damaged]))).toBe('log-damaged');
    expect(outcomeOf(plan([withWitness(stale, undefined), damaged]))).toBe('apply 4');
  });
});

describe('every combination', () => {
  const markers: readonly DirectoryMarker[] = [ready, { format: 2, state: 'creating' }, { ...ready, generation: 11 }];
  const marks: readonly FoundMark[] = [
    { kind: 'none' },
    { kind: 'damaged' },
    { kind: 'mark', mark: mark('open') },
    { kind: 'mark', mark: mark('closed') },
  ];
  const newer: readonly (Buffer | undefined)[] = [
    undefined,
    Buffer.alloc(0),
    Buffer.alloc(8192),
    stale.file,
    second.file,
    logOf(12, 0, { predecessor: first.end }).file,
    flipped(second.file, second.offsets[0]! + 50),
    logOf(14, 2).file,
  ];
  const older: readonly (Buffer | undefined)[] = [
    undefined,
    Buffer.alloc(8192),
    first.file,
    logOf(11, 0).file,
    flipped(first.file, first.offsets[4]! + 50),
    flipped(first.file, first.offsets[1]! + 50),
    flipped(first.file, witnessBlockBytes + 50),
    logOf(9, 3).file,
    logOf(11, 5, { eraOf: Buffer.alloc(16) }).file,
  ];

  test('has an outcome, and only sound ones apply or start', () => {
    const counts = new Map<string, number>();
    for (const marker of markers) {
      for (const found of marks) {
        for (const one of newer) {
          for (const other of older) {
            const made = plan([one, other], found, marker);
            counts.set(made.action, (counts.get(made.action) ?? 0) + 1);
            // Contents that the mark does not account for are never skipped.
            const isOpen = found.kind === 'mark' && found.mark.state === 'open';
            if (made.action === 'apply') expect(isOpen && marker !== markers[2]).toBe(true);
            if (made.action === 'start') expect(isOpen).toBe(false);
            if (made.action === 'create') expect([marker, found.kind]).toEqual([markers[1], 'none']);
          }
        }
      }
    }
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(3 * 4 * 8 * 9);
    expect(counts.get('apply')).toBeGreaterThan(10);
    expect(counts.get('start')).toBeGreaterThan(10);
    expect(counts.get('refuse')).toBeGreaterThan(400);
  });
});
