import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import type { Database } from 'singlet';
import { ServedModels } from '../../singlet/src/cli/model/served-models.ts';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { openStudio, type StudioWorld, useStudio } from './studio-world.ts';

/** The model of the application in `systems/e-commerce`. */
export const bookShopModel: string = fileURLToPath(new URL('../../../systems/e-commerce/model.ts', import.meta.url));

/** A server with the model of the book shop and a customer with orders, for the tests of a file. */
export function useBookShop(orders: number, browser: () => Browser = useBrowser()): StudioWorld {
  return useStudio(async () => {
    const world = await openModels(browser, [bookShopModel]);
    await createBookShop(world, orders);
    return world;
  });
}

/** A server with models, its database and the workbench. */
export async function openModels(browser: () => Browser, paths: readonly string[]): Promise<StudioWorld> {
  const world: { database?: Database } = {};
  const database = (): Database => {
    if (world.database === undefined) throw new ReferenceError('The database is there once the world is open');
    return world.database;
  };
  const opened = await openStudio(browser, {
    inspection: { models: new ServedModels({ paths, tables: {}, database }) },
  });
  world.database = opened.database;
  return opened;
}

/** The table of the book shop, with one customer and her orders of one line each. */
export async function createBookShop({ server, database }: StudioWorld, orders: number): Promise<void> {
  await createTable(database, 'EcommerceTable', ['GSI1']);
  const createdAt = '2026-11-22T08:00:00Z';
  const customer = { username: 'alex', email: 'alex@example.com', name: 'Alex', createdAt };
  await run(server.url, 'signUp', { customer, reservation: { email: customer.email, username: 'alex' } });
  for (let number = 0; number < orders; number += 1) {
    const orderId = orderIdOf(number);
    const order = { orderId, username: 'alex', createdAt, status: 'ACCEPTED', amount: 18.5 + number, numberItems: 1 };
    const lines = [{ orderId, itemId: 'bk-0419', description: 'The Name of the Rose', price: 18.5 }];
    await run(server.url, 'placeOrder', { order, lines });
  }
}

/** As long as the ids of the shop are, in the order of the numbers. */
export function orderIdOf(number: number): string {
  return `1VrgXBQ0VCshuQUnh1HrDIHQN${String(number).padStart(2, '0')}`;
}

export async function createTable(
  database: Database,
  TableName: string,
  indexes: readonly string[] = [],
): Promise<void> {
  const names = ['PK', 'SK', ...indexes.flatMap((index) => [`${index}PK`, `${index}SK`])];
  const keys = (prefix: string): object[] => [
    { AttributeName: `${prefix}PK`, KeyType: 'HASH' },
    { AttributeName: `${prefix}SK`, KeyType: 'RANGE' },
  ];
  await database.request('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys(''),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index,
        KeySchema: keys(index),
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
}

async function run(url: string, pattern: string, input: object): Promise<void> {
  const answer = await fetch(`${url}/_singlet/models/e-commerce/patterns/${pattern}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  });
  const { error } = (await answer.json()) as { error: unknown };
  if (error !== null) throw new TypeError(`${pattern}: ${JSON.stringify(error)}`);
}
