/*
 * Texts as IAM's `StringLike` compares them: `*` is any text, a variable (`${aws:PrincipalTag/tenant}`) is an unknown text that is the same
 * wherever it is written, and the rest is literal (`${*}` is a star).
 */

/** One character, one variable, or `*`. */
type Token = string;

const anything = '*';

/** Whether every text that matches the second also matches the first. */
export function coversText(wide: string, narrow: string): boolean {
  // A star in the narrow pattern is a token that only a star matches.
  return matches(tokensOf(wide), tokensOf(narrow), (a, b) => a === b);
}

/** Whether some text may match both. */
export function meetsText(one: string, other: string): boolean {
  return overlap(tokensOf(one), tokensOf(other));
}

/** Literal text, for a pattern of `StringLike`. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[*?$]/g, (character) => `\${${character}}`);
}

function tokensOf(pattern: string): readonly Token[] {
  return (pattern.match(/\$\{[^}]*\}|[^]/gu) ?? []).map((token) =>
    /^\$\{[*?$]\}$/.test(token) ? `literal ${token}` : token,
  );
}

/** Row by row: which prefixes of the narrow pattern the wide one matches so far. */
function matches(wide: readonly Token[], narrow: readonly Token[], same: (a: Token, b: Token) => boolean): boolean {
  let taken = narrow.map(() => false);
  taken = [true, ...taken];
  for (const token of wide) {
    const next = taken.map(() => false);
    for (const [at, was] of taken.entries()) {
      if (token === anything) next[at] = was || (at > 0 && next[at - 1] === true);
      else if (was && narrow[at] !== undefined && narrow[at] !== anything && same(token, narrow[at]))
        next[at + 1] = true;
    }
    taken = next;
  }
  return taken[narrow.length] === true;
}

/** A variable may be any text, so it overlaps with its surroundings. */
function overlap(one: readonly Token[], other: readonly Token[]): boolean {
  const seen = new Set<string>();
  const isLoose = (token: Token | undefined): boolean => token === anything || token?.startsWith('${') === true;
  const from = (a: number, b: number): boolean => {
    const id = `${a} ${b}`;
    if (seen.has(id)) return false;
    seen.add(id);
    const [left, right] = [one[a], other[b]];
    if (left === undefined && right === undefined) return true;
    if (isLoose(left) && (from(a + 1, b) || (right !== undefined && from(a, b + 1)))) return true;
    if (isLoose(right) && (from(a, b + 1) || (left !== undefined && from(a + 1, b)))) return true;
    return left !== undefined && left === right && from(a + 1, b + 1);
  };
  return from(0, 0);
}
