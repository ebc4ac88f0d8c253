import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testKey } from '../testing/store-probe.ts';
import { nameOf, MemtableEntries, MemtableEntry, spaceOfKey } from './memtable-entries.ts';

const aKey = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 250, max: 255 }), fc.uint8Array({ maxLength: 2 }))
  .map(([space, partition, rest]) => testKey(space, partition, rest));
const aBound = fc.oneof(aKey, fc.uint8Array({ maxLength: 5 }));
const aStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ set: fc.array(aKey, { minLength: 1, maxLength: 100 }) }) },
  { weight: 1, arbitrary: fc.record({ delete: aKey }) },
  { weight: 3, arbitrary: fc.record({ from: aBound, to: aBound, reverse: fc.boolean() }) },
);

test('entries come in the order of their keys, whatever came in between', () => {
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 20 }), (steps) => {
      const entries = new MemtableEntries();
      const model = new Set<string>();
      for (const step of steps) {
        if ('set' in step) {
          for (const bytes of step.set) {
            const key = Buffer.from(bytes);
            entries.set(new MemtableEntry(nameOf(key), undefined, 1, undefined));
            model.add(key.toString('hex'));
          }
        } else if ('delete' in step) {
          entries.delete(nameOf(step.delete));
          model.delete(Buffer.from(step.delete).toString('hex'));
        } else {
          const low = Buffer.from(step.from).toString('hex');
          const high = Buffer.from(step.to).toString('hex');
          const expected = [...model].filter((key) => key >= low && key < high).sort();
          if (step.reverse) expected.reverse();
          // A deleted entry keeps its place.
          const found = [...entries.namesIn(step.from, step.to, step.reverse)].filter((name) => entries.get(name));
          expect(found.map((name) => Buffer.from(name, 'latin1').toString('hex'))).toEqual(expected);
        }
      }
      expect(entries.sorted().map(({ key }) => key.toString('hex'))).toEqual([...model].sort());
      expect(entries.size).toBe(model.size);
    }),
  );
});

test('a space is known once it has had an entry, and no other', () => {
  const aSpace = fc.oneof(fc.nat(0xffff_ffff), fc.constantFrom(0, 1, 255, 256, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff));
  fc.assert(
    fc.property(aSpace, aSpace, (space, other) => {
      const entries = new MemtableEntries();
      const key = testKey(space, 7, new Uint8Array());
      expect(spaceOfKey(key)).toBe(space);
      expect(entries.hasSpace(space)).toBe(false);
      entries.set(new MemtableEntry(nameOf(key), undefined, 1, undefined));
      expect(entries.hasSpace(space)).toBe(true);
      expect(entries.hasSpace(other)).toBe(other === space);
      entries.delete(nameOf(key));
      expect(entries.hasSpace(space)).toBe(true);
    }),
  );
});
