import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventLoopBatch } from './event-loop-batch.ts';

const turn = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};

/** Requests of several connections, in the turns in which they arrive; some are answered at once, some turns later. */
const arrivals = fc.array(fc.array(fc.record({ connection: fc.nat(3), delayTurns: fc.nat(2) }), { maxLength: 6 }), {
  maxLength: 6,
});

describe('a batch', () => {
  test('answers and sends everything once, in the order of each connection, as handling each at once would', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async (turns) => {
        const batch = new EventLoopBatch();
        const handled: number[] = [];
        const sent: number[] = [];
        const ids = turns.map((requests, at) =>
          requests.map((request, index) => ({ ...request, id: at * 10 + index })),
        );
        for (const requests of ids) {
          for (const { id, delayTurns } of requests) {
            batch.handle(() => {
              handled.push(id);
              const send = (): void => batch.send(() => sent.push(id));
              if (delayTurns === 0) send();
              else void turnsLater(delayTurns, send);
            });
          }
          await turn();
        }
        await turnsLater(4, () => undefined);
        const all = ids.flat().map(({ id }) => id);
        expect(handled).toEqual(all);
        expect(sent.toSorted((a, b) => a - b)).toEqual(all);
        const atOnce = new Set(ids.flat().flatMap(({ id, delayTurns }) => (delayTurns === 0 ? [id] : [])));
        expect(sent.filter((id) => atOnce.has(id))).toEqual(all.filter((id) => atOnce.has(id)));
      }),
      { numRuns: 100 },
    );
  });

  test('answers all requests of a turn before it sends the first answer', async () => {
    const batch = new EventLoopBatch();
    const order: string[] = [];
    for (const name of ['a', 'b']) {
      batch.handle(() => {
        order.push(`handle ${name}`);
        batch.send(() => order.push(`send ${name}`));
      });
    }
    expect(order).toEqual([]);
    await turn();
    expect(order).toEqual(['handle a', 'handle b', 'send a', 'send b']);
  });

  test('takes what is added while it sends, with the next turn', async () => {
    const batch = new EventLoopBatch();
    const order: string[] = [];
    batch.send(() => {
      order.push('first');
      batch.handle(() => order.push('second'));
    });
    await turn();
    await turn();
    expect(order).toEqual(['first', 'second']);
  });
});

async function turnsLater(count: number, then: () => void): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
  then();
}
