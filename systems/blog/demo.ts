import { tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import type { AccessPattern, Demo, Stage } from '../demo/demo.ts';
import type { ScheduledEvent } from '../demo/schedule.ts';
import { playEvents } from '../demo/schedule.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { createTable, deleteTable } from '../table-lifecycle.ts';
import { Blog } from './blog.ts';
import { BlogError } from './errors.ts';
import { blog } from './model.ts';
import { SAMPLE_ENDS_AT, seedBlog, userCountAt, userIdOf } from './seed.ts';

const SCALE = 0.004;
const SEED = 11;
const STARTS_AT_MS = Date.parse(SAMPLE_ENDS_AT);
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

const PATTERNS: readonly AccessPattern[] = [
  { id: 'BL-1', title: 'User' },
  { id: 'BL-2', title: 'Post' },
  { id: 'BL-3', title: 'Posts of a user' },
  { id: 'BL-4', title: 'Posts of a user in a month' },
  { id: 'BL-5', title: 'Comments of a post' },
  { id: 'BL-6', title: 'Comment of a user on a post' },
  { id: 'BL-7', title: 'Profile with the latest posts' },
  { id: 'BL-8', title: 'Post with its comments' },
  { id: 'BL-W1', title: 'Create user' },
  { id: 'BL-W2', title: 'Create post' },
  { id: 'BL-W3', title: 'Edit post' },
  { id: 'BL-W4', title: 'Delete post' },
  { id: 'BL-W5', title: 'Add comment' },
  { id: 'BL-W6', title: 'Add reply (variant)' },
];

/** A day of the blog, on top of a year of posts. */
export function blogDemo(options: { readonly visits: number }): Demo {
  const [table = { TableName: blog.name }] = tableDefinitions(blog);
  return {
    title: 'Blog: a day of posts and comments',
    table,
    patterns: PATTERNS,
    play: async (stage) => {
      const replies = tableDefinitions(blog)[1];
      const repliesName = `${stage.tableName}-replies`;
      await createTable(stage.client, { ...replies, TableName: repliesName });
      try {
        await play(stage, { repliesName, visits: options.visits });
      } finally {
        await deleteTable(stage.client, repliesName);
      }
    },
  };
}

async function play(stage: Stage, day: { readonly repliesName: string; readonly visits: number }): Promise<void> {
  const { client, tableName, terminal } = stage;
  const clock = new ManualClock(SAMPLE_ENDS_AT);
  const random = new SeededRandom(SEED);
  let posts = 0;
  const newId = (): string => {
    posts += 1;
    return `new-${String(posts).padStart(5, '0')}`;
  };
  const tables = { 'blog-single-table': tableName, 'blog-replies': day.repliesName };
  const site = new Blog({ client, tables, clock, newId });
  const seeded = await seedBlog({ client, tableName, scale: SCALE });
  terminal.line(
    `In the morning there are ${seeded['User']} users with ${seeded['Post']} posts and ${seeded['Comment']} comments.`,
  );
  const tally = { posts: 0, comments: 0, twice: 0, deleted: 0 };
  const events = Array.from({ length: day.visits }, () => visit({ site, random, tally })).flat();
  events.push({
    atMs: STARTS_AT_MS,
    patternId: 'BL-W1',
    person: {},
    act: async () => await site.createUser({ userId: 'newcomer', name: 'Newcomer', email: 'new@example.org' }),
  });
  await playEvents(events, { ...stage, clock });
  terminal.line();
  terminal.line(
    `${tally.posts} posts were written, ${tally.deleted} of them deleted with all that was said about them.`,
  );
  terminal.line(`${tally.comments} comments came; ${tally.twice} were second ones of the same user, and refused.`);
}

/** An author publishes; a reader browses and comments, sometimes twice. */
function visit(setting: {
  readonly site: Blog;
  readonly random: SeededRandom;
  readonly tally: { posts: number; comments: number; twice: number; deleted: number };
}): readonly ScheduledEvent[] {
  const { site, random, tally } = setting;
  const users = userCountAt(SCALE);
  const [userId, reader] = [userIdOf(random.integer(0, users - 1)), userIdOf(random.integer(0, users - 1))];
  const person = {};
  let atMs = STARTS_AT_MS + random.integer(0, DAY_MINUTES - 60) * MINUTE_MS;
  let postId = '';
  const at = (patternId: string, act: () => Promise<unknown>): ScheduledEvent => {
    atMs += MINUTE_MS;
    return { atMs, patternId, person, act };
  };
  const comment = async (): Promise<void> => {
    try {
      await site.addComment({ postId, userId: reader, text: 'Well said.' });
      tally.comments += 1;
    } catch (error) {
      if (!(error instanceof BlogError) || error.code !== 'already-exists') throw error;
      tally.twice += 1;
    }
  };
  return [
    at('BL-W2', async () => {
      ({ postId } = await site.createPost({ userId, title: 'Today', body: 'What a day.' }));
      tally.posts += 1;
    }),
    at('BL-7', async () => await site.getProfile(userId)),
    at('BL-2', async () => await site.getPost(postId)),
    at('BL-W5', comment),
    ...(random.chance(0.2) ? [at('BL-W5', comment)] : []),
    at('BL-6', async () => await site.getComment({ postId, userId: reader })),
    at('BL-8', async () => await site.getPostWithComments(postId)),
    at('BL-5', async () => await site.listAllPostComments(postId)),
    ...(random.chance(0.4)
      ? [at('BL-W6', async () => await site.addReply({ postId, userId: reader, text: 'And?' }))]
      : []),
    ...(random.chance(0.4) ? [at('BL-W3', async () => await site.editPost(postId, { title: 'Today, again' }))] : []),
    ...(random.chance(0.5) ? [at('BL-3', async () => await site.listUserPosts(userId))] : []),
    ...(random.chance(0.5)
      ? [at('BL-4', async () => await site.listUserPostsInRange(userId, { from: '2024-05-01', to: '2024-06-01' }))]
      : []),
    ...(random.chance(0.3) ? [at('BL-1', async () => await site.getUser(reader))] : []),
    ...(random.chance(0.15)
      ? [
          at('BL-W4', async () => {
            await site.deletePost(postId);
            tally.deleted += 1;
          }),
        ]
      : []),
  ];
}
