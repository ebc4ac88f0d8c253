import { tableDefinitions } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { demoOutput } from '../testing/demo-output.ts';
import { quickDatabase } from '../testing/two-databases.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { Blog } from './blog.ts';
import { blogDemo } from './demo.ts';
import { blog } from './model.ts';
import { SAMPLE_ENDS_AT, seedBlog, userBundle, userCountAt } from './seed.ts';

describe('blog: sample data and demo', () => {
  const workbench = useWorkbench(quickDatabase);

  test('what is loaded is what the patterns read', async () => {
    const { client } = workbench();
    const { name: tableName } = await workbench().createTable(tableDefinitions(blog)[0]!);
    const scale = 0.0005;
    const bundles = Array.from({ length: userCountAt(scale) }, (_, index) => userBundle(index, userCountAt(scale)));
    const posts = bundles.flatMap((bundle) => bundle.posts);
    expect(await seedBlog({ client, tableName, scale })).toEqual({
      User: bundles.length,
      Post: posts.length,
      AuthoredPost: posts.length,
      Comment: bundles.flatMap((bundle) => bundle.comments).length,
    });
    const tables = { 'blog-single-table': tableName, 'blog-replies': 'none' };
    const site = new Blog({ client, tables, clock: new ManualClock(SAMPLE_ENDS_AT), newId: () => 'none' });
    for (const { user, posts: own, comments } of bundles) {
      const newestFirst = own.toSorted((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
      expect((await site.listUserPosts(user.userId, { limit: 100 })).items).toEqual(newestFirst);
      const [first] = own;
      if (first === undefined) continue;
      expect(await site.getPost(first.postId)).toEqual(first);
      const said = comments.filter(({ postId }) => postId === first.postId).map(({ userId }) => userId);
      const listed = await site.listAllPostComments(first.postId);
      expect(listed.map(({ userId }) => userId)).toEqual(said.toSorted());
    }
  });

  test('the demo plays a day, with a request of every pattern', async () => {
    const demo = blogDemo({ visits: 40 });
    const output = await demoOutput(demo);
    expect(output).toContain('40 posts were written');
    expect(output).not.toContain('no request');
    for (const { id, title } of demo.patterns) {
      expect(output).toContain(`${id}  ${title}`);
    }
  });
});
