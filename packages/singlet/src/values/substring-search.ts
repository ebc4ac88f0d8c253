import { type Factorization, factorize, searchTwoWay } from './two-way-search.ts';

/**
 * Searches texts for a substring, in time linear in the text, for any text and any needle.
 *
 * `String.prototype.includes` is fast in all usual cases. For needles of more than some 250 characters it can take time proportional to
 * text × needle: its skip tables cover only the needle's last 250 characters, and `a…ba…a` differs from a text of `a` only
 * before them. So it is used if the needle is short or the product small. Otherwise it searches for a window of the needle around the
 * place where the needle is least self-similar (its critical place), and each place found is compared completely. When that has
 * failed a few times, the two-way algorithm takes over, which needs no table and never goes back.
 *
 * The preparation, linear in the needle, is made when first needed, and kept: use one object for many texts.
 */
export class SubstringSearch {
  readonly #needle: string;
  #factorization: Factorization | undefined;

  constructor(needle: string) {
    this.#needle = needle;
  }

  /** Whether the text has the needle as a substring. */
  isIn(text: string): boolean {
    const needle = this.#needle;
    if (needle.length > text.length) return false;
    if (needle.length <= tableLength || text.length * needle.length <= smallProduct) return text.includes(needle);
    return this.#isInLong(text);
  }

  #isInLong(text: string): boolean {
    const needle = this.#needle;
    const factorization = (this.#factorization ??= factorize(needle));
    const windowAt = Math.min(Math.max(factorization.criticalAt - tableLength / 2, 0), needle.length - tableLength);
    const window = needle.slice(windowAt, windowAt + tableLength);
    let from = windowAt;
    for (let tries = 0; tries < vainTriesMax; tries += 1) {
      const at = text.indexOf(window, from);
      if (at < 0 || at - windowAt + needle.length > text.length) return false;
      if (text.startsWith(needle, at - windowAt)) return true;
      from = at + 1;
    }
    return searchTwoWay(needle, factorization, text, from - windowAt);
  }
}

/** The length of a needle that the tables of V8's own search cover: up to here it is linear. */
const tableLength = 250;

/** Text × needle up to which even the worst case of the runtime's own search takes only a millisecond or two. */
const smallProduct = 2 ** 20;

/** How many times the window may be found without the needle before the algorithm changes. */
const vainTriesMax = 16;
