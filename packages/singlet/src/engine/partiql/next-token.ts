import * as crypto from 'node:crypto';
import type { AttributeMap, AttributeValue } from '../../values/attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { Table } from '../catalog/table.ts';

/** The position at which a SELECT continues. */
export interface SelectPosition {
  /** The index of the read among the statement's reads. */
  readonly read: number;
  /** The key of the last item of that read; undefined to begin with its first. */
  readonly lastEvaluatedKey?: AttributeMap | undefined;
}

/*
 * A token in base64:
 *
 *     | format 1 | digest of statement and parameters 16 | code of everything else 16 | position (JSON) |
 *
 * The digest distinguishes another statement's token from a damaged one. The code is keyed with the id of the table, which is random
 * and new for each creation: a token is valid for its table only, whichever process made it, and an altered token
 * is detected. The id is not secret from callers that may describe the table, but they may start a read at any key anyway.
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

/** @throws {ValidationException} for a token that was made for another statement or table, or never returned. */
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
  // `encodeNextToken` made it: the code proves that.
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
