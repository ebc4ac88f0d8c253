import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { declaredIds, serving, useApplication } from '../../testing/applications.ts';
import { openEmbeddedDatabase } from '../../testing/databases.ts';
import { keepsExamples } from '../../testing/examples.ts';
import type { DataLake } from '../data-lake.ts';
import type { Factory } from '../factory.ts';
import { additiveManufacturing } from '../model.ts';
import { routesOf } from './routes.ts';
import { LAKE_BUCKET, startFactory } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const served = useApplication(startFactory, { scale: 0, buckets: [LAKE_BUCKET] });
/** The machine may be busy with other tests. */
const COPPER = { materialId: 'copper', massG: 45, volumeCm3: 9, densityGcm3: 5 };
const TIN = { materialId: 'tin', massG: 85, volumeCm3: 17, densityGcm3: 5 };
const MIXTURE = { massG: 130, volumeCm3: 26, densityGcm3: 5 };
const PRINT = { bedTemp: 100, materialTemp: 400, adhesionSurface: 'tape' };
const BAKE = { ovenTemp: 1200, durationMin: 90 };

async function ask(method: string, path: string, body?: object) {
  return await served().ask(method, path, body === undefined ? {} : { body });
}

function qualityOf(partIds: readonly string[]): object {
  const parts = partIds.map((partId, at) => ({ partId, porosityPct: at, massG: 65 }));
  return { methods: ['microscopy'], passed: true, parts };
}

test('every pattern, write and job is served by an operation', () => {
  const ids = routesOf({} as Factory, {} as DataLake).flatMap(({ serves = [] }) => serves);
  expect(new Set(ids)).toEqual(declaredIds(additiveManufacturing));
});

test('data scientists get an export, once for each key, and read that it is done', async () => {
  const begin = async (key: string) => await served().ask('POST', '/exports', { body: {}, key });
  const begun = await begin('night-of-the-28th');
  expect(begun.status).toBe(202);
  const { exportId } = begun.body;
  expect((await begin('night-of-the-28th')).body['exportId']).toBe(exportId);
  expect((await begin('night-of-the-29th')).body['exportId']).not.toBe(exportId);
  // The same request again says how far it is. What is read of it afterwards is always the same.
  await expect.poll(async () => (await begin('night-of-the-28th')).body['status']).toBe('done');
  expect((await ask('GET', `/exports/${String(exportId)}`)).body).toEqual({
    exportId,
    status: 'done',
    items: expect.any(Number) as number,
    manifest: expect.stringContaining(String(exportId)) as string,
  });

  const between = { from: '2026-03-01T00:00:00Z', to: '2026-03-01T00:01:00Z' };
  for (const [body, detail] of [
    [between, /15 minutes/],
    [{ from: between.from }, /together/],
    [{ from: 'yesterday', to: between.to }, /time such as/],
  ] as const) {
    const refused = await ask('POST', '/exports', body);
    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid']);
    expect(refused.body['detail']).toMatch(detail);
  }
  expect((await ask('GET', '/exports/01000000000000-abcdef01')).status).toBe(404);
});

test('without a bucket there are no exports', async () => {
  await serving(
    startFactory,
    async ({ ask: send }) => {
      const refused = await send('POST', '/exports', { body: {} });
      expect([refused.status, refused.body['code']]).toEqual([409, 'not-now']);
    },
    { scale: 0 },
  );
});

describe('an order', () => {
  test('goes from station to station, no station before the one before it, and its parts lead back to it', async () => {
    const path = '/orders/order-17';
    const partIds = ['part-b', 'part-a'];
    const order = { orderId: 'order-17', recipes: { print: 'part-9' }, materials: [TIN, COPPER] };
    const stations: [string, object][] = [
      ['mixing', MIXTURE],
      ['print', { ...PRINT, partIds }],
      ['bake', BAKE],
      ['qc', qualityOf(partIds)],
    ];
    const others: Readonly<Record<string, object>> = {
      mixing: { ...MIXTURE, massG: MIXTURE.massG + 0.005 },
      print: { ...PRINT, partIds: [...partIds, 'one-more'] },
      bake: { ...BAKE, ovenTemp: BAKE.ovenTemp + 1 },
      qc: { ...qualityOf(partIds), passed: false },
    };
    expect((await ask('POST', '/orders', order)).status).toBe(201);
    expect((await ask('POST', '/orders', order)).status).toBe(201);
    for (const [at, [station, body]] of stations.entries()) {
      for (const [later, tooEarly] of stations.slice(at + 1)) {
        expect(await ask('PUT', `${path}/${later}`, tooEarly)).toMatchObject({
          status: 409,
          body: { code: 'not-now' },
        });
      }
      expect([station, (await ask('PUT', `${path}/${station}`, body)).status]).toEqual([station, 204]);
      // Sent again, it is the same record. Another one is refused.
      expect([station, (await ask('PUT', `${path}/${station}`, body)).status]).toEqual([station, 204]);
      expect(await ask('PUT', `${path}/${station}`, others[station])).toMatchObject({ status: 409 });
    }
    const whole = await ask('GET', path);
    expect(whole.receipt).toBe(
      'op=Query;place=additive-manufacturing;read=9;returned=9;rcu=0.5;pattern=AM-4, serves=AM-4',
    );
    expect((whole.body['steps'] as { step: string }[]).map(({ step }) => step)).toEqual([
      'materials',
      'mixing',
      'print',
      'bake',
      'qc',
    ]);
    // AM-11 in full: the part's order is returned with everything stored about it.
    const ofPart = await ask('GET', '/parts/part-a/order');
    expect(ofPart.body).toEqual(whole.body);
    expect(ofPart.receipt.match(/op=Query/g)).toHaveLength(2);
    expect(whole.body).toMatchObject({
      recipes: { print: 'part-9' },
      parts: [
        { partId: 'part-a', porosityPct: 1 },
        { partId: 'part-b', porosityPct: 0 },
      ],
    });
    expect((await ask('GET', '/parts/part-b')).body).toEqual({ orderId: 'order-17' });
    expect((await ask('GET', `${path}/steps`)).body['items']).toEqual(whole.body['steps']);
    expect((await ask('GET', `${path}/steps/bake`)).body).toMatchObject(BAKE);
    expect((await ask('GET', `${path}/parts`)).body['items']).toEqual(whole.body['parts']);
    expect((await ask('GET', `${path}/recipes`)).body).toEqual({ print: 'part-9' });
    expect((await ask('GET', `${path}/materials`)).body['items']).toMatchObject([TIN, COPPER]);
  });

  test('is counted in the sums of its materials, which are one item, and are as exact as all usages', async () => {
    const nickel = { materialId: 'nickel', massG: 10, volumeCm3: 2, densityGcm3: 5 };
    const heavy = { ...nickel, massG: 30, volumeCm3: 3, densityGcm3: 10 };
    await ask('POST', '/orders', { orderId: 'n-1', materials: [nickel] });
    await ask('POST', '/orders', { orderId: 'n-2', materials: [heavy] });
    const sums = { usages: 2, arithmetic: 7.5, weighted: 8 };
    expect((await ask('GET', '/materials/nickel?exact=true')).body).toEqual(sums);
    await expect.poll(async () => (await ask('GET', '/materials/nickel')).body).toEqual(sums);
    expect((await ask('GET', '/materials/nickel')).receipt).toMatch(/^op=GetItem;/);
    const { items } = (await ask('GET', '/materials/nickel/usages?from=0&to=9999999999')).body;
    expect(items).toMatchObject([nickel, heavy]);
    expect((await ask('GET', '/materials/nickel/usages?from=0&to=1')).body['items']).toEqual([]);
    expect((await ask('GET', '/materials/nickel/orders')).body['items']).toMatchObject([
      { orderId: 'n-1' },
      { orderId: 'n-2' },
    ]);
  });
});

test('what is refused says why, and changes nothing', async () => {
  await ask('POST', '/orders', { orderId: 'o-1', materials: [COPPER, TIN] });
  await ask('PUT', '/orders/o-1/mixing', MIXTURE);
  await ask('PUT', '/orders/o-1/print', { ...PRINT, partIds: ['taken-1', 'taken-2'] });
  await ask('POST', '/orders', { orderId: 'o-2', materials: [COPPER, TIN] });
  const before = await ask('GET', '/orders/o-2');
  const cases: [string, string, object | undefined, number, string][] = [
    ['POST', '/orders', { orderId: 'o-2', materials: [COPPER] }, 409, 'taken'],
    ['POST', '/orders', { orderId: 'a:b', materials: [COPPER] }, 400, 'invalid'],
    ['POST', '/orders', { orderId: 'x', materials: [COPPER, COPPER] }, 400, 'invalid'],
    ['POST', '/orders', { orderId: 'x', materials: Array.from({ length: 98 }, () => COPPER) }, 400, 'invalid'],
    ['POST', '/orders', { orderId: 'x', materials: [{ ...COPPER, massG: '45g' }] }, 400, 'invalid'],
    ['POST', '/orders', { orderId: 'x', materials: [COPPER], recipes: { melt: 'x' } }, 400, 'invalid'],
    ['PUT', '/orders/o-2/mixing', { ...MIXTURE, massG: 130.02 }, 400, 'invalid'],
    ['PUT', '/orders/o-2/bake', { ovenTemp: '45g', durationMin: 1 }, 400, 'invalid'],
    ['PUT', '/orders/none/mixing', MIXTURE, 409, 'not-now'],
    ['PUT', '/orders/o-1/print', { ...PRINT, partIds: ['one'] }, 400, 'invalid'],
    ['GET', '/orders/none', undefined, 404, 'not-found'],
    ['GET', '/orders/none/materials', undefined, 404, 'not-found'],
    ['GET', '/orders/none/recipes', undefined, 404, 'not-found'],
    ['GET', '/orders/o-2/steps/bake', undefined, 404, 'not-found'],
    ['GET', '/orders/o-2/steps/melt', undefined, 400, 'invalid'],
    ['GET', '/parts/none', undefined, 404, 'not-found'],
    ['GET', '/materials/tin/usages?from=2&to=1', undefined, 400, 'invalid'],
    ['GET', '/materials/tin/usages?from=x', undefined, 400, 'invalid'],
  ];
  for (const [method, path, body, status, code] of cases) {
    const answer = await ask(method, path, body);
    expect([method, path, answer.status, answer.body['code']]).toEqual([method, path, status, code]);
    expect(JSON.stringify(answer.body)).not.toMatch(/Exception|Zod|Invalid|at .*\.ts/);
  }
  const differs = await ask('PUT', '/orders/o-2/mixing', { ...MIXTURE, massG: 130.02 });
  expect(differs.body['detail']).toBe('The mass of the mixture of o-2 is 130.02, that of its materials 130.');
  expect((await ask('GET', '/orders/o-2')).body).toEqual(before.body);
  await ask('PUT', '/orders/o-2/mixing', MIXTURE);
  expect(await ask('PUT', '/orders/o-2/print', { ...PRINT, partIds: ['taken-1', 'free'] })).toMatchObject({
    status: 409,
    body: { code: 'taken' },
  });
  expect((await ask('GET', '/parts/free')).status).toBe(404);
  await ask('PUT', '/orders/o-1/bake', BAKE);
  expect((await ask('PUT', '/orders/o-1/qc', qualityOf(['taken-1', 'none']))).body['code']).toBe('not-found');
  expect((await ask('GET', '/orders/o-1/steps/qc')).status).toBe(404);
  expect(served().said).toEqual([]);
});

test('started again, the application counts none of the sample a second time: the sums are those of the usages', async () => {
  const database = await openEmbeddedDatabase();
  const faults: unknown[] = [];
  const starting = async () => {
    const client = new DynamoDBClient(database.clientConfig);
    const onFault = (error: unknown): void => void faults.push(error);
    const server = await startFactory({ database, client, port: 0, scale: 0.02, say: () => undefined, onFault });
    return {
      usages: async (query: string): Promise<number> => {
        const answer = await fetch(`${server.url}/api/materials/aluminium${query}`);
        return ((await answer.json()) as { readonly usages: number }).usages;
      },
      begin: async (body: object): Promise<number> =>
        (await fetch(`${server.url}/api/orders`, { method: 'POST', body: JSON.stringify(body) })).status,
      end: async () => {
        await server.close();
        client.destroy();
      },
    };
  };
  try {
    const first = await starting();
    await first.end();
    const second = await starting();
    try {
      const before = await second.usages('?exact=true');
      expect(before).toBeGreaterThan(0);
      expect(await second.begin({ orderId: 'after', materials: [{ ...COPPER, materialId: 'aluminium' }] })).toBe(201);
      // A stream is read in its order: the sample would be counted by now.
      await expect.poll(async () => (await second.usages('')) > before).toBe(true);
      expect(await second.usages('')).toBe(before + 1);
    } finally {
      await second.end();
    }
    expect(faults).toEqual([]);
  } finally {
    await database.close();
  }
});
