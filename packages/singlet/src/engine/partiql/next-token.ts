import * as crypto from 'node:crypto';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { Table } from '../catalog/table.ts';

/** Where a SELECT continues. */
export interface SelectPosition {
  /** Which of the statement's reads. */
  readonly read: number;
  /** The key of the last item of that read; undefined to begin with its first. */
  readonly lastEvaluatedKey?: AttributeMap | undefined;
}

/*
 * A token in base64:
 *
 *     | format 1 | digest of statement and parameters 16 | code of everything else 16 | position (JSON) |
 *
 * The digest tells another statement's token from a broken one. The code is keyed with the id of the table, which is random
 * and new for each creation: a token is good for its table only, whichever process has made it, and one that was altered
 * is noticed. It is no secret to those who may describe the table; they could read from any key they like anyhow.
 */
const formatVersion = 1;
const digestBytes = 16;
const headerBytes: number = 1 + 2 * digestBytes;

export function statementDigest(statement: string, parameters: readonly AttributeValue[]): Buffer {
  return crypto
    .createHash('sha256')
    .update(JSON.stringify([statement, parameters]))
    .digest()
    .subarray(0, digestBytes);
}

export function encodeNextToken(table: Table, digest: Buffer, { read, lastEvaluatedKey }: SelectPosition): string {
  const position = Buffer.from(JSON.stringify({ read, key: lastEvaluatedKey }), 'utf8');
  return Buffer.concat([Buffer.of(formatVersion), digest, codeOf(table, digest, position), position]).toString(
    'base64',
  );
}

/** @throws {ValidationException} for a token that was made for something else, or was never given out. */
export function decodeNextToken(table: Table, digest: Buffer, token: string): SelectPosition {
  const bytes = Buffer.from(token, 'base64');
  if (bytes.length <= headerBytes || bytes[0] !== formatVersion || bytes.toString('base64') !== token) {
    throw invalidNextToken();
  }
  if (!bytes.subarray(1, 1 + digestBytes).equals(digest)) {
    throw new ValidationException('NextToken does not match request');
  }
  const position = bytes.subarray(headerBytes);
  if (!bytes.subarray(1 + digestBytes, headerBytes).equals(codeOf(table, digest, position))) throw invalidNextToken();
  // Made by `encodeNextToken`: the code says so.
  const { read, key } = JSON.parse(position.toString('utf8')) as { read: number; key?: AttributeMap };
  return { read, lastEvaluatedKey: key };
}

export function invalidNextToken(): ValidationException {
  return new ValidationException('Invalid NextToken');
}

function codeOf(table: Table, digest: Buffer, position: Buffer): Buffer {
  const code = crypto.createHmac('sha256', table.record.tableId).update(digest).update(position);
  return code.digest().subarray(0, digestBytes);
}
