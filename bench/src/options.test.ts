import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.ts';

const parsed = (...argv: string[]) => {
  const options = parseOptions(argv);
  if (options === 'help') throw new TypeError('the options asked for help');
  return options;
};

describe('the command line', () => {
  it('measures everything but growth and memory by default', () => {
    const options = parsed();
    expect([...options.measures]).toEqual([
      'get',
      'put',
      'update',
      'query',
      'transact',
      'batch',
      'startup',
      'vectors',
      'backfill',
    ]);
    expect(options).toMatchObject({
      itemCount: 100_000,
      concurrency: 32,
      rounds: 5,
      secondsPerRun: 1,
      startupRuns: 10,
    });
  });

  it('takes a list of measures, in the order of the report', () => {
    expect([...parsed('--only', 'put, get').measures]).toEqual(['get', 'put']);
    expect([...parsed('--only', 'get', '--growth').measures]).toEqual(['get', 'growth']);
    expect([...parsed('--only=get', '--growth-max', '10_000_000').measures]).toEqual(['get', 'growth']);
    expect(parsed('--growth-max', '10000000').growthItemsMax).toBe(10_000_000);
    expect([...parsed('--only=get', '--memory-items', '5000000').measures]).toEqual(['get', 'memory']);
  });

  it('is smaller when quick, unless told otherwise', () => {
    expect(parsed('--quick')).toMatchObject({
      itemCount: 10_000,
      rounds: 3,
      secondsPerRun: 0.4,
      startupRuns: 3,
      quick: true,
    });
    expect(parsed('--quick', '--items', '5000')).toMatchObject({ itemCount: 5000, secondsPerRun: 0.4 });
  });

  it('offers help', () => {
    expect(parseOptions(['--help'])).toBe('help');
    expect(parseOptions(['-h'])).toBe('help');
  });

  it.each([
    [['--only', 'get,delete'], /not delete/],
    [['--items', 'many'], /--items wants a number/],
    [['--items', ''], /--items wants a number/],
    [['--items', '10'], /at least 1000/],
    [['--rounds', '1.5'], /--rounds wants/],
    [['--seconds', '0'], /--seconds wants/],
    [['--fast'], /--fast/],
  ])('refuses %j', (argv, reason) => {
    expect(() => parseOptions(argv)).toThrow(reason);
  });
});
