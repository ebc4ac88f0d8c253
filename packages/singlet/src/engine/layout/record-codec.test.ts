import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../storage/storage-error.ts';
import { DamagedValueError } from './damaged-value.ts';
import { RecordCodec } from './record-codec.ts';
import { space, storeKey } from './spaces.ts';

interface Lease {
  readonly format: 1;
  readonly holder: string;
  readonly untilMs: number;
}

const leases = new RecordCodec<Lease>(1, ({ holder }) => `The lease of ${holder}`);
const key = storeKey(space.replication, undefined, Uint8Array.of(0, 0, 1, 0));
const lease: Lease = { format: 1, holder: 'ä-process', untilMs: 1700 };

describe('a stored record', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 60 }), fc.string(), fc.nat(), (at, holder, untilMs) => {
        const record = { format: 1, holder, untilMs } as const;
        expect(leases.decode(at, leases.encode(at, record))).toEqual(record);
      }),
    );
  });

  it('is read from the text alone, as it was stored before there were checksums', () => {
    expect(leases.decode(key, Buffer.from(JSON.stringify(lease)))).toEqual(lease);
  });

  it('is refused with any single bit changed', () => {
    const stored = leases.encode(key, lease);
    for (let bit = 0; bit < stored.length * 8; bit += 1) {
      const damaged = Buffer.from(stored);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => leases.decode(key, damaged), `bit ${bit}`).toThrow(DamagedValueError);
    }
  });

  it('is refused when a part of it is missing', () => {
    const stored = leases.encode(key, lease);
    for (let length = 0; length < stored.length; length += 1) {
      expect(() => leases.decode(key, stored.subarray(0, length)), `${length} bytes`).toThrow(DamagedValueError);
    }
    const text = Buffer.from(JSON.stringify(lease));
    expect(() => leases.decode(key, text.subarray(0, 9))).toThrow(DamagedValueError);
  });

  it('is refused under another key', () => {
    const other = storeKey(space.replication, undefined, Uint8Array.of(0, 0, 1, 1));
    expect(() => leases.decode(other, leases.encode(key, lease))).toThrow(
      /^A stored value is damaged \(key 00000012.*00000101\): it does not match its checksum/,
    );
  });

  it('is refused in a format that this version does not know', () => {
    const newer = new RecordCodec<{ format: number; holder: string }>(2, () => '');
    const stored = newer.encode(key, { format: 2, holder: 'me' });
    const decode = (): Lease => leases.decode(key, stored);
    expect(decode).toThrow(StorageError);
    expect(decode).toThrow(
      'The lease of me is stored in format 2, and this version of Singlet reads format 1. Use the version that wrote it, or a newer one.',
    );
  });
});
