import { ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { objectOf } from './members.ts';
import { numberIn } from './query.ts';

const minutesByDefault = 5;

/** What a table or index consumed lately, by hashes and time. The first call begins the record. */
export const heatEndpoint: Endpoint = {
  method: 'GET',
  path: ['heat', 'TABLE'],
  permission: 'GetHeat',
  async answer({ query, context }, { engine, about }, [tableName = '']) {
    const indexName = query.get('index') ?? undefined;
    const minutes = numberIn(query, 'minutes') ?? minutesByDefault;
    const report = await (await engine.inspection()).heatReport({ tableName, indexName, minutes }, context);
    // Each of several processes has a record of its own.
    return about.workers > 1 ? { worker: process.pid, ...report } : report;
  },
};

/** What the hottest key would be, spread over so many shards: its body is `{ "shards": 10, "index": "GSI1" }`. */
export const whatIfEndpoint: Endpoint = {
  method: 'POST',
  path: ['what-if', 'TABLE'],
  permission: 'GetHeat',
  async answer({ json, context }, { engine }, [tableName = '']) {
    const { shards, index = null } = objectOf(json);
    if (typeof shards !== 'number') throw new ValidationException('"shards" must be a number.');
    if (index !== null && typeof index !== 'string') throw new ValidationException('"index" must be a text.');
    return (await engine.inspection()).whatIf({ tableName, indexName: index ?? undefined, shards }, context);
  },
};
