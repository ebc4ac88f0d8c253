import { describe, expect, it } from 'vitest';
import { TextCache } from './text-cache.ts';

describe('TextCache', () => {
  it('makes once what is asked for twice', () => {
    const cache = new TextCache<object>(10);
    const made = cache.get('a', () => ({}));
    expect(cache.get('a', () => ({}))).toBe(made);
  });

  it('drops the least recently used when the texts get too long together', () => {
    const cache = new TextCache<string>(6);
    const calls: string[] = [];
    const use = (text: string): string =>
      cache.get(text, () => {
        calls.push(text);
        return text;
      });
    use('aa');
    use('bb');
    use('cc');
    use('aa');
    use('dd'); // drops bb
    expect(cache.characters).toBe(6);
    calls.length = 0;
    use('aa');
    use('cc');
    use('dd');
    expect(calls).toEqual([]);
    use('bb');
    expect(calls).toEqual(['bb']);
  });

  it('keeps no text that is too long by itself, and nothing at all when it may keep nothing', () => {
    const cache = new TextCache<string>(3);
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
