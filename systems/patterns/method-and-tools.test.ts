import { connect as connectSocket, createServer, type AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connect, entity, model, ready } from '@singlet/model';
import { check } from '@singlet/model/check';
import { documentation } from '@singlet/model/docs';
import { serve } from 'singlet';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createTables, openExample } from '../testing/example-database.ts';
import { orders } from './stream-consumers.ts';

/** Names that need placeholders. */
const materials = model('materials')
  .entities({
    Material: entity({
      material: z.string(),
      Status: z.string(),
      ttl: z.number(),
      'processstep:materials': z.string(),
    }),
  })
  .relationships([])
  .patterns({
    add: { creates: 'Material', note: 'INSERT INTO Material VALUES (…)' },
    change: {
      updates: 'Material',
      by: ['material'],
      sets: ['ttl', 'processstep:materials'],
      given: { Status: 'open' },
      returns: 'new',
      note: "UPDATE Material SET … WHERE Status = 'open'",
    },
    material: { reads: 'Material', by: ['material'], note: 'SELECT * FROM Material' },
  })
  .tables({ Materials: { key: ['PK', 'SK'] } })
  .keys({ Material: { Materials: ['MATERIAL#{material:slug}', 'MATERIAL#{material:slug}'] } })
  .served({ add: 'PutItem', change: 'UpdateItem', material: 'GetItem' });

test('P-50 a model without actors or relationships is reported, and SQL is only a comment', async () => {
  const bare = {
    ...orders,
    relationships: [],
    patterns: { save: { puts: 'Order' } },
    served: { save: 'PutItem' },
  } as const;
  const codes = check(bare).findings.map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['no-relationships', 'no-actors']));
  expect(check(orders).findings.map(({ code }) => code)).not.toContain('no-actors'); // .a
  expect(documentation(materials, 'markdown')).toContain('SELECT * FROM Material');
  const { client } = await openExample(materials);
  const db = await ready(connect(materials, { client }));
  expect(JSON.stringify(db.material.request({ material: 'wood' }))).not.toContain('SELECT'); // .b
});

test('T-03 attributes of any name work', async () => {
  const { client } = await openExample(materials);
  const db = connect(materials, { client });
  await db.add({ material: 'wood', Status: 'open', ttl: 1, 'processstep:materials': 'cut' });
  expect(await db.change({ material: 'wood', ttl: 2, 'processstep:materials': 'sand' })).toEqual({
    material: 'wood',
    Status: 'open',
    ttl: 2,
    'processstep:materials': 'sand',
  });
});

test('T-06 a hundred requests go over one connection', async () => {
  const { database } = await openExample();
  const server = await serve(database, { port: 0 });
  onTestFinished(async () => await server.close());
  const { hostname, port } = new URL(server.url);
  let connections = 0;
  const proxy = createServer((socket) => {
    connections += 1;
    const target = connectSocket({ host: hostname, port: Number(port) });
    socket.pipe(target).pipe(socket);
    for (const each of [socket, target]) each.on('error', () => socket.destroy(target.destroy().errored ?? undefined));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  onTestFinished(() => client.destroy());
  await createTables(client, materials);
  const db = connect(materials, { client });
  for (let n = 0; n < 100; n += 1) await db.material({ material: `m${n}` });
  expect(connections).toBe(1);
});

test('T-10 what was consumed is in every answer that is asked for it', async () => {
  const { client, requests } = await openExample(materials);
  await connect(materials, { client }).add({
    material: 'wood',
    Status: 'open',
    ttl: 1,
    'processstep:materials': 'cut',
  });
  expect(requests().map(({ output }) => output?.['ConsumedCapacity'])).toMatchObject([
    { TableName: 'Materials', CapacityUnits: 1 },
  ]);
});
