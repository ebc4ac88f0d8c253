import { closeBrace, closeBracket, openBrace, openBracket, quote } from '../values/json-bytes.ts';
import { endOfString } from '../values/json-text.ts';
import { ValidationException } from '../values/service-error.ts';
import { SerializationException } from './serialization-exception.ts';

/**
 * How much an input in JSON may hold before it is parsed. 16 MB of `{},` become some 370 MB of objects, and take two seconds in
 * which nothing else runs; what holds more than any valid input could is refused before.
 */

/** Bodies up to this size are parsed as they are, bytes: whatever they hold, that takes a few milliseconds. */
export const unscannedBytesMax: number = 64 * 1024;

/** Objects and lists within one another. No valid input has a tenth of it; the decoders refuse the same depth. */
const depthMax = 1000;

/** Objects and lists in an input that can be full of values: 16 MB of short numbers are 1.7 million. */
const fullContainersMax = 2_000_000;

/** In all other inputs: 2 MB of expression values hold some 210,000 at most. */
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
 * Checks a text that is to be parsed. It need not be JSON: what is wrong with it is for the parser to find.
 *
 * @param target - the action, as it is named in the request.
 * @throws {ValidationException} when there are too many objects in it. As for any other length that is exceeded; but the text is ours, since the
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
