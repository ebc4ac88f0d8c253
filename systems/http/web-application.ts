import { readFile } from 'node:fs/promises';
import { InputError, RuleError } from '@singlet/model';
import type { Costs } from './costs.ts';
import { type Examples, examplesIn, type OnAnswer } from './examples.ts';
import { HttpError } from './http-error.ts';
import { type OpenApiDescription, openApiOf } from './open-api.ts';
import type { OnFault } from './faults.ts';
import { fontAnswer } from './fonts.ts';
import { html, type Markup } from './markup.ts';
import { type Frame, framed } from './page-frame.ts';
import { pictureOf } from './pictures.ts';
import { inputRefusal } from './plain-words.ts';
import { receiptHeader, receiptStrip } from './receipt.ts';
import { referenceOf } from './reference.ts';
import type { Route } from './route.ts';
import { type Handler, router } from './router.ts';
import { type Action, page, type Screen, Screens } from './screens.ts';
import { SESSION, sessionScheme, SIGN_IN, SIGN_OUT, type SignIn } from './sign-in.ts';

/** As many as fit beside each other at the bottom of a phone. */
const PLACES_MAX = 4;

/** The prefix of the paths of all operations. */
export const PREFIX = '/api';

export interface WebApplicationOptions {
  readonly frame: Frame;
  /** Of the OpenAPI description. */
  readonly description: string;
  readonly tint: Tint;
  /** The application's own style sheet, applied after the shared ones. */
  readonly style?: URL;
  readonly routes: readonly Route[];
  readonly screens: readonly Screen[];
  readonly actions: readonly Action[];
  /** Counts the requests of the application's clients. */
  readonly costs: Costs;
  /** Answers for errors of the application; undefined for unknown errors. */
  readonly errorOf: (error: unknown) => HttpError | undefined;
  /** Adds sign-in: its operations, its page unless the application has its own at {@link SIGN_IN}, and its security scheme. */
  readonly signIn?: SignIn;
  /** For an application with its own sign-in. */
  readonly personOf?: (request: Request) => Promise<string | undefined>;
  readonly securitySchemes?: Readonly<Record<string, object>>;
  /** Whether a caller satisfies a security scheme; throws an {@link HttpError} if not. */
  readonly authorize?: (scheme: string, request: Request) => void;
  readonly onFault: OnFault;
  /** A workbench on the same database, unless the environment names one. */
  readonly workbench?: URL | undefined;
  /** Also checks every answer by its declared schema, as tests do. */
  readonly checksAnswers?: boolean;
  /** Receives what operations have answered, for tests. */
  readonly onAnswer?: OnAnswer | undefined;
  /** The examples of its operations, as files; see `examples.ts`. */
  readonly examples?: readonly URL[];
}

/** The background colour of an application: a hue of OKLCH in degrees, and its strength from 0 to 1. */
export interface Tint {
  readonly hue: number;
  readonly strength: number;
}

/** Decisions 0096 and 0137 say what the scripts are for. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** For an application whose parts update themselves. */
const LIVE_POLICY = `${POLICY}; connect-src 'self'`;

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  // With 'no-referrer' a browser would not say where a form is from, and the form would be refused.
  'referrer-policy': 'same-origin',
} as const;

/**
 * An application over HTTP: operations under `/api`, which lists them, their description at `/openapi.json`, pages for people, pictures and
 * styles. Every answer of an operation or a page reports its cost. Decision 0087 explains the design.
 */
export async function webApplication(stated: WebApplicationOptions): Promise<Handler> {
  const options = withSignIn(stated);
  if (stated.frame.places.length > PLACES_MAX) throw new RangeError(`A header has ${PLACES_MAX} places at most`);
  const { frame, costs, onFault, routes } = options;
  const description = descriptionOf(options);
  const reference = referencePage(frame, description);
  const workbench = workbenchIn(process.env['WORKBENCH']) ?? options.workbench;
  const files = await filesOf(options);
  const errorOf = (error: unknown): HttpError | undefined => options.errorOf(error) ?? usualErrorOf(error);
  const api = router({ ...options, prefix: PREFIX, errorOf });
  const servesOf = new Map(routes.map((each) => [each.operationId, each.serves ?? []]));
  const screens = new Screens({
    ...options,
    personOf: options.personOf ?? (async () => await Promise.resolve(undefined)),
    signInPath: frame.signInPath ?? '/',
    errorOf,
    onFault,
    draw: (shown) => framed(frame, shown, receiptStrip(costs.soFar(), { ...shown, workbench })),
  });
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const isRead = request.method === 'GET';
    if (isRead && pathname === '/openapi.json') return Response.json(description);
    if (isRead && pathname === PREFIX) return page(reference, 200);
    if (isRead && pathname === '/health') return Response.json({ status: 'ok' });
    const found = isRead ? files.get(pathname) : undefined;
    if (found !== undefined) return file(found, pathname.endsWith('.js') ? 'text/javascript' : 'text/css');
    const drawn = isRead ? /^\/picture\/(\w+)\/([^/]{1,300})\.svg$/.exec(pathname) : null;
    if (drawn !== null) return pictureAnswer(drawn[1] ?? '', drawn[2] ?? '');
    const typeface = isRead ? /^\/font\/([\w-]+)\.woff2$/.exec(pathname) : null;
    if (typeface !== null) return await fontAnswer(typeface[1] ?? '');
    return await costs.during(async () => {
      const isApi = pathname === PREFIX || pathname.startsWith(`${PREFIX}/`);
      let served: readonly string[] = [];
      const response = isApi
        ? await api(request, ({ operationId }) => (served = servesOf.get(operationId) ?? []))
        : await screens.answer(request);
      response.headers.set('receipt', receiptHeader(costs.soFar(), served));
      return response;
    });
  };
  const policy = (frame.scripts ?? []).includes('live') ? LIVE_POLICY : POLICY;
  return async (request) => {
    const response = await answer(request);
    response.headers.set('content-security-policy', policy);
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.headers.set(name, value);
    return response;
  };
}

/** The same application with the operations and pages of its sign-in. */
function withSignIn(options: WebApplicationOptions): WebApplicationOptions {
  const { signIn, frame, routes, screens, actions, securitySchemes } = options;
  if (signIn === undefined) return options;
  const hasOwnPage = screens.some(({ path }) => path === SIGN_IN);
  return {
    ...options,
    frame: { ...frame, signInPath: SIGN_IN, signOutPath: SIGN_OUT },
    routes: [...routes, ...signIn.routes()],
    screens: hasOwnPage ? screens : [...screens, ...signIn.screens()],
    actions: [...actions, ...signIn.actions()],
    personOf: async (request) => await signIn.personOf(request),
    securitySchemes: { [SESSION]: sessionScheme, ...securitySchemes },
  };
}

/** The static files of the pages, by path. */
async function filesOf({ frame, tint, style }: WebApplicationOptions): Promise<ReadonlyMap<string, string>> {
  const own = style === undefined ? '' : await readFile(style, 'utf8');
  const scripts = ['strip', ...(frame.scripts ?? [])].map(
    async (name) => [`/${name}.js`, await readFile(new URL(`${name}.js`, import.meta.url), 'utf8')] as const,
  );
  return new Map([
    ['/look.css', await readFile(new URL('look.css', import.meta.url), 'utf8')],
    ['/tint.css', `${tintOf(tint)}${own}`],
    ...(await Promise.all(scripts)),
  ]);
}

/** The description of the operations, for people and for client generators. */
function descriptionOf(options: WebApplicationOptions): OpenApiDescription {
  const { frame, description, routes, securitySchemes, examples = [] } = options;
  return openApiOf({
    title: frame.name,
    version: '1.0.0',
    description,
    routes,
    prefix: PREFIX,
    examples: Object.assign({}, ...examples.map(examplesIn)) as Examples,
    ...(securitySchemes !== undefined && { securitySchemes }),
  });
}

/** The operations for people. It depends on nothing that is stored, so it shows neither who is signed in nor a cost. */
function referencePage({ name, voice, places }: Frame, description: OpenApiDescription): Markup {
  const shown = { title: 'The API', main: referenceOf(description), pathname: PREFIX };
  return framed({ name, voice, places }, { ...shown, person: undefined, serves: [], refused: undefined }, html``);
}

/** The address of a workbench on the application's database, if the environment has one. @throws {TypeError} for another text */
function workbenchIn(address: string | undefined): URL | undefined {
  if (address === undefined || address === '') return undefined;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`WORKBENCH is no address of a page: ${address}`);
  return url;
}

function usualErrorOf(error: unknown): HttpError | undefined {
  if (error instanceof InputError) return inputRefusal(error);
  if (error instanceof RuleError && error.code === 'busy') return busy();
  // When the SDK gives up, the caller may retry, and sees no details of the database.
  const isOverload =
    error instanceof Error && /Throttl|ProvisionedThroughput|RequestLimit|InternalServerError/.test(error.name);
  return isOverload ? busy() : undefined;
}

function busy(): HttpError {
  return new HttpError(503, 'busy', 'Too many are writing here at once. Try again in a moment.', {
    'retry-after': '1',
  });
}

function file(text: string, type: string): Response {
  return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'max-age=3600' } });
}

function pictureAnswer(kind: string, encoded: string): Response {
  let seed: string;
  try {
    seed = decodeURIComponent(encoded);
  } catch {
    return new Response(null, { status: 400 });
  }
  const drawn = pictureOf(kind, seed);
  if (drawn === undefined) return new Response(null, { status: 404 });
  return new Response(drawn, {
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=31536000, immutable' },
  });
}

function tintOf({ hue, strength }: Tint): string {
  const colour = (light: number, chroma: number): string => `oklch(${light} ${(chroma * strength).toFixed(4)} ${hue})`;
  const pair = (name: string, light: string, dark: string): string => `--${name}: light-dark(${light}, ${dark});`;
  return `:root { ${pair('paper', colour(0.985, 0.012), colour(0.19, 0.012))} ${pair('panel', colour(0.955, 0.02), colour(0.235, 0.018))} ${pair(
    'raise',
    colour(0.997, 0.004),
    colour(0.255, 0.016),
  )} ${pair('line', colour(0.88, 0.025), colour(0.36, 0.025))} }\n`;
}
