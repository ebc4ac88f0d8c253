import { createHash } from 'node:crypto';
import { BackupError } from './backup-error.ts';

/*
 * An object of a backup. Numbers are little-endian.
 *
 *     magic 4 | format 4 | length of the header 4 | header, JSON | body | SHA-256 of everything before 32
 *
 * The header contains the name of the object, so that objects put in the wrong place are detected.
 */
const magic = 0x6b_42_67_53; // SgBk
const format = 1;
const prefixBytes = 12;
const hashBytes = 32;

export interface BackupObject<H> {
  readonly header: H;
  readonly body: Buffer;
  /** SHA-256 of the object, in hexadecimal. */
  readonly hash: string;
}

/** @param name - the object's key in the target. */
export function encodeObject(name: string, header: object, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const text = Buffer.from(JSON.stringify({ name, ...header }));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(magic, 0);
  prefix.writeUInt32LE(format, 4);
  prefix.writeUInt32LE(text.length, 8);
  const content = Buffer.concat([prefix, text, body]);
  return Buffer.concat([content, createHash('sha256').update(content).digest()]);
}

/** The hash by which other objects refer to an encoded object. */
export function hashOf(object: Buffer): string {
  return object.toString('hex', object.length - hashBytes);
}

/**
 * Returns what was written under this name. @throws {BackupError} `damaged`, `format`.
 */
export function decodeObject<H extends object>(name: string, object: Buffer): BackupObject<H> {
  const content = object.subarray(0, Math.max(0, object.length - hashBytes));
  const isWhole =
    content.length >= prefixBytes &&
    content.readUInt32LE(0) === magic &&
    createHash('sha256').update(content).digest().equals(object.subarray(content.length));
  if (!isWhole) throw damaged(name, 'it does not match its checksum');
  const found = content.readUInt32LE(4);
  if (found !== format) {
    throw new BackupError('format', `The object ${name} has the format ${found}, which this release cannot read.`);
  }
  const bodyAt = prefixBytes + content.readUInt32LE(8);
  // The checksum shows that `encodeObject` wrote it; the caller knows the shape from the name.
  const { name: own, ...header } = JSON.parse(content.toString('utf8', prefixBytes, bodyAt)) as H & { name: string };
  if (own !== name) throw damaged(name, `it is ${own}, under another name`);
  return { header: header as unknown as H, body: content.subarray(bodyAt), hash: hashOf(object) };
}

function damaged(name: string, why: string): BackupError {
  return new BackupError('damaged', `The object ${name} is damaged: ${why}.`);
}
