import { connect, tableDefinitions } from '@singlet/model';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { Factory } from './factory.ts';
import { additiveManufacturing } from './model.ts';
import { sampleOrders, seedFactory } from './seed.ts';

const TABLE_NAME = 'additive-manufacturing';
const MEASURES = { massG: 10, volumeCm3: 4, densityGcm3: 2.5 };
const MATERIALS = [
  { materialId: 'copper', ...MEASURES },
  { materialId: 'tin', ...MEASURES },
];
const MIXTURE = { massG: 20, volumeCm3: 8, densityGcm3: 2.5 };
const PRINT = { bedTemp: 100, materialTemp: 400, adhesionSurface: 'tape' };
const BAKE = { ovenTemp: 1200, durationMin: 90 };
const QUALITY = { methods: new Set(['microscopy'] as const), passed: true };

/** A call of each access pattern of the factory. */
export const additiveManufacturingCalls: MeasuredSystem = {
  model: additiveManufacturing,
  scales: { usual: 1, full: 10 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(additiveManufacturing)[0], TableName: TABLE_NAME });
    await seedFactory({ client, tableName: TABLE_NAME, scale, onItems });
  },
  open: ({ client, scale, random }) => {
    const clock = { nowMs: () => Date.now() };
    const factory = new Factory({ client, clock });
    const db = connect(additiveManufacturing, { client });
    const orders = sampleOrders(scale).filter(({ parts }) => parts.length > 0);
    const order = () => anyOf(random, orders);
    const orderId = (): string => order().header.orderId;
    const partId = (): string => anyOf(random, order().parts).partId;
    const materialId = (): string => anyOf(random, order().usages).materialId;
    const newName = newNames('new-');
    const partsOf = (id: string): string[] => [1, 2, 3].map((number) => `${id}-${number}`);
    const gathered = async (): Promise<string> => {
      const id = newName();
      await factory.gatherMaterials({ orderId: id, recipes: { print: 'part-1' }, materials: MATERIALS });
      return id;
    };
    const mixed = async (): Promise<string> => {
      const id = await gathered();
      await factory.recordMixing(id, MIXTURE);
      return id;
    };
    const printed = async (): Promise<string> => {
      const id = await mixed();
      await factory.recordPrinting(id, PRINT, partsOf(id));
      return id;
    };
    const baked = async (): Promise<string> => {
      const id = await printed();
      await factory.recordBaking(id, BAKE);
      return id;
    };
    return {
      'AM-1': given(orderId, (id) => factory.stepsOf(id)),
      'AM-3': given(partId, (id) => factory.orderIdOfPart(id)),
      'AM-4': given(orderId, (id) => factory.findOrder(id)),
      'AM-4 header': given(orderId, (id) => factory.findOrder(id, { headerFirst: true })),
      'AM-5': given(orderId, (id) => factory.partsOf(id)),
      'AM-7': given(orderId, (id) => factory.materialsOf(id)),
      'AM-8': given(orderId, (id) => factory.findRecipes(id)),
      'AM-9': given(orderId, (id) => factory.findStep(id, 'mixing')),
      'AM-11': given(partId, (id) => factory.findOrderOfPart(id)),
      'AM-12': given(materialId, (id) => factory.averageDensityFromStats(id)),
      'AM-W1': given(newName, (id) =>
        factory.gatherMaterials({ orderId: id, recipes: { print: 'part-1' }, materials: MATERIALS }),
      ),
      'AM-W2': given(gathered, (id) => factory.recordMixing(id, MIXTURE)),
      'AM-W3': given(mixed, (id) => factory.recordPrinting(id, PRINT, partsOf(id))),
      'AM-W4': given(printed, (id) => factory.recordBaking(id, BAKE)),
      'AM-W5': given(baked, (id) => {
        const parts = partsOf(id).map((part) => ({ partId: part, porosityPct: 1.5, massG: 6.5 }));
        return factory.recordQuality(id, QUALITY, parts);
      }),
      'AM-W6': given(newName, (eventId) =>
        db.countUsage({
          event: { eventId, expiresAt: Math.floor(clock.nowMs() / 1000) + 3600 },
          stats: { materialId: materialId(), usages: 1, density: 2.5, mass: 10, volume: 4 },
        }),
      ),
    };
  },
  unmeasured: {
    'AM-2': 'reads all usages of a material, as many as there are orders; AM-12 has the sums',
    'AM-6': 'reads all usages of a material, as many as there are orders',
    'AM-10': 'reads all usages of a material, as many as there are orders',
    'AM-W7': 'an export of the table, by the service',
  },
};
