import { randomBytes } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { createKsuidGenerator } from '../ksuid.ts';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { Blog, type Post, type Reply } from './blog.ts';
import { blog } from './model.ts';
import { seedBlog, type UserBundle, userBundle, userCountAt, userIdOf } from './seed.ts';

const PERIOD = { from: '2024-01-01', to: '2024-03-01' };

/** A call of each access pattern of the blog. */
export const blogCalls: MeasuredSystem = {
  model: blog,
  scales: { usual: 0.1, full: 1 },
  load: async ({ client, scale, onItems }) => {
    for (const definition of tableDefinitions(blog)) await createTable(client, definition);
    await seedBlog({ client, tableName: 'blog-single-table', scale, onItems });
  },
  open: ({ client, scale, random }) => {
    const clock = { nowMs: () => Date.now() };
    const site = new Blog({ client, clock, newId: createKsuidGenerator({ clock, randomBytes }) });
    const userCount = userCountAt(scale);
    const bundleWhere = (isMeant: (bundle: UserBundle) => boolean): UserBundle => {
      for (;;) {
        const bundle = userBundle(random.integer(0, userCount - 1), userCount);
        if (isMeant(bundle)) return bundle;
      }
    };
    const userId = (): string => userIdOf(random.integer(0, userCount - 1));
    const post = (): Post => anyOf(random, bundleWhere(({ posts }) => posts.length > 0).posts);
    const newName = newNames('newcomer');
    const text = { title: 'On keys', body: 'Everything that is read together is stored together.' };
    const newPost = () => site.createPost({ userId: userId(), ...text });
    const newReply = async (): Promise<Reply> => {
      const { postId } = await newPost();
      return await site.addReply({ postId, userId: userId(), text: 'Thank you.' });
    };
    return {
      'BL-1': given(userId, (id) => site.getUser(id)),
      'BL-2': given(post, ({ postId }) => site.getPost(postId)),
      'BL-3': given(userId, (id) => site.listUserPosts(id)),
      'BL-4': given(userId, (id) => site.listUserPostsInRange(id, PERIOD)),
      'BL-5': given(post, ({ postId }) => site.listAllPostComments(postId)),
      'BL-6': given(
        () => anyOf(random, bundleWhere(({ comments }) => comments.length > 0).comments),
        (comment) => site.getComment(comment),
      ),
      'BL-7': given(userId, (id) => site.getProfile(id)),
      'BL-8': given(post, ({ postId }) => site.getPostWithComments(postId)),
      'BL-W1': given(newName, (id) => site.createUser({ userId: id, name: id, email: `${id}@example.org` })),
      'BL-W2': given(userId, (id) => site.createPost({ userId: id, ...text })),
      'BL-W3': given(post, ({ postId }) => site.editPost(postId, { title: 'On other keys' })),
      'BL-W4': given(
        async () => {
          const { postId } = await newReply();
          await site.addComment({ postId, userId: userId(), text: 'Thank you.' });
          return postId;
        },
        (postId) => site.deletePost(postId),
      ),
      'BL-W5': given(post, ({ postId }) => site.addComment({ postId, userId: newName(), text: 'Thank you.' })),
      'BL-W6': given(post, ({ postId }) => site.addReply({ postId, userId: userId(), text: 'Thank you.' })),
      'BL-W6 list': given(newReply, ({ postId }) => site.listReplies(postId)),
      'BL-W6 one': given(newReply, (reply) => site.getReply(reply)),
    };
  },
};
