import { describe, expect, test } from 'vitest';
import { Gate } from './gate.ts';
import { bodyShareBytes, MemoryBudget, memoryBudgetBytesMin } from './memory-budget.ts';

describe('the memory budget', () => {
  test('keeps a quarter for small bodies', () => {
    const budget = new MemoryBudget({ bytes: 1000 });
    expect(budget.tryTake(751, 'large')).toBe(false);
    expect(budget.tryTake(750, 'large')).toBe(true);
    expect(budget.tryTake(1, 'large')).toBe(false);
    expect(budget.tryTake(250, 'small')).toBe(true);
    expect(budget.tryTake(1, 'small')).toBe(false);
    budget.give(250);
    expect(budget.tryTake(1, 'small')).toBe(true);
    expect(budget.usedBytes).toBe(751);
  });

  test('serves those who wait in their order, small bodies before large ones', () => {
    const budget = new MemoryBudget({ bytes: 1000 });
    const served: string[] = [];
    expect(budget.tryTake(750, 'large')).toBe(true);
    budget.wait(700, 'large', () => served.push('first'));
    budget.wait(10, 'large', () => served.push('second'));
    // A body that would fit must not go before those that came earlier.
    expect(budget.tryTake(0, 'large')).toBe(false);
    expect(budget.tryTake(250, 'small')).toBe(true);
    budget.wait(100, 'small', () => served.push('small'));
    budget.give(100);
    expect(served).toEqual(['small']);
    budget.give(750);
    expect(served).toEqual(['small']);
    budget.give(150);
    expect(served).toEqual(['small']);
    budget.give(100);
    expect(served).toEqual(['small', 'first', 'second']);
    budget.give(710);
    expect(budget.usedBytes).toBe(0);
  });

  test('refuses after a while, and lets those behind continue', async () => {
    const budget = new MemoryBudget({ bytes: 1000, waitMs: 5 });
    budget.hold(500);
    const refused = new Promise<boolean>((resolve) => void budget.wait(400, 'large', resolve));
    expect(await refused).toBe(false);
    expect(budget.usedBytes).toBe(500);
    const served: boolean[] = [];
    const cancel = budget.wait(400, 'large', (isTaken) => served.push(isTaken));
    budget.wait(100, 'large', (isTaken) => served.push(isTaken));
    cancel();
    expect(served).toEqual([true]);
    expect(budget.usedBytes).toBe(600);
  });

  test('has room for the largest body, however small it is', () => {
    const budget = new MemoryBudget({ bytes: memoryBudgetBytesMin });
    expect(budget.tryTake(bodyShareBytes(16 * 1024 * 1024), 'large')).toBe(true);
  });

  test('counts a body as what it takes when it is parsed', () => {
    expect([0, 1000, 1024 ** 2, 4 * 1024 ** 2, 16 * 1024 ** 2].map(bodyShareBytes)).toEqual([
      0,
      8000,
      8 * 1024 ** 2,
      8 * 1024 ** 2,
      16 * 1024 ** 2,
    ]);
  });
});

test('a gate lets so many in at a time, in their order, whatever becomes of them', async () => {
  const gate = new Gate(2);
  const log: string[] = [];
  const finish = new Map<string, () => void>();
  const enter = (name: string): Promise<void> =>
    gate.run(async () => {
      log.push(name);
      await new Promise<void>((resolve) => finish.set(name, resolve));
      if (name === 'a') throw new RangeError(name);
    });
  const all = Promise.allSettled(['a', 'b', 'c', 'd'].map(enter));
  for (const name of ['a', 'b', 'c', 'd']) {
    while (!finish.has(name)) await Promise.resolve();
    expect(log.length).toBeLessThanOrEqual(log.indexOf(name) + 2);
    finish.get(name)?.();
  }
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(log).toEqual(['a', 'b', 'c', 'd']);
});
