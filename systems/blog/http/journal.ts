import { HttpError } from '../../http/http-error.ts';
import { CONSISTENTLY, orAlready } from '../../http/or-already.ts';
import type { Requests } from '../../http/requests.ts';
import { opened, sealed } from '../../http/sealed.ts';
import type { Blog, Comment, Page, Post, Reply, User } from '../blog.ts';
import { BlogError, found } from '../errors.ts';

// What the pages and the operations share: ownership of posts, posts and replies that are written once, cursors.

/** Maximum bytes of a written text: an item has 400 KB, and a post is in two. */
export const BODY_LENGTH_MAX = 100_000;
export const TITLE_LENGTH_MAX = 200;
export const COMMENT_LENGTH_MAX = 5_000;

/** The blog with signed-in writers. */
export class Journal {
  readonly blog: Blog;
  readonly #requests: Requests;
  readonly #secret: string;

  constructor(options: { readonly blog: Blog; readonly requests: Requests; readonly secret: string }) {
    this.blog = options.blog;
    this.#requests = options.requests;
    this.#secret = options.secret;
  }

  /** BL-W1, and BL-1 where an earlier attempt has signed up. @throws {BlogError} `already-exists` for a name that others have. */
  async signUp(
    author: { readonly userId: string; readonly name: string; readonly email: string },
    key: string | undefined,
  ): Promise<User> {
    return await this.#requests.createNamed(['author', author.userId, author.email], key, {
      create: async (createdAt) => await this.blog.createUser({ ...author, createdAt }),
      isTaken,
      find: async () => await this.blog.getUser(author.userId, CONSISTENTLY),
    });
  }

  /** BL-W5, and BL-6 where the same comment is there. @throws {BlogError} `already-exists` for another one; `not-found` */
  async comment(comment: {
    readonly postId: string;
    readonly userId: string;
    readonly text: string;
  }): Promise<Comment> {
    return await orAlready(this.blog.addComment(comment), isTaken, async () => {
      const earlier = await this.blog.getComment(comment, CONSISTENTLY);
      return earlier?.text === comment.text ? earlier : undefined;
    });
  }

  /** BL-W2, and BL-2 where an earlier attempt has written it. @param key - chosen by the caller: the same key is the same post. */
  async write(
    userId: string,
    post: { readonly title: string; readonly body: string },
    key: string | undefined,
  ): Promise<Post> {
    const { id: postId } = await this.#requests.attempt(['post', userId], key);
    try {
      return await this.blog.createPost({ userId, ...post, postId });
    } catch (error) {
      if (!(error instanceof BlogError) || error.code !== 'already-exists') throw error;
      return found(await this.blog.getPost(postId, CONSISTENTLY), 'Post');
    }
  }

  /** BL-W6, and BL-6 of the variant where an earlier attempt has written it. @throws {BlogError} `not-found` */
  async reply(
    reply: { readonly postId: string; readonly userId: string; readonly text: string },
    key: string | undefined,
  ): Promise<Reply> {
    const { id: commentId, at: createdAt } = await this.#requests.attempt(['reply', reply.postId, reply.userId], key);
    const made = { postId: reply.postId, createdAt, commentId };
    try {
      return await this.blog.addReply(reply, made);
    } catch (error) {
      if (!(error instanceof BlogError) || error.code !== 'already-exists') throw error;
      return found(await this.blog.getReply(made, CONSISTENTLY), 'Reply');
    }
  }

  /** BL-2, then BL-W3. @throws {HttpError} 403 for another user's post. */
  async edit(
    userId: string,
    postId: string,
    changes: { readonly title?: string; readonly body?: string },
  ): Promise<void> {
    await this.own(userId, postId);
    await this.blog.editPost(postId, changes);
  }

  /**
   * BL-2, then BL-W4. Where the post has gone, a deletion that broke off before the last comment is continued; it does not matter who asks.
   *
   * @throws {HttpError} 403 for another user's post.
   * @throws {BlogError} `not-found` if nothing of it was left.
   */
  async remove(userId: string, postId: string): Promise<void> {
    const post = await this.blog.getPost(postId);
    if (post !== undefined) mustOwn(userId, post);
    if (!(await this.blog.deletePost(postId))) throw new BlogError('not-found', 'Post');
  }

  /** BL-2. @throws {HttpError} 403 */
  async own(userId: string, postId: string): Promise<Post> {
    const post = found(await this.blog.getPost(postId), 'Post');
    mustOwn(userId, post);
    return post;
  }

  /** BL-3. A page of a writer's posts; `cursor` of the previous page. */
  async posts(
    userId: string,
    cursor: string | undefined,
  ): Promise<{ readonly posts: readonly Post[]; readonly cursor?: string }> {
    const scope = ['posts', userId];
    const page: Page<Post> = await this.blog.listUserPosts(userId, this.#pageFrom(scope, cursor));
    return { posts: page.items, ...this.#cursorOf(scope, page.cursor) };
  }

  /** BL-8. A post with a page of comments. */
  async postWithComments(postId: string, cursor: string | undefined) {
    const scope = ['comments', postId];
    const page = await this.blog.getPostWithComments(postId, this.#pageFrom(scope, cursor));
    if (cursor === undefined) found(page.post, 'Post');
    return { post: page.post, comments: page.comments, ...this.#cursorOf(scope, page.cursor) };
  }

  #pageFrom(scope: readonly string[], cursor: string | undefined): { readonly cursor?: string } {
    return cursor === undefined ? {} : { cursor: opened(this.#secret, scope, cursor) };
  }

  #cursorOf(scope: readonly string[], cursor: string | undefined): { readonly cursor?: string } {
    return cursor === undefined ? {} : { cursor: sealed(this.#secret, scope, cursor) };
  }
}

function mustOwn(userId: string, post: Post): void {
  if (post.userId !== userId) throw new HttpError(403, 'not-yours', 'Only its author changes a post.');
}

/** A month as a span of time: `2024-04` is from April 1 to May 1. */
export function periodOf(month: string): { readonly from: string; readonly to: string } {
  return { from: `${month}-01`, to: `${monthFrom(month, 1)}-01` };
}

/** The month a number of months later, or before. */
export function monthFrom(month: string, months: number): string {
  const start = new Date(`${month}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + months);
  return start.toISOString().slice(0, 7);
}

function isTaken(error: unknown): boolean {
  return error instanceof BlogError && error.code === 'already-exists';
}
