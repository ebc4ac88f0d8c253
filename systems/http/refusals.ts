import type { z } from 'zod';
import { HttpError } from './http-error.ts';
import { faultsOf, sentenceOf } from './plain-words.ts';

/** How requests are refused before they reach an application, and how its faults are answered. */
interface Refusals {
  noSuchPath(): HttpError;
  /** @param methods - those that the path accepts. */
  noSuchMethod(methods: readonly string[]): HttpError;
  /** A part of the path is not percent-encoded UTF-8. */
  badPath(segment: string): HttpError;
  /** @param where - `query`, `body`, or the name of a part of the path. */
  invalid(where: string, error: z.ZodError): HttpError;
  notJson(): HttpError;
  /** A text of the body has an unpaired UTF-16 surrogate. */
  halfCharacter(): HttpError;
  tooLarge(bytesMax: number): HttpError;
  fault(): HttpError;
}

/** In plain words, without a validator's. */
export const refusals: Refusals = {
  noSuchPath: () => new HttpError(404, 'no-such-path', 'There is nothing under this path.'),
  noSuchMethod: (methods) =>
    new HttpError(405, 'no-such-method', `This path takes ${methods.join(', ')}.`, { allow: methods.join(', ') }),
  badPath: () => new HttpError(400, 'invalid', 'The path is not percent-encoded UTF-8.'),
  invalid: (where, error) => {
    const faults = faultsOf(where, error);
    return new HttpError(400, 'invalid', sentenceOf(faults), {}, faults);
  },
  notJson: () => new HttpError(400, 'not-json', 'The body is not JSON.'),
  halfCharacter: () => new HttpError(400, 'invalid', 'The body has half of a character, which no text can hold.'),
  tooLarge: (bytesMax) => new HttpError(413, 'too-large', `A body has at most ${bytesMax} bytes.`),
  fault: () => new HttpError(500, 'fault', 'Something went wrong on the server.'),
};
