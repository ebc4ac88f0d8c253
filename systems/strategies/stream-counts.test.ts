import { connect, RuleError } from '@singlet/model';
import { expect, test } from 'vitest';
import { type Change, consume, eventually } from '../testing/consume.ts';
import { openExample } from '../testing/example-database.ts';
import { counted } from './stream-counts.ts';

test('S-82 the count equals a recount, even if changes are delivered again', async () => {
  const example = await openExample(counted);
  const db = connect(counted, { client: example.client });
  const count = async ({ eventId, eventName, newImage, oldImage }: Change): Promise<void> => {
    const { Type, organization } = newImage ?? oldImage ?? {};
    if (Type !== 'User' || eventName === 'MODIFY') return;
    const marker = { eventId, expiresAt: Math.floor(Date.now() / 1000) + 2 * 86_400 }; // longer than a stream keeps it
    const input = { marker, count: { organization: String(organization) } };
    try {
      await (eventName === 'INSERT' ? db.countOne(input) : db.discountOne(input));
    } catch (error) {
      if (!(error instanceof RuleError) || error.code !== 'already-exists') throw error;
    }
  };
  let batches = 0;
  let redelivered = 0;
  await consume(example, 'Counted', async (records, { failureCount }) => {
    for (const record of records) await count(record);
    for (const record of records) await count(record);
    batches += 1;
    if (failureCount > 0) redelivered += 1;
    // The first batch fails after all of its work is done, so it is delivered again.
    if (batches === 1) throw new Error('lost before the checkpoint');
  });
  await db.found({ organization: 'facebook' });
  await db.found({ organization: 'microsoft' });
  for (let n = 0; n < 20; n += 1) {
    await db.join({ organization: n % 3 === 0 ? 'facebook' : 'microsoft', username: `user${n}` });
  }
  for (const n of [0, 3, 1]) await db.leave({ organization: n === 1 ? 'microsoft' : 'facebook', username: `user${n}` });
  const joined = 20;
  const left = 3;
  const events = async () => (await example.stored('Counted')).filter(({ Type }) => Type === 'Counted').length;
  await eventually(async () => expect(await events()).toBe(joined + left));
  await eventually(() => expect(redelivered).toBe(1));
  for (const organization of ['facebook', 'microsoft']) {
    const recount = (await db.users({ organization })).items.length;
    expect((await db.organization({ organization }))?.users).toBe(recount);
  }
});
