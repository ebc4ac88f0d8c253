import { ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { objectOf } from './members.ts';
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

/** The stream of a table, and how far its shards reach. */
export const streamEndpoint: Endpoint = {
  method: 'GET',
  path: ['streams', 'TABLE'],
  permission: 'GetStreamReport',
  answer: async ({ context }, { engine }, [tableName = '']) =>
    (await engine.inspection()).streamReport({ tableName }, context),
};

/** The items of a table that have expired and are still there. */
export const timeToLiveEndpoint: Endpoint = {
  method: 'GET',
  path: ['ttl', 'TABLE'],
  permission: 'GetTimeToLiveReport',
  answer: async ({ context }, { engine }, [tableName = '']) =>
    (await engine.inspection()).expiryReport({ tableName }, context),
};

/** What was throttled, or would have been where it is only reported. */
export const throttlingEndpoint: Endpoint = summed({
  method: 'GET',
  path: ['throttling'],
  permission: 'GetThrottling',
  part: ({ context }, { engine }) => engine.throttlingReport(context),
  together: sumThrottling,
});

/** How far replicas are behind, by table and pair of regions. */
export const replicasEndpoint: Endpoint = {
  method: 'GET',
  path: ['replicas'],
  permission: 'GetReplicas',
  async answer({ context: { accountId } }, { engine }) {
    const lags = await engine.replicationReport();
    return { replicas: lags.filter((lag) => lag.accountId === accountId) };
  },
};

/** The weather, and to change it. The body of a change is the input of SetWeather. */
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
