import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { space, spaceStart, storeKey } from '../layout/spaces.ts';
import { type TestServices, testServices } from '../testing/test-services.ts';
import { runJob } from './background-task.ts';
import { asHolder, asHolderOnce } from './held-work.ts';
import { LeaseLostError } from './lease.ts';

const target = storeKey(1001);

/** Servers over one store, and which of them the others take for running. */
class Servers {
  readonly store: Store = openMemoryStore();
  readonly stopped = new Set<string>();
  readonly a: TestServices = this.#server('a');
  readonly b: TestServices = this.#server('b');

  #server(processId: string): TestServices {
    return testServices({ store: this.store, processId, servers: { isRunning: (id) => !this.stopped.has(id) } });
  }

  async written(): Promise<string | undefined> {
    return this.store.read([target], ([value]) => value && Buffer.from(value).toString());
  }

  async leaseCount(): Promise<number> {
    let count = 0;
    const bounds = { from: spaceStart(space.workLeases), to: spaceStart(space.workLeases + 1) };
    await this.store.range(bounds, () => (count += 1) > 0);
    return count;
  }
}

async function write({ store }: Pick<TestServices, 'store'>, text: string): Promise<void> {
  await store.write([], () => ({ answer: undefined, writes: [{ key: target, value: Buffer.from(text) }] }));
}

/** A promise, and what settles it. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

describe('work of one server at a time', () => {
  test('is done by the first that comes, run after run, until that one has stopped', async () => {
    const { a, b, stopped } = new Servers();
    const doneBy: string[] = [];
    const run = async (services: TestServices): Promise<boolean> =>
      asHolder(services, 'work', async ({ processId }) => void doneBy.push(processId));
    expect([await run(b), await run(a), await run(b)]).toEqual([true, false, true]);
    stopped.add('b');
    expect([await run(a), await run(b)]).toEqual([true, false]);
    stopped.delete('b');
    expect([await run(b), await run(a)]).toEqual([false, true]);
    expect(doneBy).toEqual(['b', 'b', 'a', 'a']);
  });

  test('is one of several: another piece has another holder', async () => {
    const { a, b } = new Servers();
    const work = async (): Promise<void> => Promise.resolve();
    expect(await Promise.all([asHolder(a, 'one', work), asHolder(b, 'other', work)])).toEqual([true, true]);
  });

  test('that has an end leaves no lease behind, whether it succeeds or fails', async () => {
    const servers = new Servers();
    const { a, b } = servers;
    await asHolderOnce(a, 'work', async (held) => write(held, 'done'));
    expect(await servers.written()).toBe('done');
    const failing = asHolderOnce(a, 'work', async () => Promise.reject(new TypeError('a defect')));
    await expect(failing).rejects.toThrow('a defect');
    expect(await servers.leaseCount()).toBe(0);
    expect(await asHolderOnce(b, 'work', async (held) => write(held, 'again'))).toBe(true);
  });

  test('writes nothing more once another server has taken it over, and removes no lease of that one', async () => {
    const servers = new Servers();
    const { a, b, stopped } = servers;
    const [paused, taken, end] = [gate(), gate(), gate()];
    const late = asHolderOnce(a, 'work', async (held) => {
      await write(held, 'of a');
      paused.open();
      await taken.passed;
      await write(held, 'late');
    });
    const refused = expect(late).rejects.toThrow(LeaseLostError);
    await paused.passed;
    stopped.add('a');
    const successor = asHolderOnce(b, 'work', async (held) => {
      await write(held, 'of b');
      taken.open();
      await end.passed;
      await write(held, 'end of b');
    });
    await refused;
    expect(await servers.written()).toBe('of b');
    expect(await servers.leaseCount()).toBe(1);
    end.open();
    expect(await successor).toBe(true);
    expect(await servers.written()).toBe('end of b');
    expect(await servers.leaseCount()).toBe(0);
  });

  test('whose lease is gone with the work writes nothing more either', async () => {
    const servers = new Servers();
    const { a, b, stopped } = servers;
    await expect(
      asHolder(a, 'work', async (held) => {
        stopped.add('a');
        await asHolderOnce(b, 'work', async (other) => write(other, 'done'));
        await write(held, 'late');
      }),
    ).rejects.toThrow(LeaseLostError);
    expect(await servers.written()).toBe('done');
  });

  test('is done by each process where no servers share the store', async () => {
    const store = openMemoryStore();
    const [a, b] = ['a', 'b'].map((processId) => testServices({ store, processId })) as [TestServices, TestServices];
    expect(await asHolder(a, 'work', async (held) => expect(held).toBe(a))).toBe(true);
    expect(await asHolder(b, 'work', async (held) => expect(held).toBe(b))).toBe(true);
  });
});

describe('a job', () => {
  test('is run by one server, and by all of them if it has a lease of its own', async () => {
    const { a, b } = new Servers();
    const end = gate();
    const ran: string[] = [];
    const run = async ({ processId }: { readonly processId: string }): Promise<void> => {
      ran.push(processId);
      await end.passed;
    };
    const running = [runJob(a, { key: 'job', run }), runJob(a, { key: 'every', isEveryServers: true, run })];
    await expect.poll(() => ran).toEqual(['a', 'a']);
    running.push(runJob(b, { key: 'job', run }), runJob(b, { key: 'every', isEveryServers: true, run }));
    await expect.poll(() => ran).toEqual(['a', 'a', 'b']);
    end.open();
    await Promise.all(running);
    expect(ran).toHaveLength(3);
  });

  test('that loses its lease ends here, with a warning, and the other continues', async () => {
    const servers = new Servers();
    const { a, b, stopped } = servers;
    const [begun, taken, end] = [gate(), gate(), gate()];
    const late = runJob(a, {
      key: 'job',
      run: async (held) => {
        begun.open();
        await taken.passed;
        await write(held, 'late');
      },
    });
    await begun.passed;
    stopped.add('a');
    const successor = runJob(b, {
      key: 'job',
      run: async (held) => {
        await write(held, 'of b');
        taken.open();
        await end.passed;
      },
    });
    await expect.poll(() => a.logged.map(({ event }) => event)).toEqual(['background-work-retried']);
    await expect.poll(() => a.clock.waitingCount).toBe(1);
    a.clock.advance(1_000);
    await late;
    expect(await servers.written()).toBe('of b');
    end.open();
    await successor;
  });
});
