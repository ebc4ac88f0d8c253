import {
  connect,
  type Connected,
  type ConnectOptions,
  type Cursor,
  type ItemOf,
  type ReadOptions,
} from '@singlet/model';
import type { Clock } from '../clock.ts';
import { collect } from '../collect.ts';
import { BlogError, found, refusing } from './errors.ts';
import { blog } from './model.ts';

type Entities = typeof blog.entities;

export type User = ItemOf<Entities['User']>;
export type Post = ItemOf<Entities['Post']>;
export type Comment = ItemOf<Entities['Comment']>;
export type Reply = ItemOf<Entities['Reply']>;

export interface BlogOptions {
  readonly client: ConnectOptions['client'];
  /** Names of the tables, if they differ from the model's. */
  readonly tables?: { readonly 'blog-single-table': string; readonly 'blog-replies': string };
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/** Where a list continues, and the length of a page. */
export interface PageRequest {
  readonly cursor?: Cursor | undefined;
  readonly limit?: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly cursor: Cursor | undefined;
}

/** A span of time, including `from` but not `to`. ISO-8601, UTC if there is no zone; a date is its first instant. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const POSTS_WITH_PROFILE = 5;
const DELETES_AT_A_TIME = 250;
const SECOND_MS = 1000;

/** Users, posts and comments. One method for each access pattern. */
export class Blog {
  readonly #db: Connected<Entities, typeof blog.patterns>;
  readonly #clock: Clock;
  readonly #newId: () => string;

  constructor({ client, tables, clock, newId, onRequest }: BlogOptions) {
    this.#db = connect(blog, {
      client,
      ...(tables !== undefined && { tables }),
      now: () => clock.nowMs(),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
    this.#newId = newId;
  }

  /** @throws {BlogError} `already-exists` if the id is taken. */
  async createUser(user: {
    readonly userId: string;
    readonly name: string;
    readonly email: string;
    readonly createdAt?: string;
  }): Promise<User> {
    const { userId, name, email, createdAt = this.#now() } = user;
    return await refusing(this.#db.createUser({ userId, name, email, createdAt }));
  }

  /** @param options.consistent - sees every write that was acknowledged before. */
  async getUser(userId: string, options: ReadOptions = {}): Promise<User | undefined> {
    return await this.#db.user({ userId }, options);
  }

  async getPost(postId: string, options: ReadOptions = {}): Promise<Post | undefined> {
    return await this.#db.post({ postId }, options);
  }

  /** A page of a user's posts, the newest first. */
  async listUserPosts(userId: string, page: PageRequest = {}): Promise<Page<Post>> {
    return await this.#db.postsOfUser({ userId }, page);
  }

  /** All posts of a user in a span of time, the newest first. */
  async listUserPostsInRange(userId: string, period: Period): Promise<readonly Post[]> {
    const fromMs = instantMs(period.from);
    const toMs = instantMs(period.to);
    // Keys have whole seconds, so the range includes the seconds of both ends, and surplus posts are removed here.
    const createdAt = {
      from: new Date(fromMs).toISOString(),
      before: new Date(Math.ceil(toMs / SECOND_MS) * SECOND_MS).toISOString(),
    };
    const posts = await collect(this.#db.postsOfUserBetween.each({ userId, createdAt }));
    return posts.filter((post) => instantMs(post.createdAt) >= fromMs && instantMs(post.createdAt) < toMs);
  }

  /** Every comment on a post, by the ids of those who wrote them. */
  async listAllPostComments(postId: string): Promise<readonly Comment[]> {
    return await collect(this.#db.commentsOfPost.each({ postId }));
  }

  async getComment(
    { postId, userId }: Pick<Comment, 'postId' | 'userId'>,
    options: ReadOptions = {},
  ): Promise<Comment | undefined> {
    return await this.#db.comment({ postId, userId }, options);
  }

  /** A user with the latest posts, the newest first, in one request. */
  async getProfile(
    userId: string,
    options: { readonly posts?: number; readonly consistent?: boolean } = {},
  ): Promise<{ readonly user: User | undefined; readonly posts: readonly Post[] }> {
    const { posts: limit = POSTS_WITH_PROFILE, ...rest } = options;
    return await this.#db.profileWithPosts({ userId }, { ...rest, limit });
  }

  /** A post, on the first page, with comments. */
  async getPostWithComments(
    postId: string,
    page: PageRequest = {},
  ): Promise<{ post: Post | undefined; comments: readonly Comment[]; cursor: Cursor | undefined }> {
    return await this.#db.postWithComments({ postId }, page);
  }

  /** @throws {BlogError} `not-found` if the user does not exist. */
  async createPost(post: {
    readonly userId: string;
    readonly title: string;
    readonly body: string;
    readonly postId?: string;
  }): Promise<Post> {
    const { userId, title, body, postId = this.#newId() } = post;
    const created = { postId, userId, title, body, createdAt: this.#now() };
    await refusing(this.#db.createPost({ post: created, authored: created }));
    return created;
  }

  /**
   * Changes a post, both copies of it.
   *
   * @throws {BlogError} `not-found`.
   */
  async editPost(postId: string, changes: { readonly title?: string; readonly body?: string }): Promise<void> {
    // The author and the time of a post never change, so they are still valid when the post is written.
    const { userId, createdAt } = found(await this.getPost(postId), 'Post');
    await refusing(
      this.#db.editPost({ post: { postId, ...changes }, authored: { userId, createdAt, postId, ...changes } }),
    );
  }

  /**
   * Deletes a post, then all comments on it. Repeated after an interruption, it continues.
   *
   * @returns whether anything was stored.
   */
  async deletePost(postId: string): Promise<boolean> {
    const post = await this.getPost(postId);
    if (post !== undefined) {
      const { userId, createdAt } = post;
      await refusing(this.#db.deletePost({ post: { postId }, authored: { userId, createdAt, postId } }));
    }
    const comments = await inGroups(this.#db.commentsOfPost.each({ postId }), async (group) => {
      await this.#db.deleteComments(group.map(({ userId }) => ({ postId, userId })));
    });
    const replies = await inGroups(this.#db.repliesToPost.each({ postId }), async (group) => {
      await this.#db.deleteReplies(group.map(({ createdAt, commentId }) => ({ postId, createdAt, commentId })));
    });
    return post !== undefined || comments + replies > 0;
  }

  /**
   * Comments on a post: once.
   *
   * @throws {BlogError} `not-found` if the post does not exist, `already-exists` if the user has commented on it.
   */
  async addComment(comment: {
    readonly postId: string;
    readonly userId: string;
    readonly text: string;
  }): Promise<Comment> {
    const { postId, userId, text } = comment;
    return await refusing(this.#db.addComment({ postId, userId, text, createdAt: this.#now() }));
  }

  /**
   * Comments on a post, any number of times: the variant with comments in order of time.
   *
   * @param made - the id and the time of an earlier attempt whose answer was lost; new ones by default.
   * @throws {BlogError} `not-found` if the post does not exist; `already-exists` if a given id is taken at that time.
   */
  async addReply(
    reply: { readonly postId: string; readonly userId: string; readonly text: string },
    made: Pick<Reply, 'commentId' | 'createdAt'> = { commentId: this.#newId(), createdAt: this.#now() },
  ): Promise<Reply> {
    const { postId, userId, text } = reply;
    const { commentId, createdAt } = made;
    return await refusing(this.#db.addReply({ postId, commentId, userId, text, createdAt }));
  }

  /** A page of the replies to a post, in order of time. */
  async listReplies(postId: string, page: PageRequest = {}): Promise<Page<Reply>> {
    return await this.#db.repliesToPost({ postId }, page);
  }

  async getReply(
    reply: Pick<Reply, 'postId' | 'createdAt' | 'commentId'>,
    options: ReadOptions = {},
  ): Promise<Reply | undefined> {
    const { postId, createdAt, commentId } = reply;
    return await this.#db.reply({ postId, createdAt, commentId }, options);
  }

  #now(): string {
    return new Date(this.#clock.nowMs()).toISOString();
  }
}

/** @throws {BlogError} `bad-time` for text that is not a time. */
function instantMs(time: string): number {
  const ms = Date.parse(/T.*(?:Z|[+-]\d\d:\d\d)$/.test(time) || time.length === 10 ? time : `${time}Z`);
  if (Number.isNaN(ms)) {
    throw new BlogError('bad-time', time);
  }
  return ms;
}

/** @returns how many items there were. */
async function inGroups<Item>(
  items: AsyncIterable<Item>,
  act: (group: readonly Item[]) => Promise<void>,
): Promise<number> {
  let group: Item[] = [];
  let count = 0;
  for await (const item of items) {
    group.push(item);
    count += 1;
    if (group.length === DELETES_AT_A_TIME) {
      await act(group);
      group = [];
    }
  }
  await act(group);
  return count;
}
