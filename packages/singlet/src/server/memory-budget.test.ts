import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Gate } from './gate.ts';
import { bodyShareBytes, callerBudgetBytes, MemoryBudget, memoryBudgetBytesMin } from './memory-budget.ts';

describe('the memory budget', () => {
  test('keeps a quarter for small bodies', () => {
    const budget = new MemoryBudget({ bytes: 1000 });
    expect(budget.tryTake(751, 'large', 'a')).toBe(false);
    expect(budget.tryTake(750, 'large', 'a')).toBe(true);
    expect(budget.tryTake(1, 'large', 'a')).toBe(false);
    expect(budget.tryTake(250, 'small', 'a')).toBe(true);
    expect(budget.tryTake(1, 'small', 'a')).toBe(false);
    budget.give(250, 'a');
    expect(budget.tryTake(1, 'small', 'a')).toBe(true);
    expect(budget.usedBytes).toBe(751);
  });

  test('serves those who wait in their order, small bodies before large ones', () => {
    const budget = new MemoryBudget({ bytes: 1000 });
    const served: string[] = [];
    expect(budget.tryTake(750, 'large', 'a')).toBe(true);
    budget.wait({ bytes: 700, kind: 'large', network: 'a' }, () => served.push('first'));
    budget.wait({ bytes: 10, kind: 'large', network: 'a' }, () => served.push('second'));
    // A body that would fit must not go before those that came earlier.
    expect(budget.tryTake(0, 'large', 'a')).toBe(false);
    expect(budget.tryTake(250, 'small', 'a')).toBe(true);
    budget.wait({ bytes: 100, kind: 'small', network: 'a' }, () => served.push('small'));
    budget.give(100, 'a');
    expect(served).toEqual(['small']);
    budget.give(750, 'a');
    expect(served).toEqual(['small']);
    budget.give(150, 'a');
    expect(served).toEqual(['small']);
    budget.give(100, 'a');
    expect(served).toEqual(['small', 'first', 'second']);
    budget.give(710, 'a');
    expect(budget.usedBytes).toBe(0);
  });

  test('refuses after a while, and lets those behind continue', async () => {
    const budget = new MemoryBudget({ bytes: 1000, waitMs: 5 });
    budget.hold(500, 'a');
    const refused = new Promise<boolean>(
      (resolve) => void budget.wait({ bytes: 400, kind: 'large', network: 'a' }, resolve),
    );
    expect(await refused).toBe(false);
    expect(budget.usedBytes).toBe(500);
    const served: boolean[] = [];
    const cancel = budget.wait({ bytes: 400, kind: 'large', network: 'a' }, (isTaken) => served.push(isTaken));
    budget.wait({ bytes: 100, kind: 'large', network: 'a' }, (isTaken) => served.push(isTaken));
    cancel();
    expect(served).toEqual([true]);
    expect(budget.usedBytes).toBe(600);
  });

  test('has room for the largest body, however small it is', () => {
    const budget = new MemoryBudget({ bytes: memoryBudgetBytesMin });
    expect(budget.tryTake(bodyShareBytes(16 * 1024 * 1024), 'large', 'a')).toBe(true);
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

describe('the part of one address', () => {
  test('is refused beyond its limit, and delays only itself', () => {
    const budget = new MemoryBudget({ bytes: 1000, bytesPerAddress: 400 });
    expect(budget.tryTake(300, 'large', 'a')).toBe(true);
    expect(budget.tryTake(1, 'large', 'a')).toBe(false);
    const served: string[] = [];
    budget.wait({ bytes: 200, kind: 'large', network: 'a' }, () => served.push('a'));
    // There is memory for those who come later, though an earlier one waits.
    expect(budget.tryTake(300, 'large', 'b')).toBe(true);
    expect(budget.tryTake(100, 'small', 'a')).toBe(true);
    expect(budget.tryTake(1, 'small', 'a')).toBe(false);
    expect(served).toEqual([]);
    budget.give(300, 'a');
    expect(served).toEqual(['a']);
    expect(budget.usedBytes).toBe(600);
  });

  test('includes answers that it has not read', () => {
    const budget = new MemoryBudget({ bytes: 1000, bytesPerAddress: 400 });
    budget.hold(400, 'a');
    expect(budget.tryTake(1, 'small', 'a')).toBe(false);
    expect(budget.tryTake(1, 'small', 'b')).toBe(true);
    budget.give(400, 'a');
    expect(budget.tryTake(1, 'small', 'a')).toBe(true);
  });

  test('is returned by a body that stops waiting for the total', async () => {
    const budget = new MemoryBudget({ bytes: 1000, bytesPerAddress: 400, waitMs: 5 });
    budget.hold(1000, 'b');
    const refused = new Promise<boolean>(
      (resolve) => void budget.wait({ bytes: 300, kind: 'large', network: 'a' }, resolve),
    );
    expect(await refused).toBe(false);
    const cancel = budget.wait({ bytes: 300, kind: 'large', network: 'a' }, () => expect.unreachable());
    cancel();
    budget.give(1000, 'b');
    expect(budget.tryTake(300, 'large', 'a')).toBe(true);
    expect(budget.usedBytes).toBe(300);
  });

  test('is by default half of the total, with room for the largest body', () => {
    const megabyte = 1024 * 1024;
    expect([32, 64, 100].map((total) => callerBudgetBytes(total * megabyte) / megabyte)).toEqual([32, 32, 50]);
  });

  test('is forgotten when there are many that use nothing', () => {
    const budget = new MemoryBudget({ bytesPerAddress: memoryBudgetBytesMin });
    for (let at = 0; at < 10_000; at += 1) {
      const network = `10.0.${at >> 8}.${at & 255}`;
      expect(budget.tryTake(1, 'small', network)).toBe(true);
      if (at > 0) budget.give(1, network);
    }
    expect(budget.networkCount).toBeLessThanOrEqual(1024);
    expect(budget.usedBytes).toBe(1);
  });

  test('holds in any order of requests, and no request waits for nothing', () => {
    const network = fc.constantFrom('a', 'b', 'c');
    const kind = fc.constantFrom('small' as const, 'large' as const);
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          does: fc.constant('ask' as const),
          bytes: fc.integer({ min: 1, max: 30 }),
          kind,
          network,
        }),
      },
      { weight: 3, arbitrary: fc.record({ does: fc.constant('finish' as const), at: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('cancel' as const), at: fc.nat() }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const budget = new MemoryBudget({ bytes: 100, bytesPerAddress: 40, waitMs: 1_000_000 });
        const running: { bytes: number; network: string }[] = [];
        const waiting: { bytes: number; network: string; cancel: () => void }[] = [];
        const bytesOf = (of?: string): number =>
          running.reduce((sum, { bytes, network }) => sum + (of === undefined || of === network ? bytes : 0), 0);
        const finish = (at: number): void => {
          const [done] = running.splice(at % running.length, 1);
          if (done !== undefined) budget.give(done.bytes, done.network);
        };
        for (const one of steps) {
          if (one.does === 'finish') {
            if (running.length > 0) finish(one.at);
          } else if (one.does === 'cancel') {
            const [left] = waiting.length > 0 ? waiting.splice(one.at % waiting.length, 1) : [];
            left?.cancel();
          } else if (budget.tryTake(one.bytes, one.kind, one.network)) {
            running.push(one);
          } else {
            const own = { bytes: one.bytes, network: one.network, cancel: (): void => undefined };
            waiting.push(own);
            own.cancel = budget.wait(one, () => {
              waiting.splice(waiting.indexOf(own), 1);
              running.push(own);
            });
          }
          expect(bytesOf()).toBeLessThanOrEqual(100);
          for (const of of ['a', 'b', 'c']) expect(bytesOf(of)).toBeLessThanOrEqual(40);
          expect(budget.usedBytes).toBe(bytesOf());
        }
        while (running.length > 0) finish(0);
        expect(waiting).toEqual([]);
        expect(budget.usedBytes).toBe(0);
      }),
    );
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
