import type { z } from 'zod';
import type { PageRequest, Status } from '../connection.ts';
import type { GitHub } from '../github.ts';
import type { AnswerName, Body, BodyName, ParameterName, parameters } from './schemas.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parameters of a path such as `/repos/{owner}/{repo}`, checked. */
export type Parameters<Path extends string> = {
  readonly [Name in NamesIn<Path> & ParameterName]: z.output<(typeof parameters)[Name]>;
};

/** What a handler is given. */
export interface Call<Path extends string = string, Taken extends BodyName = BodyName> {
  readonly site: GitHub;
  readonly parameters: Parameters<Path>;
  readonly body: Body<Taken>;
  /** Which page of a list. */
  readonly page: PageRequest;
  /** Open ones, closed ones or, undefined, all. */
  readonly status: Status | undefined;
  /**
   * Who acts.
   *
   * @throws {HttpProblem} 401 where the request does not say.
   */
  readonly username: () => string;
}

/** What a handler answers. A body that is undefined is none. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Where a list continues. */
  readonly cursor?: string | undefined;
}

/** One operation of the service, with all that its description needs. */
export interface Route {
  readonly method: Method;
  /** With parameters in braces, as OpenAPI has them. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** The access pattern that serves it. */
  readonly pattern: string;
  readonly takes?: BodyName;
  /** The statuses of success. `of` names what is sent; a list is marked `many`. */
  readonly gives: readonly { readonly status: number; readonly of?: AnswerName; readonly many?: boolean }[];
  /** A list that comes in pages. */
  readonly paged?: boolean;
  /** Takes the parameter `state`. */
  readonly byState?: boolean;
  /** Needs to know who acts. */
  readonly acts?: boolean;
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
  // The service calls it with the parameters of its path and the body that it takes, both checked by their schemas.
  return typed;
}
