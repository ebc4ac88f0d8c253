import type { Contributor, RuleReport } from '../../engine/index.ts';

/** The number of keys that one process reports for a rule. */
export const toldContributorsMax = 100;

/** Combines the rules of several processes, keeping the keys of greatest weight. */
export function sumRules(lists: readonly (readonly RuleReport[])[], contributorsMax: number): readonly RuleReport[] {
  const names = new Set(lists.flatMap((rules) => rules.map(({ rule }) => rule)));
  return [...names].map((name) => {
    const reports = lists.flatMap((rules) => rules.filter(({ rule }) => rule === name));
    return {
      rule: name,
      sinceMs: Math.min(...reports.map(({ sinceMs }) => sinceMs)),
      totalWeight: reports.reduce((sum, { totalWeight }) => sum + totalWeight, 0),
      contributors: sumContributors(
        reports.map(({ contributors }) => contributors),
        toldContributorsMax,
      ).slice(0, contributorsMax),
    };
  });
}

/**
 * Sums the weights of keys over all lists, the greatest first. A full list may have left out a key whose weight equals that of its last one.
 * That weight is added to the key's weight and to its error, so no weight is underestimated.
 *
 * @param fullAt - the maximum length of a list.
 */
export function sumContributors(lists: readonly (readonly Contributor[])[], fullAt: number): readonly Contributor[] {
  const byList = lists.map((list) => new Map(list.map((each) => [JSON.stringify(each.key), each])));
  const leftOut = lists.map((list) => (list.length < fullAt ? 0 : (list.at(-1)?.weight ?? 0)));
  const keys = new Map(lists.flatMap((list) => list.map((each) => [JSON.stringify(each.key), each.key])));
  const sums = Array.from(keys, ([text, key]) => {
    const found = byList.flatMap((list) => list.get(text) ?? []);
    const unseen = byList.reduce((sum, list, at) => sum + (list.has(text) ? 0 : (leftOut[at] ?? 0)), 0);
    const total = (of: (each: Contributor) => number): number => found.reduce((sum, each) => sum + of(each), 0);
    const hasHeat = found.some(({ heat }) => heat !== undefined);
    return {
      key,
      weight: total(({ weight }) => weight) + unseen,
      error: total(({ error }) => error) + unseen,
      reads: total(({ reads }) => reads),
      writes: total(({ writes }) => writes),
      ...(hasHeat && { heat: total(({ heat = 0 }) => heat) }),
    };
  });
  return sums.toSorted((a, b) => b.weight - a.weight || (JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1));
}
