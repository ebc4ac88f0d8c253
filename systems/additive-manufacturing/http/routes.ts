import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { type Route, route } from '../../http/route.ts';
import type { DataLake } from '../data-lake.ts';
import type { Factory, MaterialUsage, Part, ProcessOrder, ProcessStep } from '../factory.ts';
import { STEPS } from '../model.ts';
import { exportRoutes } from './export-routes.ts';
import { Records } from './records.ts';

const PARTS_MAX = 200;
const MATERIALS_MAX = 97;
const MEASURE_MAX = 1_000_000;

/** Ids are parts of keys, whose separator is a colon. */
export const id = z.string().regex(/^[\w.-]{1,60}$/);
export const measure = z.number().positive().max(MEASURE_MAX);
const temperature = z.number().min(-273).max(5000);
const measures = z.object({ massG: measure, volumeCm3: measure, densityGcm3: measure });
export const printing = z.object({
  bedTemp: temperature,
  materialTemp: temperature,
  adhesionSurface: z.string().trim().min(1).max(60),
});
export const baking = z.object({ ovenTemp: temperature, durationMin: z.number().positive().max(100_000) });
const recipes = z.partialRecord(z.enum(STEPS), id);
const newOrder = z.object({
  orderId: id,
  recipes: recipes.default({}),
  materials: z
    .array(measures.extend({ materialId: id }))
    .min(1)
    .max(MATERIALS_MAX),
});
const quality = z.object({
  methods: z.array(z.enum(['microscopy', 'measurement'])).min(1),
  passed: z.boolean(),
  parts: z
    .array(z.object({ partId: id, porosityPct: z.number().min(0).max(100), massG: measure }))
    .min(1)
    .max(PARTS_MAX),
});

const step = z.looseObject({ step: z.enum(STEPS), stepNo: z.int() });
const part = z.object({
  orderId: z.string(),
  partId: z.string(),
  porosityPct: z.number().optional(),
  massG: z.number().optional(),
});
const usage = measures.extend({ materialId: z.string(), orderId: z.string(), timestamp: z.int() });
const order = z.object({
  orderId: z.string(),
  createdAt: z.string().optional(),
  steps: z.array(step),
  parts: z.array(part),
  recipes: z.record(z.string(), z.string()),
});
const density = z.object({ usages: z.int(), arithmetic: z.number().nullable(), weighted: z.number().nullable() });
const seconds = z.coerce.number().int().min(0).max(9_999_999_999);

const absent = { 404: { description: 'There is no such thing' } };
const refused = { 400: { description: 'Not as it was measured' }, 409: { description: 'Too early, or done already' } };

/** What the factory does, over HTTP. */
export function routesOf(factory: Factory, lake: DataLake): readonly Route[] {
  const records = new Records(factory);
  return [
    ...orderRoutes(factory, records),
    ...stationRoutes(records),
    ...partRoutes(factory),
    ...materialRoutes(factory),
    ...exportRoutes(lake),
  ];
}

function orderRoutes(factory: Factory, records: Records): readonly Route[] {
  const facts = { tag: 'Orders', pathSchemas: { orderId: id } } as const;
  const list = <Each extends z.ZodType>(each: Each) => z.object({ items: z.array(each) });
  return [
    route({
      method: 'POST',
      path: '/orders',
      operationId: 'gatherMaterials',
      summary: 'Begin an order: what is used of which material, and by which recipes',
      tag: 'Orders',
      serves: ['AM-W1', 'AM-W6'],
      body: newOrder,
      answers: { 201: { description: 'Begun' }, 409: { description: 'There is another order of this id' } },
      handle: async ({ body }) => {
        await records.gatherMaterials(body);
        return { status: 201 };
      },
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/orders/{orderId}',
      operationId: 'getOrder',
      summary: 'All that is stored of an order, by one query',
      serves: ['AM-4'],
      answers: { 200: { description: 'The order', schema: order }, ...absent },
      handle: async ({ path: { orderId } }) => ({
        status: 200,
        body: orderShown(orderId, existing(await factory.findOrder(orderId), 'order')),
      }),
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/orders/{orderId}/steps',
      operationId: 'getSteps',
      summary: 'The steps that are done, in the order in which they are done',
      serves: ['AM-1'],
      answers: { 200: { description: 'The steps', schema: list(step) } },
      handle: async ({ path }) => ({
        status: 200,
        body: { items: (await factory.stepsOf(path.orderId)).map(stepShown) },
      }),
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/orders/{orderId}/steps/{step}',
      operationId: 'getStep',
      summary: 'One step',
      pathSchemas: { orderId: id, step: z.enum(STEPS) },
      serves: ['AM-9'],
      answers: { 200: { description: 'The step', schema: step }, ...absent },
      handle: async ({ path }) => ({
        status: 200,
        body: stepShown(existing(await factory.findStep(path.orderId, path.step), 'step yet')),
      }),
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/orders/{orderId}/parts',
      operationId: 'getParts',
      summary: 'The parts of an order',
      serves: ['AM-5'],
      answers: { 200: { description: 'The parts', schema: list(part) } },
      handle: async ({ path }) => ({
        status: 200,
        body: { items: (await factory.partsOf(path.orderId)).map(partShown) },
      }),
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/orders/{orderId}/materials',
      operationId: 'getMaterials',
      summary: 'What an order used of its materials',
      serves: ['AM-7'],
      answers: { 200: { description: 'The usages', schema: list(usage) }, ...absent },
      handle: async ({ path }) => ({
        status: 200,
        body: { items: existing(await factory.materialsOf(path.orderId), 'order').map(usageShown) },
      }),
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/orders/{orderId}/recipes',
      operationId: 'getRecipes',
      summary: 'The recipes of an order',
      serves: ['AM-8'],
      answers: { 200: { description: 'By step', schema: z.record(z.string(), z.string()) }, ...absent },
      handle: async ({ path }) => ({
        status: 200,
        body: existing(await factory.findRecipes(path.orderId), 'order'),
      }),
    }),
  ];
}

function stationRoutes(records: Records): readonly Route[] {
  const answers = { 204: { description: 'Recorded' }, ...refused };
  const facts = { method: 'PUT', tag: 'Stations', pathSchemas: { orderId: id }, answers } as const;
  return [
    route({
      ...facts,
      path: '/orders/{orderId}/mixing',
      operationId: 'recordMixing',
      summary: 'Record the mixture, which weighs and fills what its materials do',
      serves: ['AM-W2'],
      body: measures,
      handle: async ({ path, body }) => {
        await records.mixing(path.orderId, body);
        return { status: 204 };
      },
    }),
    route({
      ...facts,
      path: '/orders/{orderId}/print',
      operationId: 'recordPrinting',
      summary: 'Record the printing of two or more parts',
      serves: ['AM-W3'],
      body: printing.extend({ partIds: z.array(id).min(2).max(PARTS_MAX) }),
      handle: async ({ path, body: { partIds, ...print } }) => {
        await records.printing(path.orderId, print, partIds);
        return { status: 204 };
      },
    }),
    route({
      ...facts,
      path: '/orders/{orderId}/bake',
      operationId: 'recordBaking',
      summary: 'Record the baking',
      serves: ['AM-W4'],
      body: baking,
      handle: async ({ path, body }) => {
        await records.baking(path.orderId, body);
        return { status: 204 };
      },
    }),
    route({
      ...facts,
      path: '/orders/{orderId}/qc',
      operationId: 'recordQuality',
      summary: 'Record what quality control has found',
      serves: ['AM-W5'],
      body: quality,
      answers: { ...answers, ...absent },
      handle: async ({ path, body: { methods, passed, parts } }) => {
        await records.quality(path.orderId, { methods: new Set(methods), passed }, parts);
        return { status: 204 };
      },
    }),
  ];
}

function partRoutes(factory: Factory): readonly Route[] {
  const facts = { method: 'GET', tag: 'Parts', pathSchemas: { partId: id } } as const;
  return [
    route({
      ...facts,
      path: '/parts/{partId}',
      operationId: 'getPlaceOfPart',
      summary: 'The order that a part belongs to',
      serves: ['AM-3'],
      answers: { 200: { description: 'Its id', schema: z.object({ orderId: z.string() }) }, ...absent },
      handle: async ({ path }) => ({
        status: 200,
        body: { orderId: existing(await factory.orderIdOfPart(path.partId), 'part') },
      }),
    }),
    route({
      ...facts,
      path: '/parts/{partId}/order',
      operationId: 'getOrderOfPart',
      summary: 'The whole order that a part belongs to',
      serves: ['AM-11'],
      answers: { 200: { description: 'The order', schema: order }, ...absent },
      handle: async ({ path }) => {
        const orderId = existing(await factory.orderIdOfPart(path.partId), 'part');
        return { status: 200, body: orderShown(orderId, existing(await factory.findOrder(orderId), 'order')) };
      },
    }),
  ];
}

function materialRoutes(factory: Factory): readonly Route[] {
  const facts = { method: 'GET', tag: 'Materials', pathSchemas: { materialId: id } } as const;
  return [
    route({
      ...facts,
      path: '/materials/{materialId}',
      operationId: 'getAverageDensity',
      summary: 'The average density of a material: by the sums that are kept, or exactly, by all usages',
      serves: ['AM-12', 'AM-2'],
      query: z.object({ exact: z.stringbool().default(false) }),
      answers: { 200: { description: 'Without usages there is no average', schema: density } },
      handle: async ({ path: { materialId }, query: { exact } }) => ({
        status: 200,
        body: await (exact ? factory.averageDensity(materialId) : factory.averageDensityFromStats(materialId)),
      }),
    }),
    route({
      ...facts,
      path: '/materials/{materialId}/orders',
      operationId: 'getOrdersUsing',
      summary: 'The orders that used a material',
      serves: ['AM-6'],
      answers: {
        200: {
          description: 'The orders',
          schema: z.object({ items: z.array(z.object({ orderId: z.string(), timestamp: z.int() })) }),
        },
      },
      handle: async ({ path }) => ({ status: 200, body: { items: await factory.ordersUsing(path.materialId) } }),
    }),
    route({
      ...facts,
      path: '/materials/{materialId}/usages',
      operationId: 'getUsagesBetween',
      summary: 'The usages of a material in a window of time, in seconds since 1970, both ends included',
      serves: ['AM-10'],
      query: z.object({ from: seconds, to: seconds }),
      answers: { 200: { description: 'The usages', schema: z.object({ items: z.array(usage) }) } },
      handle: async ({ path, query: { from, to } }) => {
        if (from > to) {
          const detail = 'has to be before to';
          throw new HttpError(400, 'invalid', `from ${detail}.`, {}, [{ field: 'from', detail }]);
        }
        const found = await factory.usagesBetween(path.materialId, { fromEpochSeconds: from, toEpochSeconds: to });
        return { status: 200, body: { items: found.map(usageShown) } };
      },
    }),
  ];
}

/** @throws {HttpError} 404 */
export function existing<Thing>(thing: Thing | undefined, kind: string): Thing {
  if (thing === undefined) throw new HttpError(404, 'not-found', `There is no such ${kind}.`);
  return thing;
}

function orderShown(orderId: string, { header, steps, parts, recipes: named }: ProcessOrder): z.output<typeof order> {
  return {
    orderId,
    ...(header !== undefined && { createdAt: header.createdAt }),
    steps: steps.map(stepShown),
    parts: parts.map(partShown),
    recipes: { ...named },
  };
}

function stepShown({ methods, ...of }: ProcessStep): z.output<typeof step> {
  return { ...of, ...(methods !== undefined && { methods: [...methods] }) };
}

function partShown({ orderId, partId, porosityPct, massG }: Part): z.output<typeof part> {
  return {
    orderId,
    partId,
    ...(porosityPct !== undefined && { porosityPct }),
    ...(massG !== undefined && { massG }),
  };
}

function usageShown(of: MaterialUsage): z.output<typeof usage> {
  const { materialId, orderId, massG, volumeCm3, densityGcm3, timestamp } = of;
  return { materialId, orderId, massG, volumeCm3, densityGcm3, timestamp };
}
