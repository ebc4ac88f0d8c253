import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { grouped } from '../../http/stored-items.ts';
import { userCountAt, userIdOf } from '../seed.ts';

interface Known {
  readonly postId: string;
  readonly userId: string;
}

const POSTS_KNOWN_MAX = 500;

/** Readers read authors and posts, and comment; authors write, edit and delete. */
export const load: ApplicationLoad = {
  holds: 'both copies of every post agree, and no comment is left of a deleted post',
  open: async (site) => {
    const people = Array.from({ length: Math.min(userCountAt(site.scale), 50) }, (_, index) => userIdOf(index));
    const pages = await Promise.all(
      people
        .slice(0, 10)
        .map(async (userId) => await site.read<{ readonly posts: readonly Known[] }>(`/authors/${userId}/posts`)),
    );
    const posts = pages.flatMap((page) => page.posts.map(({ postId, userId }) => ({ postId, userId })));
    return { actions: actionsOf(site, { people, posts }), faultsIn };
  },
};

function actionsOf(
  site: LoadSite,
  { people, posts }: { readonly people: readonly string[]; readonly posts: Known[] },
): OpenLoad['actions'] {
  const gone = [404]; // the author has deleted it meanwhile
  const person = (): string => site.oneOf(people);
  const post = (): Known => site.oneOf(posts);
  return [
    { name: 'author with posts', weight: 30, act: async () => await site.ask('GET', `/authors/${person()}`) },
    { name: 'posts of an author', weight: 10, act: async () => await site.ask('GET', `/authors/${person()}/posts`) },
    { name: 'post', weight: 30, allows: gone, act: async () => await site.ask('GET', `/posts/${post().postId}`) },
    {
      name: 'comments',
      weight: 8,
      allows: gone,
      act: async () => await site.ask('GET', `/posts/${post().postId}/comments`),
    },
    {
      name: 'write a post',
      weight: 6,
      act: async () => {
        const body = { title: 'Under load', body: 'What is read together is stored together.' };
        const response = await site.ask('POST', '/posts', { as: person(), body });
        const { postId, userId } = (await response.clone().json()) as Known;
        if (response.ok && posts.length < POSTS_KNOWN_MAX) posts.push({ postId, userId });
        return response;
      },
    },
    {
      name: 'edit a post',
      weight: 4,
      allows: gone,
      act: async () => {
        const { postId, userId } = post();
        return await site.ask('PATCH', `/posts/${postId}`, {
          as: userId,
          body: { title: `Take ${site.random.integer(1, 1000)}`, body: 'Here is what I would do differently.' },
        });
      },
    },
    {
      name: 'comment',
      weight: 8,
      allows: [...gone, 409], // a reader comments once
      act: async () =>
        await site.ask('PUT', `/posts/${post().postId}/comments`, { as: person(), body: { text: 'Thank you.' } }),
    },
    {
      name: 'reply',
      weight: 3,
      allows: gone,
      act: async () =>
        await site.ask('POST', `/posts/${post().postId}/replies`, { as: person(), body: { text: 'So do I.' } }),
    },
    {
      name: 'delete a post',
      weight: 1,
      allows: gone,
      act: async () => {
        const { postId, userId } = post();
        return await site.ask('DELETE', `/posts/${postId}`, { as: userId });
      },
    },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  const copies = grouped(
    items.filter(({ entity_type }) => entity_type === 'POST'),
    ({ post_id }) => String(post_id),
  );
  const unequal = [...copies].filter(([, both]) => both.length !== 2 || both[0]?.['title'] !== both[1]?.['title']);
  const orphans = items.filter(({ entity_type, post_id }) => entity_type === 'COMMENT' && !copies.has(String(post_id)));
  return [
    ...unequal.map(([postId, both]) => `the post ${postId} has ${both.length} copies, or their titles differ`),
    ...orphans.map(({ post_id, user_id }) => `the comment of ${String(user_id)} is of no post: ${String(post_id)}`),
  ];
}
