const star = 42;
const questionMark = 63;

/**
 * Whether a text matches a pattern: `*` matches any text, `?` any one character.
 *
 * @param isLiteral - 1 for each character of the pattern that is literal even if it is `*` or `?`; absent: `*` and `?` are wildcards
 *   everywhere.
 */
export function matchesPattern(pattern: string, text: string, isLiteral?: Uint8Array): boolean {
  // Two pointers and one backtracking position, so that time is at most the product of the two lengths.
  let at = 0;
  let starAt = -1;
  let afterStar = 0;
  let textAt = 0;
  while (textAt < text.length) {
    const code = at < pattern.length ? pattern.charCodeAt(at) : -1;
    const isWildcard = (code === star || code === questionMark) && isLiteral?.[at] !== 1;
    if (isWildcard && code === star) {
      starAt = at++;
      afterStar = textAt;
    } else if (isWildcard) {
      at += 1;
      textAt += (text.codePointAt(textAt) ?? 0) > 0xffff ? 2 : 1;
    } else if (code === text.charCodeAt(textAt)) {
      at += 1;
      textAt += 1;
    } else if (starAt >= 0) {
      at = starAt + 1;
      textAt = ++afterStar;
    } else {
      return false;
    }
  }
  while (at < pattern.length && pattern.charCodeAt(at) === star && isLiteral?.[at] !== 1) at += 1;
  return at === pattern.length;
}
