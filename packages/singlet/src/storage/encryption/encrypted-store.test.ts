import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openLmdbStore } from '../lmdb/lmdb-store.ts';
import { openMemoryStore } from '../memory/memory-store.ts';
import { describeStore } from '../testing/store-conformance.ts';
import { encryptedStore } from './encrypted-store.ts';
import { KeyRing } from './key-ring.ts';
import { sealedOverheadBytes, ValueCipher } from './value-cipher.ts';
import { parseWrappingKeys, type WrappingKey } from './wrapping-keys.ts';

function newKey(): WrappingKey {
  // One line is one key.
  return parseWrappingKeys(randomBytes(32).toString('base64'))[0] as WrappingKey;
}

const ringOfSuite = KeyRing.create(newKey());

describeStore('memory, encrypted', async () => ({
  store: encryptedStore(openMemoryStore(), { cipher: new ValueCipher(ringOfSuite) }),
}));

describeStore('lmdb, encrypted', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'singlet-encrypted-'));
  // Each opening acts as another process for the cipher, with its own salt.
  const open = async () => encryptedStore(await openLmdbStore({ directory }), { cipher: new ValueCipher(ringOfSuite) });
  return { store: await open(), openAgain: open, dispose: () => rm(directory, { recursive: true, force: true }) };
});

const keyOf = (space: number, rest = ''): Buffer => {
  const key = Buffer.alloc(20);
  key.writeUInt32BE(space);
  return Buffer.concat([key, Buffer.from(rest)]);
};

describe('a value', () => {
  const ring = KeyRing.create(newKey());
  const cipher = new ValueCipher(ring);
  const key = keyOf(300, 'a');

  test('is the same after it, whatever it is, and by any writer', () => {
    const other = new ValueCipher(ring);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(0xffffffff), fc.string(), (value, space, rest) => {
        const at = keyOf(space, rest);
        const sealed = cipher.seal(at, value);
        expect(sealed).toHaveLength(value.length + sealedOverheadBytes);
        for (const reader of [cipher, other]) expect(new Uint8Array(reader.open(at, sealed))).toEqual(value);
      }),
    );
  });

  test('is never encrypted alike twice', () => {
    const seen = new Set(Array.from({ length: 1_000 }, () => cipher.seal(key, Buffer.from('x')).toString('hex')));
    expect(seen.size).toBe(1_000);
  });

  test('that was changed in any bit is refused', () => {
    const sealed = cipher.seal(key, Buffer.from('what was stored'));
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => cipher.open(key, changed), `bit ${bit}`).toThrow('cannot be decrypted');
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => cipher.open(key, sealed.subarray(0, length)), `${length} bytes`).toThrow('cannot be decrypted');
    }
  });

  test('is bound to its key and its space', () => {
    const sealed = cipher.seal(key, Buffer.from('x'));
    expect(() => cipher.open(keyOf(300, 'b'), sealed)).toThrow('A value of space 300 is not what was stored');
    expect(() => cipher.open(keyOf(301, 'a'), sealed)).toThrow('A value of space 301 is not what was stored');
  });

  test('cannot be read with the data keys of another directory', () => {
    const stranger = new ValueCipher(KeyRing.create(newKey()));
    expect(() => stranger.open(key, cipher.seal(key, Buffer.from('x')))).toThrow('cannot be decrypted');
  });

  test('that cannot be decrypted fails the call, or is handed out as it is', async () => {
    const inner = openMemoryStore();
    const plain = Buffer.from('never encrypted');
    await inner.write([], () => ({ answer: undefined, writes: [{ key, value: plain }] }));
    const store = encryptedStore(inner, { cipher });
    expect(() => store.read([key], ([value]) => value)).toThrow('cannot be decrypted');
    await expect(store.write([key], () => ({ answer: 1, writes: [] }))).rejects.toThrow('cannot be decrypted');
    const lenient = encryptedStore(inner, { cipher, unreadable: 'hand-out' });
    expect(await lenient.read([key], ([value]) => Buffer.from(value ?? []).toString())).toBe('never encrypted');
    await inner.close();
  });
});

describe('the ring of data keys', () => {
  test('is unwrapped by the key it was wrapped with, among others, and by no other', () => {
    const [first, second] = [newKey(), newKey()];
    const text = KeyRing.create(first).toText(first);
    expect(KeyRing.unwrap(text, [second, first]).wrappedBy).toBe(first.id);
    expect(() => KeyRing.unwrap(text, [second])).toThrow(`encrypted with the key ${first.id}`);
  });

  test('reads after a rotation what was written before, and writes under the new key', () => {
    const [first, second] = [newKey(), newKey()];
    const key = keyOf(7);
    const before = KeyRing.create(first);
    const old = new ValueCipher(before).seal(key, Buffer.from('old'));
    const after = KeyRing.unwrap(before.rotated(second).toText(second), [second]);
    expect(after.newestEpoch).toBe(1);
    const cipher = new ValueCipher(after);
    expect(cipher.open(key, old).toString()).toBe('old');
    const fresh = cipher.seal(key, Buffer.from('new'));
    expect(cipher.open(key, fresh).toString()).toBe('new');
    expect(() => new ValueCipher(before).open(key, fresh)).toThrow('cannot be decrypted');
  });

  test('that was changed anywhere is refused', () => {
    const wrapping = newKey();
    const text = KeyRing.create(wrapping).rotated(wrapping).toText(wrapping);
    for (let at = 0; at < text.length - 1; at += 1) {
      const changed = `${text.slice(0, at)}${text[at] === '#' ? '+' : '#'}${text.slice(at + 1)}`;
      expect(() => KeyRing.unwrap(changed, [wrapping]), changed).toThrow();
    }
    const { dataKeys, ...rest } = JSON.parse(text) as { readonly dataKeys: readonly string[] };
    const swapped = JSON.stringify({ ...rest, dataKeys: dataKeys.toReversed() });
    expect(() => KeyRing.unwrap(swapped, [wrapping])).toThrow('ring of data keys is damaged');
    expect(() => KeyRing.unwrap(JSON.stringify({ ...rest, format: 2, dataKeys }), [wrapping])).toThrow('have format 2');
  });

  test('holds no key in plain text', () => {
    const wrapping = newKey();
    const ring = KeyRing.create(wrapping);
    const text = ring.toText(wrapping);
    const bytes = Buffer.from(
      (JSON.parse(text) as { readonly dataKeys: readonly string[] }).dataKeys[0] ?? '',
      'base64',
    );
    expect(bytes.includes(ring.dataKey(0)?.export() ?? '')).toBe(false);
  });
});

test.each([
  ['', 'is empty'],
  ['short', 'Line 1 of the file of encryption keys is not a key'],
  [`${randomBytes(32).toString('base64')}\n${randomBytes(31).toString('base64')}`, 'Line 2'],
  [`${randomBytes(32).toString('base64')}\n`.repeat(101), 'more than 100 lines'],
])('a file of keys that is none is refused: %s', (text, message) => {
  expect(() => parseWrappingKeys(text)).toThrow(message);
});
