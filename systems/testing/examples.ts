import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, type RunnerTestSuite } from 'vitest';
import { type Example, examplesIn, type OnAnswer } from '../http/examples.ts';

const LIST_SHOWN_MAX = 2;

/** The first success of each operation that was called in this test file. */
const recorded = new Map<string, Example>();

/** Records the successes of operations; others are no examples. */
export const recordAnswer: OnAnswer = (operationId, example) => {
  if (example.status < 300 && !recorded.has(operationId)) recorded.set(operationId, example);
};

/** Whether every test of a file runs, and not only those that the command line selects. */
function isWhole({ tasks }: Pick<RunnerTestSuite, 'tasks'>): boolean {
  return tasks.every((task) => ('tasks' in task ? isWhole(task) : task.mode === 'run'));
}

/**
 * Compares the examples in an application's description with the requests that the tests of this file have made, and the answers
 * to them: ids, times and figures may differ, but not what there is. An example that no test has sent is none. `UPDATE_GOLDEN=1` writes them.
 */
export function keepsExamples(file: URL): void {
  recorded.clear(); // of another test file that ran in this process
  let tests: Pick<RunnerTestSuite, 'tasks'> = { tasks: [] };
  beforeEach(({ task }) => {
    tests = task.file;
  });
  afterAll(() => {
    const kept = existsSync(file) ? examplesIn(file) : {};
    if (process.env['UPDATE_GOLDEN'] === '1') {
      const all = [...recorded].toSorted(([left], [right]) => (left < right ? -1 : 1));
      const text = JSON.stringify(Object.fromEntries(all.map(([id, each]) => [id, brief(each)])), undefined, 2);
      // A token is a secret, even one of a test.
      writeFileSync(file, `${text.replaceAll(/[0-9a-f]{64}/g, '0'.repeat(64))}\n`);
      return;
    }
    for (const [operationId, example] of recorded) {
      expect([operationId, shapeOf(example)]).toEqual([operationId, shapeOf(kept[operationId])]);
    }
    if (isWhole(tests)) expect(Object.keys(kept).filter((operationId) => !recorded.has(operationId))).toEqual([]);
  });
}

/** With the first entries of the lists in the answer. */
function brief({ answer, ...rest }: Example): Example {
  return { ...rest, ...(answer !== undefined && { answer: shortened(answer) }) };
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, LIST_SHOWN_MAX).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

/** The names of what there is, and the types. Lists may be of any length. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
