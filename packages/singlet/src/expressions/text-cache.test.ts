import { describe, expect, it } from 'vitest';
import { TextCache } from './text-cache.ts';

describe('TextCache', () => {
  it('makes once what is asked for twice', () => {
    const cache = new TextCache<object>(10);
    const made = cache.get('a', () => ({}));
    expect(cache.get('a', () => ({}))).toBe(made);
  });

  it('forgets what was not used lately when the texts get too long together', () => {
    const cache = new TextCache<string>(12);
    const calls: string[] = [];
    const use = (...texts: readonly string[]): void => {
      for (const text of texts) {
        cache.get(text, () => {
          calls.push(text);
          return text;
        });
        expect(cache.characters).toBeLessThanOrEqual(12);
      }
    };
    use('aa', 'bb', 'cc', 'dd', 'aa', 'ee');
    expect(calls).toEqual(['aa', 'bb', 'cc', 'dd', 'ee']);
    use('ff'); // this also drops bb and cc
    calls.length = 0;
    use('aa', 'dd', 'ee', 'ff');
    expect(calls).toEqual([]);
    use('bb', 'cc');
    expect(calls).toEqual(['bb', 'cc']);
  });

  it('keeps no text that is too long by itself, and nothing at all when it may keep nothing', () => {
    const cache = new TextCache<string>(6);
    cache.get('long', () => 'made');
    expect(cache.characters).toBe(0);
    const none = new TextCache<string>(0);
    none.get('a', () => 'made');
    expect(none.characters).toBe(0);
  });

  it('keeps nothing of what could not be made', () => {
    const cache = new TextCache<string>(10);
    expect(() =>
      cache.get('a', () => {
        throw new RangeError('refused');
      }),
    ).toThrow('refused');
    expect(cache.characters).toBe(0);
    expect(cache.get('a', () => 'made')).toBe('made');
  });
});
