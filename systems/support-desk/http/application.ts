import { readFile } from 'node:fs/promises';
import { InputError } from '@singlet/model';
import { HttpError } from '../../http/http-error.ts';
import { type OpenApiDescription, openApiOf } from '../../http/open-api.ts';
import { inputRefusal } from '../../http/plain-words.ts';
import type { Route } from '../../http/route.ts';
import { type Handler, router } from '../../http/router.ts';
import type { SupportDesk } from '../desk.ts';
import { SupportError, type SupportErrorCode } from '../errors.ts';
import { PREFIX, routesOf } from './routes.ts';

/** The names on the start page: no pattern lists all. */
export interface Suggestions {
  readonly customers: readonly Named[];
  readonly agents: readonly Named[];
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface ApplicationOptions {
  readonly desk: SupportDesk;
  readonly suggestions?: Suggestions | undefined;
  /** Receives errors whose details callers do not see. */
  readonly onFault?: (error: unknown) => void;
  /** Also checks every answer by its declared schema, as tests do. */
  readonly checksAnswers?: boolean;
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'none'",
};

/** The description of the operations, for people and for client generators. */
export function descriptionOf(routes: readonly Route[]): OpenApiDescription {
  return openApiOf({
    title: 'Support desk',
    version: '1.0.0',
    description: 'Customers, their tickets, the messages, and which agent has a ticket.',
    routes,
    prefix: PREFIX,
  });
}

/** The HTTP application: operations under `/api`, their description at `/openapi.json`, a page to browse them at `/`. */
export async function application({ desk, suggestions, ...options }: ApplicationOptions): Promise<Handler> {
  const routes = routesOf(desk);
  const description = descriptionOf(routes);
  const page = await pageWith(suggestions);
  const api = router({ ...options, routes, prefix: PREFIX, errorOf });
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET' && pathname === '/') return new Response(page, { headers: PAGE_HEADERS });
    if (request.method === 'GET' && pathname === '/openapi.json') return Response.json(description);
    return await api(request);
  };
}

async function pageWith(suggestions: Suggestions | undefined): Promise<string> {
  const page = await readFile(new URL('page.html', import.meta.url), 'utf8');
  if (suggestions === undefined) return page;
  // Inside a script only a "<" could end it.
  const text = JSON.stringify(suggestions).replaceAll('<', String.raw`\u003c`);
  return page.replace('{ "customers": [], "agents": [] }', () => text);
}

const STATUS_OF: Readonly<Record<SupportErrorCode, number>> = {
  'not-found': 404,
  'already-exists': 409,
  'changed-meanwhile': 409,
  'not-open': 409,
  'not-closed': 409,
};

function errorOf(error: unknown): HttpError | undefined {
  if (error instanceof SupportError) return new HttpError(STATUS_OF[error.code], error.code, error.message);
  return error instanceof InputError ? inputRefusal(error) : undefined;
}
