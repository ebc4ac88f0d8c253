import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallerCounts } from './caller-counts.ts';

const callers = ['a', 'b', 'c'];

test('processes that tell each other their changes all count what all have', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), process: fc.nat(2), caller: fc.constantFrom(...callers) }),
    fc.record({ kind: fc.constant('remove' as const), process: fc.nat(2), caller: fc.constantFrom(...callers) }),
    fc.record({ kind: fc.constant('tell' as const), process: fc.nat(2) }),
    fc.record({ kind: fc.constant('restart' as const), process: fc.nat(2) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const processes = [new CallerCounts(), new CallerCounts(), new CallerCounts()];
      const held = processes.map(() => new Map<string, number>());
      const tell = (from: number, all: boolean): void => {
        const changes = processes[from]!.takeChanges({ all });
        for (const [at, other] of processes.entries()) if (at !== from) other.addFrom(from, changes);
      };
      for (const step of steps) {
        const { process } = step;
        if (step.kind === 'tell') {
          tell(process, false);
        } else if (step.kind === 'restart') {
          processes[process] = new CallerCounts();
          held[process]!.clear();
          for (const [at, other] of processes.entries()) if (at !== process) other.forget(process);
          // The new process is told everything.
          for (const at of processes.keys()) if (at !== process) tell(at, true);
        } else {
          const count = held[process]!.get(step.caller) ?? 0;
          if (step.kind === 'remove' && count === 0) continue;
          held[process]!.set(step.caller, count + (step.kind === 'add' ? 1 : -1));
          if (step.kind === 'add') processes[process]!.add(step.caller);
          else processes[process]!.remove(step.caller);
        }
      }
      for (const from of processes.keys()) tell(from, false);
      for (const caller of callers) {
        const total = held.reduce((sum, counts) => sum + (counts.get(caller) ?? 0), 0);
        expect(processes.map((counts) => counts.of(caller))).toEqual([total, total, total]);
      }
      // Nothing is kept for callers that have nothing.
      for (const [at, counts] of processes.entries()) {
        expect(counts.ownCallerCount).toBe([...held[at]!.values()].filter((count) => count > 0).length);
      }
    }),
  );
});

test('changes are told once', () => {
  const counts = new CallerCounts();
  counts.add('a');
  expect(counts.takeChanges()).toEqual([['a', 1]]);
  expect(counts.takeChanges()).toEqual([]);
  counts.add('b');
  counts.remove('a');
  expect(counts.takeChanges()).toEqual([
    ['b', 1],
    ['a', 0],
  ]);
  expect(counts.takeChanges({ all: true })).toEqual([['b', 1]]);
});

test('what has become 0 is told with all that there is', () => {
  const counts = new CallerCounts();
  counts.add('a');
  counts.add('b');
  counts.takeChanges();
  counts.remove('a');
  expect(new Map(counts.takeChanges({ all: true }))).toEqual(
    new Map([
      ['a', 0],
      ['b', 1],
    ]),
  );
});
