import { randomBytes } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import { html } from '../../http/markup.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { Requests } from '../../http/requests.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { tableIsNew } from '../../table-lifecycle.ts';
import { Blog } from '../blog.ts';
import { BlogError } from '../errors.ts';
import { blog as model } from '../model.ts';
import { seedBlog, userCountAt, userIdOf } from '../seed.ts';
import { Journal } from './journal.ts';
import { actionsOf, screensOf } from './pages.ts';
import { routesOf } from './routes.ts';

const SAMPLES = 5;
const POSTS = 'blog-single-table';

/** Serves the blog. Scale 1 is 10,000 authors with 100,000 posts and 500,000 comments. */
export async function startBlog(options: ApplicationStart): Promise<HttpServer> {
  const { client, scale, say } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  for (const definition of tableDefinitions(model)) {
    if ((await tableIsNew(client, definition)) && definition.TableName === POSTS && scale > 0) {
      const { User, Post, Comment } = await seedBlog({ client, tableName: POSTS, scale });
      say(`${User} authors, ${Post} posts, ${Comment} comments`);
    }
  }
  const newId = createKsuidGenerator({ clock, randomBytes });
  const blog = new Blog({ client, clock, newId, onRequest: costs.patternsOf(model) });
  const requests = await Requests.open({ client, clock, newId, name: 'blog' });
  const journal = new Journal({ blog, requests, secret: cursorSecret() });
  const samples =
    scale === 0 ? [] : Array.from({ length: Math.min(SAMPLES, userCountAt(scale)) }, (_, index) => userIdOf(index));
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'marginalia',
    isPerson: async (userId) => /^[\w-]{1,64}$/.test(userId) && (await blog.getUser(userId)) !== undefined,
    samples,
    besides: html`<p><a href="/sign-up">Sign up as a new author</a></p>`,
  });
  const pages = { journal, signIn, samples };
  return await serveApplication(options, {
    frame: {
      name: 'Marginalia',
      voice: 'reading',
      places: [
        { path: '/', label: 'Authors' },
        { path: '/write', label: 'Write' },
      ],
    },
    description: 'A blog: authors, their posts, and comments on these.',
    tint: { hue: 95, strength: 1.2 },
    routes: routesOf(journal, signIn),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    signIn,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
  });
}

const NOUNS: Readonly<Record<string, string>> = {
  User: 'author',
  Post: 'post',
  Comment: 'comment',
  Reply: 'reply',
  Month: 'month',
};

function errorOf(error: unknown): HttpError | undefined {
  if (!(error instanceof BlogError)) return undefined;
  const { code, subject } = error;
  switch (code) {
    case 'not-found':
      return new HttpError(404, 'not-found', `There is no such ${NOUNS[subject] ?? 'thing'}.`);
    case 'already-exists':
      return subject === 'Comment'
        ? new HttpError(409, 'already-done', 'You have commented on this post before.')
        : new HttpError(409, 'taken', 'There is one of this id already.', {}, [
            { field: 'userId', detail: 'is taken' },
          ]);
    case 'bad-time':
      return new HttpError(400, 'invalid', 'This is no time.');
    case 'busy':
      return new HttpError(503, 'busy', 'Too many are writing here at once. Try again in a moment.', {
        'retry-after': '1',
      });
  }
}
