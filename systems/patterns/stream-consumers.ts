import { add, type Connected, entity, model, ref, RuleError, transact } from '@singlet/model';
import type { ChangeRecord } from 'singlet/consumer';
import { z } from 'zod';

type Change = ChangeRecord<Readonly<Record<string, unknown>>>;

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

function savedIn(image: Change['newImage']): Saved | undefined {
  return image && { status: String(image['status']), amount: Number(image['amount']) };
}

/** P-30 The sum of changes to orders, by status: the old image is subtracted, the new one added. */
export function deltasOf(changes: readonly Pick<Change, 'oldImage' | 'newImage'>[]): readonly {
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
  for (const { oldImage, newImage } of changes) {
    take(savedIn(oldImage), -1);
    take(savedIn(newImage), 1);
  }
  return [...deltas].map(([status, delta]) => ({ status, ...delta }));
}

/**
 * P-30 P-31 The records of a batch that are behind the position reached in its shard, and the position behind them; undefined if the whole
 * batch was handled before. Sequence numbers have up to 40 digits: filled with zeros, they compare as text.
 */
export function freshOf<Each extends Pick<Change, 'sequenceNumber'>>(
  records: readonly Each[],
  reached = '',
): { readonly fresh: readonly Each[]; readonly sequence: string } | undefined {
  const place = ({ sequenceNumber }: Each): string => sequenceNumber.padStart(40, '0');
  const fresh = records.filter((record) => place(record) > reached);
  const last = fresh.at(-1);
  return last && { fresh, sequence: place(last) };
}

/** P-30 Adds a batch to the totals, in the transaction that moves the position: a batch that is delivered again changes nothing. */
export async function addToTotals(
  db: Connected<typeof orders.entities, typeof orders.patterns>,
  shard: string,
  records: readonly Change[],
): Promise<void> {
  const batch = freshOf(records, (await db.position({ shard }))?.sequence);
  if (batch === undefined) return;
  const deltas = deltasOf(batch.fresh).map((delta) => db.addTo.op(delta));
  await transact(db, [db.advance.op({ shard, sequence: batch.sequence }), ...deltas]);
}

/** P-36 Adds both sides of one change, each once: its marker is in the way of the second time, which is ignored. */
export async function addOnce(
  db: Connected<typeof orders.entities, typeof orders.patterns>,
  { eventId, newImage, oldImage }: Change,
  expiresAt: number,
): Promise<void> {
  for (const { image, count, side } of [
    { image: oldImage, count: -1, side: 'old' },
    { image: newImage, count: 1, side: 'new' },
  ]) {
    const saved = savedIn(image);
    if (saved === undefined) continue;
    const once = { eventId: `${eventId}${side}`.toLowerCase(), expiresAt };
    try {
      await db.move({ once, from: { status: saved.status, count, by: count * saved.amount } });
    } catch (error) {
      if (!(error instanceof RuleError && error.code === 'already-exists')) throw error;
    }
  }
}

/**
 * P-31 Counts in windows of a minute. A batch adds its records to the items of their minutes in the transaction that records the
 * position in the shard, so a batch that is delivered again changes nothing. A tumbling window is one item, a sliding one a Query.
 */
export const orderRates = model('orderRates')
  .entities({
    Minute: entity(
      {
        feed: id,
        startsAt: z.int().max(9_999_999_999),
        orders: z.number().default(0),
        expiresAt: z.int().max(9_999_999_999).optional(),
      },
      { expires: 'expiresAt' },
    ),
    Position: entity({ shard: z.string().regex(/^[a-zA-Z0-9-]+$/), sequence: z.string().length(40).optional() }),
  })
  .relationships([['Position', 'N:M', 'Minute']])
  .patterns({
    advance: {
      actor: 'stream',
      updates: 'Position',
      by: ['shard'],
      orCreates: true,
      sets: ['sequence'],
      given: { any: [{ sequence: { exists: false } }, { sequence: { below: ref('sequence') } }] },
    },
    position: { actor: 'stream', reads: 'Position', by: ['shard'], consistent: true },
    count: {
      actor: 'stream',
      updates: 'Minute',
      by: ['feed', 'startsAt'],
      orCreates: true,
      sets: ['expiresAt'],
      takes: { count: z.number() },
      changes: { orders: add(ref('count')) },
      accepts: { 'not-idempotent': 'it is only used together with advance' },
      strategy: 'P-31',
    },
    tumbling: { actor: 'dashboard', reads: 'Minute', by: ['feed', 'startsAt'], strategy: 'P-31' },
    sliding: { actor: 'dashboard', reads: ['Minute'], by: ['feed'], range: 'startsAt', limit: 60, strategy: 'P-31' },
  })
  .tables({ Rates: { key: ['PK', 'SK'] } })
  .keys({
    Minute: { Rates: ['FEED#{feed}', 'MINUTE#{startsAt:010}'] },
    Position: { Rates: ['POSITION#{shard}', 'POSITION#{shard}'] },
  })
  .served({
    advance: 'UpdateItem',
    position: 'GetItem',
    count: 'UpdateItem',
    tumbling: 'GetItem',
    sliding: { query: 'Rates' },
  });

/** P-31 The number of records by the minute in which they were created, in seconds since 1970. */
export function countsByMinute(
  records: readonly { readonly createdAtEpochSeconds: number }[],
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { createdAtEpochSeconds } of records) {
    const startsAt = Math.floor(createdAtEpochSeconds / 60) * 60;
    counts.set(startsAt, (counts.get(startsAt) ?? 0) + 1);
  }
  return counts;
}

/** P-31 Adds a batch to the windows, each of which is kept for a day, in the transaction that moves the position. */
export async function addToWindows(
  db: Connected<typeof orderRates.entities, typeof orderRates.patterns>,
  shard: string,
  records: readonly Change[],
): Promise<void> {
  const batch = freshOf(records, (await db.position({ shard }))?.sequence);
  if (batch === undefined) return;
  const counts = [...countsByMinute(batch.fresh)].map(([startsAt, count]) =>
    db.count.op({ feed: 'orders', startsAt, count, expiresAt: startsAt + 86_400 }),
  );
  await transact(db, [db.advance.op({ shard, sequence: batch.sequence }), ...counts]);
}
