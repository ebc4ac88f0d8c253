import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  identityPolicy,
  PolicedDatabase,
  root,
  session,
} from '../src/access/authorization/testing/policed-database.ts';
import type { Caller } from '../src/access/caller.ts';
import { DynamoError } from '../src/values/service-error.ts';
import {
  itemActions,
  itemRequest,
  itemsOf,
  ordersTable,
  otherAccount,
  otherRequests,
  secretOf,
  type TenantRequest,
  tenantAccount,
  tenants,
  tenantStatements,
} from './tenant-requests.ts';

/* No tenant reads or changes what belongs to another tenant or account. In one process; tenants-over-http.test.ts does the same from outside. */

const policy = identityPolicy(...tenantStatements);
const tenant = (name: string): Caller => session([policy], { tags: new Map([['tenant', name]]) });

/** A database with the orders of both tenants in both accounts. The other account's table is shared with all of the first. */
async function open(isShared: boolean): Promise<PolicedDatabase> {
  const database = new PolicedDatabase();
  for (const account of [tenantAccount, otherAccount]) {
    await database.call(root(account), 'CreateTable', ordersTable);
    for (const Item of itemsOf(account)) await database.call(root(account), 'PutItem', { TableName: 'Orders', Item });
  }
  const ResourceArn = `arn:aws:dynamodb:us-east-1:${otherAccount}:table/Orders`;
  const statement = {
    Effect: 'Allow',
    Principal: { AWS: tenantAccount },
    Action: 'dynamodb:*',
    Resource: [ResourceArn, `${ResourceArn}/index/*`],
  };
  if (isShared) {
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await database.call(root(otherAccount), 'PutResourcePolicy', { ResourceArn, Policy });
  }
  return database;
}

async function send(
  database: PolicedDatabase,
  caller: Caller,
  { action, input }: TenantRequest,
): Promise<{ readonly text: string; readonly error?: string }> {
  try {
    return { text: JSON.stringify(await database.call(caller, action, input)) };
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    return { text: `${JSON.stringify(error)} ${error.message}`, error: error.name };
  }
}

/** The items of an account that do not belong to a tenant. */
async function itemsOfOthers(database: PolicedDatabase, account: string, name: string | undefined): Promise<string> {
  const { Items } = (await database.call(root(account), 'Scan', { TableName: 'Orders' })) as {
    Items: { pk: { S: string } }[];
  };
  return JSON.stringify(Items.filter(({ pk }) => pk.S !== name));
}

describe('a tenant', () => {
  test.each([true, false])(
    'reads and writes its own partition only (the other account shares its table: %s)',
    async (isShared) => {
      const done = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(fc.array(itemRequest, { minLength: 20, maxLength: 40 }), async (requests) => {
          const database = await open(isShared);
          const before = await Promise.all([
            itemsOfOthers(database, tenantAccount, 't1'),
            itemsOfOthers(database, otherAccount, isShared ? 't1' : undefined),
          ]);
          const secrets = [
            secretOf('t2', tenantAccount),
            secretOf('t2', otherAccount),
            ...(isShared ? [] : [secretOf('t1', otherAccount)]),
          ];
          for (const request of requests) {
            const { text, error } = await send(database, tenant('t1'), request);
            for (const secret of secrets) expect(text, JSON.stringify(request)).not.toContain(secret);
            if (error === undefined) done.set(request.action, (done.get(request.action) ?? 0) + 1);
          }
          expect([
            await itemsOfOthers(database, tenantAccount, 't1'),
            await itemsOfOthers(database, otherAccount, isShared ? 't1' : undefined),
          ]).toEqual(before);
        }),
        { numRuns: 40 },
      );
      // Not because everything is refused: every action of the policy except a scan has had an effect.
      expect([...done.keys()].toSorted()).toEqual(itemActions.filter((action) => action !== 'Scan').toSorted());
    },
  );

  test.each(otherRequests)('may not $action', async (request) => {
    const database = await open(true);
    const before = await itemsOfOthers(database, tenantAccount, undefined);
    expect((await send(database, tenant('t1'), request)).error).toBe('AccessDeniedException');
    expect(await itemsOfOthers(database, tenantAccount, undefined)).toBe(before);
  });

  test('whose tag is a pattern opens nothing', async () => {
    const database = await open(true);
    for (const tag of ['*', 't?', '${aws:PrincipalTag/tenant}', '']) {
      for (const pk of tenants) {
        const get = { TableName: 'Orders', Key: { pk: { S: pk }, sk: { S: 'a' } } };
        expect((await send(database, tenant(tag), { action: 'GetItem', input: get })).error).toBe(
          'AccessDeniedException',
        );
      }
    }
  });

  test('without a tag has no partition', async () => {
    const database = await open(true);
    const get = { TableName: 'Orders', Key: { pk: { S: 't1' }, sk: { S: 'a' } } };
    expect((await send(database, session([policy]), { action: 'GetItem', input: get })).error).toBe(
      'AccessDeniedException',
    );
  });
});
