import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createDatabase } from './create-database.ts';
import { healthRoute } from './health-route.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function statusOf(isReady: () => Promise<boolean>, path: string, method = 'GET'): Promise<number> {
  const route = healthRoute({ isReady });
  const server = createServer((request, response) => {
    if (!route(request, response)) response.writeHead(404).end();
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
}

test('a database that answers is ready, and one that is closed is not', async () => {
  const database = await createDatabase();
  const isReady = async (): Promise<boolean> => {
    await database.request('ListTables', { Limit: 1 });
    return true;
  };
  expect(await statusOf(isReady, '/health/ready')).toBe(200);
  await database.close();
  expect(await statusOf(isReady, '/health/ready')).toBe(503);
  expect(await statusOf(isReady, '/health/live')).toBe(200);
});

test('other paths and methods are no business of it', async () => {
  const isReady = async (): Promise<boolean> => true;
  expect(await statusOf(isReady, '/health')).toBe(404);
  expect(await statusOf(isReady, '/health/ready', 'DELETE')).toBe(404);
});
