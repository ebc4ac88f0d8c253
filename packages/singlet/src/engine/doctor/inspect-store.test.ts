import { beforeEach, describe, expect, test } from 'vitest';
import type { StoreWrite } from '../../storage/store.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { tableRecordKey } from '../catalog/table.ts';
import { decodeChangeRecord, encodeChangeRecord } from '../followers/streams/change-record.ts';
import { decodeHead, encodeHead } from '../followers/streams/shard-head.ts';
import { positionOf, recordKey } from '../followers/streams/shard-keys.ts';
import { spaceStart, space } from '../layout/spaces.ts';
import { putItem } from '../operations/put-item.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import { index, keys, onDemandTable, strings } from '../testing/table-requests.ts';
import { createdTable, presentTable } from '../testing/test-engine.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import { inspectStore } from './inspect-store.ts';

const tableName = 'Table';
const itemCount = 30;

let services: TestServices;

beforeEach(async () => {
  services = testServices();
  await createdTable(
    services,
    onDemandTable({
      attributeDefinitions: strings('pk', 'sk', 'kind'),
      keySchema: keys('pk', 'sk'),
      globalSecondaryIndexes: [index('by-kind', 'kind', 'sk')],
      localSecondaryIndexes: [index('in-kind', 'pk', 'kind')],
      streamSpecification: { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  const timeToLiveSpecification = { attributeName: 'expires', enabled: true };
  await updateTimeToLive(services, { tableName, timeToLiveSpecification }, testContext);
  await services.tasks.settle();
  for (let number = 0; number < itemCount; number += 1) await put(number);
});

async function put(number: number): Promise<void> {
  const item: AttributeMap = {
    pk: { S: `p${number % 4}` },
    sk: { S: `s${number}` },
    kind: { S: `k${number % 3}` },
    expires: { N: String(1_900_000_000 + number) },
    text: { S: 'x'.repeat(number) },
  };
  await putItem(services, { tableName, item }, testContext);
}

interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

async function entriesOf(spaceId: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  await services.store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, (key, value) => {
    entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
    return true;
  });
  return entries;
}

async function write(...writes: readonly StoreWrite[]): Promise<void> {
  await services.store.write([], () => ({ answer: undefined, writes }));
}

function flipped({ key, value }: Entry, at = value.length - 3): StoreWrite {
  const damaged = Buffer.from(value);
  damaged[at] = (damaged[at] ?? 0) ^ 4;
  return { key, value: damaged };
}

async function messages(repair = false): Promise<readonly string[]> {
  const { findings } = await inspectStore(services.store, { repair });
  return findings.map(({ outcome, message }) => `${outcome}: ${message}`);
}

async function expectRepaired(...found: readonly string[]): Promise<void> {
  expect(await messages()).toEqual(found.map((message) => `repairable: ${message}`));
  expect(await messages(true)).toEqual(found.map((message) => `repairable: ${message}`));
  expect(await messages()).toEqual([]);
}

async function spaces(): Promise<{
  readonly item: number;
  readonly gsi: number;
  readonly lsi: number;
  readonly expiry: number;
}> {
  const table = await presentTable(services, tableName);
  return {
    item: table.record.itemSpace,
    gsi: table.globalIndexes[0]?.space ?? 0,
    lsi: table.localIndexes[0]?.space ?? 0,
    expiry: table.expiryIndex?.space ?? 0,
  };
}

describe('the doctor', () => {
  test('finds nothing wrong with what writes have made, and hands out every item', async () => {
    const items: string[] = [];
    const { findings, tableCount, entryCount } = await inspectStore(services.store, {
      repair: false,
      onItem: (table, item) => items.push(`${table.tableName} ${item.json.toString()}`),
    });
    expect(findings).toEqual([]);
    expect(tableCount).toBe(1);
    expect(items).toHaveLength(itemCount);
    expect(entryCount).toBeGreaterThan(4 * itemCount);
  });

  test.each(['gsi', 'lsi'] as const)('writes an entry of a %s that is missing', async (which) => {
    const [entry] = await entriesOf((await spaces())[which]);
    await write({ key: entry!.key, value: undefined });
    const name = which === 'gsi' ? 'by-kind' : 'in-kind';
    await expectRepaired(`Index ${name} of table Table lacks an item.`);
  });

  test('removes an entry whose item is gone, and of which the delete was lost', async () => {
    const { item, gsi } = await spaces();
    const [entry] = await entriesOf(gsi);
    // Put an item's entry under another key of the index: no item has that entry.
    const stray = Buffer.concat([entry!.key, Buffer.from('x')]);
    const table = await presentTable(services, tableName);
    const { encodeStoredItem, decodeStoredItem } = await import('../layout/item-codec.ts');
    const value = encodeStoredItem(decodeStoredItem(entry!.key, entry!.value)).storedUnder(stray);
    await write({ key: stray, value });
    await expectRepaired('An entry of by-kind of table Table belongs to no item.');
    expect(await entriesOf(item)).toHaveLength(itemCount);
    expect(table.tableName).toBe(tableName);
  });

  test('writes a damaged entry again', async () => {
    const [entry] = await entriesOf((await spaces()).gsi);
    await write(flipped(entry!));
    expect(await messages()).toEqual([
      'repairable: An entry of by-kind of table Table is damaged.',
      'repairable: Index by-kind of table Table holds another entry for an item.',
    ]);
    await inspectStore(services.store, { repair: true });
    expect(await messages()).toEqual([]);
  });

  test('says which item is damaged, and changes nothing of it', async () => {
    const { item } = await spaces();
    const [entry] = await entriesOf(item);
    const damaged = flipped(entry!);
    await write(damaged);
    const { findings } = await inspectStore(services.store, { repair: true });
    expect(findings).toContainEqual({
      kind: 'value',
      outcome: 'loss',
      table: tableName,
      key: entry!.key.toString('hex'),
      message: 'An item of table Table does not match its checksum.',
    });
    const [present] = await entriesOf(item);
    expect(present?.value).toEqual(damaged.value);
  });

  test('finds an item under a key that is not its own', async () => {
    const { item } = await spaces();
    const [first, second] = await entriesOf(item);
    await write({ key: first!.key, value: second!.value });
    const { findings } = await inspectStore(services.store, { repair: false });
    expect(findings.filter(({ kind }) => kind === 'value')).toMatchObject([{ key: first!.key.toString('hex') }]);
  });

  test('counts again', async () => {
    const [count] = await entriesOf(space.statistics);
    await write({ key: count!.key, value: undefined });
    const found = await messages();
    expect(found).toEqual([expect.stringMatching(/^repairable: The counts and sizes of table Table are not those/)]);
    await messages(true);
    expect(await messages()).toEqual([]);
    expect((await entriesOf(space.statistics))[0]).toEqual(count);
    await write(flipped(count!));
    expect(await messages(true)).toEqual(found);
    expect(await messages()).toEqual([]);
  });

  test('measures item collections again', async () => {
    const [size, other] = await entriesOf(space.collectionSizes);
    await write({ key: size!.key, value: other!.value }, flipped(other!));
    const message = 'The size of an item collection of table Table is not that of its items.';
    await expectRepaired(message, message);
  });

  test('repairs the expiry index', async () => {
    const { expiry } = await spaces();
    const [entry] = await entriesOf(expiry);
    const later = Buffer.from(entry!.key);
    later[27] = (later[27] ?? 0) ^ 1; // a different second
    await write({ key: entry!.key, value: undefined }, { key: later, value: Buffer.alloc(0) });
    await expectRepaired(
      'An entry of the expiry index of table Table belongs to no item.',
      'The expiry index of table Table lacks an item.',
    );
  });

  test('finds a record that is missing in a stream', async () => {
    const table = await presentTable(services, tableName);
    const records = await entriesOf(table.record.stream?.space ?? 0);
    await write({ key: records[3]!.key, value: undefined });
    expect((await messages())[0]).toMatch(/^loss: The stream of table Table does not agree with it: .* lacks/);
    await write(records[3]!, flipped(records[4]!));
    expect((await messages())[0]).toMatch(
      /^loss: The stream of table Table cannot be followed: A stored value is damaged/,
    );
  });

  test('finds a record that is twice in a stream', async () => {
    const table = await presentTable(services, tableName);
    const entries = await entriesOf(table.record.stream?.space ?? 0);
    // Heads follow the records of their shards.
    const at = entries.findIndex(({ key }, place) => place > 0 && positionOf(key) === undefined);
    const [last, head] = [entries[at - 1]!, entries[at]!];
    const position = decodeHead(head.value);
    const key = recordKey(Buffer.from(last.key.subarray(0, -8)), position);
    const again = encodeChangeRecord(key, decodeChangeRecord(last.key, last.value));
    await write({ key, value: again }, { key: head.key, value: encodeHead(position + 1) });
    expect((await messages())[0]).toMatch(
      /^loss: The stream of table Table does not agree with it: INSERT follows INSERT: /,
    );
  });

  test('repairs fences and the usage of an account', async () => {
    const [fence] = await entriesOf(space.fences);
    const [usage] = await entriesOf(space.accountUsage);
    await write(flipped(fence!), flipped(usage!));
    await expectRepaired(
      'The fence of table Table is not that of its record.',
      'The usage of account 000000000000 in us-east-1 is not that of its tables.',
    );
  });

  test('says that the record of a table, or of something else, is damaged', async () => {
    const [record] = await entriesOf(space.tables);
    const [listed] = await entriesOf(space.timeToLive);
    const [stream] = await entriesOf(space.streams);
    await write(flipped(record!), flipped(listed!), flipped(stream!));
    expect(record?.key).toEqual(tableRecordKey(testContext.accountId, testContext.region, tableName));
    const { findings } = await inspectStore(services.store, { repair: true });
    expect(findings.map(({ kind, outcome }) => `${outcome} ${kind}`)).toEqual(Array(3).fill('loss record'));
  });
});
