/** The factory in a storm: steps follow one another, and every part exists once, in one order. */
import { expect } from 'vitest';
import type { StormStory } from '../testing/storm.ts';
import { Factory } from './factory.ts';
import { additiveManufacturing, STEPS } from './model.ts';

const MIXTURE = { massG: 20, volumeCm3: 4, densityGcm3: 5 };
const PART_COUNT = 60;

export const story: StormStory = {
  model: additiveManufacturing,
  weather: { throttleRate: 0.005 },
  invariant: 'every order has passed through the factory completely',
  play: async (storm) => {
    const { client, clock } = storm;
    const factory = new Factory({ client, clock, pause: async () => undefined });
    const finished = new Set<string>();
    await storm.callers(8, async (number) => {
      const orderId = `o${number}`;
      const materials = ['m1', 'm2'].map((materialId) => ({ materialId, massG: 10, volumeCm3: 2, densityGcm3: 5 }));
      // More parts than one transaction takes. The third order requests parts of the one before it.
      const first = (number % 3 === 2 ? number - 1 : number) * PART_COUNT;
      const partIds = Array.from({ length: PART_COUNT }, (_, part) => `part${first + part}`);
      const print = { bedTemp: 120, materialTemp: 400, adhesionSurface: 'tape' };
      const found = partIds.slice(0, 3).map((partId) => ({ partId, porosityPct: 2, massG: 1 }));
      const steps = [
        async () => factory.gatherMaterials({ orderId, recipes: { mixing: 'r1' }, materials }),
        async () => factory.recordMixing(orderId, MIXTURE),
        async () => factory.recordPrinting(orderId, print, partIds),
        async () => factory.recordBaking(orderId, { ovenTemp: 1300, durationMin: 90 }),
        async () => factory.recordQuality(orderId, { methods: new Set(['microscopy']), passed: true }, found),
      ];
      let last = 'unknown';
      for (const step of steps) last = await storm.insist(step);
      if (last === 'done') finished.add(orderId);
    });
    await storm.over();

    expect(finished.size).toBeGreaterThan(0);
    for (const orderId of finished) {
      const order = await factory.findOrder(orderId);
      expect(order?.steps.map(({ step }) => step)).toEqual(STEPS);
      expect([orderId, order?.parts.length]).toEqual([orderId, PART_COUNT]);
      expect((await factory.materialsOf(orderId))?.length).toBe(2);
    }
    const items = await storm.table('additive-manufacturing').scan();
    const parts = items.filter(({ type }) => type === 'Part').map(({ partId }) => String(partId));
    expect(new Set(parts).size).toBe(parts.length);
    const guards = items.filter(({ type }) => type === 'PartGuard').map(({ PK }) => String(PK).replace('part:', ''));
    expect(guards.toSorted()).toEqual(parts.toSorted());
    // A step exists only after the steps before it.
    for (let number = 0; number < 4; number += 1) {
      const steps = await factory.stepsOf(`o${number}`);
      expect(steps.map(({ step }) => step)).toEqual(STEPS.slice(0, steps.length));
    }
  },
};
