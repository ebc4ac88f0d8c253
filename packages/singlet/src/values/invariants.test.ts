import { expect, test } from 'vitest';
import { invariantsAreOn, mayTakeFastPath, switchInvariants } from './invariants.ts';

test('tests run with invariants on', () => {
  expect(invariantsAreOn()).toBe(true);
});

test('off, nothing is checked and every fast path is taken', () => {
  const before = switchInvariants(undefined);
  try {
    expect(invariantsAreOn()).toBe(false);
    expect(Array.from({ length: 100 }, mayTakeFastPath)).not.toContain(false);
  } finally {
    switchInvariants(before);
  }
});

test('on, fast paths are taken and left out by the numbers of the source', () => {
  const numbers = [0, 0.29, 0.3, 0.99];
  const before = switchInvariants(() => numbers.shift() ?? 0);
  try {
    expect(Array.from({ length: 4 }, mayTakeFastPath)).toEqual([false, false, true, true]);
  } finally {
    switchInvariants(before);
  }
});
