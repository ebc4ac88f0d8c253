import { readFileSync, writeFileSync } from 'node:fs';
import * as sdk from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import { describe, expect, test } from 'vitest';
import { type ActionName, actionNames, actionTable, methodOf, type Touch } from '../../engine/index.ts';
import * as loadedAtStart from '../../engine/actions/loaded-at-start.ts';
import * as loadedWhenUsed from '../../engine/actions/loaded-when-used.ts';
import { resourceActions } from '../../engine/policies/resource-actions.ts';
import { validRequests } from '../testing/valid-requests.ts';
import { actionsByTarget, operationOf, targetOf } from './index.ts';
import { itemRequests } from '../testing/item-requests.ts';
import * as shapesAtStart from './shapes-at-start.ts';
import * as shapesWhenUsed from './shapes-when-used.ts';

const context = { accountId: '000000000000', region: 'us-east-1' };

const commands = (client: object): readonly string[] =>
  Object.keys(client).flatMap((name) => /^([A-Z]\w+)Command$/.exec(name)?.[1] ?? []);

/** Requests that could run, of every action. */
const requests: readonly (readonly [action: ActionName, input: unknown])[] = [
  ...actionNames.flatMap((action) =>
    itemRequests.some(([of]) => of === action) ? [] : [[action, validRequests[action]] as const],
  ),
  ...itemRequests,
];

async function touchesOf(action: ActionName, input: unknown): Promise<readonly Touch[]> {
  const operation = await operationOf(action);
  return operation.prepare(structuredClone(input), context).touches();
}

describe('the table of actions', () => {
  test('has an implementation and a shape for each action, loaded at the same time, and no other', () => {
    const methods = actionNames.map(methodOf).toSorted();
    expect([...Object.keys(loadedAtStart), ...Object.keys(loadedWhenUsed)].toSorted()).toEqual(methods);
    expect(Object.keys(shapesAtStart).toSorted()).toEqual(Object.keys(loadedAtStart).toSorted());
    expect(Object.keys(shapesWhenUsed).toSorted()).toEqual(Object.keys(loadedWhenUsed).toSorted());
  });

  test('knows the actions of the SDK by the API that each belongs to', () => {
    const ofApi = (api: 'streams' | undefined): readonly string[] =>
      actionNames.filter((action) => actionTable[action].api === api);
    expect(ofApi('streams').toSorted()).toEqual(commands(streams).toSorted());
    expect(commands(sdk)).toEqual(expect.arrayContaining([...ofApi(undefined)]));
  });

  test.each(actionNames)('%s: its name, implementation, shape and row belong together', async (action) => {
    const method = methodOf(action);
    const implementations: Readonly<Record<string, unknown>> = { ...loadedAtStart, ...loadedWhenUsed };
    expect(implementations[method]).toBeTypeOf('function');
    expect((implementations[method] as () => unknown).name).toBe(method);
    const operation = await operationOf(action);
    expect(operation.action).toBe(action);
    expect(actionsByTarget.get(targetOf(action))).toBe(action);
    expect(operation.prepare(structuredClone(validRequests[action]), context).call.action).toBe(action);
  });
});

describe('what actions touch', () => {
  test.each(requests)('%s asks for the permissions of its row, on resources', async (action, input) => {
    const touches = await touchesOf(action, input);
    expect(touches).not.toHaveLength(0);
    const { permissions = [action] } = actionTable[action];
    for (const touch of touches) {
      expect(permissions).toContain(touch.permission);
      expect(Object.values(touch.resource).every((part) => part !== '')).toBe(true);
    }
  });

  test('every permission of every row is asked for by some request', async () => {
    for (const action of actionNames) {
      const { permissions = [action] } = actionTable[action];
      const asked = await Promise.all(
        requests.flatMap(([of, input]) => (of === action ? [touchesOf(action, input)] : [])),
      );
      expect([action, [...new Set(asked.flat().map(({ permission }) => permission))].toSorted()]).toEqual([
        action,
        [...new Set(permissions)].toSorted(),
      ]);
    }
  });

  test('actions on tables and streams ask for what policies of tables and streams may name', () => {
    const known = new Set([...resourceActions.table, ...resourceActions.stream].map((name) => name.split(':')[1]));
    const unknown = actionNames.flatMap((action) =>
      (actionTable[action].permissions ?? [action]).filter((permission) => !known.has(permission)),
    );
    // The actions of the account, and of backups, exports, imports, bulk operations and the global tables of 2017.
    expect([...new Set(unknown)].toSorted()).toMatchInlineSnapshot(`
      [
        "CancelBulkOperation",
        "CreateGlobalTable",
        "DeleteBackup",
        "DescribeBackup",
        "DescribeBulkOperation",
        "DescribeEndpoints",
        "DescribeExport",
        "DescribeGlobalTable",
        "DescribeGlobalTableSettings",
        "DescribeImport",
        "DescribeLimits",
        "GetWeather",
        "ImportTable",
        "ListBackups",
        "ListBulkOperations",
        "ListContributorInsights",
        "ListExports",
        "ListGlobalTables",
        "ListImports",
        "ListStreams",
        "ListTables",
        "SetWeather",
        "UpdateGlobalTable",
        "UpdateGlobalTableSettings",
      ]
    `);
  });

  test('each request, line by line', async () => {
    const lines = await Promise.all(
      requests.map(async ([action, input]) => {
        const touches = await touchesOf(action, input);
        return [`${action} ${JSON.stringify(input)}`, ...touches.map((touch) => `  ${described(touch)}`), ''].join(
          '\n',
        );
      }),
    );
    const file = new URL('testdata/touches.txt', import.meta.url);
    const text = lines.join('\n');
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});

/** Attributes to which requests of the list confine items. */
const confinable = ['pk', 'sk', 'owner'];

function described({ permission, resource, items }: Touch): string {
  const where = Object.values(resource).join(' ');
  if (items === undefined) return `${permission} on ${where}`;
  const { attributeNames, valuesOf: _valuesOf, ...conditions } = items;
  const confined = confinable.flatMap((name) => {
    const values = items.valuesOf(name);
    return values === undefined ? [] : [`${name} ${JSON.stringify(values)}`];
  });
  return [
    `${permission} on ${where}`,
    confined.length === 0 ? 'any item' : confined.join(' '),
    `attributes ${[...attributeNames].join(', ') || 'none'}`,
    ...Object.entries(conditions).map(([name, value]) => `${name} ${value}`),
  ].join('; ');
}
