import { describe, expect, it } from 'vitest';
import { readCapacityUnits, writeCapacityUnits } from './capacity-units.ts';

describe('capacity units (DB-038, DB-095 to DB-099)', () => {
  it.each([
    [3 * 1024, 0.5, 1, 2],
    [4096, 0.5, 1, 2],
    [4097, 1, 2, 4],
    [5 * 1024, 1, 2, 4],
    [409_600, 50, 100, 200],
    [1024 * 1024, 128, 256, 512],
  ])('DB-095: reading %i bytes costs %f, %f or %f units', (sizeBytes, eventual, strong, transactional) => {
    expect(readCapacityUnits(sizeBytes, 'eventual')).toBe(eventual);
    expect(readCapacityUnits(sizeBytes, 'strong')).toBe(strong);
    expect(readCapacityUnits(sizeBytes, 'transactional')).toBe(transactional);
  });

  it.each([
    [1, 1, 2],
    [1024, 1, 2],
    [1025, 2, 4],
    [409_600, 400, 800],
  ])('DB-096, DB-098: writing %i bytes costs %f units, %f in a transaction', (sizeBytes, plain, transactional) => {
    expect(writeCapacityUnits(sizeBytes, false)).toBe(plain);
    expect(writeCapacityUnits(sizeBytes, true)).toBe(transactional);
  });

  it('DB-099: what is missing costs the minimum', () => {
    expect(readCapacityUnits(0, 'eventual')).toBe(0.5);
    expect(readCapacityUnits(0, 'strong')).toBe(1);
    expect(readCapacityUnits(0, 'transactional')).toBe(2);
    expect(writeCapacityUnits(0, false)).toBe(1);
    expect(writeCapacityUnits(0, true)).toBe(2);
  });

  it('DB-099: ten items of 400 bytes cost less when their sizes are added first', () => {
    const together = readCapacityUnits(10 * 400, 'eventual');
    const apart = Array.from({ length: 10 }, () => readCapacityUnits(400, 'eventual')).reduce((a, b) => a + b);
    expect({ together, apart }).toEqual({ together: 0.5, apart: 5 });
  });
});
