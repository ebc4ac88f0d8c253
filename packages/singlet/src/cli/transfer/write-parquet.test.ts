import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeParquet } from './write-parquet.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'singlet-parquet-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const choice = { typeAttribute: 'Type', dropped: new Set(['PK']), renamed: new Map<string, string>() };

test('row groups are as small as their bounds ask for, and every row is in one', async () => {
  const lines = Array.from({ length: 1000 }, (_, at) =>
    JSON.stringify({
      Item: { PK: { S: String(at) }, Type: { S: `T${at % 3}` }, n: { N: String(at) }, text: { S: 'x'.repeat(100) } },
    }),
  );
  writeFileSync(join(directory, 'a.gz'), gzipSync(lines.slice(0, 400).join('\n')));
  writeFileSync(join(directory, 'b.gz'), gzipSync(lines.slice(400).join('\n')));
  const staged = { directory, files: ['a.gz', 'b.gz'], itemCount: 1000 };
  const bounds = { rowGroupRows: 100, waitingBytesMax: 50_000 };
  const files = await writeParquet(staged, directory, choice, bounds);
  expect(files.map(({ entityType, rows }) => [entityType, rows])).toEqual([
    ['T0', 334],
    ['T1', 333],
    ['T2', 333],
  ]);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const all = `${directory}/*.parquet`;
  const totals = await connection.runAndReadAll(`select count(*)::int as rows, sum(n)::int as total from '${all}'`);
  expect(totals.getRowObjectsJson()).toEqual([{ rows: 1000, total: 499_500 }]);
  const groups = await connection.runAndReadAll(
    `select max(row_group_num_rows)::int as most, count(distinct (file_name, row_group_id))::int as groups from parquet_metadata('${all}')`,
  );
  const [{ most, groups: count }] = groups.getRowObjectsJson() as [{ most: number; groups: number }];
  expect(most).toBeLessThanOrEqual(100);
  expect(count).toBeGreaterThanOrEqual(10);
  connection.closeSync();
  instance.closeSync();
});

test('two attributes under one name, and far too many types, are refused', async () => {
  writeFileSync(join(directory, 'a.gz'), gzipSync('{"Item":{"PK":{"S":"1"},"a":{"S":"1"},"b":{"S":"2"}}}'));
  const staged = { directory, files: ['a.gz'], itemCount: 1 };
  await expect(writeParquet(staged, directory, { ...choice, renamed: new Map([['a', 'b']]) })).rejects.toThrow(
    'Items of type untyped would have two columns b.',
  );
  const many = Array.from({ length: 1001 }, (_, at) => `{"Item":{"PK":{"S":"${at}"}}}`);
  writeFileSync(join(directory, 'a.gz'), gzipSync(many.join('\n')));
  await expect(writeParquet(staged, directory, { ...choice, typeAttribute: 'PK' })).rejects.toThrow(
    'There are more than 1000 entity types: does PK name them?',
  );
});
