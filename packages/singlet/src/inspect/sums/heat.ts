import type { HeatReport } from '../../engine/index.ts';
import { sumRules, toldContributorsMax } from './rules.ts';

type Row = HeatReport['rows'][number];

/** The combined records of all processes, in the time columns of the answering one. */
export function sumHeat([own, ...others]: readonly [HeatReport, ...HeatReport[]]): HeatReport {
  return {
    ...own,
    // Before that, not all processes were counting.
    since: Math.max(own.since, ...others.map(({ since }) => since)),
    rows: own.rows.map((row, at) => others.reduce((sum, other) => sumRow(sum, other.rows[at], own, other), row)),
    rules: sumRules(
      [own, ...others].map(({ rules }) => rules),
      toldContributorsMax,
    ),
  };
}

function sumRow(row: Row, other: Row | undefined, to: HeatReport, from: HeatReport): Row {
  // A process that answers a moment later may no longer remember the hour that is asked for in steps of seconds.
  if (other === undefined || from.stepMs !== to.stepMs) return row;
  // A process that answers a moment later may have begun one more step.
  const shift = Math.round((to.from - from.from) / to.stepMs);
  const sum = (own: readonly number[], more: readonly number[]): readonly number[] =>
    own.map((value, at) => value + (more[at + shift] ?? 0));
  return {
    hashFrom: row.hashFrom,
    reads: sum(row.reads, other.reads),
    writes: sum(row.writes, other.writes),
    throttled: sum(row.throttled, other.throttled),
  };
}
