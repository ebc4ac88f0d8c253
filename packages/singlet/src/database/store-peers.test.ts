import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ConsumptionNote, space, spaceStart } from '../engine/index.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Store } from '../storage/index.ts';
import { serverName, StorePeers } from './store-peers.ts';

const note = (tableName: string): ConsumptionNote => ({
  context: { accountId: '000000000000', region: 'us-east-1' },
  tableName,
  space: 256,
  uses: [],
  refusals: [],
});

class Server {
  readonly peers: StorePeers;
  readonly heard: string[] = [];
  readonly errors: unknown[] = [];
  stoppedCount = 0;
  consumed: ConsumptionNote[] = [];
  nowMs = 0;

  constructor(store: Store, number: number) {
    this.peers = new StorePeers({
      store,
      id: new Uint8Array(16).fill(number),
      monotonicMs: () => this.nowMs,
      pause: async () => Promise.resolve(),
      takeConsumption: () => this.consumed.splice(0),
      addConsumption: async (notes) => {
        this.heard.push(...notes.map(({ tableName }) => tableName));
        return Promise.resolve();
      },
      onStopped: async () => {
        this.stoppedCount += 1;
        return Promise.resolve();
      },
      onError: (error) => void this.errors.push(error),
    });
    this.peers.answerWith(async (question) => Promise.resolve({ from: number, question }));
  }
}

describe('servers over one store', () => {
  let store: Store;
  let servers: Server[];

  beforeEach(() => {
    store = openMemoryStore();
    servers = [1, 2, 3].map((number) => new Server(store, number));
  });

  afterEach(async () => {
    for (const { errors } of servers) expect(errors).toEqual([]);
    await store.close();
  });

  /** Each server has `count` turns, with time passing as it does by itself. */
  async function turns(count: number, of: readonly Server[] = servers): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      for (const server of servers) server.nowMs += 200;
      for (const { peers } of of) await peers.turn();
      await new Promise((resolve) => setImmediate(resolve)); // answers are made between turns
    }
  }

  async function entryCount(): Promise<number> {
    let count = 0;
    await store.range({ from: spaceStart(space.servers), to: spaceStart(space.servers + 1) }, () => (count += 1) > 0);
    return count;
  }

  test('find each other', async () => {
    await turns(2);
    expect(servers.map(({ peers }) => peers.count)).toEqual([2, 2, 2]);
  });

  test('hear once what each of the others has consumed, and not what they consumed themselves', async () => {
    await turns(2);
    for (const [index, server] of servers.entries()) server.consumed = [note(`of ${index}`), note(`also of ${index}`)];
    await turns(3);
    expect(servers.map(({ heard }) => heard.toSorted())).toEqual([
      ['also of 1', 'also of 2', 'of 1', 'of 2'],
      ['also of 0', 'also of 2', 'of 0', 'of 2'],
      ['also of 0', 'also of 1', 'of 0', 'of 1'],
    ]);
  });

  test('that join later do not count what was consumed before', async () => {
    const [one, two, three] = servers as [Server, Server, Server];
    await turns(2, [one, two]);
    one.consumed = [note('before')];
    await turns(2, [one, two]);
    await turns(2);
    one.consumed = [note('after')];
    await turns(2);
    expect(three.heard).toEqual(['after']);
  });

  test('ask all the others, and answer', async () => {
    const [one] = servers as [Server, Server, Server];
    await turns(2);
    const answers = one.peers.ask({ what: 'heat' });
    await turns(3);
    expect(await answers).toEqual([
      { from: 2, question: { what: 'heat' } },
      { from: 3, question: { what: 'heat' } },
    ]);
  });

  test('know which of the others are running, by their beats alone', async () => {
    const [one, two, three] = servers as [Server, Server, Server];
    const [idOfTwo, idOfThree, unknown] = [2, 3, 9].map((number) => serverName(new Uint8Array(16).fill(number)));
    const known = (): readonly boolean[] => [idOfTwo, idOfThree, unknown].map((id) => one.peers.isRunning(id ?? ''));
    await turns(2);
    expect(one.peers.isRunning(serverName(new Uint8Array(16).fill(1)))).toBe(true);
    // The third may have started just now.
    expect(known()).toEqual([true, true, true]);
    await turns(30, [one, two]);
    expect(known()).toEqual([true, false, false]);
    await two.peers.close();
    await turns(1, [one]);
    expect(known()).toEqual([false, false, false]);
    await turns(1, [one, three]);
    await turns(1, [one]);
    expect(known()).toEqual([false, true, false]);
  });

  test('do not take each other for stopped because the store did not answer for a while', async () => {
    const [one, two, three] = servers as [Server, Server, Server];
    await turns(2);
    for (const server of servers) server.nowMs += 60_000;
    // The first reads before the others have written.
    await one.peers.turn();
    expect(one.peers.count).toBe(2);
    await turns(15, [one, two]);
    expect(one.peers.count).toBe(2);
    await turns(15, [one, two]);
    expect(one.peers.count).toBe(1);
    expect([one, two, three].map(({ stoppedCount }) => stoppedCount)).toEqual([1, 1, 0]);
  });

  test('find out that one has stopped even if each reading takes long', async () => {
    const [one, two] = servers as [Server, Server, Server];
    await turns(2);
    for (let turn = 0; turn < 6; turn += 1) {
      for (const server of servers) server.nowMs += 3_000;
      for (const { peers } of [one, two]) await peers.turn();
    }
    expect(one.peers.count).toBe(1);
  });

  test('leave out who does not answer, and report errors other than refusals', async () => {
    const [one, two, three] = servers as [Server, Server, Server];
    await turns(2);
    two.peers.answerWith(async () => Promise.reject(new TypeError('a defect')));
    const answers = one.peers.ask({});
    await turns(2, [one, two]); // the third does not take part
    await turns(15, [one, two]);
    expect(await answers).toEqual([]);
    expect(two.errors.splice(0)).toEqual([new TypeError('a defect')]);
    expect(three.errors).toEqual([]);
  });

  test('notice who has stopped, once, remove what it left, and take over its work', async () => {
    const [one, two, three] = servers as [Server, Server, Server];
    await turns(2);
    three.consumed = [note('last')];
    await turns(1);
    await turns(20, [one, two]);
    expect([one.peers.count, two.peers.count]).toEqual([2, 2]);
    await turns(5, [one, two]);
    expect([one.peers.count, two.peers.count]).toEqual([1, 1]);
    expect([one.stoppedCount, two.stoppedCount]).toEqual([1, 1]);
    expect(await entryCount()).toBe(2);
    // It was only paused.
    await turns(6);
    expect(servers.map(({ peers }) => peers.count)).toEqual([2, 2, 2]);
  });

  test('notice at once who leaves', async () => {
    const [one, two, three] = servers as [Server, Server, Server];
    await turns(2);
    await three.peers.close();
    await turns(1, [one, two]);
    expect([one.stoppedCount, two.stoppedCount]).toEqual([1, 1]);
  });

  test('keep few entries, however long they run', async () => {
    for (let round = 0; round < 200; round += 1) {
      for (const server of servers) server.consumed = [note(`${round}`)];
      await turns(1);
    }
    // A beat, and one post for each turn of the last five seconds.
    expect(await entryCount()).toBeLessThanOrEqual(3 * (1 + 5 * 5 + 1));
    expect(servers.every(({ heard }) => heard.length >= 2 * 198)).toBe(true);
  });

  test('of a version with another format are not understood, and do no harm', async () => {
    const key = Buffer.concat([spaceStart(space.servers), Buffer.alloc(16, 9)]);
    const writes = [
      { key, value: Buffer.from('{"format":2,"beat":{}}') },
      { key: Buffer.concat([key, Buffer.alloc(8, 1)]), value: Buffer.from('{"format":2,"kind":"other"}') },
    ];
    await turns(1);
    await store.write([], () => ({ answer: undefined, writes }));
    await turns(2);
    expect(servers.map(({ peers }) => peers.count)).toEqual([2, 2, 2]);
  });
});
