import type { RawItem } from '../testing/raw-table.ts';

const POSTS = [
  { post_id: 'p1', title: 'Keys', body: 'First keys.', created_at: '2024-03-15T10:00:00' },
  { post_id: 'p2', title: 'Sorting', body: 'Then order.', created_at: '2024-03-20T14:30:00' },
  { post_id: 'p3', title: 'Indexes', body: 'Indexes last.', created_at: '2024-04-01T09:15:00' },
];

/**
 * The data of the checks in stored form: a user with three posts, and one post with two comments.
 *
 * @param suffixed - whether the keys of the author's copies end with the post's id. Otherwise they end with the second.
 */
export function fixture({ suffixed }: { readonly suffixed: boolean }): readonly RawItem[] {
  return [
    {
      PK: 'USER#u123',
      SK: 'PROFILE',
      entity_type: 'USER',
      user_id: 'u123',
      name: 'Maria',
      email: 'maria@example.org',
      created_at: '2024-01-02T08:00:00.123456+00:00',
    },
    ...POSTS.map((post) => ({
      PK: 'USER#u123',
      SK: `POST#${post.created_at}${suffixed ? `#${post.post_id}` : ''}`,
      entity_type: 'POST',
      user_id: 'u123',
      ...post,
    })),
    {
      PK: 'POST#p456',
      SK: 'METADATA',
      entity_type: 'POST',
      post_id: 'p456',
      user_id: 'u555',
      title: 'One table',
      body: 'All in one.',
      created_at: '2024-02-11T07:00:00',
    },
    ...['u789', 'u321'].map((userId) => ({
      PK: 'POST#p456',
      SK: `COMMENT#${userId}`,
      entity_type: 'COMMENT',
      post_id: 'p456',
      user_id: userId,
      text: `Thank you, says ${userId}.`,
      created_at: '2024-02-12T12:00:00',
    })),
  ];
}
