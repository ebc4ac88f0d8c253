import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen, type Visit } from '../../http/screens.ts';
import type { SignIn } from '../../http/sign-in.ts';
import type { Comment, Post } from '../blog.ts';
import { found } from '../errors.ts';
import { type Journal, monthFrom, periodOf } from './journal.ts';
import { id, month, newAuthor, newComment, newPost } from './routes.ts';

export interface PagesOptions {
  readonly journal: Journal;
  readonly signIn: SignIn;
  /** The authors on the front page: no pattern lists all authors. */
  readonly samples: readonly string[];
}

const cursor = z.string().max(2000).optional();

/** The screens: authors, an author, a month, a post, writing. */
export function screensOf({ journal, samples }: PagesOptions): readonly Screen[] {
  const { blog } = journal;
  return [
    screen({
      path: '/',
      serves: [],
      show: async ({ person }) =>
        await Promise.resolve({
          title: 'Authors to begin with',
          teaches:
            'There is no pattern that lists all authors: an application asks for what its screens need, and no screen needed that.',
          main: html`<ul class="rows">
            ${[...(person === undefined ? [] : [person]), ...samples.filter((each) => each !== person)].map(
              (name) => html`<li>${picture('face', name, 40)}<a class="grow" href="/authors/${name}">${name}</a></li>`,
            )}
          </ul>`,
        }),
    }),
    screen({
      path: '/authors/{userId}',
      serves: ['BL-7', 'BL-3'],
      query: z.object({ cursor }),
      show: async ({ path, query }) => {
        const userId = idOf(path.userId);
        if (query.cursor !== undefined) {
          const page = await journal.posts(userId, query.cursor);
          return { title: `Older posts of ${userId}`, main: postList(userId, page.posts, page.cursor) };
        }
        const { user, posts } = await blog.getProfile(userId);
        const { name, createdAt } = found(user, 'User');
        const later = await journal.posts(userId, undefined);
        return {
          title: name,
          teaches:
            'PROFILE sorts behind POST#: one query backwards is the author and the latest posts. All further posts are the same collection, read page by page.',
          main: html`<p>Writes since ${dayOf(createdAt)}. The latest of ${posts.length} posts:</p>
            ${posts.slice(0, 1).map(lead)}
            <h2>All posts</h2>
            ${postList(userId, later.posts, later.cursor)}
            ${posts[0] !== undefined && html`<p><a href="/authors/${userId}/months/${posts[0].createdAt.slice(0, 7)}">By month</a></p>`}`,
        };
      },
    }),
    screen({
      path: '/authors/{userId}/months/{month}',
      serves: ['BL-4'],
      show: async ({ path }) => {
        const [userId, of] = [idOf(path.userId), found(month.safeParse(path.month).data, 'Month')];
        const posts = await blog.listUserPostsInRange(userId, periodOf(of));
        const label = (each: string): string =>
          new Date(`${each}-01T00:00:00Z`).toLocaleDateString('en-US', {
            month: 'long',
            year: 'numeric',
            timeZone: 'UTC',
          });
        return {
          title: label(of),
          teaches:
            'A month is an interval of the sort key: the first second belongs to it, the first of the next month does not.',
          main: html`<p><a href="/authors/${userId}">${userId}</a></p>
            ${postList(userId, posts, undefined)}
            <p class="inline">
              ${[-1, 1].map((by) => html`<a class="button second" href="/authors/${userId}/months/${monthFrom(of, by)}">${label(monthFrom(of, by))}</a>`)}
            </p>`,
        };
      },
    }),
    screen({
      path: '/posts/{postId}',
      serves: ['BL-8'],
      query: z.object({ cursor }),
      show: async (visit) => await postScreen(journal, visit),
    }),
    screen({
      path: '/write',
      serves: ['SS-02', 'BL-W2'],
      signedIn: true,
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Write',
          teaches: 'A post is written twice in one transaction: where it is read alone, and where its author is read.',
          main: form('/write', html`${postFields(refused)}<button>Publish</button>`, 'Write'),
        }),
    }),
    screen({
      path: '/posts/{postId}/edit',
      serves: ['SS-02', 'BL-2'],
      signedIn: true,
      show: async ({ path, person = '', refused }) => {
        const { postId, title, body } = await journal.own(person, idOf(path.postId));
        return {
          title: 'Edit',
          teaches: 'Both copies are changed in one transaction, so that no reader sees two texts.',
          main: html`${form(`/posts/${postId}/edit`, html`${postFields(refused, { title, body })}<button>Save</button>`, 'Edit')}
            <h2>Delete</h2>
            ${form(`/posts/${postId}/delete`, html`<button class="second">Delete with all comments</button>`)}`,
        };
      },
    }),
    screen({
      path: '/sign-up',
      serves: ['BL-W1'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Sign up',
          main: form(
            '/sign-up',
            html`${field('userId', 'Id', { refused, hint: 'letters, digits, - and _' })}${field('name', 'Name', { refused })}${field(
                'email',
                'E-mail address',
                {
                  refused,
                  type: 'email',
                },
              )}<button>Sign up</button>`,
            'Sign up',
          ),
        }),
    }),
  ];
}

/** What the forms do. */
export function actionsOf({ journal, signIn }: PagesOptions): readonly Action[] {
  return [
    action({
      path: '/sign-up',
      of: '/sign-up',
      form: newAuthor,
      act: async ({ form: given, key }) => {
        const { userId } = await journal.signUp(given, key);
        return await signIn.enter(userId, key, `/authors/${userId}`);
      },
    }),
    action({
      path: '/write',
      of: '/write',
      signedIn: true,
      form: newPost,
      act: async ({ form: given, person = '', key }) => {
        const { postId } = await journal.write(person, given, key);
        return { to: `/posts/${postId}` };
      },
    }),
    action({
      path: '/posts/{postId}/edit',
      of: '/posts/{postId}/edit',
      signedIn: true,
      form: newPost,
      act: async ({ path, form: given, person = '' }) => {
        await journal.edit(person, idOf(path.postId), given);
        return { to: `/posts/${path.postId}` };
      },
    }),
    action({
      path: '/posts/{postId}/delete',
      of: '/posts/{postId}/edit',
      signedIn: true,
      form: z.object({}),
      act: async ({ path, person = '' }) => {
        await journal.remove(person, idOf(path.postId));
        return { to: `/authors/${person}` };
      },
    }),
    action({
      path: '/posts/{postId}',
      of: '/posts/{postId}',
      signedIn: true,
      form: newComment,
      act: async ({ path, form: { text }, person = '' }) => {
        await journal.comment({ postId: idOf(path.postId), userId: person, text });
        return { to: `/posts/${path.postId}` };
      },
    }),
  ];
}

async function postScreen(
  journal: Journal,
  { path, query, person, refused }: Visit<'/posts/{postId}', { readonly cursor?: string | undefined }>,
) {
  const postId = idOf(path.postId);
  const { post, comments, cursor: next } = await journal.postWithComments(postId, query.cursor);
  const hasCommented = comments.some(({ userId }) => userId === person);
  return {
    title: post?.title ?? 'More comments',
    teaches:
      'METADATA sorts behind COMMENT#: one query backwards is the post and its comments, by reader. Their key is the reader, so each comments once.',
    main: html`<div class="columns">
      <article>
        ${post !== undefined && text(post)}
        ${post !== undefined && post.userId === person && html`<p><a href="/posts/${postId}/edit">Edit</a></p>`}
      </article>
      <section aria-label="Comments">
        <h2>Comments</h2>
        <ul class="rows">
          ${comments.map(remark)}
        </ul>
        ${next !== undefined && html`<a class="button second" href="/posts/${postId}?${new URLSearchParams({ cursor: next }).toString()}">More comments</a>`}
        ${
          person === undefined
            ? html`<p><a href="/sign-in">Sign in to comment</a></p>`
            : !hasCommented &&
              form(
                `/posts/${postId}`,
                html`${field('text', 'Your comment', { refused, rows: 3 })}<button>Comment</button>`,
                'Comment',
              )
        }
      </section>
    </div>`,
  };
}

function postFields(
  refused: Visit['refused'],
  values: { readonly title: string; readonly body: string } = { title: '', body: '' },
): Markup {
  return html`${field('title', 'Title', { refused, value: values.title })}${field('body', 'Text', { refused, value: values.body, rows: 10 })}`;
}

function idOf(given: string): string {
  return found(id.safeParse(given).data, 'Post');
}

/** Paragraphs as written; markup in them is text. */
function text({ postId, userId, body, createdAt }: Post): Markup {
  return html`${picture('landscape', postId, 480, 240)}
    <p><a href="/authors/${userId}">${userId}</a>, ${dayOf(createdAt)}</p>
    ${body.split(/\r?\n\s*\r?\n/).map((paragraph) => html`<p>${paragraph}</p>`)}`;
}

function lead({ postId, title, body }: Post): Markup {
  return html`<p>${picture('landscape', postId, 480, 240)}</p>
    <h2><a href="/posts/${postId}">${title}</a></h2>
    <p>${body.slice(0, 280)}</p>`;
}

function postList(userId: string, posts: readonly Post[], next: string | undefined): Markup {
  return html`${posts.length === 0 && html`<p>Nothing here.</p>`}
    <ul class="rows">
      ${posts.map(
        ({ postId, title, createdAt }) =>
          html`<li>
            ${picture('landscape', postId, 80, 40)}<a class="grow" href="/posts/${postId}">${title}</a
            ><small>${dayOf(createdAt)}</small>
          </li>`,
      )}
    </ul>
    ${
      next !== undefined &&
      html`<a class="button second" href="/authors/${userId}?${new URLSearchParams({ cursor: next }).toString()}"
        >Older posts</a
      >`
    }`;
}

function remark({ userId, text: said, createdAt }: Comment): Markup {
  return html`<li>
    ${picture('face', userId, 30)}<span class="grow">${said}<br /><small>${userId}, ${dayOf(createdAt)}</small></span>
  </li>`;
}

function dayOf(time: string): string {
  return new Date(time).toLocaleDateString('en-US', {
    month: 'long',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
