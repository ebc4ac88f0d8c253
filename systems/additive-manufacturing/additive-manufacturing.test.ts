import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { drawn } from '../testing/drawn.ts';
import { createModelTable } from '../testing/model-tables.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { quickDatabase, twoDatabases } from '../testing/two-databases.ts';
import type { LoggedClient } from '../testing/workbench.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { StepMissingError } from './errors.ts';
import { Factory } from './factory.ts';
import { BAKE, FIXTURE, HEADER, QC, usageItem } from './fixture.ts';
import { additiveManufacturing } from './model.ts';

const NEW_ORDER = {
  orderId: '7',
  recipes: { materials: 'alloy-7', print: 'drill-bits' },
  materials: [
    { materialId: 'aluminium', massG: 45, volumeCm3: 9, densityGcm3: 5 },
    { materialId: 'copper', massG: 85, volumeCm3: 17, densityGcm3: 5 },
  ],
};
const MIXTURE = { massG: 130, volumeCm3: 26, densityGcm3: 5 };
const PRINT = { bedTemp: 120, materialTemp: 400, adhesionSurface: 'tape' };
const BAKING = { ovenTemp: 1300, durationMin: 90 };
const QUALITY = { methods: new Set(['microscopy', 'measurement'] as const), passed: true };

function byKey(items: readonly RawItem[]): RawItem[] {
  const key = (item: RawItem): string => `${String(item['PK'])} ${String(item['SK'])}`;
  return items.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

test('the charts of the README are those of the model', async () => {
  await expectChartsInReadme(import.meta.url, additiveManufacturing);
});

describe.each(drawn('additive manufacturing', twoDatabases))('additive manufacturing, $name', (database) => {
  const workbench = useWorkbench(database);
  const isLast = database === quickDatabase;

  async function open(items: readonly RawItem[] = FIXTURE): Promise<
    LoggedClient & {
      readonly table: RawTable;
      readonly factory: Factory;
      readonly another: () => Factory;
      readonly answers: () => readonly Readonly<Record<string, unknown>>[];
    }
  > {
    const table = await createModelTable(workbench(), additiveManufacturing);
    await table.putAll(items);
    const logged = workbench().newLoggedClient();
    const common = { tableName: table.name, clock: new ManualClock('2019-12-04T01:30:00Z') };
    return {
      ...logged,
      table,
      factory: new Factory({ client: logged.client, ...common }),
      another: () => new Factory({ client: workbench().newClient(), ...common }),
      answers: () => logged.requests.map(({ output }) => output ?? {}),
    };
  }

  /** Sort keys of the items in an answer. */
  function sortKeysOf(answer: Readonly<Record<string, unknown>> | undefined): string[] {
    return ((answer?.['Items'] ?? []) as readonly { SK: { S: string } }[]).map(({ SK }) => SK.S);
  }

  async function printed(factory: Factory, partIds: readonly string[]): Promise<void> {
    await factory.gatherMaterials(NEW_ORDER);
    await factory.recordMixing('7', MIXTURE);
    await factory.recordPrinting('7', PRINT, partIds);
  }

  const manyParts = (count: number): string[] =>
    Array.from({ length: count }, (_, number) => `part-${String(number).padStart(4, '0')}`);

  describe('reading', () => {
    test('AM-A1: AM-1 gives the three steps of order 1, in one Query', async () => {
      const { factory, operations } = await open();
      const steps = await factory.stepsOf('1');
      expect(steps.map(({ step }) => step)).toEqual(['materials', 'mixing', 'print']);
      expect(steps[1]).toMatchObject({ massG: 130, volumeCm3: 26, densityGcm3: 5 });
      expect(operations).toEqual(['Query']);
    });

    test('AM-A2: steps lie by name, and are given by number', async () => {
      const { factory, answers } = await open([...FIXTURE, BAKE, QC]);
      const steps = await factory.stepsOf('1');
      expect(sortKeysOf(answers()[0])).toEqual([
        'processstep:bake:4',
        'processstep:materials:1',
        'processstep:mixing:2',
        'processstep:print:3',
        'processstep:qc:5',
      ]);
      expect(steps.map(({ stepNo }) => stepNo)).toEqual([1, 2, 3, 4, 5]);
    });

    test('AM-A3: AM-2 averages the usages of material 1', async () => {
      const { factory, requests } = await open();
      const average = await factory.averageDensity('1');
      expect(average).toEqual({ usages: 2, arithmetic: 5, weighted: expect.closeTo(111 / 22.2, 10) });
      expect(requests).toHaveLength(1);
      expect(requests[0]?.input['ProjectionExpression']).toContain('densityGcm3');
    });

    test('AM-A4: a lighter usage changes both averages, each its own way', async () => {
      const { factory } = await open([...FIXTURE, usageItem('1', '3', [10, 5, 2, 1_575_500_000])]);
      const { usages, arithmetic, weighted } = await factory.averageDensity('1');
      expect([usages, arithmetic]).toEqual([3, 4]);
      expect(weighted).toBeCloseTo(4.4485, 4);
    });

    test('AM-2: a material without usages has no average', async () => {
      const { factory } = await open();
      expect(await factory.averageDensity('99')).toEqual({ usages: 0, arithmetic: null, weighted: null });
    });

    test('AM-A5: AM-3 finds the order of part 1 in the index, with one request of one item', async () => {
      const { factory, requests, answers } = await open();
      expect(await factory.orderIdOfPart('1')).toBe('1');
      expect(requests[0]?.input).toMatchObject({ IndexName: 'GSI_1', Limit: 1 });
      expect(answers()[0]).toMatchObject({ Items: [{ PK: { S: 'processorder:1' } }] });
    });

    test('AM-A6: a part that is not known gives an empty page', async () => {
      const { factory, answers } = await open();
      expect(await factory.orderIdOfPart('99')).toBeUndefined();
      expect(answers()).toMatchObject([{ Count: 0, Items: [] }]);
    });

    test('AM-A7: AM-4 reads the whole order; from the end, the header comes first', async () => {
      const { factory, table, answers } = await open();
      const order = await factory.findOrder('1');
      expect(sortKeysOf(answers()[0])).toEqual([
        'part:1',
        'processstep:materials:1',
        'processstep:mixing:2',
        'processstep:print:3',
        'recipes',
      ]);
      expect(order).toMatchObject({ header: undefined, recipes: { materials: '1' }, parts: [{ partId: '1' }] });
      expect(order?.steps.map(({ step }) => step)).toEqual(['materials', 'mixing', 'print']);

      await table.put(HEADER);
      expect(await factory.findOrder('1', { headerFirst: true })).toMatchObject({ header: { status: 'STARTED' } });
      expect(sortKeysOf(answers()[1])[0]).toBe('root');
      expect(await factory.findOrder('99')).toBeUndefined();
    });

    test('AM-5: the parts of an order, and of no other', async () => {
      const { factory, operations } = await open();
      expect(await factory.partsOf('1')).toEqual([{ orderId: '1', partId: '1', porosityPct: 20, massG: 122 }]);
      expect(await factory.partsOf('2')).toEqual([]);
      expect(operations).toEqual(['Query', 'Query']);
    });

    test('AM-A8: AM-6 lists the orders that used material 2', async () => {
      const { factory, answers } = await open();
      expect(await factory.ordersUsing('2')).toMatchObject([
        { orderId: '1', timestamp: 1_575_423_000 },
        { orderId: '2', timestamp: 1_575_477_000 },
      ]);
      expect(sortKeysOf(answers()[0])).toEqual(['processorder:1', 'processorder:2']);
    });

    test('AM-A9: AM-7 gives what order 1 used, which is what was mixed', async () => {
      const { factory, operations } = await open();
      const materials = (await factory.materialsOf('1')) ?? [];
      expect(materials.map(({ massG }) => massG)).toEqual([45, 85]);
      const mixing = await factory.findStep('1', 'mixing');
      expect(materials.reduce((sum, { massG }) => sum + massG, 0)).toBe(mixing?.massG);
      expect(materials.reduce((sum, { volumeCm3 }) => sum + volumeCm3, 0)).toBe(mixing?.volumeCm3);
      expect(operations).toEqual(['GetItem', 'BatchGetItem', 'GetItem']);
      expect(await factory.materialsOf('99')).toBeUndefined();
    });

    test('AM-A10: what order 2 used adds up, too', async () => {
      const step = { PK: 'processorder:2', SK: 'processstep:materials:1', type: 'ProcessStep', orderId: '2' };
      const references = { step: 'materials', stepNo: 1, materialIds: ['materialid:1', 'materialid:2'] };
      const { factory } = await open([...FIXTURE, { ...step, ...references }]);
      const materials = (await factory.materialsOf('2')) ?? [];
      expect(materials.map(({ massG }) => massG)).toEqual([66, 64]);
      expect(materials.reduce((sum, { massG }) => sum + massG, 0)).toBe(130);
      expect(materials.reduce((sum, { volumeCm3 }) => sum + volumeCm3, 0)).toBe(26);
    });

    test('AM-8: the recipes of an order, by step', async () => {
      const { factory, operations } = await open();
      expect(await factory.findRecipes('1')).toEqual({ materials: '1' });
      expect(await factory.findRecipes('2')).toBeUndefined();
      expect(operations).toEqual(['GetItem', 'GetItem']);
    });

    test('AM-9: one step, if it is done', async () => {
      const { factory, operations } = await open();
      expect(await factory.findStep('1', 'print')).toMatchObject({ bedTemp: 120, adhesionSurface: 'tape' });
      expect(await factory.findStep('1', 'bake')).toBeUndefined();
      expect(operations).toEqual(['GetItem', 'GetItem']);
    });

    test('AM-11: from a part to its order in full, in two requests', async () => {
      const { factory, operations } = await open();
      const order = await factory.findOrderOfPart('1');
      expect(operations).toEqual(['Query', 'Query']);
      expect(order).toEqual({
        header: undefined,
        recipes: { materials: '1' },
        steps: [
          { orderId: '1', step: 'materials', stepNo: 1, materialIds: ['materialid:1', 'materialid:2'] },
          { orderId: '1', step: 'mixing', stepNo: 2, massG: 130, volumeCm3: 26, densityGcm3: 5 },
          { orderId: '1', step: 'print', stepNo: 3, bedTemp: 120, materialTemp: 400, adhesionSurface: 'tape' },
        ],
        parts: [{ orderId: '1', partId: '1', porosityPct: 20, massG: 122 }],
      });
      const other = { PK: 'processorder:1', SK: 'part:2', type: 'Part', orderId: '1', partId: '2', GSI_1_PK: 'part:2' };
      const more = await open([...FIXTURE, HEADER, other]);
      const whole = await more.factory.findOrderOfPart('1');
      expect(whole?.header).toMatchObject({ orderId: '1', status: 'STARTED' });
      expect(whole?.parts.map(({ partId }) => partId)).toEqual(['1', '2']);
      expect(await factory.findOrderOfPart('99')).toBeUndefined();
    });

    test('AM-A14: the sums of a material are not among its usages; AM-12 reads them alone', async () => {
      const stats = { materialId: '1', usageCount: 3, densitySum: 12, massSum: 121, volumeSum: 27.2 };
      const { factory, operations } = await open([
        ...FIXTURE,
        { PK: 'materialid:1', SK: 'stats', type: 'MaterialStats', ...stats },
      ]);
      expect((await factory.averageDensity('1')).usages).toBe(2);
      expect(await factory.averageDensityFromStats('1')).toEqual({ usages: 3, arithmetic: 4, weighted: 121 / 27.2 });
      expect(operations).toEqual(['Query', 'GetItem']);
    });

    test('AM-12: no sums, or sums of nothing, have no average', async () => {
      const nothing = { materialId: '3', usageCount: 0, densitySum: 0, massSum: 0, volumeSum: 0 };
      const { factory } = await open([{ PK: 'materialid:3', SK: 'stats', type: 'MaterialStats', ...nothing }]);
      const none = { usages: 0, arithmetic: null, weighted: null };
      expect(await factory.averageDensityFromStats('3')).toEqual(none);
      expect(await factory.averageDensityFromStats('4')).toEqual(none);
    });

    test('AM-A15: AM-10 gives the usages of a window, and reads all of the material', async () => {
      const { factory, answers } = await open();
      const usages = await factory.usagesBetween('1', {
        fromEpochSeconds: 1_575_423_000,
        toEpochSeconds: 1_575_430_000,
      });
      expect(usages).toMatchObject([{ orderId: '1', massG: 45 }]);
      expect(answers()).toMatchObject([{ Count: 1, ScannedCount: 2 }]);
    });

    test('AM-A17: only parts are in GSI_1', async () => {
      const { table } = await open();
      expect((await table.scan('GSI_1')).map(({ GSI_1_PK }) => GSI_1_PK)).toEqual(['part:1']);
    });
  });

  describe('writing', () => {
    test('AM-W1 to AM-W5: an order goes through the factory, one transaction a step', async () => {
      const { factory, table, operations } = await open([]);
      await factory.gatherMaterials(NEW_ORDER);
      await factory.recordMixing('7', MIXTURE);
      await factory.recordPrinting('7', PRINT, ['bit-1', 'bit-2']);
      await factory.recordBaking('7', BAKING);
      await factory.recordQuality('7', QUALITY, [
        { partId: 'bit-1', porosityPct: 2, massG: 64 },
        { partId: 'bit-2', porosityPct: 3, massG: 65 },
      ]);
      expect(operations).toEqual([
        'TransactWriteItems',
        'GetItem',
        'BatchGetItem',
        'TransactWriteItems',
        'TransactWriteItems',
        'TransactWriteItems',
        'TransactWriteItems',
      ]);
      expect(byKey(await table.scan()).map(({ PK, SK }) => `${String(PK)} ${String(SK)}`)).toEqual([
        'materialid:aluminium processorder:7',
        'materialid:copper processorder:7',
        'part:bit-1 part:bit-1',
        'part:bit-2 part:bit-2',
        'processorder:7 part:bit-1',
        'processorder:7 part:bit-2',
        'processorder:7 processstep:bake:4',
        'processorder:7 processstep:materials:1',
        'processorder:7 processstep:mixing:2',
        'processorder:7 processstep:print:3',
        'processorder:7 processstep:qc:5',
        'processorder:7 recipes',
        'processorder:7 root',
      ]);
      expect(await table.get({ PK: 'processorder:7', SK: 'recipes' })).toEqual({
        PK: 'processorder:7',
        SK: 'recipes',
        type: 'RecipeList',
        orderId: '7',
        'processstep:materials': 'recipe:alloy-7',
        'processstep:print': 'recipe:drill-bits',
      });
      expect(await table.get({ PK: 'processorder:7', SK: 'processstep:materials:1' })).toMatchObject({
        materialIds: ['materialid:aluminium', 'materialid:copper'],
      });
      const order = await factory.findOrder('7');
      expect(order?.steps.map(({ step }) => step)).toEqual(['materials', 'mixing', 'print', 'bake', 'qc']);
      expect(order?.steps[4]).toMatchObject({ methods: QUALITY.methods, passed: true });
      expect(order?.parts).toMatchObject([
        { partId: 'bit-1', porosityPct: 2, massG: 64 },
        { partId: 'bit-2', porosityPct: 3, massG: 65 },
      ]);
      expect(await factory.orderIdOfPart('bit-2')).toBe('7');
    });

    test('AM-A11: mixing before there are materials is cancelled for the first reason, and writes nothing', async () => {
      const { factory, table, requests } = await open([]);
      const refusal: unknown = await factory.recordMixing('7', MIXTURE).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(StepMissingError);
      expect((refusal as StepMissingError).cause).toMatchObject({
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
      });
      expect(requests.at(-1)?.errorName).toBe('TransactionCanceledException');
      expect(await table.scan()).toEqual([]);
    });

    test('AM-A12: gathering materials again is cancelled, and changes nothing', async () => {
      const { factory, table } = await open([]);
      await factory.gatherMaterials(NEW_ORDER);
      const before = await table.scan();
      const again = factory.gatherMaterials({
        ...NEW_ORDER,
        materials: [{ materialId: 'tin', massG: 1, volumeCm3: 1, densityGcm3: 1 }],
      });
      await expect(again).rejects.toMatchObject({
        code: 'order-exists',
        cause: { name: 'TransactionCanceledException' },
      });
      expect(byKey(await table.scan())).toEqual(byKey(before));
    });

    test('AM-W1: takes up to 97 materials, each once', async () => {
      const { factory, table, operations } = await open([]);
      const materials = Array.from({ length: 98 }, (_, number) => ({
        materialId: `m${number}`,
        massG: 1,
        volumeCm3: 1,
        densityGcm3: 1,
      }));
      for (const wrong of [materials, [], [...materials.slice(0, 1), ...materials.slice(0, 1)]]) {
        const refused = factory.gatherMaterials({ ...NEW_ORDER, materials: wrong });
        await expect(refused).rejects.toMatchObject({ code: 'invalid-input', field: 'materials' });
      }
      expect(operations).toEqual([]);
      await factory.gatherMaterials({ ...NEW_ORDER, materials: materials.slice(0, 97) });
      expect(operations).toEqual(['TransactWriteItems']);
      expect(await table.scan()).toHaveLength(100);
      expect(await factory.materialsOf('7')).toHaveLength(97);
    });

    test('AM-W1: of many planners that begin one order at once, one does', async () => {
      const { another, table } = await open([]);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, async (_, number) =>
          another().gatherMaterials({ ...NEW_ORDER, recipes: { materials: `recipe-${number}` } }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await table.scan()).toHaveLength(5);
    });

    test('AM-W2: a mixture is what its materials are, within 0.01', async () => {
      const { factory } = await open([]);
      await factory.gatherMaterials(NEW_ORDER);
      for (const wrong of [{ massG: 131 }, { volumeCm3: 26.02 }, { densityGcm3: 5.1 }, { massG: Number.NaN }]) {
        const refused = factory.recordMixing('7', { ...MIXTURE, ...wrong });
        await expect(refused).rejects.toMatchObject({ code: 'measures-differ' });
      }
      expect(await factory.findStep('7', 'mixing')).toBeUndefined();
      await factory.recordMixing('7', { massG: 130.005, volumeCm3: 26, densityGcm3: 5.001 });
      await expect(factory.recordMixing('7', MIXTURE)).rejects.toMatchObject({ code: 'step-done' });
      expect(await factory.findStep('7', 'mixing')).toMatchObject({ massG: 130.005 });
    });

    test('AM-W3, AM-W4, AM-W5: no step before the one before it, and none twice', async () => {
      const { factory } = await open([]);
      await factory.gatherMaterials(NEW_ORDER);
      const quality = [{ partId: 'a', porosityPct: 1, massG: 1 }];
      const missing = { code: 'step-missing' };
      await expect(factory.recordPrinting('7', PRINT, ['a', 'b'])).rejects.toMatchObject(missing);
      await expect(factory.recordBaking('7', BAKING)).rejects.toMatchObject(missing);
      await expect(factory.recordQuality('7', QUALITY, quality)).rejects.toMatchObject(missing);
      expect(await factory.partsOf('7')).toEqual([]);

      await factory.recordMixing('7', MIXTURE);
      await factory.recordPrinting('7', PRINT, ['a', 'b']);
      await factory.recordBaking('7', BAKING);
      await factory.recordQuality('7', QUALITY, quality);
      const done = { code: 'step-done' };
      await expect(factory.recordPrinting('7', PRINT, ['c', 'd'])).rejects.toMatchObject(done);
      await expect(factory.recordBaking('7', BAKING)).rejects.toMatchObject(done);
      await expect(factory.recordQuality('7', QUALITY, [{ ...quality[0]!, porosityPct: 9 }])).rejects.toMatchObject(
        done,
      );
      expect(await factory.partsOf('7')).toMatchObject([{ partId: 'a', porosityPct: 1 }, { partId: 'b' }]);
    });

    test('AM-W3: takes two parts or more, each once in the whole factory', async () => {
      const { factory, table } = await open([]);
      await printed(factory, ['a', 'b']);
      await factory.gatherMaterials({ ...NEW_ORDER, orderId: '8' });
      await factory.recordMixing('8', MIXTURE);
      for (const wrong of [['c'], ['c', 'c']]) {
        await expect(factory.recordPrinting('8', PRINT, wrong)).rejects.toMatchObject({ field: 'partIds' });
      }
      const before = await table.scan();
      await expect(factory.recordPrinting('8', PRINT, ['c', 'b'])).rejects.toMatchObject({ code: 'part-taken' });
      expect(byKey(await table.scan())).toEqual(byKey(before));
      expect(await table.get({ PK: 'part:b', SK: 'part:b' })).toMatchObject({ type: 'PartGuard', partId: 'b' });
    });

    test('AM-W5: a part that the order does not have is named, and nothing is written', async () => {
      const { factory } = await open([]);
      await printed(factory, ['a', 'b']);
      await factory.recordBaking('7', BAKING);
      const parts = ['a', 'x', 'b'].map((partId) => ({ partId, porosityPct: 1, massG: 1 }));
      await expect(factory.recordQuality('7', QUALITY, parts)).rejects.toMatchObject({
        code: 'no-such-part',
        message: expect.stringContaining('part x'),
      });
      expect(await factory.findStep('7', 'qc')).toBeUndefined();
      expect(await factory.partsOf('7')).toEqual([
        { orderId: '7', partId: 'a' },
        { orderId: '7', partId: 'b' },
      ]);
    });

    test.runIf(isLast)('AM-W3, AM-W5: many parts go in several transactions, the step with the last', async () => {
      const { factory, operations } = await open([]);
      const partIds = manyParts(120);
      await printed(factory, partIds);
      expect(operations.filter((operation) => operation === 'TransactWriteItems')).toHaveLength(2 + 3);
      expect(await factory.partsOf('7')).toHaveLength(120);
      await factory.recordBaking('7', BAKING);
      const parts = partIds.map((partId, number) => ({ partId, porosityPct: number / 10, massG: 1 }));
      await factory.recordQuality('7', QUALITY, parts);
      expect(operations.filter((operation) => operation === 'TransactWriteItems')).toHaveLength(2 + 3 + 1 + 2);
      expect((await factory.partsOf('7')).map(({ porosityPct }) => porosityPct)).toEqual(
        parts.map(({ porosityPct }) => porosityPct),
      );
    });

    test.runIf(isLast)(
      'AM-W3: broken off, the order is not ready for the oven; recorded again, it is whole',
      async () => {
        const { factory, table } = await open([]);
        await factory.gatherMaterials(NEW_ORDER);
        await factory.recordMixing('7', MIXTURE);
        const client = workbench().newBreakingClient({ operation: 'TransactWriteItems', requestsMax: 1 });
        const clock = new ManualClock('2019-12-04T01:30:00Z');
        const breaking = new Factory({ client, tableName: table.name, clock });
        const partIds = manyParts(120);
        await expect(breaking.recordPrinting('7', PRINT, partIds)).rejects.toMatchObject({
          name: 'ConnectionLostError',
        });
        expect(await factory.partsOf('7')).toHaveLength(49);
        await expect(factory.recordBaking('7', BAKING)).rejects.toMatchObject({ code: 'step-missing' });

        await factory.recordPrinting('7', PRINT, partIds);
        expect((await factory.partsOf('7')).map(({ partId }) => partId)).toEqual(partIds);
        await factory.recordBaking('7', BAKING);
      },
    );
  });
});
