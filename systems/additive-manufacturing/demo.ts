import assert from 'node:assert/strict';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { ManualClock } from '../clock.ts';
import type { Demo, Stage } from '../demo/demo.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { deleteTable } from '../table-lifecycle.ts';
import { tableOf } from '../testing/model-tables.ts';
import { StepMissingError } from './errors.ts';
import { Factory } from './factory.ts';
import { statsConsumer, statsKeeper } from './material-stats.ts';
import { additiveManufacturing } from './model.ts';

const STARTS_AT = '2026-11-02T06:00:00Z';
const HOUR_MS = 3_600_000;
const SEED = 5;
const MATERIALS = ['aluminium', 'copper', 'nickel', 'titanium'] as const;
const PARTS = [2, 8, 20, 60] as const;

/** Orders on their way through a factory, while a consumer of the stream adds up the materials they use. */
export function additiveManufacturingDemo(options: { readonly orders: number }): Demo {
  return {
    title: 'Additive manufacturing: orders on their way through the factory',
    table: tableOf(additiveManufacturing),
    patterns: [
      { id: 'AM-1', title: 'Steps of an order' },
      { id: 'AM-2', title: 'Average density of a material' },
      { id: 'AM-3', title: 'Order that a part belongs to' },
      { id: 'AM-4', title: 'Whole order' },
      { id: 'AM-5', title: 'Parts of an order' },
      { id: 'AM-6', title: 'Orders that used a material' },
      { id: 'AM-7', title: 'Materials of an order' },
      { id: 'AM-8', title: 'Recipes of an order' },
      { id: 'AM-9', title: 'One step' },
      { id: 'AM-10', title: 'Usages in a window of time' },
      { id: 'AM-11', title: 'Order of a part, in full' },
      { id: 'AM-12', title: 'Average density from the sums' },
      { id: 'AM-W1', title: 'Gather materials' },
      { id: 'AM-W2', title: 'Record mixing' },
      { id: 'AM-W3', title: 'Record printing' },
      { id: 'AM-W4', title: 'Record baking' },
      { id: 'AM-W5', title: 'Record quality control' },
      { id: 'AM-W6', title: 'Keep the sums (stream)' },
      { id: 'AM-W7', title: 'Export for analysts (a command, not a request)' },
    ],
    play: async (stage) => {
      await play(stage, options.orders);
    },
  };
}

async function play(stage: Stage, orders: number): Promise<void> {
  const { client, clientConfig, ledger, signal, tableName, terminal } = stage;
  const clock = new ManualClock(STARTS_AT);
  const factory = new Factory({ client, tableName, clock });
  const random = new SeededRandom(SEED);
  const count = statsKeeper({ client, tableName, clock });
  // The worker's own requests, for the stream and for its checkpoints, belong to no pattern.
  const [plain, streams] = [new DynamoDBClient(clientConfig), new DynamoDBStreamsClient(clientConfig)];
  const checkpointTable = `${tableName}-checkpoints`;
  const counted = new Counted();
  const consumer = statsConsumer({
    client: plain,
    streams,
    tableName,
    checkpointTable,
    pollIntervalMs: 5,
    count: async (change) => {
      const isUsage = change.newImage?.entity === 'MaterialUsage';
      const made = isUsage ? await ledger.during('AM-W6', async () => await count(change)) : await count(change);
      counted.add(Number(made));
      return made;
    },
  });
  try {
    await consumer.start();
    terminal.line(`${orders} orders begin an hour apart; each is gathered, mixed, printed, baked and looked at.`);
    const progress = terminal.progress(orders);
    let usages = 0;
    let parts = 0;
    for (let number = 0; number < orders; number += 1) {
      signal.throwIfAborted();
      clock.setToMs(Date.parse(STARTS_AT) + number * HOUR_MS);
      const made = await makeOrder({ factory, random, ledger }, `order-${String(number + 1).padStart(4, '0')}`);
      usages += made.materials;
      parts += made.parts;
      progress.step(new Date(clock.nowMs()).toISOString().slice(0, 16).replace('T', ' '));
    }
    progress.finish();
    await counted.until(usages);
    terminal.line();
    terminal.line(`${parts} parts were made of ${usages} portions of ${MATERIALS.length} materials.`);
    await askAboutMaterials({ factory, ledger }, terminal);
    await refuseWhatIsTooEarly(factory, terminal);
  } finally {
    await consumer.stop();
    await deleteTable(plain, checkpointTable);
    plain.destroy();
    streams.destroy();
  }
}

interface Setting extends Pick<Stage, 'ledger'> {
  readonly factory: Factory;
}

/** One order from its materials to quality control, with the reads that people make on the way. */
async function makeOrder(
  { factory, random, ledger }: Setting & { readonly random: SeededRandom },
  orderId: string,
): Promise<{ readonly materials: number; readonly parts: number }> {
  const first = random.integer(0, MATERIALS.length - 1);
  const materials = Array.from({ length: random.integer(2, 3) }, (_, position) => {
    const volumeCm3 = random.integer(5, 40);
    const massG = volumeCm3 * random.integer(4, 6);
    const materialId = MATERIALS[(first + position) % MATERIALS.length] ?? 'aluminium';
    return { materialId, massG, volumeCm3, densityGcm3: massG / volumeCm3 };
  });
  const massG = materials.reduce((sum, each) => sum + each.massG, 0);
  const volumeCm3 = materials.reduce((sum, each) => sum + each.volumeCm3, 0);
  const partIds = Array.from(
    { length: random.pick(PARTS) },
    (_, part) => `${orderId}-${String(part).padStart(3, '0')}`,
  );
  const during = async <Result>(id: string, act: () => Promise<Result>): Promise<Result> =>
    await ledger.during(id, act);

  const recipes = { materials: 'alloy-1', print: 'drill-bits' };
  await during('AM-W1', async () => await factory.gatherMaterials({ orderId, recipes, materials }));
  await during('AM-7', async () => await factory.materialsOf(orderId));
  const mixture = { massG, volumeCm3, densityGcm3: massG / volumeCm3 };
  await during('AM-W2', async () => await factory.recordMixing(orderId, mixture));
  await during('AM-8', async () => await factory.findRecipes(orderId));
  const print = { bedTemp: 120, materialTemp: 400, adhesionSurface: 'tape' };
  await during('AM-W3', async () => await factory.recordPrinting(orderId, print, partIds));
  await during('AM-9', async () => await factory.findStep(orderId, 'print'));
  await during('AM-W4', async () => await factory.recordBaking(orderId, { ovenTemp: 1300, durationMin: 90 }));
  await during('AM-5', async () => await factory.partsOf(orderId));
  const found = partIds.map((partId) => ({ partId, porosityPct: random.integer(5, 250) / 10, massG: 1 }));
  const quality = { methods: new Set(['microscopy'] as const), passed: true };
  await during('AM-W5', async () => await factory.recordQuality(orderId, quality, found));
  const steps = await during('AM-1', async () => await factory.stepsOf(orderId));
  assert.deepEqual(
    steps.map(({ stepNo }) => stepNo),
    [1, 2, 3, 4, 5],
  );
  const order = await during('AM-4', async () => await factory.findOrder(orderId, { headerFirst: true }));
  assert.equal(order?.parts.length, partIds.length, 'An order has the parts that were printed');
  await during('AM-3', async () => await factory.orderIdOfPart(partIds[0] ?? ''));
  await during('AM-11', async () => await factory.findOrderOfPart(partIds[1] ?? ''));
  return { materials: materials.length, parts: partIds.length };
}

async function askAboutMaterials({ factory, ledger }: Setting, terminal: Stage['terminal']): Promise<void> {
  for (const materialId of MATERIALS) {
    const average = await ledger.during('AM-2', async () => await factory.averageDensity(materialId));
    const kept = await ledger.during('AM-12', async () => await factory.averageDensityFromStats(materialId));
    assert.equal(kept.usages, average.usages, 'The sums have every usage, once');
    const orders = await ledger.during('AM-6', async () => await factory.ordersUsing(materialId));
    assert.equal(orders.length, average.usages, 'An order uses a material once');
    const fromEpochSeconds = Date.parse(STARTS_AT) / 1000;
    const window = { fromEpochSeconds, toEpochSeconds: fromEpochSeconds + 24 * 3600 };
    const early = await ledger.during('AM-10', async () => await factory.usagesBetween(materialId, window));
    const density = average.weighted === null ? 'never used' : `${average.weighted.toFixed(3)} g/cm³ on average`;
    terminal.line(`${materialId}: ${average.usages} usages, ${early.length} on the first day; ${density}.`);
  }
}

async function refuseWhatIsTooEarly(factory: Factory, terminal: Stage['terminal']): Promise<void> {
  const early = factory.recordBaking('order-9999', { ovenTemp: 1300, durationMin: 90 });
  await assert.rejects(early, StepMissingError);
  terminal.line('An order that was never printed does not get into the oven.');
}

/** How many changes have been counted, for code that waits for them. */
class Counted {
  #count = 0;
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined;

  add(count: number): void {
    this.#count += count;
    if (this.#waiting && this.#count >= this.#waiting.count) {
      this.#waiting.resolve();
    }
  }

  async until(count: number): Promise<void> {
    if (this.#count < count) {
      await new Promise<void>((resolve) => (this.#waiting = { count, resolve }));
    }
  }
}
