import { expect, test } from 'vitest';
import { row } from './row.ts';
import { RowFailure, runRow } from './run-row.ts';
import { call, check, get } from './steps.ts';
import { hashTable } from './tables.ts';
import type { Target } from './targets.ts';
import type { Reply } from './transport.ts';
import { S } from './values.ts';

/** A target that answers from a table of answers and records the requests. */
function scripted(answers: Readonly<Record<string, readonly [status: number, body: unknown]>>): {
  target: Target;
  asked: [string, unknown][];
} {
  const asked: [string, unknown][] = [];
  const target: Target = {
    name: 'scripted',
    advanceClock: undefined,
    servesAllRegions: true,
    encryptsAtRest: true,
    sweepExpiredItems: undefined,
    close: async () => {},
    transport: {
      close: async () => {},
      request: async (action, body): Promise<Reply> => {
        asked.push([action, body]);
        const [status, answer] = answers[action] ?? [200, {}];
        return { status, headers: {}, body: answer, rawBody: new Uint8Array() };
      },
    },
  };
  return { target, asked };
}

const active = [200, { Table: { TableStatus: 'ACTIVE' } }] as const;
const reading = (steps: Parameters<typeof row>[3]['steps']) =>
  row('a/row', 'DB-142', 'assumed: an example', { table: hashTable, steps });

test('a row makes its table, takes its steps with the real name, and removes the table', async () => {
  const { target, asked } = scripted({ DescribeTable: active, GetItem: [200, { Item: { pk: { S: 'x' } } }] });
  await runRow(reading([get({ pk: S('x') }).gives({ Item: { pk: S('x') } })]), target);
  expect(asked.map(([action]) => action)).toEqual(['CreateTable', 'DescribeTable', 'GetItem', 'DeleteTable']);
  const names = asked.map(([, body]) => (body as { TableName: string }).TableName);
  expect(new Set(names).size).toBe(1);
  expect(names[0]).toMatch(/^conf-/);
});

test('another body, another status or another error fails the row, and the table is removed all the same', async () => {
  for (const answer of [
    [200, { Item: { pk: { S: 'y' } } }],
    [400, { __type: 'a#ValidationException', message: 'no' }],
  ] as const) {
    const { target, asked } = scripted({ DescribeTable: active, GetItem: answer });
    await expect(runRow(reading([get({ pk: S('x') }).gives({ Item: { pk: S('x') } })]), target)).rejects.toThrow(
      RowFailure,
    );
    expect(asked.at(-1)?.[0]).toBe('DeleteTable');
  }
});

test('an error must have the name, the message, the status and no further member', async () => {
  const expected = reading([call('GetItem', {}).fails('ValidationException', 'no')]);
  const attempt = (status: number, body: unknown): Promise<void> =>
    runRow(expected, scripted({ DescribeTable: active, GetItem: [status, body] }).target);
  await attempt(400, { __type: 'a.b#ValidationException', message: 'no' });
  await attempt(400, { __type: 'a.b#ValidationException', Message: 'no' });
  await expect(attempt(400, { __type: 'a.b#OtherException', message: 'no' })).rejects.toThrow(RowFailure);
  await expect(attempt(400, { __type: 'a.b#ValidationException', message: 'yes' })).rejects.toThrow(RowFailure);
  await expect(attempt(500, { __type: 'a.b#ValidationException', message: 'no' })).rejects.toThrow(RowFailure);
  await expect(attempt(400, { __type: 'a.b#ValidationException', message: 'no', Item: {} })).rejects.toThrow(
    RowFailure,
  );
});

test('what is expected eventually is asked for again until patience ends', async () => {
  const steps = [call('GetItem', {}, { eventually: true }).gives({ Item: 1 })];
  const never = scripted({ DescribeTable: active });
  await expect(runRow(reading(steps), never.target, { patienceMs: 30 })).rejects.toThrow(RowFailure);
  expect(never.asked.filter(([action]) => action === 'GetItem').length).toBeGreaterThan(1);
});

test('a check fails the row with its name and what differed', async () => {
  const { target } = scripted({ DescribeTable: active });
  const failing = reading([check('sums', async ({ expect: that }) => that('total', 1, 2))]);
  await expect(runRow(failing, target)).rejects.toThrow(/sums: total/);
});
