import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { connect, encoderNamed, ksuid, type RuleError, uuidv7 } from '@singlet/model';
import { expect, test } from 'vitest';
import { errorOf, openExample } from '../testing/example-database.ts';
import { inKey, likes, sequences, uniqueUsers } from './identity.ts';

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const pause = async (): Promise<undefined> => undefined;

test('P-09 an address belongs to one user, and is free again when the user gives it up', async () => {
  const { client, stored } = await openExample(uniqueUsers);
  const db = connect(uniqueUsers, { client, pause });
  await db.create({ username: 'johndoe', email: 'johndoe@gmail.com' });
  const reasons = async (username: string, email: string) => {
    const error = (await errorOf(db.create({ username, email }))) as RuleError;
    const { CancellationReasons } = error.cause as {
      readonly CancellationReasons: readonly { readonly Code: string }[];
    };
    return [error.code, ...CancellationReasons.map(({ Code }) => Code)];
  };
  expect(await reasons('other', 'johndoe@gmail.com')).toEqual(['not-unique', 'None', 'ConditionalCheckFailed']);
  expect(await db.user({ username: 'other' })).toBeUndefined(); // .a
  expect(await reasons('johndoe', 'new@gmail.com')).toEqual(['already-exists', 'ConditionalCheckFailed', 'None']); // .b
  expect(await reasons('other', 'JohnDoe@Gmail.com')).toEqual(['not-unique', 'None', 'ConditionalCheckFailed']); // .e
  const guard = (await stored('Users')).find(({ Type }) => Type === 'User.email');
  expect(guard).toMatchObject({ username: 'johndoe' });

  await db.changeEmail({ username: 'johndoe', email: 'john@doe.org' });
  await db.create({ username: 'second', email: 'johndoe@gmail.com' });
  expect((await reasons('third', 'john@doe.org'))[0]).toBe('not-unique'); // .c
  await db.remove({ username: 'johndoe' });
  await db.create({ username: 'johndoe', email: 'john@doe.org' }); // .d
});

test('P-11 numbers are consecutive, a hundred concurrent ones are all different, and a block returns its end', async () => {
  const { client } = await openExample(sequences);
  const db = connect(sequences, { client });
  const next = async (sequence: string) => (await db.next({ sequence }))?.number;
  expect([await next('orders'), await next('orders')]).toEqual([1, 2]); // .a
  const numbers = await Promise.all(Array.from({ length: 100 }, async () => await next('many')));
  expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 100 }, (_, n) => n + 1))); // .b
  expect((await db.nextBlock({ sequence: 'orders', size: 10 }))?.number).toBe(12); // .c
});

test('P-12 a like counts once, and needs its post', async () => {
  const { client } = await openExample(likes);
  const db = connect(likes, { client, pause });
  const count = async (post: string) => (await db.post({ post }))?.likeCount;
  const like = { post: 'abc', user: 'johndoe' };
  await db.write({ post: 'abc' });
  await db.like(like);
  expect(await count('abc')).toBe(1); // .a
  expect(await errorOf(db.like(like))).toMatchObject({ code: 'already-exists' });
  expect(await count('abc')).toBe(1); // .b
  await db.unlike(like);
  expect(await count('abc')).toBe(0); // .c
  expect(await errorOf(db.unlike(like))).toMatchObject({ code: 'not-found' }); // .d
  expect(await errorOf(db.like({ post: 'missing', user: 'johndoe' }))).toMatchObject({ code: 'parent-missing' }); // .e
  const Item = { PK: { S: 'POST#old' }, SK: { S: 'POST#old' }, Type: { S: 'Post' }, post: { S: 'old' } };
  await client.send(new PutItemCommand({ TableName: 'Posts', Item }));
  await db.like({ post: 'old', user: 'johndoe' });
  expect(await count('old')).toBe(1); // .f
});

test('P-29 each form sorts as declared', () => {
  const words = ['Banana', 'apple', 'Zebra', '10', '9'];
  expect(words.toSorted(byBytes)).toEqual(['10', '9', 'Banana', 'Zebra', 'apple']);
  const folded = words.map((word) => inKey('lower', word));
  expect(folded.toSorted(byBytes)).toEqual(['10', '9', 'apple', 'banana', 'zebra']); // .a
  const seconds = Array.from({ length: 1000 }, (_, n) => ksuid({ at: Date.UTC(2020, 0, 1) + n * 1000 }));
  expect(seconds.toSorted(byBytes)).toEqual(seconds);
  expect(seconds.every(({ length }) => length === 27)).toBe(true); // .b
  const milliseconds = Array.from({ length: 1000 }, (_, n) => uuidv7({ at: Date.UTC(2020, 0, 1) + n }));
  expect(milliseconds.toSorted(byBytes)).toEqual(milliseconds); // .c
  for (const n of [1, 2, 157, 99_999]) {
    expect(Number(inKey('tens5', Number(inKey('tens5', n))))).toBe(n);
    expect(encoderNamed('tens5')?.decode?.(inKey('tens5', n))).toBe(n);
  } // .d
  expect(() => inKey('05', 100_000)).toThrow('is not a whole number that fits 5 digits');
  expect(() => inKey('tens5', 0)).toThrow(); // .e
  expect(inKey('utc', '2020-07-01T02:00:00+02:00')).toBe('2020-07-01T00:00:00.000Z');
});
