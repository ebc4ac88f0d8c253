import type { ConnectOptions } from '@singlet/model';
import { load } from '@singlet/model/samples';
import { SeededRandom } from '../demo/seeded-random.ts';
import type { Comment, Post, User } from './blog.ts';
import { blog } from './model.ts';

export interface SeedOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  /** 1 is 10,000 users with about 100,000 posts and 500,000 comments. */
  readonly scale: number;
  /** Receives the number of items written since its last call. */
  readonly onItems?: (count: number) => void;
}

/** A user with their posts, and the comments on these. */
export interface UserBundle {
  readonly user: User;
  readonly posts: readonly Post[];
  readonly comments: readonly Comment[];
}

/** The instant at which the sample ends. */
export const SAMPLE_ENDS_AT = '2024-06-01T00:00:00Z';

const ENDS_AT_MS = Date.parse(SAMPLE_ENDS_AT);
const DAY_MS = 86_400_000;
const USERS = 10_000;
const SEED = 404;
const TITLES = [
  'On keys',
  'A week without joins',
  'What a table is for',
  'Sorting things out',
  'Small and fast',
] as const;
const SENTENCES = [
  'Everything that is read together is stored together.',
  'It took me a year to see it, and a minute to write it down.',
  'Here is what I would do differently.',
  'You did not ask for this, and here it is.',
] as const;
const REMARKS = ['Thank you.', 'I disagree, but well written.', 'Saved me a day.', 'Is there a second part?'] as const;

/** How many users there are at a scale. */
export function userCountAt(scale: number): number {
  return Math.max(2, Math.round(USERS * scale));
}

export function userIdOf(index: number): string {
  return `u${String(index + 1).padStart(6, '0')}`;
}

/** One user of a blog after a year, derived from the user's number alone: the same in every run. */
export function userBundle(index: number, userCount: number): UserBundle {
  const random = new SeededRandom(SEED + index);
  const userId = userIdOf(index);
  const user: User = {
    userId,
    name: `Writer ${index + 1}`,
    email: `${userId}@example.org`,
    createdAt: iso(ENDS_AT_MS - random.integer(366, 900) * DAY_MS),
  };
  const posts = Array.from({ length: random.integer(0, 20) }, (_, number): Post => {
    const body = Array.from({ length: random.integer(10, 60) }, () => random.pick(SENTENCES)).join(' ');
    const createdAt = iso(ENDS_AT_MS - 1 - Math.floor(random.fraction() * 365 * DAY_MS));
    return { postId: `${userId}-p${number + 1}`, userId, title: random.pick(TITLES), body, createdAt };
  });
  const comments = posts.flatMap(({ postId, createdAt }) => {
    const writers = new Set(Array.from({ length: random.integer(0, 10) }, () => random.integer(0, userCount - 1)));
    return [...writers].map((writer) => ({ postId, userId: userIdOf(writer), text: random.pick(REMARKS), createdAt }));
  });
  return { user, posts, comments };
}

/** Fills a table with a blog after a year. Returns the number of items of each entity. */
export async function seedBlog(options: SeedOptions): Promise<Readonly<Record<string, number>>> {
  const { client, tableName, scale, onItems } = options;
  const loading = { client, tables: { 'blog-single-table': tableName }, ...(onItems !== undefined && { onItems }) };
  const userCount = userCountAt(scale);
  function* each<Item>(itemsOf: (bundle: UserBundle) => Iterable<Item>): Generator<Item> {
    for (let index = 0; index < userCount; index += 1) {
      yield* itemsOf(userBundle(index, userCount));
    }
  }
  const posts = (): Generator<Post> => each((bundle) => bundle.posts);
  return {
    User: await load(
      blog,
      'User',
      each(({ user }) => [user]),
      loading,
    ),
    Post: await load(blog, 'Post', posts(), loading),
    AuthoredPost: await load(blog, 'AuthoredPost', posts(), loading),
    Comment: await load(
      blog,
      'Comment',
      each(({ comments }) => comments),
      loading,
    ),
  };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
