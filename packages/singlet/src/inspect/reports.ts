import { ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { objectOf } from './members.ts';
import { keyIn } from './query.ts';
import { summed } from './summed.ts';
import { sumCapacity } from './sums/capacity.ts';
import { sumRules, toldContributorsMax } from './sums/rules.ts';
import { sumThrottling } from './sums/throttling.ts';

/** Capacity, partitions and heat of a table and its global indexes. */
export const capacityEndpoint: Endpoint = summed({
  method: 'GET',
  path: ['capacity', 'TABLE'],
  permission: 'GetCapacity',
  part: ({ context }, { engine }, [tableName = '']) => engine.capacityReport({ tableName }, context),
  together: sumCapacity,
});

/** The most accessed and most throttled keys of a table, or of a global index. */
export const insightsEndpoints: readonly Endpoint[] = [['TABLE'], ['TABLE', 'INDEX']].map((names) =>
  summed({
    method: 'GET',
    path: ['contributor-insights', ...names],
    permission: 'GetContributorInsights',
    part: ({ context }, { engine }, [tableName = '', indexName]) =>
      engine.contributorInsightsReport({ tableName, indexName }, context),
    together: (parts) => ({
      ...parts[0],
      rules: sumRules(
        parts.map(({ rules }) => rules),
        toldContributorsMax,
      ),
    }),
  }),
);

/** The stream of a table, the range of its shards, and its readers. */
export const streamEndpoint: Endpoint = {
  method: 'GET',
  path: ['streams', 'TABLE'],
  permission: 'GetStreamReport',
  async answer({ context }, { engine }, [tableName = '']) {
    const inspection = await engine.inspection();
    const report = await inspection.streamReport({ tableName }, context);
    return { ...report, readers: await inspection.streamReaders({ tableName }, context) };
  },
};

/** The changes of an item that the table still keeps, by `?key=`. */
export const historyEndpoint: Endpoint = {
  method: 'GET',
  path: ['history', 'TABLE'],
  permission: 'GetItemHistory',
  answer: async ({ query, context }, { engine }, [tableName = '']) =>
    (await engine.inspection()).itemHistory({ tableName, key: keyIn(query.get('key') ?? '') }, context),
};

/** The expired items of a table that have not been removed yet. */
export const timeToLiveEndpoint: Endpoint = {
  method: 'GET',
  path: ['ttl', 'TABLE'],
  permission: 'GetTimeToLiveReport',
  answer: async ({ context }, { engine }, [tableName = '']) =>
    (await engine.inspection()).expiryReport({ tableName }, context),
};

/** What was throttled, or would have been if throttling only reports. */
export const throttlingEndpoint: Endpoint = summed({
  method: 'GET',
  path: ['throttling'],
  permission: 'GetThrottling',
  part: ({ context }, { engine }) => engine.throttlingReport(context),
  together: sumThrottling,
});

/** The replication lag, by table and pair of regions. */
export const replicasEndpoint: Endpoint = {
  method: 'GET',
  path: ['replicas'],
  permission: 'GetReplicas',
  async answer({ context: { accountId } }, { engine }) {
    const lags = await engine.replicationReport();
    return { replicas: lags.filter((lag) => lag.accountId === accountId) };
  },
};

/** Reads and changes the weather. The body of a change is the input of SetWeather. */
export const weatherEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: ['weather'],
    permission: 'GetWeather',
    async answer({ context }, { call }) {
      try {
        return { isPossible: true, ...(await call('GetWeather', {}, context)) };
      } catch (error) {
        if (!(error instanceof ValidationException)) throw error;
        return { isPossible: false, Forecast: {}, Acted: {} };
      }
    },
  },
  {
    method: 'PUT',
    path: ['weather'],
    permission: 'SetWeather',
    answer: async ({ context, json }, { call }) => ({
      isPossible: true,
      ...(await call('SetWeather', objectOf(json), context)),
    }),
  },
];
