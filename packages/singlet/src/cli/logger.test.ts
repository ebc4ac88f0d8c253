import { describe, expect, test } from 'vitest';
import { StorageError } from '../storage/storage-error.ts';
import { createLogger, type LogFormat, logFormats as formats, type LogLevel } from './logger.ts';

function logged(
  options: { readonly level?: LogLevel; readonly format?: LogFormat },
  ...events: readonly Parameters<ReturnType<typeof createLogger>>[0][]
): readonly string[] {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'text',
    nowMs: () => Date.UTC(2024, 0, 1),
    write: (line) => void lines.push(line),
    ...options,
  });
  for (const event of events) log(event);
  return lines;
}

describe('createLogger', () => {
  test('as text: time, level, event, fields', () => {
    expect(logged({}, { level: 'warn', event: 'slow', table: 'Things', count: 2, none: undefined })).toEqual([
      '2024-01-01T00:00:00.000Z warn  slow table=Things count=2\n',
    ]);
  });

  test('as text: quotes what would run into its neighbour, so that an event stays on its line', () => {
    expect(logged({}, { level: 'info', event: 'odd', text: 'a b', equal: 'a=b', quote: '"', lines: 'a\nb' })).toEqual([
      '2024-01-01T00:00:00.000Z info  odd text="a b" equal="a=b" quote="\\"" lines="a\\nb"\n',
    ]);
  });

  test('as JSON: one object a line', () => {
    const [line, ...more] = logged({ format: 'json' }, { level: 'info', event: 'a\nb', detail: { deep: [1] } });
    expect(more).toEqual([]);
    expect(line).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(line ?? '')).toEqual({
      time: '2024-01-01T00:00:00.000Z',
      level: 'info',
      event: 'a\nb',
      detail: { deep: [1] },
    });
  });

  test.each<[LogLevel, readonly LogLevel[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ])('from level %s on', (level, shown) => {
    const all = (['debug', 'info', 'warn', 'error'] as const).map((each) => ({ level: each, event: 'x' }));
    const lines = logged({ level, format: 'json' }, ...all);
    expect(lines.map((line) => (JSON.parse(line) as { level: LogLevel }).level)).toEqual(shown);
  });

  test.each(formats)('as %s: an outage is a sentence, and a defect has its stack', (format) => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:5432');
    const outage = new StorageError('io', `a read failed (${cause.message})`, { cause });
    const [first = '', second = ''] = logged(
      { format },
      { level: 'error', event: 'request-failed', error: outage },
      { level: 'error', event: 'request-failed', error: new TypeError('x is not a function') },
    );
    expect(first).toContain('"StorageError: a read failed (connect ECONNREFUSED 127.0.0.1:5432)"');
    expect(first).not.toContain('logger.test.ts');
    expect(second).toContain('logger.test.ts');
  });

  test('a level that changes holds from the next event on', () => {
    let level: LogLevel = 'info';
    const lines: string[] = [];
    const log = createLogger({
      level: () => level,
      format: 'text',
      nowMs: () => 0,
      write: (line) => void lines.push(line),
    });
    log({ level: 'debug', event: 'first' });
    level = 'debug';
    log({ level: 'debug', event: 'second' });
    expect(lines.map((line) => line.trim().split(' ').at(-1))).toEqual(['second']);
  });

  test('an error that is logged says what it is, in both formats', () => {
    const error = new TypeError('no such thing');
    const [text] = logged({}, { level: 'error', event: 'failed', error });
    expect(text).toContain('TypeError: no such thing');
    const [json] = logged({ format: 'json' }, { level: 'error', event: 'failed', error });
    expect(JSON.parse(json ?? '')).toMatchObject({ error: expect.stringContaining('TypeError: no such thing') });
  });

  test('what JSON cannot hold does not stop the log', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const event = { level: 'info', event: 'odd', big: 1n, circle } as const;
    for (const format of ['text', 'json'] as const) {
      expect(logged({ format }, event)).toEqual([expect.stringContaining('odd')]);
    }
  });
});
