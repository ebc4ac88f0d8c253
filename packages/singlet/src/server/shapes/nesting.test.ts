import { describe, expect, it } from 'vitest';
import { nestsDeeperThan } from './nesting.ts';

describe('nestsDeeperThan', () => {
  it.each<[string, number]>([
    ['"text"', 0],
    ['null', 0],
    ['{}', 1],
    ['{"a":1,"b":"x"}', 1],
    ['[[],[{}]]', 3],
    ['{"a":{"b":1},"c":{"d":{"e":[]}}}', 4],
  ])('counts objects and arrays: %s has %i', (json, levelCount) => {
    const parsed: unknown = JSON.parse(json);
    expect(nestsDeeperThan(levelCount, parsed)).toBe(false);
    if (levelCount > 0) expect(nestsDeeperThan(levelCount - 1, parsed)).toBe(true);
  });

  it('does not look further than it has to', () => {
    let json: unknown = [];
    for (let level = 0; level < 100_000; level += 1) json = [json];
    expect(nestsDeeperThan(100, json)).toBe(true);
  });
});
