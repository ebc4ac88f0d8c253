import { entity, model } from '@singlet/model';
import { z } from 'zod';

/** Ids are parts of keys, whose parts are separated by `#`. */
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
/** An instant as entered: with or without fractions, in any zone. Keys have it to the second, in UTC. */
const time = z.iso.datetime({ offset: true, local: true });
const TO_THE_SECOND = 'keys have times to the second: what is within one is told apart by its id alone';
const text = z.string().min(1);

const post = { postId: id, userId: id, title: text, body: text, createdAt: time };
const storedPost = { postId: 'post_id', userId: 'user_id', createdAt: 'created_at' };
const storedComment = { postId: 'post_id', userId: 'user_id', createdAt: 'created_at' };

/** A blog platform: users, their posts, and comments on these. */
export const blog = model('blog')
  // 1. What there is, and how it is related
  .entities({
    User: entity(
      { userId: id, name: text, email: z.email(), createdAt: time },
      { expects: { items: 10_000, bytes: 200 } },
    ),
    Post: entity(post, { expects: { items: 100_000, bytes: 4_000 } }),
    // A second copy of the post, in the collection of its author.
    AuthoredPost: entity(post, {
      expects: { items: 100_000, bytes: 4_000 },
      duplicates: {
        title: { from: 'Post.title', rule: 'immediate', found: 'postsOfUser' },
        body: { from: 'Post.body', rule: 'immediate', found: 'postsOfUser' },
        createdAt: { from: 'Post.createdAt', rule: 'immutable' },
      },
    }),
    Comment: entity({ postId: id, userId: id, text, createdAt: time }, { expects: { items: 500_000, bytes: 400 } }),
    // The variant with several comments of a user on a post, in order of time.
    Reply: entity(
      { postId: id, commentId: id, userId: id, text, createdAt: time },
      { expects: { items: 500_000, bytes: 400 } },
    ),
  })
  .relationships([
    ['User', '1:N', 'Post', { required: true }],
    ['User', '1:N', 'AuthoredPost'],
    ['Post', '1:N', 'Comment', { required: true }],
    ['User', '1:N', 'Comment'],
    ['Post', '1:N', 'Reply', { required: true }],
  ])

  // 2. What the application needs
  .patterns({
    user: { id: 'BL-1', actor: 'reader', reads: 'User', by: ['userId'], rate: 200 },
    post: { id: 'BL-2', actor: 'reader', reads: 'Post', by: ['postId'], rate: 500 },
    postsOfUser: {
      unproven: TO_THE_SECOND,
      id: 'BL-3',
      actor: 'reader',
      reads: ['AuthoredPost'],
      by: ['userId'],
      order: 'createdAt desc',
      limit: 20,
      rate: 200,
      volume: { typical: 10 },
    },
    postsOfUserBetween: {
      unproven: TO_THE_SECOND,
      id: 'BL-4',
      actor: 'reader',
      reads: ['AuthoredPost'],
      by: ['userId'],
      range: 'createdAt',
      order: 'createdAt desc',
      rate: 20,
      volume: { typical: 2, most: 60 },
    },
    commentsOfPost: {
      id: 'BL-5',
      actor: 'reader',
      reads: ['Comment'],
      by: ['postId'],
      order: 'userId asc',
      rate: 400,
      volume: { typical: 5, most: 10_000 },
    },
    comment: { id: 'BL-6', actor: 'commenter', reads: 'Comment', by: ['postId', 'userId'], rate: 20 },
    profileWithPosts: {
      unproven: TO_THE_SECOND,
      id: 'BL-7',
      actor: 'reader',
      reads: { user: 'User', posts: ['AuthoredPost'] },
      by: ['userId'],
      order: 'createdAt desc',
      limit: 5,
      rate: 100,
      volume: { typical: 5 },
    },
    postWithComments: {
      id: 'BL-8',
      actor: 'reader',
      reads: { post: 'Post', comments: ['Comment'] },
      by: ['postId'],
      order: 'userId desc',
      limit: 50,
      rate: 300,
      volume: { typical: 5 },
    },
    createUser: { id: 'BL-W1', actor: 'reader', creates: 'User', rate: 0.5 },
    createPost: {
      id: 'BL-W2',
      actor: 'author',
      transacts: { post: { creates: 'Post' }, authored: { creates: 'AuthoredPost' } },
      rate: 2,
    },
    editPost: {
      id: 'BL-W3',
      actor: 'author',
      transacts: {
        post: { updates: 'Post', by: ['postId'], maySet: ['title', 'body'] },
        authored: { updates: 'AuthoredPost', by: ['userId', 'createdAt', 'postId'], maySet: ['title', 'body'] },
      },
      rate: 1,
    },
    deletePost: {
      id: 'BL-W4',
      actor: 'author',
      transacts: {
        post: { deletes: 'Post', by: ['postId'] },
        authored: { deletes: 'AuthoredPost', by: ['userId', 'createdAt', 'postId'] },
      },
      rate: 0.1,
    },
    deleteComments: {
      id: 'BL-W4',
      note: 'page by page of BL-5, when the post has gone and nothing new can come',
      actor: 'author',
      deletes: ['Comment'],
      by: ['postId', 'userId'],
      rate: 0.1,
    },
    addComment: { id: 'BL-W5', actor: 'commenter', creates: 'Comment', rate: 10 },
    addReply: { id: 'BL-W6', actor: 'commenter', creates: 'Reply', rate: 10 },
    repliesToPost: {
      unproven: TO_THE_SECOND,
      id: 'BL-W6',
      note: 'BL-5 in the variant',
      actor: 'reader',
      reads: ['Reply'],
      by: ['postId'],
      order: 'createdAt asc',
      limit: 100,
      rate: 400,
      volume: { typical: 5 },
    },
    reply: {
      unproven: TO_THE_SECOND,
      id: 'BL-W6',
      note: 'BL-6 in the variant',
      actor: 'commenter',
      reads: 'Reply',
      by: ['postId', 'createdAt', 'commentId'],
      rate: 20,
    },
    deleteReplies: {
      id: 'BL-W4',
      note: 'in the variant',
      actor: 'author',
      deletes: ['Reply'],
      by: ['postId', 'createdAt', 'commentId'],
      rate: 0.1,
    },
  })

  // 3. Keys and indexes
  .tables({
    'blog-single-table': { key: ['PK', 'SK'], type: 'entity_type' },
    'blog-replies': {
      key: ['PK', 'SK'],
      type: 'entity_type',
      accepts: { 'several-tables': 'the variant of comments is beside the plain one, so that both can be shown' },
    },
  })
  .keys(
    {
      User: { 'blog-single-table': ['USER#{userId}', 'PROFILE'] },
      Post: { 'blog-single-table': ['POST#{postId}', 'METADATA'] },
      AuthoredPost: { 'blog-single-table': ['USER#{userId}', 'POST#{createdAt:second}#{postId}'] },
      Comment: { 'blog-single-table': ['POST#{postId}', 'COMMENT#{userId}'] },
      Reply: { 'blog-replies': ['POST#{postId}', 'COMMENT#{createdAt:second}#{commentId}'] },
    },
    {
      User: { stored: { userId: 'user_id', createdAt: 'created_at' }, type: 'USER' },
      Post: { stored: storedPost, type: 'POST' },
      AuthoredPost: {
        stored: storedPost,
        type: 'POST',
        accepts: {
          'type-not-distinct': 'both are the post: which of the two it is, the key says',
          'key-not-exact': TO_THE_SECOND,
        },
      },
      Comment: { stored: storedComment, type: 'COMMENT' },
      Reply: {
        stored: { ...storedComment, commentId: 'comment_id' },
        type: 'COMMENT',
        accepts: { 'key-not-exact': TO_THE_SECOND },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    user: 'GetItem',
    post: 'GetItem',
    postsOfUser: { query: 'blog-single-table' },
    postsOfUserBetween: { query: 'blog-single-table' },
    commentsOfPost: { query: 'blog-single-table' },
    comment: 'GetItem',
    profileWithPosts: { query: 'blog-single-table' }, // backwards: PROFILE sorts after POST#
    postWithComments: { query: 'blog-single-table' }, // backwards: METADATA sorts after COMMENT#
    createUser: 'PutItem',
    createPost: 'TransactWriteItems', // both copies and a check of the author
    editPost: 'TransactWriteItems',
    deletePost: 'TransactWriteItems',
    deleteComments: 'BatchWriteItem',
    addComment: 'TransactWriteItems', // the comment and a check of the post
    addReply: 'TransactWriteItems',
    repliesToPost: { query: 'blog-replies' },
    reply: 'GetItem',
    deleteReplies: 'BatchWriteItem',
  });
