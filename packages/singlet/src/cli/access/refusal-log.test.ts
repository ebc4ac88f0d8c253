import { expect, test } from 'vitest';
import type { EngineLogEvent } from '../../engine/index.ts';
import { refusalLog, refusalLogMs } from './refusal-log.ts';

test('a flood of refusals is one line each ten seconds, and every refusal before a line is counted by it', () => {
  const lines: EngineLogEvent[] = [];
  let nowMs = 5;
  const refused = refusalLog({
    log: (event) => lines.push(event),
    nowMs: () => nowMs,
    line: (address) => ({ level: 'warn', event: 'connections-refused', address }),
  });
  refused('192.0.2.1');
  for (let count = 0; count < 1000; count += 1) refused('192.0.2.2');
  nowMs += refusalLogMs - 1;
  refused('192.0.2.2');
  expect(lines).toEqual([{ level: 'warn', event: 'connections-refused', address: '192.0.2.1', count: 1 }]);
  nowMs += 1;
  refused('192.0.2.3');
  expect(lines.slice(1)).toEqual([{ level: 'warn', event: 'connections-refused', address: '192.0.2.3', count: 1002 }]);
});
