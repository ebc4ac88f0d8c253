import { deflateRawSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gunzipMembers } from './gzip-members.ts';

const gunzip = async (file: Uint8Array, bytesMax = 1000): Promise<string> =>
  Buffer.from(await gunzipMembers(file, bytesMax)).toString();

describe('gzip members', () => {
  it('are read one after the other, and what follows them is not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), fc.uint8Array(), async (texts, junk) => {
        fc.pre(junk[0] !== 0x1f);
        const file = Buffer.concat([...texts.map((text) => gzipSync(text)), junk]);
        expect(await gunzip(file, 100_000)).toBe(texts.join(''));
      }),
      { numRuns: 50 },
    );
  });

  it('may have all that a header can hold', async () => {
    const whole = gzipSync('text');
    const extra = Buffer.from([3, 0, 1, 2, 3]);
    const file = Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 0, 255]),
      extra,
      Buffer.from('name\0comment\0'),
      Buffer.from([0, 0]),
      deflateRawSync('text'),
      whole.subarray(-8),
    ]);
    expect(await gunzip(file)).toBe('text');
  });

  it('are bounded all together', async () => {
    const file = Buffer.concat([gzipSync('x'.repeat(600)), gzipSync('x'.repeat(400))]);
    expect(await gunzip(file, 1000)).toHaveLength(1000);
    await expect(gunzip(file, 999)).rejects.toThrow(RangeError);
    await expect(gunzip(gzipSync(Buffer.alloc(10_000_000)), 999)).rejects.toThrow(RangeError);
  });

  it('are refused when broken', async () => {
    const file = gzipSync('some text');
    const damaged = Buffer.from(file);
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 8) ^ 1, damaged.length - 8);
    for (const bad of [Buffer.alloc(0), Buffer.from('text'), damaged, Buffer.from([0x1f, 0x8b, 8, 8, 0])]) {
      await expect(gunzip(bad)).rejects.toThrow(TypeError);
    }
    for (let length = 0; length < file.length; length += 1) {
      await expect(gunzip(file.subarray(0, length))).rejects.not.toThrow(RangeError);
    }
  });
});
