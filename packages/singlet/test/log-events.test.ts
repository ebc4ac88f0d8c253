import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sourceFiles } from './module-graph.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const isShipped = (file: string): boolean =>
  file.startsWith('packages/singlet/src/') && !file.endsWith('.test.ts') && !file.includes('/testing/');

/** The names of events in a source: the argument of `event` or `postponedEvent`, or both branches of a conditional. */
function eventsIn(source: string): readonly string[] {
  const named = /\b(?:event|postponedEvent)(?::| =) (?:[^\n?]* \? '([^']*)' : )?'([^']*)'/g;
  return [...source.matchAll(named)].flatMap(([, ...names]) => names.filter((name) => name !== undefined));
}

const inCode = new Set(
  sourceFiles(root)
    .filter(isShipped)
    .flatMap((file) => eventsIn(readFileSync(join(root, file), 'utf8'))),
);
const inDocument = [...readFileSync(join(root, 'docs/logging.md'), 'utf8').matchAll(/^\| `([^`]+)`/gm)].map(
  ([, name = '']) => name,
);
const nameForm = /^[a-z]+(-[a-z]+)*$/;

describe('events of the log', () => {
  test('are written in one way', () => {
    expect(inCode.size).toBeGreaterThan(40);
    expect([...inCode].filter((name) => !nameForm.test(name))).toEqual([]);
  });

  test('are all in docs/logging.md, each once, and no others', () => {
    expect(inDocument.toSorted()).toEqual([...inCode].toSorted());
  });

  test.each([
    ["log({ level: 'warn', event: 'worker lost', pid });", ['worker lost']],
    ["  event: 'load-ended',\n", ['load-ended']],
    [
      "onEvent({ level, event: isEnd === 'end' ? 'shard-finished' : 'Shard left', shardId });",
      ['shard-finished', 'Shard left'],
    ],
    ["const postponedEvent = 'sweep failed';", ['sweep failed']],
    ["    postponedEvent: 'sweep-failed',\n", ['sweep-failed']],
    ['  readonly event: string;', []],
  ])('are found in %j', (source, names) => {
    expect(eventsIn(source)).toEqual(names);
  });
});
