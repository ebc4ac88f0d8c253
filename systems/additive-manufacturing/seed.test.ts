import { expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { createModelTable } from '../testing/model-tables.ts';
import { quickDatabase } from '../testing/two-databases.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { Factory } from './factory.ts';
import { additiveManufacturing } from './model.ts';
import { seedFactory } from './seed.ts';

const workbench = useWorkbench(quickDatabase);

async function seeded(scale: number) {
  const { client } = workbench();
  const table = await createModelTable(workbench(), additiveManufacturing);
  const written = await seedFactory({ client, tableName: table.name, scale });
  const factory = new Factory({ client, tableName: table.name, clock: new ManualClock('2026-01-01T00:00:00Z') });
  return { table, written, factory };
}

test('sample data is there at any scale, and the same each time', async () => {
  const [first, second, larger] = [await seeded(0.01), await seeded(0.01), await seeded(0.03)];
  expect(first.written).toEqual(second.written);
  expect(await first.table.scan()).toEqual(await second.table.scan());
  expect(larger.written['ProcessOrder']).toBe(3 * (first.written['ProcessOrder'] ?? 0));
});

test('sample orders are as the factory would have left them', async () => {
  const { factory } = await seeded(0.01);
  const done = await factory.findOrder('order-000002');
  expect(done?.steps.map(({ step }) => step)).toEqual(['materials', 'mixing', 'print', 'bake', 'qc']);
  expect(done?.parts.every(({ porosityPct }) => porosityPct !== undefined)).toBe(true);
  const materials = (await factory.materialsOf('order-000002')) ?? [];
  expect(materials.reduce((sum, { massG }) => sum + massG, 0)).toBeCloseTo(done?.steps[1]?.massG ?? 0, 2);
  expect(await factory.orderIdOfPart('order-000002-001')).toBe('order-000002');

  const begun = await factory.findOrder('order-000009');
  expect(begun?.steps.map(({ step }) => step)).toEqual(['materials']);
  expect(begun?.parts).toEqual([]);
  // The orders can continue: the guards of part ids exist, and the next step is possible.
  await expect(
    factory.recordPrinting('order-000008', { bedTemp: 1, materialTemp: 1, adhesionSurface: 'glue' }, [
      'order-000002-001',
      'order-000008-000',
    ]),
  ).rejects.toMatchObject({ code: 'part-taken' });

  for (const material of ['copper', 'tin']) {
    const [kept, counted] = [await factory.averageDensityFromStats(material), await factory.averageDensity(material)];
    expect(kept.usages).toBe(counted.usages);
    expect(kept.arithmetic).toBeCloseTo(counted.arithmetic ?? 0, 3);
    expect(kept.weighted).toBeCloseTo(counted.weighted ?? 0, 3);
  }
});
