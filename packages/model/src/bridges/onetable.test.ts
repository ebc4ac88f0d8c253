import { Table } from 'dynamodb-onetable';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/test-database.ts';
import { check } from '../check/check.ts';
import { connect, type Model } from '../index.ts';
import { modelFile } from './model-file.ts';
import { draftFromOnetable } from './onetable.ts';

const written = fileURLToPath(new URL('../../test/imported/onetable.model.ts', import.meta.url));

const schema = {
  format: 'onetable:1.1.0',
  version: '0.0.1',
  indexes: {
    primary: { hash: 'pk', sort: 'sk' },
    gs1: { hash: 'gs1pk', sort: 'gs1sk', project: 'all' },
    ls1: { sort: 'joined', type: 'local', project: 'all' },
  },
  models: {
    User: {
      pk: { type: String, value: 'account#${account}' },
      sk: { type: String, value: '${_type}#${email}' },
      account: { type: String, required: true },
      email: { type: String, required: true },
      joined: { type: String, required: true },
      status: { type: String, enum: ['active', 'off'], default: 'active', map: 'st' },
      visits: { type: Number, required: true },
      expires: { type: Date, ttl: true },
      gs1pk: { type: String, value: 'status#${status}' },
      gs1sk: { type: String, value: 'visits#${visits:6:0}' },
    },
    Account: {
      pk: { type: String, value: 'account#${account}' },
      sk: { type: String, value: 'account#' },
      account: { type: String, required: true, generate: 'ulid' },
      name: { type: String, required: true, unique: true },
      address: { type: Object, schema: { street: { type: String, required: true }, zip: { type: String } } },
    },
  },
  params: { isoDates: true, timestamps: true },
} as const;

/** The parts of onetable's models that are used here. Their own types require the schema's literal types. */
interface OnetableModel {
  create(item: object): Promise<unknown>;
  get(key: object): Promise<unknown>;
}

test('items of onetable are read, and onetable reads what is written', async () => {
  const draft = draftFromOnetable(schema, { name: 'accounts', table: 'Accounts' });
  await expect(modelFile(draft, { entry: '../../src/index.ts' })).toMatchFileSnapshot(written);
  const { accounts } = await import('../../test/imported/onetable.model.ts');
  expect(check(accounts as Model).findings.filter(({ level }) => level === 'error')).toEqual([]);

  await using database = await testDatabase(accounts);
  const { client } = database;
  const table = new Table({ client, name: 'Accounts', schema, partial: false } as never);
  const User = table.getModel('User' as never) as unknown as OnetableModel;
  const expires = new Date(Date.now() + 86_400_000);
  await User.create({ account: 'a1', email: 'alex@example.com', joined: '2026-01-02', visits: 7, expires });
  await User.create({ account: 'a1', email: 'bea@example.com', joined: '2026-01-01', visits: 12, expires });

  const db = connect(accounts, { client });
  expect(await db.user({ account: 'a1', email: 'alex@example.com' })).toMatchObject({
    status: 'active',
    visits: 7,
    expires: Math.ceil(expires.getTime() / 1000),
  });
  const visits = (page: { readonly items: readonly { readonly visits: number }[] }): number[] =>
    page.items.map((user) => user.visits);
  expect(visits(await db.usersByGs1({ status: 'active' }))).toEqual([7, 12]);
  expect(visits(await db.usersByLs1({ account: 'a1' }))).toEqual([12, 7]);

  await db.putUser({ account: 'a1', email: 'cy@example.com', joined: '2026-01-03', status: 'off', visits: 1 });
  expect(await User.get({ account: 'a1', email: 'cy@example.com' })).toMatchObject({
    status: 'off',
    visits: 1,
  });
  const Account = table.getModel('Account' as never) as unknown as OnetableModel;
  await Account.create({ account: 'a1', name: 'Acme' });
  await expect(db.createAccount({ account: 'a2', name: 'Acme' })).rejects.toMatchObject({ code: 'not-unique' });
});
