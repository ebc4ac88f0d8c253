import { describe, expect, it } from 'vitest';
import { helpText, measureNames, parseOptions } from './options.ts';

const parsed = (...argv: string[]) => {
  const options = parseOptions(argv);
  if (options === 'help') throw new TypeError('the options asked for help');
  return options;
};

describe('the command line', () => {
  it('measures everything but what is for few by default', () => {
    const options = parsed();
    expect(measureNames.filter((name) => !options.measures.has(name))).toEqual(['vectors', 'backfill', 'memory']);
    expect(options).toMatchObject({
      itemCount: 1_000_000,
      concurrency: 32,
      rounds: 5,
      secondsPerRun: 1,
      startupRuns: 10,
      growthItemsMax: 1_000_000,
    });
  });

  it('takes a list of measures, in the order of the report', () => {
    expect([...parsed('--only', 'put, get').measures]).toEqual(['get', 'put']);
    expect([...parsed('--only', 'streams,query-200,sdk').measures]).toEqual(['query-200', 'streams', 'sdk']);
    expect([...parsed('--only=get', '--growth-max', '10_000_000').measures]).toEqual(['get', 'growth']);
    expect(parsed('--growth-max', '10000000').growthItemsMax).toBe(10_000_000);
    expect([...parsed('--only=get', '--memory-items', '5000000').measures]).toEqual(['get', 'memory']);
  });

  it('is smaller when quick, unless told otherwise', () => {
    const quick = parsed('--quick');
    expect(quick).toMatchObject({ itemCount: 4000, rounds: 1, startupRuns: 2, growthItemsMax: 100_000, quick: true });
    expect(quick.measures).toEqual(parsed().measures);
    expect(parsed('--quick', '--items', '5000')).toMatchObject({ itemCount: 5000, rounds: 1 });
  });

  it('offers help', () => {
    expect(parseOptions(['--help'])).toBe('help');
    expect(parseOptions(['-h'])).toBe('help');
    for (const name of measureNames) expect(helpText).toContain(name);
    expect(Math.max(...helpText.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it.each([
    [['--only', 'get,remove'], /not remove/],
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
