import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ActionName, actionNames, actionTable } from '../../engine/index.ts';
import { resourceActions } from '../../engine/policies/resource-actions.ts';
import { operationOf } from '../../server/operations/index.ts';
import { itemRequests } from '../../server/testing/item-requests.ts';
import { validRequests } from '../../server/testing/valid-requests.ts';
import { permissionTable } from './permission-table.ts';
import { namedResource } from './touched-arn.ts';

/**
 * The service's own list, as of September 2026: permission, resources (`index|table`: either; `backup+table`: both; `-`: none), whether
 * a resource policy may grant it, and whether across accounts.
 */
const reference = readFileSync(new URL('testdata/service-authorization.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [permission = '', resources = '', byPolicy = '', acrossAccounts = ''] = line.split(/\s+/);
    return {
      permission,
      resources: resources === '-' ? ['account'] : resources.split(/[|+]/),
      byPolicy,
      acrossAccounts,
    };
  });

const context = { accountId: '000000000000', region: 'us-east-1' };
const permissionsOf = (action: ActionName): readonly string[] => actionTable[action].permissions ?? [action];

describe('the table of permissions', () => {
  test('has a row for every permission that an action asks for, and no other', () => {
    const asked = new Set(actionNames.flatMap(permissionsOf));
    expect([...permissionTable.keys()].toSorted()).toEqual([...asked].toSorted());
  });

  test.each(reference)(
    '$permission is as in the service’s reference',
    ({ permission, resources, byPolicy, acrossAccounts }) => {
      const row = permissionTable.get(permission);
      if (row === undefined) {
        // Permissions that none of our requests needs.
        expect(actionNames.flatMap(permissionsOf)).not.toContain(permission);
        return;
      }
      expect(row.on.toSorted()).toEqual(resources.toSorted());
      const expected = acrossAccounts === 'yes' ? 'across-accounts' : byPolicy === 'yes' ? 'own-account' : 'no';
      expect(row.resourcePolicy).toBe(expected);
    },
  );

  test('what is not in the reference is known by name', () => {
    const listed = new Set(reference.map(({ permission }) => permission));
    expect([...permissionTable.keys()].filter((permission) => !listed.has(permission)).toSorted()).toEqual([
      'CancelBulkOperation',
      'DescribeBulkOperation',
      'GetWeather',
      'ListBulkOperations',
      'SetWeather',
      'StartBulkPutItems',
    ]);
  });

  test('what a resource policy may grant, PutResourcePolicy accepts', () => {
    const accepted = new Set([...resourceActions.table, ...resourceActions.stream]);
    for (const [permission, { resourcePolicy }] of permissionTable) {
      if (resourcePolicy !== 'no') expect(accepted).toContain(`dynamodb:${permission}`);
    }
  });

  const requests: readonly (readonly [ActionName, unknown])[] = [
    ...actionNames.flatMap((action) =>
      action === 'GetRecords' || itemRequests.some(([of]) => of === action)
        ? []
        : [[action, validRequests[action]] as const],
    ),
    [
      'GetRecords',
      { ShardIterator: 'arn:aws:dynamodb:us-east-1:000000000000:table/Users/stream/2024-01-01T00:00:00.000|1|x' },
    ],
    ...itemRequests,
  ];
  test.each(requests)('%s asks on resources of its rows', async (action, input) => {
    const operation = await operationOf(action);
    const touches = await operation.prepare(structuredClone(input), context).touches();
    for (const { permission, resource } of touches) {
      const named = namedResource(resource, context);
      expect(permissionTable.get(permission)?.on, permission).toContain(named.kind);
      expect(named.arn).toMatch(/^(\*|arn:aws:dynamodb:[^:]*:000000000000:(table|global-table)\/.+)$/);
    }
  });
});
