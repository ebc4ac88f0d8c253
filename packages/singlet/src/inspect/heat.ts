import { ValidationException } from '../values/service-error.ts';
import type { HeatReport, HeatRequest } from '../engine/index.ts';
import type { Endpoint, InspectServices } from './endpoint.ts';
import { objectOf } from './members.ts';
import { numberIn } from './query.ts';
import { summed } from './summed.ts';
import { sumHeat } from './sums/heat.ts';
import { hotKeys } from './sums/hot-keys.ts';
import { whatIf } from './sums/what-if.ts';
import type { PartRequest } from './peers.ts';

const minutesByDefault = 5;
const keysMax = 20;

/** The consumption of a table or index in the last day, by hash and time. The first call starts recording. Decision 0123: it sends no events. */
export const heatEndpoint: Endpoint = summed({
  method: 'GET',
  path: ['heat', 'TABLE'],
  permission: 'GetHeat',
  part: ({ query, context }, services, names) =>
    recorded(
      {
        indexName: query.get('index') ?? undefined,
        minutes: numberIn(query, 'minutes') ?? minutesByDefault,
        fromMs: numberIn(query, 'from'),
        stepMs: numberIn(query, 'stepMs'),
      },
      services,
      names,
      context,
    ),
  together(parts, { query }) {
    const { atMs, rules, rows, ...report } = sumHeat(parts);
    return {
      at: atMs,
      ...report,
      rows: fewerRows(rows, numberIn(query, 'rows')),
      keys: hotKeys(rules, atMs).slice(0, keysMax),
    };
  },
});

/** The load of the hottest key if it were spread over a number of shards. The body is `{ "shards": 10, "index": "GSI1" }`. */
export const whatIfEndpoint: Endpoint = summed({
  method: 'POST',
  path: ['what-if', 'TABLE'],
  permission: 'GetHeat',
  part({ json, context }, services, names) {
    const { shards, index = null } = objectOf(json);
    if (typeof shards !== 'number') throw new ValidationException('"shards" must be a number.');
    if (index !== null && typeof index !== 'string') throw new ValidationException('"index" must be a string.');
    return recorded({ indexName: index ?? undefined, minutes: 1 }, services, names, context);
  },
  together: (parts, { json }) => whatIf(sumHeat(parts), objectOf(json)['shards'] as number), // checked by the part
});

async function recorded(
  request: Omit<HeatRequest, 'tableName'>,
  { engine }: InspectServices,
  [tableName = '']: readonly string[],
  context: PartRequest['context'],
): Promise<HeatReport> {
  return (await engine.inspection()).heatReport({ tableName, ...request }, context);
}

/**
 * Neighbouring ranges of hashes, added up.
 *
 * @throws {ValidationException} unless all have equally many of the recorded ranges.
 */
function fewerRows(rows: HeatReport['rows'], wanted: number = rows.length): HeatReport['rows'] {
  const each = rows.length / wanted;
  if (!Number.isInteger(each) || each < 1)
    throw new ValidationException(`?rows= takes a number that divides ${rows.length}, not ${wanted}.`);
  return Array.from({ length: wanted }, (_, at) => {
    const [first, ...others] = rows.slice(at * each, (at + 1) * each) as [HeatReport['rows'][number]]; // one at least
    const sum = (kind: 'reads' | 'writes' | 'throttled'): readonly number[] =>
      first[kind].map((value, column) => others.reduce((total, row) => total + (row[kind][column] ?? 0), value));
    return { hashFrom: first.hashFrom, reads: sum('reads'), writes: sum('writes'), throttled: sum('throttled') };
  });
}
