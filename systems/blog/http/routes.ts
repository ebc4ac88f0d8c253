import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { type Route, route } from '../../http/route.ts';
import { SESSION, type SignIn } from '../../http/sign-in.ts';
import { found } from '../errors.ts';
import { BODY_LENGTH_MAX, COMMENT_LENGTH_MAX, type Journal, TITLE_LENGTH_MAX } from './journal.ts';

export const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
export const newAuthor = z.object({
  userId: id,
  name: z.string().trim().min(1).max(TITLE_LENGTH_MAX),
  email: z.email().max(TITLE_LENGTH_MAX),
});
export const newPost = z.object({
  title: z.string().trim().min(1).max(TITLE_LENGTH_MAX),
  body: z.string().trim().min(1).max(BODY_LENGTH_MAX),
});
export const newComment = z.object({ text: z.string().trim().min(1).max(COMMENT_LENGTH_MAX) });
/** The years that a key can hold and a user can plausibly mean. */
export const month = z.string().regex(/^(19|20)\d\d-(0[1-9]|1[0-2])$/);

const time = z.iso.datetime({ offset: true, local: true });
const author = z.object({ userId: z.string(), name: z.string(), email: z.string(), createdAt: time });
const post = z.object({ postId: z.string(), userId: z.string(), title: z.string(), body: z.string(), createdAt: time });
const comment = z.object({ postId: z.string(), userId: z.string(), text: z.string(), createdAt: time });
const reply = comment.extend({ commentId: z.string() });
const posts = z.object({ posts: z.array(post), cursor: z.string().optional() });
const cursor = z.string().max(2000).optional();

const signedOut = { 401: { description: 'Not signed in' } };
const noSuch = { 404: { description: 'There is no such one' } };
const foreign = { 403: { description: 'Of another author' } };

/** Everything that the blog does, over HTTP. */
export function routesOf(journal: Journal, signIn: SignIn): readonly Route[] {
  return [...authorRoutes(journal), ...postRoutes(journal, signIn), ...commentRoutes(journal, signIn)];
}

function authorRoutes(journal: Journal): readonly Route[] {
  const { blog } = journal;
  return [
    route({
      method: 'POST',
      path: '/authors',
      operationId: 'createAuthor',
      summary: 'Sign up as an author',
      description: 'With an Idempotency-Key, the same key answers the author of the first attempt.',
      takesKey: true,
      tag: 'Authors',
      serves: ['BL-W1'],
      body: newAuthor,
      answers: { 201: { description: 'The author', schema: author }, 409: { description: 'The id is taken' } },
      handle: async ({ body, key }) => ({ status: 201, body: await journal.signUp(body, key) }),
    }),
    route({
      method: 'GET',
      path: '/authors/{userId}',
      operationId: 'getAuthor',
      summary: 'An author with the latest posts',
      tag: 'Authors',
      serves: ['BL-7'],
      pathSchemas: { userId: id },
      answers: { 200: { description: 'The author', schema: z.object({ author, posts: z.array(post) }) }, ...noSuch },
      handle: async ({ path }) => {
        const { user, posts: latest } = await blog.getProfile(path.userId);
        return { status: 200, body: { author: found(user, 'User'), posts: latest } };
      },
    }),
    route({
      method: 'GET',
      path: '/authors/{userId}/profile',
      operationId: 'getProfile',
      summary: 'An author alone',
      tag: 'Authors',
      serves: ['BL-1'],
      pathSchemas: { userId: id },
      answers: { 200: { description: 'The author', schema: author }, ...noSuch },
      handle: async ({ path }) => ({ status: 200, body: found(await blog.getUser(path.userId), 'User') }),
    }),
    route({
      method: 'GET',
      path: '/authors/{userId}/posts',
      operationId: 'getPosts',
      summary: 'All posts of an author, or those of a period: `from` belongs to it, `to` does not',
      tag: 'Authors',
      serves: ['BL-3', 'BL-4'],
      pathSchemas: { userId: id },
      query: z.object({ cursor, from: z.iso.date().optional(), to: z.iso.date().optional() }),
      answers: { 200: { description: 'The posts, the newest first', schema: posts } },
      handle: async ({ path, query }) => {
        const { from, to } = query;
        if (from === undefined && to === undefined)
          return { status: 200, body: await journal.posts(path.userId, query.cursor) };
        if (from === undefined || to === undefined || from >= to) {
          const detail = 'have to be two dates, the earlier one first';
          throw new HttpError(400, 'invalid', `from and to ${detail}.`, {}, [{ field: 'from', detail }]);
        }
        return { status: 200, body: { posts: await blog.listUserPostsInRange(path.userId, { from, to }) } };
      },
    }),
  ];
}

function postRoutes(journal: Journal, signIn: SignIn): readonly Route[] {
  const { blog } = journal;
  return [
    route({
      method: 'POST',
      path: '/posts',
      operationId: 'writePost',
      summary: 'Write a post',
      description: 'With an Idempotency-Key, the same key answers the post of the first attempt.',
      takesKey: true,
      tag: 'Posts',
      security: SESSION,
      serves: ['BL-W2'],
      body: newPost,
      answers: { 201: { description: 'The post', schema: post }, ...signedOut },
      handle: async ({ body, key, request }) => {
        return {
          status: 201,
          body: await journal.write(await signIn.required(request), body, key),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/posts/{postId}',
      operationId: 'getPost',
      summary: 'A post with a page of comments',
      tag: 'Posts',
      serves: ['BL-8'],
      pathSchemas: { postId: id },
      query: z.object({ cursor }),
      answers: {
        200: {
          description: 'The post on the first page, and comments',
          schema: z.object({ post: post.optional(), comments: z.array(comment), cursor: z.string().optional() }),
        },
        ...noSuch,
      },
      handle: async ({ path, query }) => ({
        status: 200,
        body: await journal.postWithComments(path.postId, query.cursor),
      }),
    }),
    route({
      method: 'GET',
      path: '/posts/{postId}/text',
      operationId: 'getText',
      summary: 'A post alone',
      tag: 'Posts',
      serves: ['BL-2'],
      pathSchemas: { postId: id },
      answers: { 200: { description: 'The post', schema: post }, ...noSuch },
      handle: async ({ path }) => ({ status: 200, body: found(await blog.getPost(path.postId), 'Post') }),
    }),
    route({
      method: 'PATCH',
      path: '/posts/{postId}',
      operationId: 'editPost',
      summary: 'Change a post, both copies of it',
      tag: 'Posts',
      security: SESSION,
      serves: ['BL-2', 'BL-W3'],
      pathSchemas: { postId: id },
      body: newPost,
      answers: { 204: { description: 'Changed' }, ...signedOut, ...foreign, ...noSuch },
      handle: async ({ path, body, request }) => {
        await journal.edit(await signIn.required(request), path.postId, body);
        return { status: 204 };
      },
    }),
    route({
      method: 'DELETE',
      path: '/posts/{postId}',
      operationId: 'deletePost',
      summary: 'Delete a post with all that was said about it',
      description: 'Sent again after it broke off, it deletes what is left, and is answered 404 when nothing is left.',
      tag: 'Posts',
      security: SESSION,
      serves: ['BL-2', 'BL-W4'],
      pathSchemas: { postId: id },
      answers: { 204: { description: 'Deleted' }, ...signedOut, ...foreign, ...noSuch },
      handle: async ({ path, request }) => {
        await journal.remove(await signIn.required(request), path.postId);
        return { status: 204 };
      },
    }),
  ];
}

function commentRoutes(journal: Journal, signIn: SignIn): readonly Route[] {
  const { blog } = journal;
  return [
    route({
      method: 'PUT',
      path: '/posts/{postId}/comments',
      operationId: 'addComment',
      summary: 'Comment on a post: once',
      tag: 'Comments',
      security: SESSION,
      serves: ['BL-W5'],
      pathSchemas: { postId: id },
      body: newComment,
      answers: {
        201: { description: 'The comment', schema: comment },
        409: { description: 'Commented on before, with another text' },
        ...signedOut,
        ...noSuch,
      },
      handle: async ({ path, body, request }) => {
        const userId = await signIn.required(request);
        return { status: 201, body: await journal.comment({ postId: path.postId, userId, ...body }) };
      },
    }),
    route({
      method: 'GET',
      path: '/posts/{postId}/comments',
      operationId: 'getComments',
      summary: 'All comments on a post, by the ids of those who wrote them',
      tag: 'Comments',
      serves: ['BL-5'],
      pathSchemas: { postId: id },
      answers: { 200: { description: 'The comments', schema: z.object({ comments: z.array(comment) }) } },
      handle: async ({ path }) => ({ status: 200, body: { comments: await blog.listAllPostComments(path.postId) } }),
    }),
    route({
      method: 'GET',
      path: '/posts/{postId}/comments/{userId}',
      operationId: 'getComment',
      summary: 'What somebody said about a post',
      tag: 'Comments',
      serves: ['BL-6'],
      pathSchemas: { postId: id, userId: id },
      answers: { 200: { description: 'The comment', schema: comment }, ...noSuch },
      handle: async ({ path }) => ({ status: 200, body: found(await blog.getComment(path), 'Comment') }),
    }),
    route({
      method: 'POST',
      path: '/posts/{postId}/replies',
      operationId: 'addReply',
      summary: 'Reply to a post, as often as one likes: the variant in the order of time',
      description: 'With an Idempotency-Key, the same key answers the reply of the first attempt.',
      takesKey: true,
      tag: 'Comments',
      security: SESSION,
      serves: ['BL-W6'],
      pathSchemas: { postId: id },
      body: newComment,
      answers: { 201: { description: 'The reply', schema: reply }, ...signedOut, ...noSuch },
      handle: async ({ path, body, key, request }) => {
        const userId = await signIn.required(request);
        return { status: 201, body: await journal.reply({ postId: path.postId, userId, ...body }, key) };
      },
    }),
  ];
}
