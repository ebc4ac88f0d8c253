import { expect, test } from 'vitest';
import { z } from 'zod';
import { bookings } from '../../test/bookings.model.ts';
import { testDatabase } from '../../test/test-database.ts';
import { entity, InputError, model } from '../index.ts';
import { memoryCheckpoints } from '../migrate/index.ts';
import { load } from '../samples/index.ts';
import { scanAll } from './index.ts';

const blog = model('blog')
  .entities({
    Post: entity({ postId: z.string(), title: z.string(), tags: z.set(z.string()).optional() }),
    Draft: entity({ postId: z.string(), endsAt: z.number() }, { expires: 'endsAt' }),
    Banner: entity({ text: z.string() }, { copies: 3 }),
  })
  .relationships([['Post', '1:1', 'Draft']])
  .patterns({ post: { reads: 'Post', by: ['postId'] } })
  .tables({ Blog: { key: ['PK', 'SK'] } })
  .keys({
    Post: { Blog: ['POST#{postId}', 'POST#{postId}'] },
    Draft: { Blog: ['POST#{postId}', 'DRAFT'] },
    Banner: { Blog: ['BANNER#{copy}', 'BANNER'] },
  })
  .served({ post: 'GetItem' });

const now = Date.UTC(2026, 0, 1);
const count = 60;
const posts = Array.from({ length: count }, (_, i) => ({ postId: `p${i}`, title: `Post ${i}` }));

async function filled() {
  const database = await testDatabase(blog);
  const { client } = database;
  await load(blog, 'Post', posts, { client });
  const ends = now / 1000;
  await load(
    blog,
    'Draft',
    posts.slice(0, 10).map(({ postId }, i) => ({ postId, endsAt: ends + (i < 4 ? -5 : 5) })),
    { client },
  );
  await load(blog, 'Banner', [{ text: 'Hello' }], { client });
  return database;
}

const because = 'a test';

test('S-64 all items of one entity, each once, whatever the number of segments', async () => {
  await using database = await filled();
  const { client } = database;
  for (const segments of [1, 4, 7]) {
    const seen: string[] = [];
    const options = { client, because, segments, pageItems: 5 };
    const report = await scanAll(
      blog,
      'Post',
      options,
      (items) => void seen.push(...items.map(({ postId }) => postId)),
    );
    expect(seen.toSorted()).toEqual(posts.map(({ postId }) => postId).toSorted());
    expect(report).toEqual({ scanned: count + 13, items: count });
  }
});

test('items are as the application knows them; the expired are left out, and of copies there is one', async () => {
  await using database = await filled();
  const options = { client: database.client, because, now: () => now };
  const drafts: object[] = [];
  expect(await scanAll(blog, 'Draft', options, (items) => void drafts.push(...items))).toMatchObject({ items: 6 });
  expect(Object.keys(drafts[0] ?? {}).toSorted()).toEqual(['endsAt', 'postId']);
  expect(await scanAll(blog, 'Draft', { ...options, expired: true }, () => undefined)).toMatchObject({ items: 10 });
  expect(await scanAll(blog, 'Banner', options, () => undefined)).toMatchObject({ items: 1 });
});

test('a scan that was interrupted continues where it was, and gives no page that was done again', async () => {
  await using database = await filled();
  const options = {
    client: database.client,
    because,
    segments: 3,
    pageItems: 4,
    checkpoints: { store: memoryCheckpoints(), name: 'export' },
  };
  const done: string[] = [];
  let pages = 0;
  const interrupted = scanAll(blog, 'Post', options, (items) => {
    pages += 1;
    if (pages === 6) throw new TypeError('interrupted');
    done.push(...items.map(({ postId }) => postId));
  });
  await expect(interrupted).rejects.toThrow('interrupted');
  expect(done.length).toBeLessThan(count);
  const report = await scanAll(blog, 'Post', options, (items) => void done.push(...items.map(({ postId }) => postId)));
  expect(done.toSorted()).toEqual(posts.map(({ postId }) => postId).toSorted());
  expect(report).toMatchObject({ items: count });
  await expect(scanAll(blog, 'Post', { ...options, segments: 4 }, () => undefined)).rejects.toThrow('3 segments');
});

test('the rate is kept', async () => {
  await using database = await filled();
  let time = 0;
  const pause = async (milliseconds: number): Promise<void> => {
    time += milliseconds;
    await Promise.resolve();
  };
  const options = { client: database.client, because, segments: 2, pageItems: 5, readUnits: 2, now: () => time, pause };
  const { scanned } = await scanAll(blog, 'Post', options, () => undefined);
  expect(time).toBeGreaterThan((scanned / 5 / 2 - 3) * 1000); // one unit for each page of five
});

test('it says why, and reads what there is', async () => {
  await using database = await testDatabase(blog);
  const { client } = database;
  await expect(scanAll(blog, 'Post', { client, because: ' ' }, () => undefined)).rejects.toThrow(InputError);
  await expect(scanAll(blog, 'Post', { client, because, segments: 0 }, () => undefined)).rejects.toThrow('segments');
  await expect(scanAll(blog, 'Comment' as never, { client, because }, () => undefined)).rejects.toThrow('Comment');
  expect(await scanAll(blog, 'Post', { client, because }, () => undefined)).toEqual({ scanned: 0, items: 0 });
});

test('items are loaded and scanned in the form that the application has, as their types say', async () => {
  await using database = await testDatabase(bookings);
  const { client } = database;
  const [from, seen, made] = [new Date('2024-03-01T10:00:00Z'), new Date('2024-03-02'), new Date('2020-01-01')];
  await load(bookings, 'Booking', [{ room: 'a', from, seen }], { client });
  expect(await database.stored('Bookings')).toContainEqual(expect.objectContaining({ from: from.toISOString() }));
  const found: Date[] = [];
  await scanAll(bookings, 'Booking', { client, because }, (items) => {
    expect(items).toEqual([{ room: 'a', from, seen, made }]);
    found.push(...items.map((item) => item.from));
  });
  expect(found).toEqual([from]);
});
