import { add, entity, model, ref } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/**
 * The writes of the stream examples: orders with an amount, in four states.
 * P-30 A consumer keeps totals by status. P-36 An effect happens once: a marker, named by the event, is written with it in one
 * transaction, and lives longer than the stream keeps its records.
 */
export const orders = model('orders')
  .entities({
    Order: entity({ order: id, status: z.enum(['open', 'paid', 'shipped', 'closed']), amount: z.number().int() }),
    Total: entity({ status: id, orders: z.number().default(0), sum: z.number().default(0) }),
    Position: entity({ shard: z.string().regex(/^[a-zA-Z0-9-]+$/), sequence: z.string().length(40).optional() }),
    Done: entity({ eventId: id, expiresAt: z.int().max(9_999_999_999) }, { expires: 'expiresAt' }),
  })
  .relationships([['Total', '1:N', 'Order']])
  .patterns({
    save: { puts: 'Order', accepts: { 'put-replaces': 'an order is saved as a whole' } },
    remove: { deletes: 'Order', by: ['order'] },
    move: {
      actor: 'stream',
      transacts: {
        once: { creates: 'Done' },
        from: {
          updates: 'Total',
          by: ['status'],
          orCreates: true,
          takes: { count: z.number(), by: z.number() },
          changes: { orders: add(ref('count')), sum: add(ref('by')) },
        },
      },
      accepts: { 'not-idempotent': 'the marker makes it so' },
      strategy: 'P-36',
    },
    // P-30 A batch at a time: the transaction of the totals also records the position in the shard.
    advance: {
      updates: 'Position',
      by: ['shard'],
      orCreates: true,
      sets: ['sequence'],
      given: { any: [{ sequence: { exists: false } }, { sequence: { below: ref('sequence') } }] },
    },
    addTo: {
      actor: 'stream',
      updates: 'Total',
      by: ['status'],
      orCreates: true,
      takes: { count: z.number(), by: z.number() },
      changes: { orders: add(ref('count')), sum: add(ref('by')) },
      accepts: { 'not-idempotent': 'it is only used together with advance' },
      strategy: 'P-30',
    },
    position: { reads: 'Position', by: ['shard'], consistent: true },
    total: { reads: 'Total', by: ['status'], strategy: 'P-30' },
  })
  .tables({ Orders: { key: ['PK', 'SK'], stream: 'NEW_AND_OLD_IMAGES' }, Totals: { key: ['PK', 'SK'] } })
  .keys({
    Order: { Orders: ['ORDER#{order}', 'ORDER#{order}'] },
    Total: { Totals: ['TOTAL#{status}', 'TOTAL#{status}'] },
    Position: { Totals: ['POSITION#{shard}', 'POSITION#{shard}'] },
    Done: { Totals: ['DONE#{eventId}', 'DONE#{eventId}'] },
  })
  .served({
    save: 'PutItem',
    remove: 'DeleteItem',
    move: 'TransactWriteItems',
    advance: 'UpdateItem',
    addTo: 'UpdateItem',
    position: 'GetItem',
    total: 'GetItem',
  });

interface Saved {
  readonly status: string;
  readonly amount: number;
}

/** P-30 The sum of changes to orders, by status: the old image is subtracted, the new one added. */
export function deltasOf(
  changes: readonly { readonly before: Saved | undefined; readonly after: Saved | undefined }[],
): readonly {
  readonly status: string;
  readonly count: number;
  readonly by: number;
}[] {
  const deltas = new Map<string, { count: number; by: number }>();
  const take = (saved: Saved | undefined, sign: 1 | -1): void => {
    if (saved === undefined) return;
    const { count, by } = deltas.get(saved.status) ?? { count: 0, by: 0 };
    deltas.set(saved.status, { count: count + sign, by: by + sign * saved.amount });
  };
  for (const { before, after } of changes) {
    take(before, -1);
    take(after, 1);
  }
  return [...deltas].map(([status, delta]) => ({ status, ...delta }));
}

/** P-31 Counts in windows of a minute, by the time of the records. */
export class MinuteWindows {
  readonly #counts = new Map<number, number>();

  record(atEpochSeconds: number): void {
    const minute = Math.floor(atEpochSeconds / 60) * 60;
    this.#counts.set(minute, (this.#counts.get(minute) ?? 0) + 1);
  }

  /** The count in the minute that begins then. */
  tumbling(minuteEpochSeconds: number): number {
    return this.#counts.get(minuteEpochSeconds) ?? 0;
  }

  /** The count in the given number of minutes, ending with the one that begins then. */
  sliding(minuteEpochSeconds: number, minutes: number): number {
    let sum = 0;
    for (let n = 0; n < minutes; n += 1) sum += this.tumbling(minuteEpochSeconds - 60 * n);
    return sum;
  }
}

/**
 * P-32 A text index beside the table, updated from the stream. Replaying the stream from its beginning gives the same index, since
 * each change has the item's new state.
 */
export class TextIndex {
  readonly #texts = new Map<string, string>();

  set(key: string, text: string | undefined): void {
    if (text === undefined) this.#texts.delete(key);
    else this.#texts.set(key, text.toLowerCase());
  }

  search(word: string): readonly string[] {
    return [...this.#texts]
      .flatMap(([key, text]) => (text.split(/\W+/).includes(word.toLowerCase()) ? [key] : []))
      .sort();
  }
}
