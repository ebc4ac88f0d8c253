import type { PatternInfo } from '../resolve/resolved.ts';
import type { Context } from './context.ts';
import { isFiltered, type QueryPlan, QueryRead } from './query.ts';
import type { Runner } from './runner.ts';
import { StreamReader } from './stream-reader.ts';

/** What runs a query. Filters and the reading of several partitions are loaded where it has them. */
export async function queryRunner(context: Context, pattern: PatternInfo, plan: QueryPlan): Promise<Runner> {
  const addFilter = isFiltered(pattern, plan)
    ? (await import('./filter.ts')).queryFilter(context, pattern, plan)
    : undefined;
  const source = { context, pattern, plan, addFilter };
  const [only, ...others] = plan.streams;
  const spread = others.length > 0 || plan.shards !== undefined || plan.walk !== undefined;
  const reader =
    only === undefined || spread
      ? new (await import('./spread-reader.ts')).SpreadReader(source)
      : new StreamReader(source, only);
  return new QueryRead(context, pattern, plan, reader);
}
