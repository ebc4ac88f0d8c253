import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { StorageError } from '../../storage/storage-error.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import type { Bucket, ObjectStore } from '../../transfer/buckets/bucket.ts';
import { MemoryBuckets } from '../../transfer/buckets/testing/memory-buckets.ts';
import { readRecords } from '../../transfer/formats/index.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { space, spaceStart } from '../layout/spaces.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeExport } from '../operations/describe-export.ts';
import { describeTable } from '../operations/describe-table.ts';
import {
  type ExportDescription,
  exportTableToPointInTime,
  type ExportTableToPointInTimeRequest,
} from '../operations/export-table-to-point-in-time.ts';
import { listExports } from '../operations/list-exports.ts';
import { putItem } from '../operations/put-item.ts';
import { resumeBackgroundWork } from '../jobs/background-work.ts';
import { enableRecovery, itemsOf } from '../testing/backup-requests.ts';
import { openTables, refusal } from '../testing/refusal.ts';
import { createdTable, presentTable } from '../testing/test-engine.ts';
import {
  testContext,
  type TestServices,
  testServices,
  type TestServicesOptions,
  testStartMs,
} from '../testing/test-services.ts';
import { keys, strings } from '../testing/table-requests.ts';
import { tendBackups } from './backup-upkeep.ts';
import type { FilterSpecification } from './export-filter.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const arnOf = (tableName: string): string => `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}`;

interface Exporting extends TestServices {
  readonly buckets: MemoryBuckets;
}

async function open(options: TestServicesOptions = {}): Promise<Exporting> {
  const buckets = new MemoryBuckets('bucket');
  const services = await openTables({ objects: buckets, ...options });
  for (const tableName of ['plain', 'indexed']) await enableRecovery(services, tableName);
  return { ...services, buckets };
}

async function startExport(
  services: TestServices,
  request: Partial<ExportTableToPointInTimeRequest> = {},
): Promise<ExportDescription> {
  const whole = { tableArn: arnOf('plain'), s3Bucket: 'bucket', ...request };
  return (await exportTableToPointInTime(services, whole, testContext)).exportDescription;
}

async function describeIt(services: TestServices, exportArn: string): Promise<ExportDescription> {
  return (await describeExport(services, { exportArn }, testContext)).exportDescription;
}

/** An export once it has finished. */
async function exported(
  services: TestServices,
  request: Partial<ExportTableToPointInTimeRequest> = {},
): Promise<ExportDescription> {
  const { exportArn } = await startExport(services, request);
  await services.tasks.settle();
  return describeIt(services, exportArn);
}

/** The text of the data files that the manifests list. */
function exportedText({ buckets }: Exporting, { exportManifest = '' }: ExportDescription): string {
  const objects = buckets.buckets.get('bucket')!;
  const summary = JSON.parse(objects.get(exportManifest)!.toString()) as { readonly manifestFilesS3Key: string };
  const files = objects
    .get(summary.manifestFilesS3Key)!
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return files
    .map((line) => JSON.parse(line) as { readonly dataFileS3Key: string; readonly md5Checksum: string })
    .map(({ dataFileS3Key, md5Checksum }) => {
      const bytes = objects.get(dataFileS3Key)!;
      expect(createHash('md5').update(bytes).digest('base64')).toBe(md5Checksum);
      return gunzipSync(bytes).toString();
    })
    .join('');
}

interface ChangeLine {
  readonly Metadata: { readonly WriteTimestampMicros: { readonly N: string } };
  readonly Keys: AttributeMap;
  readonly OldImage?: AttributeMap;
  readonly NewImage?: AttributeMap;
}

interface ItemLine {
  readonly Item: AttributeMap;
}

function rowsOf(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

function itemsIn(text: string): readonly AttributeMap[] {
  return (rowsOf(text) as readonly ItemLine[]).map(({ Item }) => Item);
}

function changesIn(text: string): readonly ChangeLine[] {
  return rowsOf(text) as readonly ChangeLine[];
}

async function put(services: TestServices, pk: string, v: number, tableName = 'plain'): Promise<void> {
  await putItem(services, { tableName, item: { pk: { S: pk }, v: { N: `${v}` } } }, testContext);
}

async function remove(services: TestServices, pk: string): Promise<void> {
  await deleteItem(services, { tableName: 'plain', key: { pk: { S: pk } } }, testContext);
}

describe('a full export', () => {
  test('holds the table as it was, in files laid out as the service does it', async () => {
    const services = await open();
    for (let n = 0; n < 250; n += 1) await put(services, `${n}`, n);
    const before = await itemsOf(services, 'plain');
    const begun = await startExport(services, { s3Prefix: 'some/where/' });
    for (let n = 0; n < 100; n += 1) await put(services, `${n}`, -1);
    await services.tasks.settle();
    const { table } = await describeTable(services, { tableName: 'plain' }, testContext);
    const id = begun.exportArn.split('/').at(-1);
    const common = {
      exportArn: begun.exportArn,
      startTime: testStartMs / 1000,
      tableArn: arnOf('plain'),
      tableId: table.tableId,
      exportTime: testStartMs / 1000,
      s3Bucket: 'bucket',
      s3Prefix: 'some/where/',
      s3SseAlgorithm: 'AES256',
      exportFormat: 'DYNAMODB_JSON',
    };
    expect(begun).toEqual({ ...common, exportStatus: 'IN_PROGRESS' });
    const done = await describeIt(services, begun.exportArn);
    const root = `some/where/AWSDynamoDB/${id}`;
    const sizeBytes = [...before.keys()].length * 3 + [...before.keys()].join('').replaceAll(/\D/g, '').length;
    expect(done).toEqual({
      ...common,
      exportStatus: 'COMPLETED',
      endTime: testStartMs / 1000,
      exportManifest: `${root}/manifest-summary.json`,
      itemCount: 250,
      billedSizeBytes: expect.any(Number) as number,
    });
    expect(done.billedSizeBytes).toBeGreaterThan(sizeBytes);
    const items = itemsIn(exportedText(services, done));
    const sorted = (all: Iterable<AttributeMap>): readonly string[] =>
      [...all].map((item) => JSON.stringify(item)).toSorted();
    expect(sorted(items)).toEqual(sorted(before.values()));
    const objects = services.buckets.buckets.get('bucket')!;
    const names = [...objects.keys()].map((key) => key.replace(/data\/[a-z2-7]{26}\./, 'data/*.'));
    expect(names.toSorted()).toEqual(
      [
        `${root}/_started`,
        `${root}/data/*.json.gz`,
        `${root}/manifest-files.json`,
        `${root}/manifest-files.md5`,
        `${root}/manifest-summary.json`,
        `${root}/manifest-summary.md5`,
      ].toSorted(),
    );
    for (const name of ['summary', 'files']) {
      const md5 = createHash('md5')
        .update(objects.get(`${root}/manifest-${name}.json`)!)
        .digest('base64');
      expect(objects.get(`${root}/manifest-${name}.md5`)!.toString()).toBe(md5);
    }
    expect(JSON.parse(objects.get(`${root}/manifest-summary.json`)!.toString())).toEqual({
      version: '2020-06-30',
      exportArn: done.exportArn,
      startTime: '2024-01-01T00:00:00.000Z',
      endTime: '2024-01-01T00:00:00.000Z',
      tableArn: done.tableArn,
      tableId: done.tableId,
      exportTime: '2024-01-01T00:00:00.000Z',
      s3Bucket: 'bucket',
      s3Prefix: 'some/where/',
      s3SseAlgorithm: 'AES256',
      s3SseKmsKeyId: null,
      manifestFilesS3Key: `${root}/manifest-files.json`,
      billedSizeBytes: done.billedSizeBytes,
      itemCount: 250,
      outputFormat: 'DYNAMODB_JSON',
    });
    await nothingIsLeft(services);
  });

  test('of an earlier time, in Ion', async () => {
    const services = await open();
    const binary = { pk: { S: 'b' }, set: { NS: ['1', '600'] }, bytes: { B: 'AAEC' }, none: { NULL: true } } as const;
    await putItem(services, { tableName: 'plain', item: binary }, testContext);
    services.clock.advance(5000);
    const exportTime = services.clock.nowMs() / 1000;
    services.clock.advance(5000);
    await put(services, 'later', 1);
    const done = await exported(services, { exportTime, exportFormat: 'ION' });
    expect(done).toMatchObject({ exportTime, itemCount: 1, exportFormat: 'ION' });
    const read: unknown[] = [];
    const text = exportedText(services, done);
    expect(text).toMatch(/^\$ion_1_0 \{Item:\{/);
    const reading = readRecords(chunksOf(text), { format: 'ION', recordBytesMax: 1e6 });
    for await (const { item } of reading) read.push(item);
    expect(read).toEqual([
      { ...binary, set: { NS: [expect.stringMatching(/^1E0$|^1$/), expect.stringMatching(/6/)] } },
    ]);
  });

  test('of an empty table has an empty file', async () => {
    const services = await open();
    const done = await exported(services);
    expect(done).toMatchObject({ exportStatus: 'COMPLETED', itemCount: 0, billedSizeBytes: 0 });
    expect(exportedText(services, done)).toBe('');
  });

  test('is cut into files, and continues with the next after an interruption', async () => {
    for (let steps = 0; steps < 14; steps += 1) {
      const buckets = new MemoryBuckets('bucket');
      const services: Exporting = { ...(await open({ objects: buckets, limits: { exportFileBytes: 2000 } })), buckets };
      for (let n = 0; n < 450; n += 1) await put(services, `${n}`, n);
      services.tasks.killAfterPauses(steps);
      const { exportArn } = await startExport(services);
      await Promise.race([services.tasks.died, services.tasks.settle()]);
      const next = testServices({ store: services.store, objects: buckets, limits: { exportFileBytes: 2000 } });
      for (let n = 0; n < 450; n += 3) await remove(next, `${n}`);
      resumeBackgroundWork(next);
      await next.tasks.settle();
      const done = await describeIt(next, exportArn);
      expect(done).toMatchObject({ exportStatus: 'COMPLETED', itemCount: 450 });
      const items = itemsIn(exportedText(services, done));
      expect(new Set(items.map((item) => (item['pk'] as { S: string }).S)).size).toBe(450);
      const files = [...buckets.buckets.get('bucket')!.keys()].filter((key) => key.includes('/data/'));
      expect(files.length).toBe(5);
      await nothingIsLeft(next);
    }
  });
});

describe('a filtered export', () => {
  /** Twelve items in three collections. */
  async function withItems(options: TestServicesOptions = {}): Promise<Exporting> {
    const services = await open(options);
    for (const pk of ['a', 'b', 'c']) {
      for (let n = 0; n < 4; n += 1) {
        const item = { pk: { S: pk }, sk: { S: `${n}` }, v: { N: `${n}` }, m: { M: { x: { N: '1' }, y: { N: '2' } } } };
        await putItem(services, { tableName: 'indexed', item }, testContext);
      }
    }
    return services;
  }

  const filtered = (filterSpecification: FilterSpecification): Partial<ExportTableToPointInTimeRequest> => ({
    tableArn: arnOf('indexed'),
    filterSpecification,
  });

  const nameOf = ({ pk, sk }: AttributeMap): string =>
    Object.values({ ...pk, ...sk }).length === 0 ? '' : textOfKey(pk) + textOfKey(sk);
  const textOfKey = (value: AttributeMap[string] | undefined): string =>
    value !== undefined && 'S' in value ? value.S : '';

  test.each<[FilterSpecification, readonly string[]]>([
    [{}, ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'b2', 'b3', 'c0', 'c1', 'c2', 'c3']],
    [
      { filterExpression: 'v > :v AND pk <> :p', expressionAttributeValues: { ':v': { N: '1' }, ':p': { S: 'b' } } },
      ['a2', 'a3', 'c2', 'c3'],
    ],
    [{ keyConditionExpression: 'pk = :p', expressionAttributeValues: { ':p': { S: 'b' } } }, ['b0', 'b1', 'b2', 'b3']],
    [
      {
        keyConditionExpression: '#p = :p AND sk BETWEEN :from AND :to',
        filterExpression: 'v <> :v',
        expressionAttributeNames: { '#p': 'pk' },
        expressionAttributeValues: { ':p': { S: 'c' }, ':from': { S: '1' }, ':to': { S: '3' }, ':v': { N: '2' } },
      },
      ['c1', 'c3'],
    ],
    [{ keyConditionExpression: 'pk = :p', expressionAttributeValues: { ':p': { S: 'none' } } }, []],
  ])('%j', async (specification, names) => {
    const services = await withItems();
    const done = await exported(services, filtered(specification));
    expect(done).toMatchObject({
      exportStatus: 'COMPLETED',
      itemCount: names.length,
      filterSpecification: specification,
    });
    expect(itemsIn(exportedText(services, done)).map(nameOf).toSorted()).toEqual(names);
  });

  test('is billed for what a key condition makes it read, and for everything without one', async () => {
    const services = await withItems();
    const whole = (await exported(services, { tableArn: arnOf('indexed') })).billedSizeBytes ?? 0;
    const values = { expressionAttributeValues: { ':p': { S: 'a' } } };
    const one = await exported(services, filtered({ keyConditionExpression: 'pk = :p', ...values }));
    const filteredOnly = await exported(services, filtered({ filterExpression: 'pk = :p', ...values }));
    expect(one.billedSizeBytes).toBe(whole / 3);
    expect(filteredOnly).toMatchObject({ billedSizeBytes: whole, itemCount: 4 });
  });

  test('has the projected attributes, also in Ion, in pages and files, after an interruption', async () => {
    for (const exportFormat of ['DYNAMODB_JSON', 'ION'] as const) {
      const services = await withItems({ limits: { exportFileBytes: 100 } });
      services.tasks.killAfterPauses(3);
      const request = filtered({
        filterExpression: 'v < :v',
        projectionExpression: 'sk, m.y, absent',
        expressionAttributeValues: { ':v': { N: '2' } },
      });
      const { exportArn } = await startExport(services, { ...request, exportFormat });
      await Promise.race([services.tasks.died, services.tasks.settle()]);
      const next = testServices({ store: services.store, objects: services.buckets, limits: { exportFileBytes: 100 } });
      resumeBackgroundWork(next);
      await next.tasks.settle();
      const done = await describeIt(next, exportArn);
      expect(done).toMatchObject({ exportStatus: 'COMPLETED', itemCount: 6 });
      const lines = exportedText(services, done).trim().split('\n');
      const expected = ['0', '1'].flatMap((sk) =>
        Array.from({ length: 3 }, () =>
          exportFormat === 'ION'
            ? `$ion_1_0 {Item:{sk:"${sk}",m:{y:2d0}}}`
            : `{"Item":{"sk":{"S":"${sk}"},"m":{"M":{"y":{"N":"2"}}}}}`,
        ),
      );
      expect(lines.map((line) => line.replace('y:2.', 'y:2d0')).toSorted()).toEqual(expected);
    }
  });

  test('of changes looks at the latest image, and of removed items at the old one', async () => {
    const services = await open();
    for (const [pk, v] of Object.entries({ stays: 1, comes: 0, goes: 1, removed: 1, removedOther: 0 }))
      await put(services, pk, v);
    services.clock.advance(minuteMs);
    const from = services.clock.nowMs();
    for (const [pk, v] of Object.entries({ stays: 1, comes: 1, goes: 0 })) {
      const item = { pk: { S: pk }, v: { N: `${v}` }, changed: { BOOL: true } };
      await putItem(services, { tableName: 'plain', item }, testContext);
    }
    await remove(services, 'removed');
    await remove(services, 'removedOther');
    services.clock.advance(20 * minuteMs);
    const done = await exported(services, {
      exportType: 'INCREMENTAL_EXPORT',
      incrementalExportSpecification: { exportFromTime: from / 1000 },
      filterSpecification: {
        filterExpression: 'v = :v',
        projectionExpression: 'v',
        expressionAttributeValues: { ':v': { N: '1' } },
      },
    });
    expect(done).toMatchObject({ exportStatus: 'COMPLETED', itemCount: 3 });
    const lines = changesIn(exportedText(services, done)).map(({ Keys, OldImage, NewImage }) => [
      textOfKey(Keys['pk']),
      OldImage,
      NewImage,
    ]);
    const v = (value: number): AttributeMap => ({ v: { N: `${value}` } });
    expect(lines.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))).toEqual([
      ['comes', v(0), v(1)],
      ['removed', v(1), undefined],
      ['stays', v(1), v(1)],
    ]);
  });
});

test('an export continues after the engine was closed between the last file and the manifests, and writes no file again', async () => {
  const buckets = new MemoryBuckets('bucket');
  const objects: ObjectStore = {
    open: async (name) => {
      const bucket = await buckets.open(name);
      const write: Bucket['write'] = async (key, chunks) => {
        if (!key.endsWith('manifest-files.json')) return bucket.write(key, chunks);
        services.close();
        throw new StorageError('closed', 'The store is closed.');
      };
      return { ...bucket, write };
    },
  };
  const services: Exporting = { ...(await open({ objects })), buckets };
  for (let n = 0; n < 250; n += 1) await put(services, `${n}`, n);
  const { exportArn } = await startExport(services);
  await services.tasks.settle();
  expect(await describeIt(services, exportArn)).toMatchObject({ exportStatus: 'IN_PROGRESS' });
  const next = testServices({ store: services.store, objects: buckets });
  resumeBackgroundWork(next);
  await next.tasks.settle();
  const done = await describeIt(next, exportArn);
  expect(done).toMatchObject({ exportStatus: 'COMPLETED', itemCount: 250 });
  expect(itemsIn(exportedText(services, done))).toHaveLength(250);
});

test('an export continues after the engine was closed in the middle of a file', async () => {
  const services = await open();
  for (let n = 0; n < 450; n += 1) await put(services, `${n}`, n);
  let pauses = 0;
  services.tasks.atPause = () => {
    pauses += 1;
    // Five pages were copied and nothing had to be undone; then some pages were written.
    if (pauses === 9) services.close();
  };
  const { exportArn } = await startExport(services);
  await services.tasks.settle();
  expect(pauses).toBe(9);
  expect(await describeIt(services, exportArn)).toMatchObject({ exportStatus: 'IN_PROGRESS' });
  const started = [...services.buckets.buckets.get('bucket')!.keys()];
  expect(started).toEqual([expect.stringMatching(/_started$/)]);
  const next = testServices({ store: services.store, objects: services.buckets });
  resumeBackgroundWork(next);
  await next.tasks.settle();
  const done = await describeIt(next, exportArn);
  expect(done).toMatchObject({ exportStatus: 'COMPLETED', itemCount: 450 });
  expect(new Set(itemsIn(exportedText(services, done))).size).toBe(450);
});

describe('an incremental export', () => {
  test.each(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE'] as const)('has what was changed in between (%s)', async (view) => {
    const services = await open();
    for (const pk of ['same', 'changed', 'removed', 'twice', 'back', 'before']) await put(services, pk, 0);
    services.clock.advance(minuteMs);
    await put(services, 'before', 1);
    services.clock.advance(minuteMs);
    const from = services.clock.nowMs();
    // The window includes its first millisecond and excludes its last.
    await put(services, 'changed', 1);
    await put(services, 'new', 1);
    services.clock.advance(minuteMs);
    await put(services, 'twice', 1);
    await remove(services, 'removed');
    await put(services, 'fleeting', 1);
    services.clock.advance(1000);
    await put(services, 'twice', 2);
    await remove(services, 'fleeting');
    services.clock.advance(20 * minuteMs);
    const to = services.clock.nowMs();
    await put(services, 'changed', 9);
    await put(services, 'removed', 9);
    await remove(services, 'new');
    await put(services, 'after', 9);
    services.clock.advance(minuteMs);
    await put(services, 'same', 9);
    const done = await exported(services, {
      exportType: 'INCREMENTAL_EXPORT',
      incrementalExportSpecification: { exportFromTime: from / 1000, exportToTime: to / 1000, exportViewType: view },
    });
    expect(done).toMatchObject({
      exportStatus: 'COMPLETED',
      exportType: 'INCREMENTAL_EXPORT',
      itemCount: 4,
      billedSizeBytes: 10_000_000,
      incrementalExportSpecification: { exportFromTime: from / 1000, exportToTime: to / 1000, exportViewType: view },
    });
    expect(done).not.toHaveProperty('exportTime');
    const lines = changesIn(exportedText(services, done)).toSorted((a, b) =>
      JSON.stringify(a.Keys) < JSON.stringify(b.Keys) ? -1 : 1,
    );
    const image = (pk: string, v: number): AttributeMap => ({ pk: { S: pk }, v: { N: `${v}` } });
    const line = (pk: string, atMs: number, old: number | undefined, after: number | undefined): unknown => ({
      Metadata: { WriteTimestampMicros: { N: `${atMs}000` } },
      Keys: { pk: { S: pk } },
      ...(view === 'NEW_AND_OLD_IMAGES' && old !== undefined && { OldImage: image(pk, old) }),
      ...(after !== undefined && { NewImage: image(pk, after) }),
    });
    expect(lines).toEqual([
      line('changed', from, 0, 1),
      line('new', from, undefined, 1),
      line('removed', from + minuteMs, 0, undefined),
      line('twice', from + minuteMs + 1000, 0, 2),
    ]);
    const objects = services.buckets.buckets.get('bucket')!;
    const summary = JSON.parse(objects.get(done.exportManifest ?? '')!.toString()) as object;
    expect(summary).toMatchObject({ version: '2023-08-01', outputView: view, exportType: 'INCREMENTAL_EXPORT' });
    expect([...objects.keys()].filter((key) => key.startsWith('AWSDynamoDB/data/'))).toHaveLength(1);
    await nothingIsLeft(services);
  });

  test('in Ion', async () => {
    const services = await open();
    services.clock.advance(20 * minuteMs);
    await put(services, 'a', 1);
    services.clock.advance(20 * minuteMs);
    const done = await exported(services, {
      exportType: 'INCREMENTAL_EXPORT',
      exportFormat: 'ION',
      incrementalExportSpecification: { exportFromTime: testStartMs / 1000 },
    });
    expect(exportedText(services, done)).toBe(
      `$ion_1_0 {Record:{Metadata:{WriteTimestampMicros:17040684d8},Keys:{pk:"a"},NewImage:{pk:"a",v:1.}}}\n`,
    );
  });

  test.each([1, 2, 3])(
    'leads from one full export to the next, whatever is written meanwhile (history %i)',
    async (seed) => {
      const random = new SeededRandom(seed);
      const services = await open();
      const write = async (): Promise<void> => {
        const pk = `${random.integer(0, 60)}`;
        if (random.chance(0.4)) await remove(services, pk);
        else await put(services, pk, random.integer(0, 1000));
      };
      for (let count = 0; count < 40; count += 1) await write();
      services.clock.advance(minuteMs);
      const from = services.clock.nowMs();
      const first = await itemsOf(services, 'plain');
      services.clock.advance(1);
      for (let count = 0; count < 300; count += 1) {
        await write();
        services.clock.advance(random.integer(0, 2) * 5000);
      }
      services.clock.advance(20 * minuteMs);
      const to = services.clock.nowMs();
      const second = await itemsOf(services, 'plain');
      services.clock.advance(1);
      for (let count = 0; count < 150; count += 1) await write();
      services.tasks.atPause = write;
      const done = await exported(services, {
        exportType: 'INCREMENTAL_EXPORT',
        incrementalExportSpecification: { exportFromTime: (from + 1) / 1000, exportToTime: (to + 1) / 1000 },
      });
      services.tasks.atPause = undefined;
      const state = new Map(first);
      for (const { Keys, OldImage, NewImage } of changesIn(exportedText(services, done))) {
        const name = JSON.stringify([Keys['pk'], undefined]);
        expect(OldImage).toEqual(state.get(name));
        if (NewImage === undefined) state.delete(name);
        else state.set(name, NewImage);
      }
      expect(state).toEqual(second);
    },
  );
});

describe('a filter that is much work', () => {
  const searches = (count: number): FilterSpecification => ({
    filterExpression: Array.from({ length: count }, (_, at) => `contains(words,:n${at})`).join(' OR '),
    expressionAttributeValues: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`:n${at}`, { S: `ab${at}` }]),
    ),
  });

  async function withLargeItems(): Promise<Exporting> {
    const services = await open();
    for (const pk of ['a', 'b', 'c', 'd']) {
      await putItem(
        services,
        { tableName: 'plain', item: { pk: { S: pk }, words: { S: 'a'.repeat(300_000) } } },
        testContext,
      );
    }
    return services;
  }

  test('is done in turns', async () => {
    const turnsOf = async (filterSpecification: FilterSpecification): Promise<number> => {
      const services = await withLargeItems();
      let turnCount = 0;
      services.tasks.atPause = () => void (turnCount += 1);
      expect(await exported(services, { filterSpecification })).toMatchObject({
        exportStatus: 'COMPLETED',
        itemCount: 0,
      });
      return turnCount;
    };
    expect(await turnsOf(searches(10))).toBeGreaterThanOrEqual((await turnsOf(searches(1))) + 3);
  });

  test('ends the export if it is too much for one item', async () => {
    const services = await withLargeItems();
    const failed = await exported(services, { filterSpecification: searches(130) });
    expect(failed).toMatchObject({ exportStatus: 'FAILED', failureCode: 'UNKNOWN' });
    expect(failed.failureMessage).toMatch(/^The expression is too expensive to evaluate/);
    await nothingIsLeft(services);
  });
});

describe('what is the matter with a bucket', () => {
  test('shows in the description', async () => {
    const services = await open();
    const missing = await exported(services, { s3Bucket: 'elsewhere' });
    expect(missing).toMatchObject({ exportStatus: 'FAILED', failureCode: 'S3NoSuchBucket' });
    expect(missing.failureMessage).toMatch(/^The specified bucket does not exist/);
    expect(missing).not.toHaveProperty('exportManifest');
    expect(services.logged).toContainEqual({
      level: 'warn',
      event: 'export-failed',
      exportId: missing.exportArn?.split('/').at(-1),
      failureCode: 'S3NoSuchBucket',
      failureMessage: missing.failureMessage,
    });
    await nothingIsLeft(services);
  });

  test('without buckets nothing is begun', async () => {
    const services = await openTables();
    await enableRecovery(services, 'plain');
    expect(await refusal(startExport(services))).toMatch('ValidationException: This database has no buckets');
    expect((await listExports(services, {}, testContext)).exportSummaries).toEqual([]);
  });
});

describe('requests', () => {
  const invalid = (text: string): string => `ValidationException: Invalid Request: ${text}`;
  const time = (text: string): string => `InvalidExportTimeException: ${text}`;
  const window = (fromMinutes: number, toMinutes?: number): Partial<ExportTableToPointInTimeRequest> => ({
    exportType: 'INCREMENTAL_EXPORT',
    incrementalExportSpecification: {
      exportFromTime: testStartMs / 1000 + fromMinutes * 60,
      ...(toMinutes !== undefined && { exportToTime: testStartMs / 1000 + toMinutes * 60 }),
    },
  });
  const specification = { exportFromTime: testStartMs / 1000 };

  test.each<[Partial<ExportTableToPointInTimeRequest>, string]>([
    [
      { tableArn: 'plain' },
      'ValidationException: One or more parameter values were invalid: tableArn is not a valid ARN',
    ],
    [{ tableArn: `${arnOf('plain')}/index/gsi` }, invalid('Table ARN is invalid.')],
    [{ tableArn: arnOf('nowhere') }, `TableNotFoundException: Table not found: ${arnOf('nowhere')}`],
    [
      { tableArn: arnOf('plain').replace('us-east-1', 'eu-west-1') },
      `TableNotFoundException: Table not found: ${arnOf('plain').replace('us-east-1', 'eu-west-1')}`,
    ],
    [{ tableArn: arnOf('plain').replace('000000000000', '111111111111') }, 'AccessDeniedException: Access is denied'],
    [
      { tableArn: arnOf('unprotected') },
      "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'unprotected'",
    ],
    [{ exportTime: testStartMs / 1000 + 365 * 86_400 }, time('Export Time is invalid')],
    [{ exportTime: testStartMs / 1000 - 1 }, time('Export Time is invalid')],
    [
      { incrementalExportSpecification: specification },
      invalid('Export Type expected to be Incremental Export when incremental export specification is provided'),
    ],
    [
      { exportType: 'FULL_EXPORT', incrementalExportSpecification: specification },
      invalid('When Export Type is Full Export , Incremental Export Specification should not be provided'),
    ],
    [
      { exportType: 'INCREMENTAL_EXPORT' },
      invalid('Incremental Export Specification expected when export type is set as Incremental Export'),
    ],
    [
      { exportType: 'INCREMENTAL_EXPORT', incrementalExportSpecification: { exportViewType: 'NEW_IMAGE' } },
      invalid('ExportFromTime must be provided in IncrementalExportSpecification'),
    ],
    [{ s3SseKmsKeyId: 'key' }, invalid('KMS Key Id is not supported for this encryption type')],
    [
      { s3SseKmsKeyId: 'key', s3SseAlgorithm: 'AES256' },
      invalid('KMS Key Id is not supported for this encryption type'),
    ],
    [
      window(-60, 0),
      time('Incremental export period from time cannot be less than the table creation time : 2023-12-31T23:00:00Z'),
    ],
    [
      window(0, 3 * 24 * 60),
      time('Incremental export period to time cannot be greater than the current time : 2024-01-04T00:00:00Z'),
    ],
    [
      window(30, 40),
      time('Difference between export period from time and export period to time is less than 15 minutes'),
    ],
    [
      window(40, 30),
      time('Difference between export period from time and export period to time is less than 15 minutes'),
    ],
    [
      window(0, 25 * 60),
      time('Difference between export period from time and export period to time is more than 24 hours'),
    ],
    [window(0, 24 * 60), 'done'],
    [window(47 * 60), 'done'],
    [
      { filterSpecification: { filterExpression: 'v = :v' } },
      `ValidationException: Invalid FilterExpression: An expression attribute value used in expression is not defined; attribute value: :v`,
    ],
    [
      { filterSpecification: { keyConditionExpression: 'v = :v', expressionAttributeValues: { ':v': { N: '1' } } } },
      `ValidationException: Query condition missed key schema element: pk`,
    ],
    [
      {
        filterSpecification: {
          keyConditionExpression: 'pk = :p',
          filterExpression: 'pk = :p',
          expressionAttributeValues: { ':p': { S: 'a' } },
        },
      },
      `ValidationException: Filter Expression can only contain non-primary key attributes: Primary key attribute: pk`,
    ],
    [
      { filterSpecification: { projectionExpression: 'v, v' } },
      `ValidationException: Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [v], path two: [v]`,
    ],
    [{ filterSpecification: { filterExpression: 'pk = :p', expressionAttributeValues: { ':p': { S: 'a' } } } }, 'done'],
  ])('%j', async (request, expected) => {
    const services = await open();
    await createdTable(services, {
      tableName: 'unprotected',
      keySchema: keys('pk'),
      attributeDefinitions: strings('pk'),
    });
    services.clock.advance(2 * dayMs);
    const answer = await refusal(startExport(services, request));
    expect(answer).toBe(expected);
  });

  test('a client token makes a repeated request a repetition, for eight hours', async () => {
    const services = await open();
    const first = await exported(services, { clientToken: 'token', s3Prefix: 'a' });
    expect(first.clientToken).toBe('token');
    services.clock.advance(60 * minuteMs);
    expect(await startExport(services, { s3Prefix: 'a', clientToken: 'token' })).toEqual(first);
    expect(await refusal(startExport(services, { s3Prefix: 'b', clientToken: 'token' }))).toBe(
      'ExportConflictException: Export conflict: Duplicate request detected with conflicting parameters',
    );
    services.clock.advance(7 * 60 * minuteMs);
    await tendBackups(services);
    const second = await startExport(services, { s3Prefix: 'a', clientToken: 'token' });
    expect(second.exportArn).not.toBe(first.exportArn);
  });

  test('two at once with one token are one', async () => {
    const services = await open();
    const both = await Promise.all([1, 2].map(() => startExport(services, { clientToken: 'token' })));
    expect(both[0]?.exportArn).toBe(both[1]?.exportArn);
    expect((await listExports(services, {}, testContext)).exportSummaries).toHaveLength(1);
  });

  test('only so many run at one time', async () => {
    const services = await open({ tasks: 'held', limits: { exportCountMax: 1 } });
    await startExport(services);
    expect(await refusal(startExport(services))).toMatch('LimitExceededException');
  });
});

describe('the list of exports', () => {
  test('begins with the latest, continues by token, and has those of a table only while it is there', async () => {
    const services = await open();
    const arns: string[] = [];
    for (const tableName of ['plain', 'indexed', 'plain']) {
      arns.unshift((await exported(services, { tableArn: arnOf(tableName) })).exportArn);
      services.clock.advance(1000);
    }
    const list = async (request: object): Promise<readonly string[]> =>
      (await listExports(services, request, testContext)).exportSummaries.map(({ exportArn }) => exportArn);
    expect(await list({})).toEqual(arns);
    expect(await list({ tableArn: arnOf('plain') })).toEqual([arns[0], arns[2]]);
    const page = await listExports(services, { maxResults: 2 }, testContext);
    expect(page.exportSummaries).toEqual(
      arns.slice(0, 2).map((exportArn) => ({ exportArn, exportStatus: 'COMPLETED', exportType: 'FULL_EXPORT' })),
    );
    expect(await listExports(services, { maxResults: 2, nextToken: page.nextToken }, testContext)).toEqual({
      exportSummaries: [{ exportArn: arns[2], exportStatus: 'COMPLETED', exportType: 'FULL_EXPORT' }],
    });
    expect(await refusal(listExports(services, { nextToken: 'no' }, testContext))).toBe(
      'ValidationException: Invalid Request: Provided nextToken is invalid: no',
    );
    await deleteTable(services, { tableName: 'plain' }, testContext);
    expect(await list({ tableArn: arnOf('plain') })).toEqual([]);
    expect(await describeIt(services, arns[0] ?? '')).toMatchObject({ exportStatus: 'COMPLETED' });
    services.clock.advance(90 * dayMs);
    await tendBackups(services);
    expect(await list({})).toEqual([]);
  });

  test('names that are none', async () => {
    const services = await open();
    const { exportArn } = await exported(services);
    const describing = (arn: string): Promise<string> => refusal(describeIt(services, arn));
    expect(await describing(exportArn)).toBe('done');
    expect(await describing(arnOf('plain'))).toBe('ValidationException: Invalid Export ARN');
    expect(await describing(exportArn.replace('000000000000', '111111111111'))).toBe(
      'AccessDeniedException: Access is denied',
    );
    expect(await describing(exportArn.replace('us-east-1', 'eu-west-1'))).toBe(
      'ExportNotFoundException: Export not found: Invalid export arn',
    );
    const other = exportArn.replace('/plain/', '/other/');
    expect(await describing(other)).toBe(`ExportNotFoundException: Export not found: Export not found: ${other}`);
  });
});

/** No job, no image, and no reader of the log. */
async function nothingIsLeft(services: TestServices): Promise<void> {
  for (const spaceId of [space.backupJobs, space.purges]) {
    let count = 0;
    await services.store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, () => {
      count += 1;
      return true;
    });
    expect(count).toBe(0);
  }
  const { changeLog } = (await presentTable(services, 'plain')).record;
  expect(changeLog?.readers).toEqual([]);
  let stray = 0;
  await services.store.range({ from: spaceStart(changeLog!.space + 1), to: spaceStart(0xffff_ffff) }, (key) => {
    if (Buffer.from(key).readUInt32BE(0) > changeLog!.space + 1) stray += 1;
    return true;
  });
  expect(stray).toBe(0);
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
