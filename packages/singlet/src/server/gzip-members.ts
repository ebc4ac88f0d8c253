import { promisify } from 'node:util';
import { crc32, inflateRaw as inflateRawCallback, type Zlib, type ZlibOptions } from 'node:zlib';

/** Members of a file. Each needs tables of its own, and 16 MB have room for 800,000 empty ones. */
const membersMax = 256;

/**
 * Inflates a gzip file as the service reads it: any number of members, one after the other. Bytes after the last
 * member are ignored; Node.js refuses them.
 *
 *     | 1f 8b 8 | flags | 6 bytes | extra? | name? | comment? | header check? | deflate stream | CRC-32 4 | length 4 |
 *
 * @throws {RangeError} when the output would exceed `bytesMax` bytes, as soon as that shows, or there are more than {@link membersMax} members.
 * @throws {Error} when there is no member, or one is damaged.
 */
export async function gunzipMembers(file: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  const members: Uint8Array[] = [];
  let rest = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let bytesLeft = bytesMax;
  while (members.length === 0 || startsMember(rest)) {
    if (members.length === membersMax) throw new RangeError('a gzip file has too many members');
    const start = headerBytes(rest);
    const { buffer, engine } = await inflateRaw(rest.subarray(start), { info: true, maxOutputLength: bytesLeft });
    const end = start + engine.bytesWritten;
    if (rest.length < end + trailerBytes) throw new TypeError('a gzip member has no end');
    if (rest.readUInt32LE(end) !== crc32(buffer)) throw new TypeError('the contents of a gzip member are damaged');
    members.push(buffer);
    bytesLeft -= buffer.length;
    rest = rest.subarray(end + trailerBytes);
  }
  const [only] = members;
  return members.length === 1 && only !== undefined ? only : Buffer.concat(members);
}

// The type declarations omit how `info` changes the result.
const inflateRaw = promisify(inflateRawCallback) as unknown as (
  bytes: Uint8Array,
  options: ZlibOptions,
) => Promise<{ readonly buffer: Buffer; readonly engine: Zlib }>;

const fixedHeaderBytes = 10;
const trailerBytes = 8;
const memberBytesMin = fixedHeaderBytes + 2 + trailerBytes;

function startsMember(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

const flag = { headerCheck: 2, extra: 4, name: 8, comment: 16 } as const;

function headerBytes(member: Buffer): number {
  // Ensures that the fixed part of a header is complete.
  if (!startsMember(member) || member.length < memberBytesMin) throw new TypeError('no gzip member');
  const flags = member.readUInt8(3);
  let offset = fixedHeaderBytes;
  if ((flags & flag.extra) !== 0) offset += 2 + member.readUInt16LE(offset);
  if ((flags & flag.name) !== 0) offset = afterZero(member, offset);
  if ((flags & flag.comment) !== 0) offset = afterZero(member, offset);
  return (flags & flag.headerCheck) === 0 ? offset : offset + 2;
}

function afterZero(bytes: Buffer, offset: number): number {
  const zero = bytes.indexOf(0, offset);
  if (zero < 0) throw new TypeError('a gzip header has no end');
  return zero + 1;
}
