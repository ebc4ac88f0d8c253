import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import { spaceStart, storeKey } from '../layout/spaces.ts';
import { type TestServices, testServices } from '../testing/test-services.ts';
import {
  acquired,
  checkLease,
  holds,
  type LeaseGrant,
  LeaseLostError,
  type LeaseState,
  StoredLeases,
} from './lease.ts';

const durationMs = 1000;
const leases = new StoredLeases('A lease of the test', durationMs);
const key = storeKey(1000);
const target = storeKey(1001);
const entry = { key: target, value: Buffer.from('written') };

/** Two processes on one store, each with its own clock. */
function twoProcesses(): { readonly a: TestServices; readonly b: TestServices } {
  const store = openMemoryStore();
  return { a: testServices({ store, processId: 'a' }), b: testServices({ store, processId: 'b' }) };
}

const acquire = (services: TestServices): Promise<LeaseGrant | undefined> =>
  leases.acquire(services, key, services.processId);

async function acquireNow(services: TestServices): Promise<LeaseGrant> {
  const grant = await acquire(services);
  expect(grant).toBeDefined();
  return grant!;
}

const isWritten = async (services: TestServices): Promise<boolean> =>
  services.store.read([target], ([value]) => value !== undefined);

describe('a lease', () => {
  test('has one holder at a time', async () => {
    const { a, b } = twoProcesses();
    const grants = await Promise.all([acquire(a), acquire(b)]);
    expect(grants.filter((grant) => grant !== undefined)).toHaveLength(1);
  });

  test('passes on when it has run out, and not before', async () => {
    const { a, b } = twoProcesses();
    await acquireNow(a);
    b.clock.advance(durationMs - 1);
    expect(await acquire(b)).toBeUndefined();
    b.clock.advance(1);
    expect(await acquire(b)).toEqual({ holder: 'b', token: 2 });
  });

  test('is renewed in time by its holder, under the same token', async () => {
    const { a, b } = twoProcesses();
    const grant = await acquireNow(a);
    for (let renewals = 0; renewals < 5; renewals += 1) {
      for (const { clock } of [a, b]) clock.advance(durationMs * 0.6);
      expect(await acquire(a)).toEqual(grant);
      expect(await acquire(b)).toBeUndefined();
    }
  });

  test('a holder that wakes after its lease has passed on writes nothing, whatever its own clock says', async () => {
    const { a, b } = twoProcesses();
    const grantOfA = await acquireNow(a);
    b.clock.advance(durationMs); // process a sleeps: its clock does not advance
    const grantOfB = await acquireNow(b);
    expect(await leases.writeHeld(a, key, grantOfA, [entry])).toBe(false);
    expect(await isWritten(a)).toBe(false);
    expect(await leases.writeHeld(b, key, grantOfB, [entry])).toBe(true);
    expect(await isWritten(a)).toBe(true);
  });

  test('a grant from before does not hold after its holder has lost the lease and acquired it again', async () => {
    const { a, b } = twoProcesses();
    const before = await acquireNow(a);
    for (const { clock } of [a, b]) clock.advance(durationMs);
    await acquireNow(b);
    for (const { clock } of [a, b]) clock.advance(durationMs);
    const after = await acquireNow(a);
    expect(after.token).toBeGreaterThan(before.token);
    expect(await leases.writeHeld(a, key, before, [entry])).toBe(false);
    expect(await leases.writeHeld(a, key, after, [entry])).toBe(true);
  });

  test('a holder that is late may continue while no other has begun', async () => {
    const { a } = twoProcesses();
    const grant = await acquireNow(a);
    a.clock.advance(10 * durationMs);
    expect(await leases.writeHeld(a, key, grant, [entry])).toBe(true);
  });

  test('that was given back is free at once, and the grant does not hold any more', async () => {
    const { a, b } = twoProcesses();
    const grant = await acquireNow(a);
    await leases.release(a, key, grant);
    expect(await leases.writeHeld(a, key, grant, [entry])).toBe(false);
    expect(await acquire(b)).toEqual({ holder: 'b', token: 2 });
    await leases.release(a, key, grant); // too late: b keeps the lease
    expect(await acquire(a)).toBeUndefined();
  });

  test('may rest: it has no holder meanwhile', async () => {
    const { a, b } = twoProcesses();
    await leases.release(a, key, await acquireNow(a), 500);
    expect(await acquire(a)).toBeUndefined();
    expect(await acquire(b)).toBeUndefined();
    b.clock.advance(500);
    expect(await acquire(b)).toBeDefined();
  });

  test.each([
    ['of a holder', { format: 1, holder: 'old', untilMs: 5 }],
    ['that rests', { format: 1, untilMs: 5 }],
  ])('as earlier versions stored it, without a token, is read: %s', async (_, stored) => {
    const { a } = twoProcesses();
    await a.store.write([], () => ({
      answer: undefined,
      writes: [{ key, value: Buffer.from(JSON.stringify(stored)) }],
    }));
    expect(await acquire(a)).toEqual({ holder: 'a', token: 1 });
  });

  test('as it is stored is read by earlier versions: format, holder and time are where they were', async () => {
    const { a } = twoProcesses();
    await acquireNow(a);
    const text = await a.store.read([key], ([value]) => Buffer.from(value ?? []).toString('utf8'));
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      format: 1,
      holder: 'a',
      untilMs: a.clock.nowMs() + durationMs,
    });
    expect(spaceStart(1000)).toEqual(key);
  });
});

describe('a lease between servers', () => {
  /** Two servers whose clocks may differ, and which of them is running, as each knows it. */
  function twoServers(): { readonly a: TestServices; readonly b: TestServices; readonly stopped: Set<string> } {
    const store = openMemoryStore();
    const stopped = new Set<string>();
    const servers = { isRunning: (id: string): boolean => !stopped.has(id) };
    const [a, b] = ['a', 'b'].map((processId) => testServices({ store, processId, servers })) as [
      TestServices,
      TestServices,
    ];
    return { a, b, stopped };
  }

  test('stays with a holder that is running, however late it is by the clock of another', async () => {
    const { a, b } = twoServers();
    const grant = await acquireNow(a);
    b.clock.advance(100 * durationMs);
    expect(await acquire(b)).toBeUndefined();
    expect(await leases.writeHeld(a, key, grant, [entry])).toBe(true);
    expect(await acquire(a)).toEqual(grant);
  });

  test('passes on when its holder has stopped, however far ahead the clock of that holder was', async () => {
    const { a, b, stopped } = twoServers();
    a.clock.advance(3_600_000);
    const grant = await acquireNow(a);
    stopped.add('a');
    expect(await acquire(b)).toEqual({ holder: 'b', token: 2 });
    // It had only seemed to have stopped.
    stopped.delete('a');
    expect(await leases.writeHeld(a, key, grant, [entry])).toBe(false);
    expect(await acquire(a)).toBeUndefined();
  });

  test('that was given back is free, and one that rests is free after that', async () => {
    const { a, b } = twoServers();
    await leases.release(a, key, await acquireNow(a));
    await leases.release(b, key, await acquireNow(b), 500);
    expect(await acquire(a)).toBeUndefined();
    a.clock.advance(500);
    expect(await acquire(a)).toEqual({ holder: 'a', token: 3 });
  });

  test('is asked for in vain without a write', async () => {
    const { a, b } = twoServers();
    await acquireNow(a);
    const writes = vi.spyOn(b.store, 'write');
    expect(await acquire(b)).toBeUndefined();
    expect(writes).not.toHaveBeenCalled();
  });
});

test('whatever holders do and clocks say, what is written under a lease is in the order of its tokens', () => {
  const holder = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('acquire' as const), holder }),
    fc.record({ kind: fc.constant('write' as const), holder }),
    fc.record({ kind: fc.constant('release' as const), holder }),
    fc.record({ kind: fc.constant('tick' as const), holder, ms: fc.integer({ min: -300, max: 900 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let stored: LeaseState | undefined;
      const clocks = new Map<string, number>();
      const grants = new Map<string, LeaseGrant>();
      const written: { readonly token: number; readonly holder: string }[] = [];
      for (const one of steps) {
        const nowMs = clocks.get(one.holder) ?? 10_000;
        const grant = grants.get(one.holder);
        if (one.kind === 'tick') clocks.set(one.holder, nowMs + one.ms);
        if (one.kind === 'acquire') {
          const next = acquired(stored, { holder: one.holder, nowMs, durationMs });
          if (next === undefined) continue;
          stored = next;
          grants.set(one.holder, next);
        }
        if (one.kind === 'write' && grant !== undefined && holds(stored, grant)) written.push(grant);
        if (one.kind === 'release' && grant !== undefined && holds(stored, grant)) {
          stored = { untilMs: nowMs, token: grant.token };
        }
      }
      for (const [at, { token, holder: writer }] of written.entries()) {
        const before = written[at - 1];
        if (before === undefined) continue;
        expect(token).toBeGreaterThanOrEqual(before.token);
        if (token === before.token) expect(writer).toBe(before.holder);
      }
    }),
    { numRuns: 500 },
  );
});

test('a grant that does not hold is refused with an error of its own', () => {
  const grant = { holder: 'a', token: 1 };
  expect(() => checkLease({ holder: 'a', untilMs: 0, token: 1 }, grant)).not.toThrow();
  expect(() => checkLease({ holder: 'a', untilMs: 0, token: 2 }, grant)).toThrow(LeaseLostError);
  expect(() => checkLease(undefined, grant)).toThrow(LeaseLostError);
});
