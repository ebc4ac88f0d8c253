import type { PatternInfo } from '../resolve/resolved.ts';
import type { Context } from './context.ts';
import { isFiltered, type QueryPlan, QueryRead } from './query.ts';
import type { Runner } from './runner.ts';
import { StreamReader, type StreamSource } from './stream-reader.ts';

/** Runs a query. Filters and the code for several partitions are loaded only for queries that use them. */
export async function queryRunner(context: Context, pattern: PatternInfo, plan: QueryPlan): Promise<Runner> {
  const filter = isFiltered(pattern, plan) ? (await import('./filter.ts')).queryFilter : undefined;
  const addFilter: StreamSource['addFilter'] = filter && ((stream) => filter(context, pattern, plan, stream));
  const intervals = pattern.need.range === undefined ? undefined : await import('./interval.ts');
  const projections = pattern.need.attributes && (await import('./projection.ts'));
  const several = plan.streams.some(({ bounds }) => bounds.length > 1);
  const forms = several ? await import('./forms-range.ts') : undefined;
  const isLeftOut = (intervals ?? forms)?.isLeftOut;
  const source: StreamSource = {
    context,
    pattern,
    plan,
    addFilter,
    intervals,
    formsRange: forms?.formsRange,
    isLeftOut,
    projections,
  };
  if (pattern.need.count === true) return new (await import('./count-read.ts')).CountRead(source);
  const [only, ...others] = plan.streams;
  const spread = others.length > 0 || Boolean(plan.shards ?? plan.walk ?? plan.among);
  if (only === undefined || spread)
    return new QueryRead(context, pattern, plan, new (await import('./spread-reader.ts')).SpreadReader(source));
  const leads = plan.parts.some(({ many, name }) => !many && name);
  const Reader = leads ? (await import('./lead-reader.ts')).LeadReader : StreamReader;
  return new QueryRead(context, pattern, plan, new Reader(source, only));
}
