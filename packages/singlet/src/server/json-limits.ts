import { closeBrace, closeBracket, openBrace, openBracket, quote } from '../values/json-bytes.ts';
import { endOfString } from '../values/json-text.ts';
import { ValidationException } from '../values/service-error.ts';
import { SerializationException } from './serialization-exception.ts';

/**
 * Limits what a JSON input may contain before it is parsed. 16 MB of `{},` become some 370 MB of objects, and take two seconds in
 * which nothing else runs. An input with more than any valid one could contain is refused before parsing.
 */

/** Bodies up to this size are parsed without a check, bytes: whatever they contain, that takes a few milliseconds. */
export const unscannedBytesMax: number = 64 * 1024;

/** Deepest nesting of objects and lists. No valid input reaches a tenth of it; the decoders refuse the same depth. */
const depthMax = 1000;

/** Most objects and lists in an input that can be full of values: 16 MB of short numbers are 1.7 million. */
const fullContainersMax = 2_000_000;

/** Most in all other inputs: 2 MB of expression values contain some 210,000 at most. */
const containersMax = 250_000;

/** Actions whose inputs hold items, or many statements with values, as clients name them in `x-amz-target`. */
const fullActions: ReadonlySet<string> = new Set(
  [
    'PutItem',
    'UpdateItem',
    'BatchWriteItem',
    'TransactWriteItems',
    'ExecuteStatement',
    'BatchExecuteStatement',
    'ExecuteTransaction',
  ].map((action) => `DynamoDB_20120810.${action}`),
);

/**
 * Checks a text before it is parsed. It need not be JSON: the parser reports what is wrong with it.
 *
 * @param target - the action, as it is named in the request.
 * @throws {ValidationException} when there are too many objects in it. This is the error of any exceeded length; but the text is ours, since the
 *   service is not known to have such a limit.
 * @throws {SerializationException} when it is nested too deeply.
 */
export function checkJsonSize(target: string | undefined, json: Uint8Array): void {
  if (json.length <= unscannedBytesMax) return;
  const most = target !== undefined && fullActions.has(target) ? fullContainersMax : containersMax;
  let containers = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at) - 1;
        break;
      case openBrace:
      case openBracket:
        containers += 1;
        depth += 1;
        if (containers > most) throw tooMany(most);
        if (depth > depthMax) throw new SerializationException();
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      default:
        break;
    }
  }
}

function tooMany(most: number): ValidationException {
  return new ValidationException(`The request has more than ${most} objects and lists`);
}
