import type { z } from 'zod';
import type { PageRequest, Status } from '../connection.ts';
import type { GitHub } from '../github.ts';
import type { Once } from './once.ts';
import type { AnswerName, Body, BodyName, ParameterName, parameters } from './schemas.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parameters of a path such as `/repos/{owner}/{repo}`, checked. */
export type Parameters<Path extends string> = {
  readonly [Name in NamesIn<Path> & ParameterName]: z.output<(typeof parameters)[Name]>;
};

/** The input of a handler. */
export interface Call<Path extends string = string, Taken extends BodyName = BodyName> {
  readonly site: GitHub;
  readonly parameters: Parameters<Path>;
  readonly body: Body<Taken>;
  /** Which page of a list. */
  readonly page: PageRequest;
  /** Open ones, closed ones or, undefined, all. */
  readonly status: Status | undefined;
  /** What is created once for each idempotency key. */
  readonly once: Once;
  /** The idempotency key of the request, of an operation that takes one. */
  readonly key: string | undefined;
  /** The signed-in user; empty for operations that do not require one. */
  readonly username: string;
}

/** The answer of a handler. An undefined body sends none. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Where a list continues. */
  readonly cursor?: string | undefined;
}

/** Of another (403), absent (404), or taken, done or as many as there can be (409). */
export type Refusal = 403 | 404 | 409;

/** One operation of the service, with everything for its description. */
export interface Route {
  readonly method: Method;
  /** With parameters in braces, as in OpenAPI. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** The access patterns that serve it. */
  readonly patterns: readonly string[];
  readonly takes?: BodyName;
  /** The statuses of success. `of` names the response type; a list is marked `many`. */
  readonly gives: readonly { readonly status: number; readonly of?: AnswerName; readonly many?: boolean }[];
  /** The refusals that are its own. */
  readonly refuses?: readonly Refusal[];
  /** A list with pages. */
  readonly paged?: boolean;
  /** Accepts the parameter `state`. */
  readonly byState?: boolean;
  /** Takes the token of a session. */
  readonly acts?: boolean;
  /** Takes an `Idempotency-Key`. */
  readonly takesKey?: true;
  readonly handle: (call: Call) => Promise<Answer>;
}

/** A route whose handler is typed by its path and body. */
export function route<const Path extends string, Taken extends BodyName = never>(
  typed: Omit<Route, 'handle' | 'path' | 'takes'> & {
    readonly path: Path;
    readonly takes?: Taken;
    readonly handle: (call: Call<Path, Taken>) => Promise<Answer>;
  },
): Route {
  // The service calls it with the parameters of its path and its body, both checked by their schemas.
  return typed;
}
