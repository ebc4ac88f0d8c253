import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hex } from '../testing/store-probe.ts';
import { type RecordAddress, Records } from './records.ts';

const key = Uint8Array.of(1, 2, 3);

describe('Records', () => {
  test('keeps copies, of any length', () => {
    const records = new Records();
    const value = new Uint8Array(100_000).fill(7);
    const places = [0, 1, 7, 8, 9, 5_000, 65_600, 100_000].map((length) => ({
      length,
      place: records.add(key.subarray(0, length % 4), value.subarray(0, length)),
    }));
    value.fill(1);
    for (const { length, place } of places) {
      expect(records.key(place)).toEqual(key.slice(0, length % 4));
      expect(hex(records.value(place))).toBe('07'.repeat(length));
    }
  });

  test('compares keys as bytes sort', () => {
    const bytes = fc.uint8Array({ maxLength: 6 });
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        const records = new Records();
        const order = records.compareKey(records.add(left, key), right, 0);
        expect(Math.sign(order)).toBe(Math.sign(Buffer.compare(left, right)));
      }),
    );
    const records = new Records();
    expect(records.compareKey(records.add(key, key), Uint8Array.of(9, 9, 3), 2)).toBe(0);
  });

  test('holds half as much again as is in use, and what is left when most is removed', () => {
    const records = new Records();
    const live = new Map<RecordAddress, string>();
    const moveAll = (): void =>
      records.tidy((from, to) => {
        if (hex(records.key(from)) !== live.get(from)) throw new TypeError(`lost ${hex(records.key(to))}`);
        live.set(to, hex(records.key(to)));
        live.delete(from);
      });
    for (let number = 0; number < 30_000; number += 1) {
      const own = Uint8Array.of(number >> 8, number);
      live.set(records.add(own, new Uint8Array(1_000).fill(number)), hex(own));
    }
    expect(records.heldBytes).toBeGreaterThan(30_000_000);
    let count = 0;
    for (const place of Array.from(live.keys())) {
      count += 1;
      if (count % 10 === 0 || !live.has(place)) continue;
      records.remove(place);
      live.delete(place);
      moveAll();
    }
    expect(live.size).toBeGreaterThanOrEqual(3_000);
    expect(records.heldBytes).toBeLessThan(1.5 * live.size * 1_024 + 2 * 256 * 1024);
    for (const [place, own] of live) {
      expect(hex(records.key(place))).toBe(own);
      expect(hex(records.value(place))).toBe(own.slice(2).repeat(1_000));
    }
    for (const place of Array.from(live.keys())) records.remove(place);
    expect(records.heldBytes).toBeLessThanOrEqual(256 * 1024);
  });

  test('takes little for little', () => {
    const records = new Records();
    records.add(key, key);
    expect(records.heldBytes).toBe(16 * 1024);
  });
});
