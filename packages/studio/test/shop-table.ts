import type { Browser } from 'playwright-core';
import type { Database } from 'singlet';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { openStudio, type StudioWorld, useStudio } from './studio-world.ts';

/** A server with the shop, for the tests of a file. */
export function useShop(customers: number, browser: () => Browser = useBrowser()): StudioWorld {
  return useStudio(async () => {
    const world = await openStudio(browser);
    await createShop(world.database, customers);
    return world;
  });
}

/** A shop as the applications keep it: customers with their orders in one collection, the lines of an order in an index. */
export async function createShop(database: Database, customers: number, TableName = 'Shop'): Promise<void> {
  const key = (partition: string, sort: string): object[] => [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
  await database.request('CreateTable', {
    TableName,
    AttributeDefinitions: ['PK', 'SK', 'GSI1PK', 'GSI1SK'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: key('PK', 'SK'),
    GlobalSecondaryIndexes: [
      { IndexName: 'GSI1', KeySchema: key('GSI1PK', 'GSI1SK'), Projection: { ProjectionType: 'ALL' } },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  const items = Array.from({ length: customers }, (_, at) => collectionOf(at)).flat();
  for (let from = 0; from < items.length; from += 25) {
    const puts = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await database.request('BatchWriteItem', { RequestItems: { [TableName]: puts } });
  }
}

const statuses = ['ACCEPTED', 'SHIPPED', 'DELIVERED', 'CANCELLED'];

/** A customer with none to four orders, and a line for each order, in the same collection. */
function collectionOf(customer: number): object[] {
  const user = customer === 0 ? 'alexdebrie' : `user${String(customer).padStart(4, '0')}`;
  const PK = { S: `CUSTOMER#${user}` };
  const orders = Array.from({ length: customer === 0 ? 4 : customer % 5 }, (_, number) => {
    const orderId = `1VrgXBQ0${String(customer).padStart(6, '0')}${number}`;
    const order = { S: `ORDER#${orderId}` };
    const createdAt = { S: `2026-11-${String(10 + number)}T08:41:0${number}Z` };
    return [
      {
        PK,
        SK: { S: `#ORDER#${orderId}` },
        GSI1PK: order,
        GSI1SK: order,
        Type: { S: 'Order' },
        CreatedAt: createdAt,
        Status: { S: statuses[(customer + number) % 4] },
        Amount: { N: String(((customer * 37 + number * 11) % 900) + 0.5) },
        NumberItems: { N: String(number + 1) },
        ShippedTo: { M: { City: { S: 'Omaha' }, Street: { S: '12 Farnam St' } } },
      },
      {
        PK: { S: `${order.S}#ITEM#bk-0419` },
        SK: { S: `${order.S}#ITEM#bk-0419` },
        GSI1PK: order,
        GSI1SK: { S: 'ITEM#bk-0419' },
        Type: { S: 'OrderItem' },
        Description: { S: 'The Name of the Rose' },
        Price: { N: '18.5' },
      },
    ];
  }).flat();
  const name = user === 'alexdebrie' ? 'Alex DeBrie' : `User ${customer}`;
  return [
    ...orders,
    {
      PK,
      SK: PK,
      Type: { S: 'Customer' },
      Name: { S: name },
      Email: { S: `${user}@example.com` },
      CreatedAt: { S: '2026-03-02' },
    },
  ];
}
