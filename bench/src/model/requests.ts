// How long building one request takes: the model and popular libraries, in turn, in one process.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connect, entity, model, ready } from '@singlet/model';
import { Table as OneTable } from 'dynamodb-onetable';
import { Entity as ToolboxEntity } from 'dynamodb-toolbox/entity';
import { GetItemCommand } from 'dynamodb-toolbox/entity/actions/get';
import { PutItemCommand } from 'dynamodb-toolbox/entity/actions/put';
import { item, number, string } from 'dynamodb-toolbox/schema';
import { Table as ToolboxTable } from 'dynamodb-toolbox/table';
import { QueryCommand } from 'dynamodb-toolbox/table/actions/query';
import { Entity as ElectroEntity } from 'electrodb';
import { z } from 'zod';

const client = new DynamoDBClient({ region: 'local', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } });
const order = {
  customer: 'alexdebrie',
  orderId: '1VrgXBQ0VCshuQUnh1HrDIHQNWY',
  status: 'PLACED',
  amount: 67.43,
  city: 'Omaha',
};
const key = { customer: order.customer, orderId: order.orderId };

interface OneTableModel {
  create(item: object, options: object): Promise<unknown>;
  get(key: object, options: object): Promise<unknown>;
  find(key: object, options: object): Promise<unknown>;
}

/** One call of each builds one request. */
export type RequestCalls = Readonly<Record<RequestKind, () => unknown>>;
export type RequestKind = (typeof requestKinds)[number];
export const requestKinds = ['put', 'get', 'query'] as const;

async function singlet(): Promise<RequestCalls> {
  const text = z.string();
  const shop = model('shop')
    .entities({ Order: entity({ customer: text, orderId: text, status: text, amount: z.number(), city: text }) })
    .relationships([])
    .patterns({
      put: { puts: 'Order' },
      get: { reads: 'Order', by: ['customer', 'orderId'] },
      query: { reads: ['Order'], by: ['customer'], order: 'orderId desc', limit: 10 },
    })
    .tables({ Shop: { key: ['PK', 'SK'] } })
    .keys({ Order: { Shop: ['CUSTOMER#{customer}', 'ORDER#{orderId}'] } })
    .served({ put: 'PutItem', get: 'GetItem', query: { query: 'Shop' } });
  const db = await ready(connect(shop, { client }));
  return {
    put: () => db.put.request(order),
    get: () => db.get.request(key),
    query: () => db.query.request({ customer: order.customer }),
  };
}

function electro(): RequestCalls {
  const orders = new ElectroEntity(
    {
      model: { entity: 'order', version: '1', service: 'shop' },
      attributes: {
        customer: { type: 'string', required: true },
        orderId: { type: 'string', required: true },
        status: { type: 'string' },
        amount: { type: 'number' },
        city: { type: 'string' },
      },
      indexes: { main: { pk: { field: 'PK', composite: ['customer'] }, sk: { field: 'SK', composite: ['orderId'] } } },
    },
    { table: 'Shop', client },
  );
  return {
    put: () => orders.put(order).params(),
    get: () => orders.get(key).params(),
    query: () => orders.query.main({ customer: order.customer }).params({ order: 'desc', limit: 10 }),
  };
}

function toolbox(): RequestCalls {
  const table = new ToolboxTable({
    name: 'Shop',
    partitionKey: { name: 'PK', type: 'string' },
    sortKey: { name: 'SK', type: 'string' },
  });
  const schema = item({
    customer: string().key(),
    orderId: string().key(),
    status: string(),
    amount: number(),
    city: string(),
  });
  const orders = new ToolboxEntity({
    name: 'Order',
    table,
    schema,
    computeKey: ({ customer, orderId }) => ({ PK: `CUSTOMER#${customer}`, SK: `ORDER#${orderId}` }),
  });
  return {
    put: () => orders.build(PutItemCommand).item(order).params(),
    get: () => orders.build(GetItemCommand).key(key).params(),
    query: () =>
      table
        .build(QueryCommand)
        .query({ partition: `CUSTOMER#${order.customer}`, range: { beginsWith: 'ORDER#' } })
        .entities(orders)
        .options({ reverse: true, limit: 10 })
        .params(),
  };
}

function onetable(): RequestCalls {
  const schema = {
    format: 'onetable:1.1.0',
    version: '0.0.1',
    indexes: { primary: { hash: 'PK', sort: 'SK' } },
    models: {
      Order: {
        PK: { type: String, value: 'CUSTOMER#${customer}' },
        SK: { type: String, value: 'ORDER#${orderId}' },
        customer: { type: String, required: true },
        orderId: { type: String, required: true },
        status: { type: String },
        amount: { type: Number },
        city: { type: String },
      },
    },
  } as const;
  // Its types require every attribute of the schema, keys included. The calls are those of its documentation.
  const orders = new OneTable({ name: 'Shop', client, schema, partial: false }).getModel(
    'Order',
  ) as unknown as OneTableModel;
  const unsent = { execute: false, log: false } as const;
  return {
    put: async () => orders.create(order, { ...unsent, exists: null }),
    get: async () => orders.get(key, unsent),
    query: async () => orders.find({ customer: order.customer }, { ...unsent, reverse: true, limit: 10 }),
  };
}

/** The subjects, each with its own model of the same item. */
export async function requestSubjects(): Promise<Readonly<Record<string, RequestCalls>>> {
  return {
    singlet: await singlet(),
    electrodb: electro(),
    'dynamodb-toolbox': toolbox(),
    'dynamodb-onetable': onetable(),
  };
}
