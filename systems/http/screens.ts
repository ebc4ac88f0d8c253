import { z } from 'zod';
import { BODY_BYTES_MAX, bodyText } from './body-text.ts';
import { type OnFault, workOf } from './faults.ts';
import { type FieldFault, HttpError } from './http-error.ts';
import { html, type Markup } from './markup.ts';
import { faultsOf, sentenceOf } from './plain-words.ts';
import { partsOf } from './path-parts.ts';
import { refusals } from './refusals.ts';
import type { PathNames } from './route.ts';
import { RouteFinder } from './route-finder.ts';

// Pages that work without a script: GET shows a screen; a form posts to an action, which answers 303, or shows the screen
// again with the error beside the field and the values as typed.

/** Why a form was refused, for the screen that shows it again. */
export interface Refused {
  readonly detail: string;
  readonly fields: readonly FieldFault[];
  readonly typed: Readonly<Record<string, string>>;
}

/** A request for a screen. */
export interface Visit<Path extends string = string, Query = Readonly<Record<string, string>>> {
  readonly path: { readonly [Name in PathNames<Path>]: string };
  readonly query: Query;
  /** The signed-in user. */
  readonly person: string | undefined;
  /** Undefined unless a form of this screen was just refused. */
  readonly refused: Refused | undefined;
  readonly request: Pick<Request, 'url' | 'headers'>;
}

/** The content of a screen. All its requests have been made by then, so that its receipt is complete. */
export interface View {
  readonly title: string;
  readonly main: Markup;
  /** One sentence on why the data is read in this way. */
  readonly teaches?: string;
}

/** A page of an application. */
export interface Screen {
  readonly path: string;
  /** Ids of the access patterns that it uses. */
  readonly serves: readonly string[];
  /** Only for signed-in users. */
  readonly signedIn: boolean;
  readonly query: z.ZodObject;
  readonly show: (visit: Visit) => Promise<View>;
}

/** The target of an action, and the cookie that it sets. */
export interface Went {
  readonly to: string;
  readonly cookie?: string;
}

/** What a form does. */
export interface Action {
  readonly path: string;
  readonly signedIn: boolean;
  readonly form: z.ZodObject;
  /** The path of the screen that has the form. */
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

/** No parameters: any that are sent are ignored. */
type NoQuery = z.ZodObject<{ readonly [name: string]: never }>;

/** Declares a screen; `show` gets path and query with the declared types. */
export function screen<const Path extends string, Query extends z.ZodObject = NoQuery>(definition: {
  readonly path: Path;
  readonly serves: readonly string[];
  readonly signedIn?: boolean;
  readonly query?: Query;
  readonly show: (visit: Visit<Path, z.output<Query>>) => Promise<View>;
}): Screen {
  const { signedIn = false, query = z.object({}), show, ...facts } = definition;
  // The pages call `show` with the values parsed by this path and schema.
  return { ...facts, signedIn, query, show: show as unknown as Screen['show'] };
}

/** Declares the action of a form. */
export function action<const Path extends string, Form extends z.ZodObject>(definition: {
  readonly path: Path;
  readonly signedIn?: boolean;
  readonly form: Form;
  readonly of: string;
  readonly act: (post: Post<Path, z.output<Form>>) => Promise<Went>;
}): Action {
  const { signedIn = false, act, ...facts } = definition;
  // The pages call `act` with the values parsed by this path and schema.
  return { ...facts, signedIn, act: act as unknown as Action['act'] };
}

export interface ScreensOptions {
  readonly screens: readonly Screen[];
  readonly actions: readonly Action[];
  /** The sender of a request, if it identifies one. */
  readonly personOf: (request: Request) => Promise<string | undefined>;
  /** Where visitors who are not signed in are sent. */
  readonly signInPath: string;
  readonly errorOf: (error: unknown) => HttpError | undefined;
  readonly onFault: OnFault;
  /** Draws the whole page around a screen's content. */
  readonly draw: (shown: Shown) => Markup;
}

/** The input for drawing a page. */
export interface Shown extends View {
  readonly pathname: string;
  readonly person: string | undefined;
  readonly serves: readonly string[];
  readonly refused: Refused | undefined;
}

/** The name of the form field that contains the form's key. */
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
      const path = partsOf(match.texts);
      if (match.route.method === 'GET') return await this.#show(match.route, { path, person, request });
      return await this.#act(match.route, { path, person, request });
    } catch (error) {
      return this.#refusedPage(this.#known(error, request), { pathname, person });
    }
  }

  async #show(
    { path: template, show, serves, query: schema }: Screen,
    { path, person, request, refused }: Pick<Visit, 'path' | 'person'> & { request: Request; refused?: Refused },
    status = 200,
  ): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { data, error } = schema.safeParse(Object.fromEntries(searchParams), { reportInput: true });
    if (error !== undefined) throw refusals.invalid('query', error);
    // The schema converts texts to texts, numbers and booleans; `screen` gives them their types.
    const query = data as Visit['query'];
    const view = await show({ path, query, person, refused, request });
    // A form that was refused was sent to the path of its action.
    const parts = path as Readonly<Record<string, string>>;
    const at = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''));
    const shown = { ...view, pathname: refused === undefined ? pathname : at, person, serves, refused };
    return page(this.#options.draw(shown), status);
  }

  async #act(route: Action, call: Pick<Visit, 'path' | 'person'> & { readonly request: Request }): Promise<Response> {
    const { request, path, person } = call;
    requireOwnOrigin(request);
    const { [KEY_FIELD]: key = '', ...typed } = await formOf(request);
    try {
      const { data, error } = route.form.safeParse(typed, { reportInput: true });
      if (error !== undefined) {
        const faults = faultsOf('form', error);
        throw new HttpError(422, 'invalid', sentenceOf(faults.map(inWords)), {}, faults);
      }
      if (key === '' || key.length > KEY_LENGTH_MAX)
        throw new HttpError(400, 'invalid', 'The form has no key. Open the page again.');
      return seeOther(await route.act({ path, form: data as Post['form'], person, key, request }));
    } catch (error) {
      const known = this.#known(error, request);
      const { status, message, fields } = known;
      const own = this.#options.screens.find(({ path: of }) => of === route.of);
      if (own === undefined || status >= 500) throw known;
      return await this.#show(own, { path, person, request, refused: { detail: message, fields, typed } }, status);
    }
  }

  #known(error: unknown, request: Request): HttpError {
    const known = error instanceof HttpError ? error : this.#options.errorOf(error);
    if (known === undefined) this.#options.onFault(error, workOf(request));
    return known ?? refusals.fault();
  }

  #refusedPage({ status, message, fields, headers }: HttpError, where: Pick<Shown, 'pathname' | 'person'>): Response {
    const refused = { detail: message, fields, typed: {} };
    const title =
      status === 404 ? 'There is nothing here' : status >= 500 ? 'Something went wrong' : 'This cannot be done';
    return page(this.#options.draw({ ...where, title, main: html``, serves: [], refused }), status, headers);
  }
}

/** A fault with the name of its field as words, for people: `firstMass` is `First mass`. */
function inWords({ field, detail }: FieldFault): FieldFault {
  const words = field.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return { field: words.charAt(0).toUpperCase() + words.slice(1), detail };
}

/** A page of another site may not submit our forms in a visitor's name. */
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

/** The answer that shows a page. */
export function page(markup: Markup, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`<!doctype html>${markup.text}`, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
