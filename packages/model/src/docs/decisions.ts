import type { PatternVerdict } from '../check/check.ts';
import type { PatternInfo, ResolvedModel } from '../resolve/resolved.ts';

/** The decisions of a model and their costs, in a sentence each: tables, requests, strategies. */
export function decisionsOf(model: ResolvedModel, patterns: readonly PatternVerdict[]): string[] {
  return [tablesSentence(model), ...requestSentences(patterns), ...strategySentences(model)];
}

function tablesSentence({ tables, entities }: ResolvedModel): string {
  const names = [...tables.keys()].join(', ');
  if (tables.size === 1 && entities.size > 1) {
    return `One table, ${names}, for ${entities.size} entities: what is read together is stored together. The price: a new pattern may need a backfill of stored items, and analytics an export by type.`;
  }
  if (tables.size === 1) return `One table, ${names}, for one entity.`;
  return `${tables.size} tables: ${names}. The price: what is in several of them takes several requests, and each table its own alarms and capacity.`;
}

function requestSentences(patterns: readonly PatternVerdict[]): string[] {
  const inSeries = (served: PatternVerdict['served']): number => served?.operation.split(' then ').length ?? 0;
  return [...new Set(patterns.map(({ served }) => inSeries(served)))]
    .sort((a, b) => a - b)
    .map((count) => {
      const group = patterns.filter(({ served }) => inSeries(served) === count);
      const names = group.map(({ pattern }) => pattern).join(', ');
      if (count === 0) return `Not served: ${names}.`;
      const share = `${group.length} of ${patterns.length}`;
      return count === 1
        ? `Patterns that take one request, or several side by side: ${share}.`
        : `Patterns that take ${count} requests, one after the other: ${share} (${names}).`;
    });
}

function strategySentences({ patterns }: ResolvedModel): string[] {
  const byTable = new Map<string, Set<string>>();
  for (const { need, plan } of patterns.values()) {
    if (need.strategy === undefined) continue;
    for (const table of tablesOf(plan)) byTable.set(table, (byTable.get(table) ?? new Set()).add(need.strategy));
  }
  return [...byTable].map(([table, strategies]) => `Strategies in ${table}: ${[...strategies].sort().join(', ')}.`);
}

function tablesOf(plan: PatternInfo['plan']): string[] {
  if (plan === undefined) return [];
  switch (plan.kind) {
    case 'query':
      return plan.streams.map(({ place }) => place.table);
    case 'write':
      return plan.writes.map(({ entity }) => entity.table.name);
    default:
      return [plan.part.entity.table.name];
  }
}
