import type { Encoding } from './encodings.ts';

const foundMax = 200;
const stepsMax = 20_000;

/**
 * Templates that produce all of the keys from the encodings at once, best first, and only those that are about as plain as the best.
 * Walks all keys side by side: at each position either an encoding's text is in every one of them, or the same character.
 *
 *     ORDER#0007#alex     ORDER#  {number:04}  #  {username}
 *     ORDER#0012#bea
 */
export function align(keys: readonly string[], encodings: readonly Encoding[]): string[] {
  const [shown = ''] = keys;
  const usable = encodings.filter(({ texts }) => texts.every((text, i) => keys[i]?.includes(text)));
  const found: { readonly template: string; readonly cost: number }[] = [];
  let steps = 0;

  const walk = (places: readonly number[], template: string, cost: number, afterVariable: boolean): void => {
    steps += 1;
    if (steps > stepsMax || found.length >= foundMax) return;
    const [at = 0] = places;
    if (places.every((place, i) => place === keys[i]?.length)) {
      found.push({ template, cost });
      return;
    }
    const begins = at === 0 || !isWord(shown[at - 1]);
    for (const encoding of usable) {
      if (encoding.constant && (!begins || encoding.cost > 0)) continue;
      if (!encoding.texts.every((text, i) => keys[i]?.startsWith(text, places[i]))) continue;
      const next = places.map((place, i) => place + (encoding.texts[i]?.length ?? 0));
      const ends = next.every((place, i) => !isWord(keys[i]?.[place]));
      if (encoding.constant && !ends) continue;
      const price =
        encoding.cost + (encoding.constant ? 1 : 0) + (begins ? 0 : 4) + (ends ? 0 : 4) + (afterVariable ? 4 : 0);
      walk(next, `${template}{${encoding.variable}}`, cost + price, true);
    }
    const literal = shown[at];
    if (literal === undefined || literal === '{' || literal === '}') return;
    if (!places.every((place, i) => keys[i]?.[place] === literal)) return;
    // A word that is the same in all keys costs a little, because an attribute that explains it is better.
    walk(
      places.map((place) => place + 1),
      template + literal,
      cost + (begins && isWord(literal) ? 1.5 : 0),
      false,
    );
  };

  walk(
    keys.map(() => 0),
    '',
    0,
    false,
  );
  const best = new Map<string, number>();
  for (const { template, cost } of found) best.set(template, Math.min(cost, best.get(template) ?? Infinity));
  const sorted = [...best].sort((a, b) => a[1] - b[1]);
  const [, least = 0] = sorted[0] ?? [];
  return sorted.filter(([, cost]) => cost <= least + 0.5).map(([template]) => template);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
