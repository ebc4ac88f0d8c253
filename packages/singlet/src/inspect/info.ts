import type { Endpoint } from './endpoint.ts';
import { packageVersion } from './package-version.ts';

/** What there is to be asked; clients show what they find here, and nothing else. */
const features: readonly string[] = [
  'capacity',
  'contributor-insights',
  'events',
  'explain',
  'heat',
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
