import { isUtf8 } from 'node:buffer';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { findItemText } from '../../values/item-text.ts';
import { closeBrace } from '../../values/json-bytes.ts';
import { asAttributeMap, attributeMapProblem, isObject } from './attribute-value-json.ts';
import { FormatError, messageOf } from './format-error.ts';
import type { ItemRecord, RecordCondition } from './item-record.ts';
import { type Line, readLines, lineText } from './lines.ts';

/**
 * DynamoDB JSON: one `{"Item":{…}}` per line, values in the form of the API. Empty lines are skipped.
 *
 * Decision 0035 says why.
 *
 * @throws {FormatError} at the first line that is not such an item.
 * @see Developer Guide, "Amazon S3 import formats for DynamoDB"
 */
export async function* readDynamoDbJson(
  chunks: AsyncIterable<Uint8Array>,
  recordBytesMax: number,
): AsyncGenerator<ItemRecord> {
  for await (const line of readLines(chunks, recordBytesMax)) {
    const plain = plainRecordOf(line);
    if (plain !== undefined) {
      yield plain;
      continue;
    }
    const text = lineText(line);
    if (text.trim().length > 0) yield recordOf(parse(text, line.number), line.number);
  }
}

/** The beginning of a line written by an export, of the service or of this program. */
const lineStart = Buffer.from('{"Item":', 'latin1');

/** The record of a line that contains only an item, in its stored form; true of most lines. */
function plainRecordOf({ number, bytes }: Line): ItemRecord | undefined {
  for (let at = 0; at < lineStart.length; at += 1) if (bytes[at] !== lineStart[at]) return undefined;
  if (bytes.at(-1) !== closeBrace || !isUtf8(bytes)) return undefined;
  const text = findItemText(bytes, lineStart.length);
  return text?.end === bytes.length - 1 ? { line: number, item: text } : undefined;
}

/** One line, including its end, as exports write it. */
export function dynamoDbJsonLine(item: AttributeMap): string {
  return `${JSON.stringify({ Item: item })}\n`;
}

/**
 * The record that a line's JSON represents.
 *
 * @throws {FormatError}
 */
export function recordOf(json: unknown, line: number): ItemRecord {
  if (!isObject(json) || !Object.hasOwn(json, 'Item')) throw new FormatError(line, 'there is no "Item" in it');
  const problem = attributeMapProblem(json['Item'], 'Item');
  if (problem !== undefined) throw new FormatError(line, problem);
  const condition = conditionOf(json, line);
  const record = { line, item: asAttributeMap(json['Item']) };
  return condition === undefined ? record : { ...record, condition };
}

/** Assumed: a bulk operation's file specifies a condition as PutItem does. Its exact form is not documented. */
function conditionOf(json: Readonly<Record<string, unknown>>, line: number): RecordCondition | undefined {
  const conditionExpression = json['ConditionExpression'];
  if (conditionExpression === undefined) return undefined;
  if (typeof conditionExpression !== 'string') throw new FormatError(line, 'ConditionExpression is not a string');
  const names = json['ExpressionAttributeNames'];
  const values = json['ExpressionAttributeValues'];
  if (names !== undefined && !(isObject(names) && Object.values(names).every((name) => typeof name === 'string'))) {
    throw new FormatError(line, 'ExpressionAttributeNames is not a map of strings');
  }
  if (values !== undefined) {
    const problem = attributeMapProblem(values, 'ExpressionAttributeValues');
    if (problem !== undefined) throw new FormatError(line, problem);
  }
  return {
    conditionExpression,
    ...(names !== undefined && { expressionAttributeNames: names as Readonly<Record<string, string>> }), // checked above
    ...(values !== undefined && { expressionAttributeValues: asAttributeMap(values) }),
  };
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FormatError(line, `not JSON: ${messageOf(cause)}`, { cause });
  }
}
