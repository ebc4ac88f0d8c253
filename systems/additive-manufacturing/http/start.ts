import { InputError } from '@singlet/model';
import { MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { DataLake } from '../data-lake.ts';
import { FactoryError, type FactoryErrorCode, InvalidInputError } from '../errors.ts';
import { Factory } from '../factory.ts';
import { additiveManufacturing } from '../model.ts';
import { sampleOrders, seedFactory } from '../seed.ts';
import { exportActions, exportScreens } from './export-pages.ts';
import { actionsOf, screensOf } from './pages.ts';
import { routesOf } from './routes.ts';
import { keepStatistics } from './statistics.ts';

/** The bucket of the data scientists, unless the environment names another. */
export const LAKE_BUCKET = 'lake';
const SHIFT = 6;
const MATERIALS = ['titanium', 'copper'];

/** Serves the factory. Scale 1 is 1,000 orders with 21,000 parts. */
export async function startFactory(options: ApplicationStart): Promise<HttpServer> {
  const { client, database, scale, say } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew, beginStream } = await openTable(client, additiveManufacturing);
  const sample = sampleOrders(scale);
  if (isNew && scale > 0) {
    const counts = await seedFactory({ client, tableName, scale });
    say(
      Object.entries(counts)
        .map(([entity, count]) => `${entity} ${count}`)
        .join(', '),
    );
  }
  await beginStream();
  const end = await keepStatistics({ client, database, clock, tableName });
  const factory = new Factory({ client, clock, tableName, onRequest: costs.patternsOf(additiveManufacturing) });
  const lake = new DataLake({ client, tableName, bucket: process.env['LAKE_BUCKET'] ?? LAKE_BUCKET });
  await lake.enable();
  const used = sample.flatMap(({ usages }) => usages.map(({ materialId }) => materialId));
  const pages = {
    factory,
    shift: sample
      .map(({ header }) => header.orderId)
      .toReversed()
      .slice(0, SHIFT),
    materials: [...new Set([...used, ...MATERIALS])].toSorted(),
  };
  return await serveApplication(options, {
    frame: {
      name: 'Sinter',
      voice: 'instrument',
      places: [
        { path: '/', label: 'Floor' },
        { path: '/new', label: 'New order' },
        { path: '/materials', label: 'Materials' },
        { path: '/exports', label: 'Export' },
      ],
      scripts: ['live'],
    },
    description: 'Process orders of a manufacturer that prints metal parts: five stations, parts, materials.',
    tint: { hue: 240, strength: 0.4 },
    style: new URL('style.css', import.meta.url),
    routes: routesOf(factory, lake),
    screens: [...screensOf(pages), ...exportScreens(lake)],
    actions: [...actionsOf(pages), ...exportActions(lake)],
    costs,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
    end: async () => {
      await end();
    },
  });
}

const STATUS_OF: Readonly<Record<FactoryErrorCode, readonly [status: number, code: string]>> = {
  'invalid-input': [400, 'invalid'],
  'order-exists': [409, 'taken'],
  'step-missing': [409, 'not-now'],
  'step-done': [409, 'already-done'],
  'measures-differ': [400, 'invalid'],
  'part-taken': [409, 'taken'],
  'no-such-part': [404, 'not-found'],
};

function errorOf(error: unknown): HttpError | undefined {
  if (error instanceof InputError || !(error instanceof FactoryError)) return undefined;
  const [status, code] = STATUS_OF[error.code];
  const detail = `${error.message}.`;
  const fields = error instanceof InvalidInputError ? [{ field: error.field, detail: error.message }] : [];
  return new HttpError(status, code, detail, {}, fields);
}
