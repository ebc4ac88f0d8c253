/** The blog in a storm: both copies of a post agree, and nothing is left of a deleted post. */
import { expect } from 'vitest';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import type { RawItem } from '../testing/raw-table.ts';
import type { StormStory } from '../testing/storm.ts';
import { Blog } from './blog.ts';
import { blog as model } from './model.ts';

const AUTHORS = ['ann', 'bob'];

export const story: StormStory = {
  model,
  invariant: 'posts, their copies and their comments agree',
  play: async (storm) => {
    const { client, clock } = storm;
    const blog = new Blog({ client, clock, newId: countedKsuids(clock) });
    for (const userId of AUTHORS) {
      await storm.insist(async () => blog.createUser({ userId, name: 'A Name', email: 'a@x.org' }));
    }
    const posts = Array.from({ length: 8 }, (_, number) => `p${number}`);
    const deleted = new Set<string>();
    const acknowledged = new Set<string>();
    await storm.callers(posts.length, async (number) => {
      const postId = `p${number}`;
      await storm.insist(async () =>
        blog.createPost({ postId, userId: storm.oneOf(AUTHORS), title: 'One', body: 'Text' }),
      );
    });
    await storm.callers(50, async (number) => {
      const postId = storm.oneOf(posts);
      const userId = `reader${number}`;
      const outcome = await storm.attempt(async () => {
        if (number % 5 === 0) return await blog.editPost(postId, { title: `Title ${number}` });
        if (number % 5 === 1) return await blog.addReply({ postId, userId, text: 'So' });
        return await blog.addComment({ postId, userId, text: 'So' });
      });
      if (number % 5 > 1 && outcome === 'done') acknowledged.add(`${postId} ${userId}`);
    });
    // The author deletes two posts, repeatedly until an answer arrives.
    for (const postId of posts.slice(0, 2)) {
      if ((await storm.insist(async () => blog.deletePost(postId))) === 'done') deleted.add(postId);
    }
    await storm.over();

    // Stale reads have ended, so this deletes what an index or an old state has hidden from a deletion.
    for (const postId of deleted) await blog.deletePost(postId);
    const items = await storm.table('blog-single-table').scan();
    const copies = items.filter(({ entity_type }) => entity_type === 'POST');
    const byPost = new Map<string, RawItem[]>();
    for (const copy of copies)
      byPost.set(String(copy['post_id']), [...(byPost.get(String(copy['post_id'])) ?? []), copy]);
    for (const [postId, both] of byPost) {
      expect([postId, both.length, new Set(both.map(({ title }) => title)).size]).toEqual([postId, 2, 1]);
    }
    const comments = items.filter(({ entity_type }) => entity_type === 'COMMENT');
    const stored = new Set(comments.map(({ post_id, user_id }) => `${String(post_id)} ${String(user_id)}`));
    expect([...stored].filter((name) => !byPost.has(name.split(' ')[0] ?? ''))).toEqual([]);
    expect([...acknowledged].filter((name) => !stored.has(name) && !deleted.has(name.split(' ')[0] ?? ''))).toEqual([]);
    expect([...deleted].filter((postId) => byPost.has(postId))).toEqual([]);
  },
};
