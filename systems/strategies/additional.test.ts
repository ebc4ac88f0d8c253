import { PutItemCommand, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { connect, ksuid, type RuleError } from '@singlet/model';
import { expect, test } from 'vitest';
import { errorOf, openExample } from '../testing/example-database.ts';
import { accounts, jobs, JOBS_MAX, orderPages, projects, stars } from './additional.ts';

const fulfilled = (results: readonly PromiseSettledResult<unknown>[]): number =>
  results.filter(({ status }) => status === 'fulfilled').length;

test('S-65 neither the username nor the address can be taken twice', async () => {
  const { client, stored } = await openExample(accounts);
  const db = connect(accounts, { client, pause: async () => undefined });
  await db.signUp({ username: 'alexdebrie', email: 'alex@debrie.com' });
  await db.signUp({ username: 'thevoice', email: 'hello@whitney.com' });
  await db.signUp({ username: 'olblueeyes', email: 'frankthetank@sinatra.com' });
  const before = await stored('Accounts');

  const sameName = (await errorOf(db.signUp({ username: 'alexdebrie', email: 'other@debrie.com' }))) as RuleError;
  expect(sameName.failures.map(({ code }) => code)).toEqual(['already-exists']);
  expect(sameName.cause).toMatchObject({
    CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
  });
  const sameEmail = (await errorOf(db.signUp({ username: 'alex2', email: 'alex@debrie.com' }))) as RuleError;
  expect(sameEmail.failures.map(({ code, attribute }) => [code, attribute])).toEqual([['not-unique', 'email']]);
  expect(sameEmail.cause).toMatchObject({
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
  });
  expect(await stored('Accounts')).toEqual(before);

  await db.changeEmail({ username: 'alexdebrie', email: 'me@alexdebrie.com' });
  const guards = (await stored('Accounts')).map(({ PK }) => PK);
  expect(guards).toContain('USEREMAIL#me@alexdebrie.com');
  expect(guards).not.toContain('USEREMAIL#alex@debrie.com');

  const signUps = Array.from(
    { length: 20 },
    async (_, n) => await db.signUp({ username: `u${n}`, email: 'one@x.org' }),
  );
  expect(fulfilled(await Promise.allSettled(signUps))).toBe(1);
});

test('S-65 with both in one key only the pair is unique, so a username can exist twice', async () => {
  const { client, stored } = await openExample(accounts);
  for (const email of ['alex@debrie.com', 'other@debrie.com']) {
    await client.send(
      new PutItemCommand({
        TableName: 'Accounts',
        Item: { PK: { S: 'USER#alexdebrie' }, SK: { S: `EMAIL#${email}` } },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    );
  }
  expect(await stored('Accounts')).toHaveLength(2);
});

test('S-66 fifty concurrent creates get the numbers 1 to 50; a failure leaves a gap', async () => {
  const { client } = await openExample(projects);
  const db = connect(projects, { client, pause: async () => undefined });
  await db.start({ project: 'singlet' });
  const made = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => await db.openIssue({ project: 'singlet', title: `Issue ${n}` })),
  );
  expect(made.map(({ number }) => number).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));

  // The connection breaks between the two steps, once.
  let breaks = 1;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'PutItemCommand' && breaks-- > 0)
        throw new ResourceInUseException({ message: 'lost', $metadata: {} });
      return await next(args);
    },
    { step: 'initialize' },
  );
  await expect(db.openIssue({ project: 'singlet', title: 'lost' })).rejects.toThrow('lost');
  expect((await db.openIssue({ project: 'singlet', title: 'next' })).number).toBe(52);
  expect((await db.issues({ project: 'singlet' })).items).toHaveLength(51);
});

test('S-67 pages of five items are read by cursor, and by the last id seen', async () => {
  const { client } = await openExample(orderPages);
  const db = connect(orderPages, { client });
  const amounts = [23.88, 400.54, 78.14, 61.58, 14.99, 68.14];
  const ids = amounts.map((_, day) => ksuid({ at: Date.UTC(2020, 0, 1 + day) }));
  for (const [n, amount] of amounts.entries()) {
    await db.place({ username: 'alexdebrie', orderId: ids[n]!, amount });
  }
  await db.addAddress({ username: 'alexdebrie', label: 'home' });
  const first = await db.orders({ username: 'alexdebrie' });
  expect(first.items.map(({ amount }) => amount)).toEqual([68.14, 14.99, 61.58, 78.14, 400.54]);

  await db.place({ username: 'alexdebrie', orderId: ksuid({ at: Date.UTC(2020, 0, 9) }), amount: 1 });
  const second = await db.orders({ username: 'alexdebrie' }, { cursor: first.cursor });
  expect(second.items.map(({ amount }) => amount)).toEqual([23.88]);
  expect(second.cursor).toBeUndefined();

  // As in /users/alexdebrie/orders?before=ID
  const before = async (orderId: string) =>
    (await db.orders({ username: 'alexdebrie', orderId: { before: orderId } })).items.map(({ amount }) => amount);
  expect(await before(ids[1]!)).toEqual([23.88]);
  expect(await before(ids[0]!)).toEqual([]);
});

test('S-68 never more than three jobs run', async () => {
  const { client, stored } = await openExample(jobs);
  const db = connect(jobs, { client, pause: async () => undefined });
  const [first, second, third, fourth] = ['15cfea119a65', 'ff8a2f338373', '818ec6a97dee', '0d397f6ca4ba'] as const;
  const start = async (jobId: string) => await db.start({ slot: { jobId }, job: { jobId } });
  for (const jobId of [first, second, third, fourth]) await db.submit({ jobId });
  for (const jobId of [first, second, third]) await start(jobId);
  expect(await errorOf(start(fourth))).toMatchObject({ code: 'condition-failed', entity: 'Progress' });
  expect((await db.job({ jobId: fourth }))?.status).toBe('WAITING');
  await db.finish({ slot: { jobId: first }, job: { jobId: first } });
  await start(fourth);

  for (const jobId of [second, third, fourth]) await db.finish({ slot: { jobId }, job: { jobId } });
  expect((await db.progress({}))?.running).toBeUndefined();
  const ids = Array.from({ length: 10 }, (_, n) => `job${n}`);
  for (const jobId of ids) await db.submit({ jobId });
  const started = fulfilled(await Promise.allSettled(ids.map(start)));
  expect(started).toBeLessThanOrEqual(JOBS_MAX);
  expect((await db.progress({}))?.running?.size).toBe(started);
  const running = (await stored('Jobs')).filter(({ status }) => status === 'IN_PROGRESS');
  expect(running).toHaveLength(started);
});

test('S-69 the count is the number of star items, whatever happens', async () => {
  const { client, stored } = await openExample(stars);
  const db = connect(stars, { client, pause: async () => undefined });
  const repo = { owner: 'alexdebrie', repo: 'book' };
  const counted = async () => {
    const items = (await stored('Stars')).filter(({ Type }) => Type === 'Star').length;
    expect((await db.repo(repo))?.starCount).toBe(items);
    return items;
  };
  await db.create(repo);
  await db.star({ ...repo, username: 'danny' });
  expect(await counted()).toBe(1);
  expect(await errorOf(db.star({ ...repo, username: 'danny' }))).toMatchObject({ code: 'already-exists' });
  expect(await counted()).toBe(1);
  const missing = { owner: 'alexdebrie', repo: 'missing', username: 'danny' };
  expect(await errorOf(db.star(missing))).toMatchObject({ code: 'parent-missing' });
  expect(await counted()).toBe(1);
  await db.unstar({ ...repo, username: 'danny' });
  expect(await counted()).toBe(0);
  expect(await errorOf(db.unstar({ ...repo, username: 'danny' }))).toMatchObject({ code: 'not-found' });

  const again = async (username: string): Promise<void> => {
    // A transaction that conflicts with another is retried until it succeeds.
    const error = await errorOf(db.star({ ...repo, username }));
    if ((error as { code?: string }).code === 'busy') await again(username);
  };
  await Promise.all(Array.from({ length: 30 }, async (_, n) => await again(`user${n}`)));
  expect(await counted()).toBe(30);
});
