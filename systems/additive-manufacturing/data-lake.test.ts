import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { ExportDescription } from '@aws-sdk/client-dynamodb';
import { DescribeImportCommand, DynamoDBClient, ImportTableCommand } from '@aws-sdk/client-dynamodb';
import { DuckDBInstance } from '@duckdb/node-api';
import { createDatabase, type Database, type DatabaseServer, serve } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { createTable } from '../table-lifecycle.ts';
import { tableOf } from '../testing/model-tables.ts';
import { RawTable } from '../testing/raw-table.ts';
import { DataLake } from './data-lake.ts';
import { FIXTURE, usageItem } from './fixture.ts';
import { additiveManufacturing } from './model.ts';

/** Does not wait, but yields to background work: the export. */
const turn = async (): Promise<void> => await new Promise((go) => setImmediate(go));

/** The files of an export are read back as their consumers would read them. */

const definition = { ...tableOf(additiveManufacturing), TableName: 'factory' };
/** The program as installed, built by `npm run build`. */
const program = fileURLToPath(new URL('../../packages/singlet/bin/singlet.js', import.meta.url));

interface PartOfExport {
  readonly itemCount: number;
  readonly md5Checksum: string;
  readonly dataFileS3Key: string;
}

function byKey(items: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const key = (item: Record<string, unknown>): string => `${String(item['PK'])} ${String(item['SK'])}`;
  return items.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

describe.each([
  { name: 'HTTP and LMDB', isServed: true },
  { name: 'in process and memory', isServed: false },
])('the data lake, $name', ({ isServed }) => {
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  let directory: string;
  let database: Database;
  let server: DatabaseServer | undefined;
  let client: DynamoDBClient;
  let table: RawTable;
  let lake: DataLake;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'singlet-lake-'));
    await mkdir(join(directory, 'lake'));
    const stored = isServed ? { directory: join(directory, 'data') } : {};
    database = await createDatabase({ clock, buckets: directory, ...stored });
    server = isServed ? await serve(database, { port: 0 }) : undefined;
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    client = new DynamoDBClient(
      server === undefined ? database.clientConfig() : { endpoint: server.url, region: 'us-east-1', credentials },
    );
    await createTable(client, definition);
    table = new RawTable(client, definition.TableName);
    lake = new DataLake({ client, tableName: definition.TableName, bucket: 'lake', pause: turn });
    await lake.enable();
    await table.putAll(FIXTURE);
  });

  afterAll(async () => {
    client.destroy();
    await server?.close();
    await database.close();
    await rm(directory, { recursive: true, force: true });
  });

  const read = async (key: string): Promise<Buffer> => await readFile(join(directory, 'lake', key));

  /** The parts that an export's manifest lists, and the lines in them. */
  async function contentOf({ ExportManifest = '' }: ExportDescription): Promise<{
    readonly summary: { readonly itemCount: number };
    readonly parts: readonly PartOfExport[];
    readonly lines: readonly Record<string, unknown>[];
  }> {
    const summary = JSON.parse((await read(ExportManifest)).toString()) as {
      readonly itemCount: number;
      readonly manifestFilesS3Key: string;
    };
    const listed = (await read(summary.manifestFilesS3Key)).toString().trimEnd().split('\n');
    const parts = listed.map((line) => JSON.parse(line) as PartOfExport);
    const lines: Record<string, unknown>[] = [];
    for (const { dataFileS3Key, md5Checksum } of parts) {
      const bytes = await read(dataFileS3Key);
      expect(createHash('md5').update(bytes).digest('base64')).toBe(md5Checksum);
      const texts = gunzipSync(bytes).toString().trimEnd().split('\n');
      lines.push(...texts.filter((text) => text !== '').map((text) => JSON.parse(text) as Record<string, unknown>));
    }
    return { summary, parts, lines };
  }

  test('AM-A16: a full export has the nine items of the sample, and imported again they are an equal table', async () => {
    const exported = await lake.exportAll();
    const { summary, parts, lines } = await contentOf(exported);
    expect(summary.itemCount).toBe(9);
    expect(parts.reduce((sum, { itemCount }) => sum + itemCount, 0)).toBe(9);
    expect(lines).toHaveLength(9);

    const { AttributeDefinitions, KeySchema, BillingMode, GlobalSecondaryIndexes } = definition;
    const data = (parts[0]?.dataFileS3Key ?? '').replace(/[^/]+$/, '');
    const { ImportTableDescription: begun } = await client.send(
      new ImportTableCommand({
        S3BucketSource: { S3Bucket: 'lake', S3KeyPrefix: data },
        InputFormat: 'DYNAMODB_JSON',
        InputCompressionType: 'GZIP',
        TableCreationParameters: {
          TableName: 'factory-again',
          AttributeDefinitions,
          KeySchema,
          BillingMode,
          GlobalSecondaryIndexes,
        },
      }),
    );
    await expect
      .poll(
        async () => {
          const { ImportTableDescription } = await client.send(
            new DescribeImportCommand({ ImportArn: begun?.ImportArn }),
          );
          return ImportTableDescription?.ImportStatus;
        },
        { interval: 5 },
      )
      .toBe('COMPLETED');
    const again = new RawTable(client, 'factory-again');
    expect(byKey(await again.scan())).toEqual(byKey(FIXTURE));
    expect((await again.scan('GSI_1')).map(({ GSI_1_PK }) => GSI_1_PK)).toEqual(['part:1']);
  });

  test('AM-W7: an incremental export has what was changed between two times, before and after', async () => {
    const from = new Date(clock.nowMs() + 1000);
    clock.setToMs(clock.nowMs() + 60_000);
    await table.put(usageItem('1', '3', [10, 5, 2, 1_575_500_000]));
    await table.put(usageItem('1', '2', [67, 13.4, 5, 1_575_477_000]));
    clock.setToMs(clock.nowMs() + 3_600_000);
    const to = new Date(clock.nowMs() - 1000);
    const { summary, lines } = await contentOf(await lake.exportChanges(from, to));
    expect(summary.itemCount).toBe(2);
    const changes = lines.toSorted((left, right) =>
      JSON.stringify(left['Keys']) < JSON.stringify(right['Keys']) ? -1 : 1,
    );
    expect(changes).toMatchObject([
      {
        Keys: { PK: { S: 'materialid:1' }, SK: { S: 'processorder:2' } },
        OldImage: { massG: { N: '66' } },
        NewImage: { massG: { N: '67' } },
      },
      { Keys: { SK: { S: 'processorder:3' } }, NewImage: { massG: { N: '10' } } },
    ]);
    expect(changes[1]).not.toHaveProperty('OldImage');
    await table.putAll(FIXTURE);
  });

  test.runIf(isServed)(
    'AM-W7: flattened for analysts, a file for each entity, which DuckDB reads as tables',
    async () => {
      await createTable(client, { ...definition, TableName: 'sample' });
      await new RawTable(client, 'sample').putAll(FIXTURE);
      const out = join(directory, 'flat');
      const options = ['--endpoint', server!.url, '--type-attribute', 'type', '--parquet', '--out', out];
      const environment = { ...process.env, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
      const run = promisify(execFile);
      const { stdout } = await run(process.execPath, [program, 'export', 'sample', ...options], { env: environment });
      expect(stdout).toContain('9 items of sample written');

      const usages = join(out, 'MaterialUsage.parquet');
      expect(
        await query(
          `select materialId, count(*)::int as usages, avg(densityGcm3)::double as arithmetic,
         (sum(massG) / sum(volumeCm3))::double as weighted
       from '${usages}' group by materialId order by materialId`,
        ),
      ).toEqual([
        { materialId: '1', usages: 2, arithmetic: 5, weighted: expect.closeTo(111 / 22.2, 6) },
        { materialId: '2', usages: 2, arithmetic: 5, weighted: expect.closeTo(149 / 29.8, 6) },
      ]);
      const steps = join(out, 'ProcessStep.parquet');
      expect(
        await query(`select step, massG::int as massG from '${steps}' where orderId = '1' order by stepNo`),
      ).toEqual([
        { step: 'materials', massG: null },
        { step: 'mixing', massG: 130 },
        { step: 'print', massG: null },
      ]);
      const parts = join(out, 'Part.parquet');
      expect(
        await query(`select p.partId, s.bedTemp::int as bedTemp
    from '${parts}' p join '${steps}' s on p.orderId = s.orderId and s.step = 'print'`),
      ).toEqual([{ partId: '1', bedTemp: 120 }]);
      expect((await query(`describe select * from '${usages}'`)).map(({ column_name }) => column_name)).not.toContain(
        'PK',
      );
    },
  );
});

async function query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
