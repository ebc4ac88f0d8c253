import type { ItemOf } from '@singlet/model';
import { load, type LoadOptions } from '@singlet/model/samples';
import { isoSeconds } from '../clock.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { additiveManufacturing, materialReferenceTo, recipeReferenceTo, stepNumber, STEPS } from './model.ts';

/** With a scale of 1. */
const ORDERS = 1000;
const MATERIALS = ['aluminium', 'copper', 'nickel', 'steel', 'tin', 'titanium', 'tungsten', 'zinc'] as const;
const DENSITIES_GCM3 = [2.7, 8.96, 8.9, 7.85, 7.3, 4.5, 19.3, 7.1] as const;
const MATERIALS_PER_ORDER_MAX = 4;
const PARTS_MAX = 40;
const BEGINS_AT = Date.parse('2025-01-06T06:00:00Z') / 1000;
const ORDER_EVERY_SECONDS = 3600;

type Entities = typeof additiveManufacturing.entities;
type Item<Name extends keyof Entities> = ItemOf<Entities[Name]>;

/** The items of one order, in whatever step it is. */
interface SampleOrder {
  readonly header: Item<'ProcessOrder'>;
  readonly steps: readonly Item<'ProcessStep'>[];
  readonly parts: readonly Item<'Part'>[];
  readonly recipes: Item<'RecipeList'>;
  readonly usages: readonly Item<'MaterialUsage'>[];
}

/**
 * Fills a table with a year of a factory: orders an hour apart, the last of them still in progress, each of two to four
 * materials and some twenty parts, with the sums of each material. The same every time.
 *
 * @param options.scale - 1 is 1,000 orders: some 32,000 items and 21,000 guards of part ids.
 * @returns how many items of each entity were written.
 */
export async function seedFactory({
  client,
  tableName,
  scale,
  onItems,
}: Pick<LoadOptions, 'client' | 'onItems'> & { readonly tableName: string; readonly scale: number }): Promise<
  Readonly<Record<string, number>>
> {
  const orders = sampleOrders(scale);
  const tables = { 'additive-manufacturing': tableName };
  const options = { client, tables, ...(onItems !== undefined && { onItems }) };
  const usages = orders.flatMap((order) => order.usages);
  return {
    ProcessOrder: await load(
      additiveManufacturing,
      'ProcessOrder',
      orders.map(({ header }) => header),
      options,
    ),
    ProcessStep: await load(
      additiveManufacturing,
      'ProcessStep',
      orders.flatMap(({ steps }) => steps),
      options,
    ),
    Part: await load(
      additiveManufacturing,
      'Part',
      orders.flatMap(({ parts }) => parts),
      options,
    ),
    RecipeList: await load(
      additiveManufacturing,
      'RecipeList',
      orders.map(({ recipes }) => recipes),
      options,
    ),
    MaterialUsage: await load(additiveManufacturing, 'MaterialUsage', usages, options),
    MaterialStats: await load(additiveManufacturing, 'MaterialStats', statsOf(usages), options),
  };
}

/** One order after the other. */
export function sampleOrders(scale: number): readonly SampleOrder[] {
  const count = Math.ceil(ORDERS * scale);
  return Array.from({ length: count }, (_, number) => sampleOrder(number, count));
}

function sampleOrder(number: number, count: number): SampleOrder {
  const random = new SeededRandom(number);
  const orderId = `order-${String(number).padStart(6, '0')}`;
  const startedAt = BEGINS_AT + number * ORDER_EVERY_SECONDS;
  const usages = sampleUsages(orderId, startedAt, random);
  const massG = rounded(usages.reduce((sum, usage) => sum + usage.massG, 0));
  const volumeCm3 = rounded(usages.reduce((sum, usage) => sum + usage.volumeCm3, 0));
  // The last orders are in progress: one in each step.
  const stepsDone = Math.min(STEPS.length, count - number);
  const details: readonly Partial<Item<'ProcessStep'>>[] = [
    { materialIds: usages.map(({ materialId }) => materialReferenceTo(materialId)) },
    { massG, volumeCm3, densityGcm3: massG / volumeCm3 },
    { bedTemp: random.integer(90, 130), materialTemp: random.integer(350, 450), adhesionSurface: 'tape' },
    { ovenTemp: random.integer(1100, 1400), durationMin: random.integer(60, 240) },
    { methods: new Set(['microscopy', 'measurement'] as const), passed: random.chance(0.95) },
  ];
  const partCount = random.integer(2, PARTS_MAX);
  const parts = Array.from({ length: stepsDone < stepNumber('print') ? 0 : partCount }, (_, part) => ({
    orderId,
    partId: `${orderId}-${String(part).padStart(3, '0')}`,
    ...(stepsDone === STEPS.length && {
      porosityPct: random.integer(5, 250) / 10,
      massG: rounded((massG / partCount) * (0.95 + random.fraction() / 10)),
    }),
  }));
  return {
    header: { orderId, status: 'STARTED', createdAt: isoSeconds(startedAt) },
    steps: STEPS.slice(0, stepsDone).map((step, position) => ({
      orderId,
      step,
      stepNo: stepNumber(step),
      ...details[position],
    })),
    parts,
    recipes: {
      orderId,
      materials: recipeReferenceTo(`alloy-${random.integer(1, 20)}`),
      print: recipeReferenceTo(`part-${random.integer(1, 200)}`),
    },
    usages,
  };
}

function sampleUsages(orderId: string, timestamp: number, random: SeededRandom): readonly Item<'MaterialUsage'>[] {
  const first = random.integer(0, MATERIALS.length - 1);
  return Array.from({ length: random.integer(2, MATERIALS_PER_ORDER_MAX) }, (_, position) => {
    const material = (first + position) % MATERIALS.length;
    const volumeCm3 = random.integer(20, 400) / 10;
    const densityGcm3 = rounded((DENSITIES_GCM3[material] ?? 1) * (0.98 + random.fraction() / 25));
    const massG = rounded(volumeCm3 * densityGcm3);
    return { materialId: MATERIALS[material] ?? 'none', orderId, massG, volumeCm3, densityGcm3, timestamp };
  });
}

function statsOf(usages: readonly Item<'MaterialUsage'>[]): readonly Item<'MaterialStats'>[] {
  return [...new Set(usages.map(({ materialId }) => materialId))].map((materialId) => {
    const own = usages.filter((usage) => usage.materialId === materialId);
    const sum = (value: (usage: Item<'MaterialUsage'>) => number): number =>
      rounded(own.reduce((total, usage) => total + value(usage), 0));
    return {
      materialId,
      usageCount: own.length,
      densitySum: sum(({ densityGcm3 }) => densityGcm3),
      massSum: sum(({ massG }) => massG),
      volumeSum: sum(({ volumeCm3 }) => volumeCm3),
    };
  });
}

/** To a thousandth, the precision of the instruments. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
