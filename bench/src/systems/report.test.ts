import { expect, test } from 'vitest';
import { renderSystemsReport } from './report.ts';
import { type CallFigures, type PatternResult, ratioOf, type SystemsResults } from './results.ts';

function figures(p50Ms: number, more: Partial<CallFigures> = {}): CallFigures {
  return {
    calls: 10,
    requests: 1,
    itemsRead: 1,
    itemsWritten: 0,
    readUnits: 0.5,
    writeUnits: 0,
    p50Ms,
    p99Ms: 2 * p50Ms,
    ...more,
  };
}

function pattern(call: string, small: CallFigures, large: CallFigures): PatternResult {
  return { call, pattern: `pattern of ${call}`, small, large };
}

const results: SystemsResults = {
  format: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  machine: { processor: 'Some', processors: 2, memoryBytes: 1, system: 'linux 6', node: 'v20', fdatasyncMs: 0.2 },
  versions: { singlet: '0.1.0', dynalite: '4.0.0', lmdb: '3.5.6', sdk: '3.0.0' },
  settings: { times: 10, quick: false },
  otherLoadShare: 0.31,
  systems: [
    {
      system: 'shop',
      small: { scale: 0.04, items: 1000, loadSeconds: 1 },
      large: { scale: 1, items: 25_000, loadSeconds: 12.4 },
      patterns: [
        pattern('S-1', figures(1), figures(1.5)),
        pattern('S-2', figures(1), figures(1.6)),
        pattern('S-3', figures(2, { itemsRead: 10 }), figures(8, { itemsRead: 40 })),
        pattern(
          'S-W1',
          figures(2, { itemsRead: 0, readUnits: 0, itemsWritten: 2, writeUnits: 4 }),
          figures(2.2, { itemsRead: 0, readUnits: 0, itemsWritten: 2, writeUnits: 4.4 }),
        ),
      ],
      unmeasured: { 'S-4': 'done by the service' },
    },
    {
      system: 'blog',
      small: { scale: 0.04, items: 1000, loadSeconds: 1 },
      large: { scale: 1, items: 5000, loadSeconds: 2 },
      patterns: [pattern('B-1', figures(1), figures(1))],
      unmeasured: {},
    },
  ],
  problems: [{ what: 'shop: S-5', reason: 'it is not there' }],
};

test('the ratio is that of the medians', () => {
  expect(ratioOf(pattern('x', figures(2), figures(3)))).toBe(1.5);
});

test('a table for each system, with both sizes side by side', () => {
  const lines = renderSystemsReport(results).split('\n');
  const lineOf = (start: string): string => lines.find((line) => line.startsWith(start)) ?? '';
  const cells = (start: string): string[] => lineOf(start).split(/ {2,}/);
  expect(lineOf('shop:')).toBe('shop: 1,000 and 25,000 items (25 times as many), loaded in 12 s');
  expect(lineOf('blog:')).toBe('blog: 1,000 and 5,000 items (5 times as many; 20 are required), loaded in 2 s');
  expect(cells('call')).toEqual(
    'call,pattern,requests,read,written,RCU,WCU,p50 small,p50 large,ratio,p99 small,p99 large'.split(','),
  );
  expect(cells('S-1')).toEqual(['S-1', 'pattern of S-1', '1', '1', '0.5', '1.00', '1.50', '1.50', '2.00', '3.00']);
  expect(cells('S-2').at(-1)).toBe('MISSED');
  expect(cells('S-3').at(-1)).toBe('MISSED: reads 4.0 times as much');
  expect(cells('S-3')[3]).toBe('10, 40');
  expect(cells('S-W1').slice(0, 5)).toEqual(['S-W1', 'pattern of S-W1', '1', '2', '4, 4.4']);
  expect(lineOf('S-4')).toBe('S-4 is not measured: done by the service');
});

test('what was missed, what was not measured, and whether the machine was busy', () => {
  const report = renderSystemsReport(results);
  expect(report).toContain('  shop: 2 of 4 calls; missed by S-2 (1.60), S-3 (4.00)\n  blog: 1 of 1 calls\n');
  expect(report).toContain('Not measured:\n  shop: S-5: it is not there');
  expect(report).toContain('other processes used 31 % of it');
});
