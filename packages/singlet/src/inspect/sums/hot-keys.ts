import type { Contributor, RuleReport } from '../../engine/index.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';

/** A partition key with a large share of the consumption. */
export interface HotKey {
  readonly key: AttributeMap;
  /** Its share of everything consumed, from 0 to 1; a write unit counts as three read units. */
  readonly share: number;
  /** Units per second since counting began. */
  readonly reads: number;
  readonly writes: number;
  readonly throttled: number;
}

/** The rules count accesses and refusals separately; here each key is listed once. */
export function hotKeys(rules: readonly RuleReport[], nowMs: number): readonly HotKey[] {
  const accessed = rules.find(({ rule }) => rule === 'PKC');
  const refused = new Map(
    rules
      .find(({ rule }) => rule === 'PKT')
      ?.contributors.map((each): [string, Contributor] => [JSON.stringify(each.key), each]),
  );
  if (accessed === undefined) return [];
  const seconds = Math.max(1, (nowMs - accessed.sinceMs) / 1000);
  return accessed.contributors.map(({ key, weight, reads, writes }) => {
    const throttled = refused.get(JSON.stringify(key));
    return {
      key,
      share: accessed.totalWeight === 0 ? 0 : rounded(weight / accessed.totalWeight),
      reads: rounded(reads / seconds),
      writes: rounded(writes / seconds),
      throttled: (throttled?.reads ?? 0) + (throttled?.writes ?? 0),
    };
  });
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
