import { expect, test } from 'vitest';
import { ValueArena } from './value-arena.ts';

test('keeps every copy of one read intact, also when it has to grow', () => {
  const arena = new ValueArena();
  for (let round = 0; round < 3; round += 1) {
    const sizes = [10, 0, 60_000, 5_000, 200_000, 1, 1_000_000, 3];
    const views = sizes.map((size, index) => arena.copy(new Uint8Array(size).fill(index + round)));
    views.forEach((view, index) => {
      expect(view.length).toBe(sizes[index]);
      expect(view.every((byte) => byte === index + round)).toBe(true);
    });
    arena.reset();
  }
});

test('copies: the source may be overwritten', () => {
  const arena = new ValueArena();
  const source = new Uint8Array([1, 2, 3]);
  const copy = arena.copy(source);
  source.fill(9);
  expect([...copy]).toEqual([1, 2, 3]);
});

test('does not hold on to a large buffer after its read', () => {
  const arena = new ValueArena();
  const large = arena.copy(new Uint8Array(20_000_000));
  arena.reset();
  const next = arena.copy(new Uint8Array(10));
  expect(next.buffer).not.toBe(large.buffer);
  expect(next.buffer.byteLength).toBeLessThan(1_000_000);
});
