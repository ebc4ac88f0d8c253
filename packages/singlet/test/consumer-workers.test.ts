import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Consumer } from '../src/consumer/index.ts';
import { ConsumerWorld, Received, sourceText, type WorkerMachine } from './consumer-world.ts';

/** Several workers on one table of checkpoints. */

let world: ConsumerWorld;

beforeEach(async () => {
  world = await ConsumerWorld.open({ streamShardCountInitial: 6 });
});

afterEach(() => world.close());

const customers = Array.from({ length: 30 }, (_, at) => `c${at}`);

async function putOrders(order: number): Promise<readonly string[]> {
  for (const customer of customers) await world.put(customer, order);
  return customers.map((customer) => `INSERT ${customer} ${order}`);
}

/** How many shards each worker has. */
async function shares(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { workerId, checkpoint } of (await world.leases()).values()) {
    if (typeof workerId === 'string' && checkpoint !== 'SHARD_END') counts[workerId] = (counts[workerId] ?? 0) + 1;
  }
  return counts;
}

async function startWorker(
  workerId: string,
  received: Received,
): Promise<{ consumer: Consumer; machine: WorkerMachine }> {
  const machine = world.machine();
  const consumer = world.consumer({ handler: received.handler, workerId }, machine);
  await world.start(consumer);
  return { consumer, machine };
}

describe('DB-251 several workers', () => {
  test('share the shards evenly as they come and go, and every record is handed out', async () => {
    const received = new Received();
    const one = await startWorker('one', received);
    expect(await shares()).toEqual({ one: 6 });
    const expected = [...(await putOrders(0))];
    const two = await startWorker('two', received);
    await world.time.until(async () => (await shares())['two'] === 3);
    expected.push(...(await putOrders(1)));
    await startWorker('three', received);
    await world.time.until(async () => (await shares())['three'] === 2);
    expect(await shares()).toEqual({ one: 2, two: 2, three: 2 });
    expected.push(...(await putOrders(2)));
    await world.time.advance(60_000);
    // Settled: leases do not move between workers.
    const epochs = [...(await world.leases()).values()].map((lease) => lease['leaseEpoch']);
    await world.time.advance(120_000);
    expect([...(await world.leases()).values()].map((lease) => lease['leaseEpoch'])).toEqual(epochs);
    await world.stop(two.consumer);
    await world.time.until(async () => Object.keys(await shares()).length === 2 && (await shares())['one'] === 3);
    await world.stop(one.consumer);
    expected.push(...(await putOrders(3)));
    await world.time.until(() => new Set(received.texts).size === expected.length);
    expect(await shares()).toEqual({ three: 6 });
    expect(new Set(received.texts)).toEqual(new Set(expected));
  });

  test('a worker that is killed is followed by the others once its leases have run out', async () => {
    const received = new Received();
    const lost = new Received();
    const { machine } = await startWorker('doomed', lost);
    await startWorker('heir', received);
    await world.time.until(async () => (await shares())['heir'] === 3);
    const expected = await putOrders(0);
    await world.time.until(() => new Set([...received.texts, ...lost.texts]).size === expected.length);
    machine.kill();
    const killedAtMs = world.time.nowMs();
    const after = await putOrders(1);
    await world.time.until(async () => (await shares())['heir'] === 6);
    const takenAfterMs = world.time.nowMs() - killedAtMs;
    expect(takenAfterMs).toBeGreaterThan(8000);
    expect(takenAfterMs).toBeLessThan(25_000);
    await world.time.until(() => after.every((text) => received.texts.includes(text)));
  });

  test('a worker that was away for longer than its lease hands nothing more out, and spoils nothing', async () => {
    const received = new Received();
    const slow = new Received();
    const machine = world.machine();
    let release = (): void => undefined;
    const busy = new Promise<void>((resolve) => (release = resolve));
    let isFrozen = false;
    const { environment } = machine;
    // The process is suspended in the middle of a batch: none of its code runs, and time passes.
    Object.assign(machine, {
      environment: {
        ...environment,
        pause: async (delayMs: number, signal?: AbortSignal) => {
          await environment.pause(delayMs, signal);
          if (isFrozen) await busy;
        },
      },
    });
    for (let order = 0; order < 10; order += 1) await putOrders(order);
    const consumer = world.consumer(
      {
        workerId: 'slow',
        batchSize: 5,
        handler: async (records) => {
          slow.handler(records);
          isFrozen = true;
          await busy;
        },
      },
      machine,
    );
    const started = consumer.start();
    await world.time.until(() => slow.batches.length === 6);
    await startWorker('quick', received);
    await world.time.until(() => new Set(received.texts).size === 300);
    isFrozen = false;
    release();
    await world.time.during(started);
    // It acquires its share again, and finds everything done. Its late writes have not moved a checkpoint.
    await world.time.until(async () => (await shares())['slow'] === 3);
    await world.time.advance(60_000);
    expect(slow.batches).toHaveLength(6);
    expect(received.texts).toHaveLength(300);
  });

  test('requests that fail, and answers that are lost, delay and do not lose', async () => {
    const received = new Received();
    let isBad = false;
    const weather = (): 'fine' | 'lost request' | 'lost answer' => {
      if (!isBad || world.random() < 0.6) return 'fine';
      return world.random() < 0.5 ? 'lost request' : 'lost answer';
    };
    for (const workerId of ['one', 'two']) {
      await world.start(world.consumer({ handler: received.handler, workerId }, world.machine(weather)));
    }
    isBad = true;
    const expected: string[] = [];
    for (let order = 0; order < 10; order += 1) {
      expected.push(...(await putOrders(order)));
      await world.time.advance(20_000);
    }
    await world.time.until(() => new Set(received.texts).size === expected.length);
    isBad = false;
    expect(new Set(received.texts)).toEqual(new Set(expected));
    expect(world.events.map(({ event }) => event)).toContain('reading-failed');
  });
});

interface Step {
  readonly kind: 'write' | 'turn' | 'start' | 'kill' | 'stop' | 'wait';
  readonly value: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('write', 'write', 'turn', 'wait', 'start', 'kill', 'stop'),
    value: fc.nat({ max: 99 }),
  }),
  { minLength: 5, maxLength: 25 },
);

describe('DB-250 DB-251 DB-254 whatever happens to the workers', () => {
  test('every change is handed out at least once, those of a key first in the order they were made', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat({ max: 1 }), fc.integer({ min: 1, max: 4 }), async (plan, bisect, lanes) => {
        await world.close();
        world = await ConsumerWorld.open({ streamShardMinutes: 1, streamShardSplitInterval: 2 });
        await checkDelivery(plan, { bisect: bisect === 1, lanes });
      }),
      { numRuns: 8 },
    );
  });
});

async function checkDelivery(
  plan: readonly Step[],
  { bisect, lanes }: { readonly bisect: boolean; readonly lanes: number },
): Promise<void> {
  const made = new Map<string, string[]>();
  const firsts = new Map<string, string[]>();
  const seen = new Set<string>();
  let isCalm = false;
  let workerCount = 0;
  let orderCount = 0;
  const running: { readonly consumer: Consumer; readonly machine: WorkerMachine }[] = [];

  const startOne = async (): Promise<void> => {
    let isStarted = false;
    const machine = world.machine(() => {
      const luck = isStarted && !isCalm ? world.random() : 1;
      return luck < 0.03 ? 'lost request' : luck < 0.06 ? 'lost answer' : 'fine';
    });
    const consumer = world.consumer(
      {
        workerId: `w${(workerCount += 1)}`,
        batchSize: 3,
        parallelizationFactor: lanes,
        bisectBatchOnFunctionError: bisect,
        shardSyncMs: 20_000,
        handler: async (records) => {
          for (const record of records) {
            if (machine.isDead) return new Promise<never>(() => undefined);
            if (!isCalm && world.random() < 0.1) throw new Error('bad luck');
            const text = sourceText(record);
            if (seen.has(text)) continue;
            seen.add(text);
            const customer = text.split(' ')[1] ?? '';
            firsts.set(customer, [...(firsts.get(customer) ?? []), text]);
            if (world.random() < 0.2) await world.time.pause(Math.floor(world.random() * 3000));
          }
        },
      },
      machine,
    );
    await world.start(consumer);
    isStarted = true;
    running.push({ consumer, machine });
  };

  const write = async (count: number): Promise<void> => {
    for (let time = 0; time < count; time += 1) {
      const customer = `c${Math.floor(world.random() * 8)}`;
      const order = (orderCount += 1);
      await world.put(customer, order);
      made.set(customer, [...(made.get(customer) ?? []), `INSERT ${customer} ${order}`]);
    }
  };

  await startOne();
  for (const { kind, value } of plan) {
    const [worker] = running.splice(value % Math.max(running.length, 1), kind === 'kill' || kind === 'stop' ? 1 : 0);
    if (kind === 'write') await write(1 + (value % 20));
    if (kind === 'turn') {
      // All workers oversleep, and meanwhile the shards are replaced.
      await write(10);
      world.time.jump(61_000);
      await world.turnShards();
      await write(10);
    }
    if (kind === 'wait') await world.time.advance(value * 500);
    if (kind === 'start' && running.length < 3) await startOne();
    if (kind === 'kill') worker?.machine.kill();
    if (kind === 'stop' && worker !== undefined) await world.stop(worker.consumer);
  }
  isCalm = true;
  await startOne();
  await world.time.until(() => seen.size === orderCount);
  expect(firsts).toEqual(made);
}
