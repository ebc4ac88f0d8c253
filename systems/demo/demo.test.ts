import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { additiveManufacturingDemo } from '../additive-manufacturing/demo.ts';
import { bigTimeDealsDemo } from '../big-time-deals/demo.ts';
import { ecommerceDemo } from '../e-commerce/demo.ts';
import { sessionStoreDemo } from '../session-store/demo.ts';
import type { OpenDatabase } from '../testing/databases.ts';
import { databasesUnderTest } from '../testing/databases.ts';
import type { Demo } from './demo.ts';
import { runDemo } from './demo.ts';
import { Terminal } from './terminal.ts';

async function withDatabase<Result>(use: (database: OpenDatabase) => Promise<Result>): Promise<Result> {
  const [underTest] = databasesUnderTest;
  const database = await underTest!.open();
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function outputOf(demo: Demo): Promise<string> {
  const written: string[] = [];
  const terminal = new Terminal({ write: (text) => written.push(text) }, { colour: true });
  const { signal } = new AbortController();
  await withDatabase(async (database) => {
    await runDemo(demo, { database, terminal, tableName: newTableName(), signal });
  });
  return written.join('');
}

function newTableName(): string {
  return `Demo-${process.pid}-${Date.now().toString(36)}`;
}

/** The row of a pattern in the closing table, as numbers. */
function rowOf(output: string, patternId: string): number[] {
  const row = output.split('\n').findLast((line) => line.startsWith(patternId));
  expect(row, `a row for ${patternId}`).toBeDefined();
  return row!
    .split(/ {2,}/)
    .slice(2)
    .map((cell) => (cell === '–' ? 0 : Number(cell)));
}

describe('demos', () => {
  test('e-commerce: plays a day and gives the figures of every pattern', async () => {
    const demo = ecommerceDemo({ orders: 60 });
    const output = await outputOf(demo);

    expect(output).toContain('Paging through every account at midnight finds 60 orders: all of them, none twice.');
    expect(output).toMatch(/Query on Demo-\S+, index GSI1\n +GSI1PK = "ORDER#[0-9A-Za-z]{27}" AND .*\n +descending\n/);
    expect(output).not.toContain('\u001b');
    for (const { id, title } of demo.patterns) {
      expect(output).toContain(`${id}  ${title}`);
      const [calls, requests] = rowOf(output, id);
      expect(requests, id).toBe(calls);
    }
    const [calls, requests, , , written] = rowOf(output, 'EC-04');
    expect([calls, requests]).toEqual([60, 60]);
    expect(written).toBeGreaterThanOrEqual(120);
    const [, , read, returned, , readUnits] = rowOf(output, 'EC-06');
    expect(read).toBe(returned);
    expect(readUnits).toBeGreaterThan(0);
  });

  test('session store: plays ten days and gives the figures of every pattern', async () => {
    const demo = sessionStoreDemo({ logins: 200 });
    const output = await outputOf(demo);
    expect(output).toContain('25 people log in 200 times');
    expect(output).toContain('200 log-ins');
    expect(rowOf(output, 'SS-01').slice(0, 5)).toEqual([200, 200, 0, 0, 200]);
    expect(rowOf(output, 'SS-02').slice(0, 2)).toEqual([800, 800]);
    const [suspicions, , , , revoked] = rowOf(output, 'SS-04');
    expect(output).toContain(`${suspicions} people were thrown out of ${revoked} sessions`);
    expect(rowOf(output, 'SS-03')).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    for (const { id, title } of demo.patterns) {
      expect(output).toContain(`${id}  ${title}`);
    }
  });

  test('additive manufacturing: makes parts, and the sums of the stream are those of the usages', async () => {
    const demo = additiveManufacturingDemo({ orders: 6 });
    const output = await outputOf(demo);
    expect(output).toContain('6 orders begin an hour apart');
    expect(output).toMatch(/aluminium: \d+ usages, \d+ on the first day; \d\.\d{3} g\/cm³ on average\./);
    expect(output).toContain('An order that was never printed does not get into the oven.');
    expect(rowOf(output, 'AM-W1 ').slice(0, 2)).toEqual([6, 6]);
    expect(rowOf(output, 'AM-W7')).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    for (const { id, title } of demo.patterns) {
      expect(output).toContain(`${id}  ${title}`);
    }
  });

  test('Big Time Deals: plays a day, its stream included, and gives the figures of every pattern', async () => {
    const demo = bigTimeDealsDemo({ hunters: 3, days: 1 });
    const output = await outputOf(demo);
    expect(output).toContain('Scrolling to the end of the front page finds all 15 deals, none twice.');
    for (const { id, title } of demo.patterns) {
      expect(output).toContain(`${id}  ${title}`);
      expect(rowOf(output, id)[0], id).toBeGreaterThan(0);
    }
    expect(rowOf(output, 'BTD-01').slice(0, 2)).toEqual([15, 15]);
    expect(rowOf(output, 'BTD-22')[0]).toBe(15);
  });

  test('stop in the middle when they are told to, and take their table with them', async () => {
    const interruption = new AbortController();
    const written: string[] = [];
    const write = (text: string): void => {
      written.push(text);
      if (text.startsWith(' 50%')) {
        interruption.abort();
      }
    };
    const terminal = new Terminal({ write }, { colour: false });
    await withDatabase(async (database) => {
      const tableName = newTableName();
      const demo = sessionStoreDemo({ logins: 60 });
      const run = runDemo(demo, { database, terminal, tableName, signal: interruption.signal });
      await expect(run).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
      expect(written.at(-1)).toMatch(/^ 50%/);

      const client = new DynamoDBClient(database.clientConfig);
      const described = client.send(new DescribeTableCommand({ TableName: tableName }));
      await expect(described).rejects.toThrow(expect.objectContaining({ name: 'ResourceNotFoundException' }));
      client.destroy();
    });
  });
});
