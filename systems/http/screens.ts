import { z } from 'zod';
import { BODY_BYTES_MAX, bodyText } from './body-text.ts';
import { type FieldFault, HttpError } from './http-error.ts';
import { html, type Markup } from './markup.ts';
import { faultsOf, sentenceOf } from './plain-words.ts';
import { refusals } from './refusals.ts';
import type { PathNames } from './route.ts';
import { type Match, RouteFinder } from './route-finder.ts';

// Pages that work without a script: a screen is shown by GET; a form posts to an action, which answers 303, or shows the screen
// again with what was refused beside the field and what was typed.

/** What a form was refused for, for the screen that shows it again. */
export interface Refused {
  readonly detail: string;
  readonly fields: readonly FieldFault[];
  readonly typed: Readonly<Record<string, string>>;
}

/** A look at a screen. */
export interface Visit<Path extends string = string, Query = Readonly<Record<string, string>>> {
  readonly path: { readonly [Name in PathNames<Path>]: string };
  readonly query: Query;
  /** Who is signed in. */
  readonly person: string | undefined;
  /** Undefined unless a form of this screen was refused just now. */
  readonly refused: Refused | undefined;
  readonly request: Pick<Request, 'url' | 'headers'>;
}

/** What a screen shows. All requests have been made by then, so that its receipt is complete. */
export interface View {
  readonly title: string;
  readonly main: Markup;
  /** One sentence on why the data is read in this way. */
  readonly teaches?: string;
}

/** A page of an application. */
export interface Screen {
  readonly path: string;
  /** Ids of the access patterns it is made of. */
  readonly serves: readonly string[];
  /** Only for people who are signed in. */
  readonly signedIn: boolean;
  readonly query: z.ZodObject;
  readonly show: (visit: Visit) => Promise<View>;
}

/** Where an action leads, and the cookie that it sets. */
export interface Went {
  readonly to: string;
  readonly cookie?: string;
}

/** What a form does. */
export interface Action {
  readonly path: string;
  readonly signedIn: boolean;
  readonly form: z.ZodObject;
  /** The path of the screen whose form it is. */
  readonly of: string;
  readonly act: (post: Post) => Promise<Went>;
}

/** A form that was sent. */
export interface Post<Path extends string = string, Form = Readonly<Record<string, string>>> {
  readonly path: { readonly [Name in PathNames<Path>]: string };
  readonly form: Form;
  readonly person: string | undefined;
  /** Of the form: the same for a form that is sent twice. */
  readonly key: string;
  readonly request: Pick<Request, 'url' | 'headers'>;
}

/** No parameters: what is sent all the same is ignored. */
type NoQuery = z.ZodObject<{ readonly [name: string]: never }>;

/** Declares a screen; `show` gets path and query with the types that the declaration gives them. */
export function screen<const Path extends string, Query extends z.ZodObject = NoQuery>(definition: {
  readonly path: Path;
  readonly serves: readonly string[];
  readonly signedIn?: boolean;
  readonly query?: Query;
  readonly show: (visit: Visit<Path, z.output<Query>>) => Promise<View>;
}): Screen {
  const { signedIn = false, query = z.object({}), show, ...facts } = definition;
  // The pages call `show` with what they have parsed by this very path and schema.
  return { ...facts, signedIn, query, show: show as unknown as Screen['show'] };
}

/** Declares what a form does. */
export function action<const Path extends string, Form extends z.ZodObject>(definition: {
  readonly path: Path;
  readonly signedIn?: boolean;
  readonly form: Form;
  readonly of: string;
  readonly act: (post: Post<Path, z.output<Form>>) => Promise<Went>;
}): Action {
  const { signedIn = false, act, ...facts } = definition;
  // The pages call `act` with what they have parsed by this very path and schema.
  return { ...facts, signedIn, act: act as unknown as Action['act'] };
}

export interface ScreensOptions {
  readonly screens: readonly Screen[];
  readonly actions: readonly Action[];
  /** Who a request is from, where it says. */
  readonly personOf: (request: Request) => Promise<string | undefined>;
  /** Where those who are not signed in are sent. */
  readonly signInPath: string;
  readonly errorOf: (error: unknown) => HttpError | undefined;
  readonly onFault: (error: unknown) => void;
  /** Draws the whole page around what a screen shows. */
  readonly draw: (shown: Shown) => Markup;
}

/** What a page is drawn of. */
export interface Shown extends View {
  readonly pathname: string;
  readonly person: string | undefined;
  readonly serves: readonly string[];
  readonly refused: Refused | undefined;
}

/** The name of the field of a form that holds its key. */
export const KEY_FIELD = 'key';

const KEY_LENGTH_MAX = 100;

type Routed = (Screen & { readonly method: 'GET' }) | (Action & { readonly method: 'POST' });

/** Answers requests for pages. */
export class Screens {
  readonly #options: ScreensOptions;
  readonly #finder: RouteFinder<Routed>;

  constructor(options: ScreensOptions) {
    this.#options = options;
    this.#finder = new RouteFinder<Routed>([
      ...options.screens.map((each) => ({ ...each, method: 'GET' as const })),
      ...options.actions.map((each) => ({ ...each, method: 'POST' as const })),
    ]);
  }

  async answer(request: Request): Promise<Response> {
    let person: string | undefined;
    const { pathname } = new URL(request.url);
    try {
      const match = this.#finder.find(request.method, pathname);
      person = await this.#options.personOf(request);
      if ('methods' in match)
        throw match.methods.length === 0 ? refusals.noSuchPath() : refusals.noSuchMethod(match.methods);
      if (match.route.signedIn && person === undefined) return seeOther({ to: this.#options.signInPath });
      const path = decoded(match);
      if (match.route.method === 'GET') return await this.#show(match.route, { path, person, request });
      return await this.#act(match.route, { path, person, request });
    } catch (error) {
      return this.#refusedPage(this.#known(error), { pathname, person });
    }
  }

  async #show(
    { show, serves, query: schema }: Screen,
    { path, person, request, refused }: Pick<Visit, 'path' | 'person'> & { request: Request; refused?: Refused },
    status = 200,
  ): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { data, error } = schema.safeParse(Object.fromEntries(searchParams), { reportInput: true });
    if (error !== undefined) throw refusals.invalid('query', error);
    // The schema makes texts, numbers and booleans of texts; `screen` gives them their types.
    const query = data as Visit['query'];
    const view = await show({ path, query, person, refused, request });
    return page(this.#options.draw({ ...view, pathname, person, serves, refused }), status);
  }

  async #act(route: Action, call: Pick<Visit, 'path' | 'person'> & { readonly request: Request }): Promise<Response> {
    const { request, path, person } = call;
    requireOwnOrigin(request);
    const { [KEY_FIELD]: key = '', ...typed } = await formOf(request);
    try {
      const { data, error } = route.form.safeParse(typed, { reportInput: true });
      if (error !== undefined) {
        const faults = faultsOf('form', error);
        throw new HttpError(422, 'invalid', sentenceOf(faults), {}, faults);
      }
      if (key === '' || key.length > KEY_LENGTH_MAX)
        throw new HttpError(400, 'invalid', 'The form has no key. Open the page again.');
      return seeOther(await route.act({ path, form: data as Post['form'], person, key, request }));
    } catch (error) {
      const { status, message, fields } = this.#known(error);
      const own = this.#options.screens.find(({ path: of }) => of === route.of);
      if (own === undefined || status >= 500) throw error;
      return await this.#show(own, { path, person, request, refused: { detail: message, fields, typed } }, status);
    }
  }

  #known(error: unknown): HttpError {
    const known = error instanceof HttpError ? error : this.#options.errorOf(error);
    if (known === undefined) this.#options.onFault(error);
    return known ?? refusals.fault();
  }

  #refusedPage({ status, message, fields }: HttpError, where: Pick<Shown, 'pathname' | 'person'>): Response {
    const refused = { detail: message, fields, typed: {} };
    const title =
      status === 404 ? 'There is nothing here' : status >= 500 ? 'Something went wrong' : 'This cannot be done';
    return page(this.#options.draw({ ...where, title, main: html``, serves: [], refused }), status);
  }
}

function decoded({ texts }: Match<unknown>): Visit['path'] {
  try {
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw refusals.badPath('');
  }
}

/** A page of another site may not send our forms in a visitor's name. */
function requireOwnOrigin({ url, headers }: Request): void {
  const origin = headers.get('origin');
  if (origin !== null && origin !== new URL(url).origin) {
    throw new HttpError(403, 'not-yours', 'This form was sent from another site.');
  }
}

async function formOf(request: Request): Promise<Readonly<Record<string, string>>> {
  if (!(request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded')) {
    throw new HttpError(415, 'not-a-form', 'A page takes a form. Programs use the operations under /api.');
  }
  const text = await bodyText(request);
  if (text === undefined) throw refusals.tooLarge(BODY_BYTES_MAX);
  return Object.fromEntries(new URLSearchParams(text));
}

function seeOther({ to, cookie }: Went): Response {
  return new Response(null, {
    status: 303,
    headers: { location: to, ...(cookie !== undefined && { 'set-cookie': cookie }) },
  });
}

function page(markup: Markup, status: number): Response {
  return new Response(`<!doctype html>${markup.text}`, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}
