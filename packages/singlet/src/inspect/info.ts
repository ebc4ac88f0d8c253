import type { Endpoint } from './endpoint.ts';
import { packageVersion } from './package-version.ts';

/** The available features. Clients show the ones listed here, and no others. */
const features: readonly string[] = [
  'capacity',
  'contributor-insights',
  'events',
  'explain',
  'heat',
  'history',
  'outline',
  'place',
  'preview',
  'replicas',
  'requests',
  'scrub',
  'streams',
  'throttling',
  'ttl',
  'weather',
  'what-if',
];

export const infoEndpoint: Endpoint = {
  method: 'GET',
  path: ['info'],
  permission: 'GetInfo',
  answer: async ({ context, permit }, { about, nowMs, models }) => ({
    version: packageVersion(),
    region: context.region,
    accountId: context.accountId,
    store: about.store,
    auth: permit !== undefined,
    workers: about.workers,
    atEpochMs: nowMs(),
    features: models === undefined ? features : [...features, 'migrations', 'models'],
    models: (await models?.list())?.map(({ name }) => name) ?? [],
  }),
};
