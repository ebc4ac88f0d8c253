/*
 * Texts as IAM's `StringLike` compares them: `*` is any text, a variable (`${aws:PrincipalTag/tenant}`) a text that is not known and the same
 * wherever it is written, the rest is literal (`${*}` is a star).
 */

/** One character, one variable, or `*`. */
type Token = string;

const anything = '*';

/** Whether every text that is like the second is like the first. */
export function coversText(wide: string, narrow: string): boolean {
  // A star in the narrow one is a token that nothing but a star takes.
  return matches(tokensOf(wide), tokensOf(narrow), (a, b) => a === b);
}

/** Whether some text may be like both. */
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

/** Row by row: which beginnings of the narrow one the wide one takes so far. */
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

/** A variable may be any text, and so overlaps with what is written around it. */
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
