import type { Domain } from './domain.ts';
import { encoderNamed, type KeyValue } from './encoders.ts';
import { compareText } from '../patterns/evaluate.ts';
import type { TemplateVariable } from './template.ts';
import { unsortedNumber } from './unsorted-number.ts';

/** Which properties of its values the texts of a variable in a key preserve. */
export interface HoleProperties {
  /** Whether two values never share a text. Otherwise, why they may. */
  readonly exact: true | string;
  /**
   * The order of the texts: that of the values (`up`), its reverse (`down`), or why it is neither. If something follows the
   * text, this is the order including what follows.
   */
  readonly order: 'up' | 'down' | { readonly not: string };
  /** Why an interval of values is not one of texts, although the order is theirs. */
  readonly noInterval?: string;
  /** Whether what follows cannot be mistaken for the rest of the text. */
  readonly ends: boolean;
}

/** Characters, as ranges of code points. */
type Characters = readonly (readonly [number, number])[];

const digits: Characters = [[48, 57]];
/** What is in a number behind its first character: digits, `.`, `e` and signs. */
const numeric: Characters = [...digits, [43, 43], [45, 46], [101, 101]];
const allButDigits: Characters = [
  [0, 47],
  [58, 0x10ffff],
];
const slugged: Characters = [...digits, [97, 122]];
/** Anything but `#`, `:` and `|`, which `escape` replaces. */
const escaped: Characters = [
  [0, 34],
  [36, 57],
  [59, 123],
  [125, 0x10ffff],
];
const anyCharacter: Characters = [[0, 0x10ffff]];
const lastOfAscii = 0x7f;

/** What follows a variable in its template: the first character of a literal, another variable, or the end. */
export type Following = { readonly literal: string } | 'variable' | 'end';

const padded = /^(0|inverse|tens)(\d+)$/;
const cutting = /^(second|hour|day|week|month|year|date)$/;

/**
 * Which properties of the values of a domain a variable preserves.
 *
 * @param guarded - a write rejects texts with this character.
 * @param number - the key attribute is a number, which sorts numerically.
 * @param same - encoders under which two values of the attribute count as equal.
 */
export function holeProperties(
  { name, encoders }: TemplateVariable,
  domain: Domain,
  following: Following,
  context: { readonly guarded: string | undefined; readonly number: boolean; readonly same: readonly string[] },
): HoleProperties {
  if (context.number)
    return numberKey(
      name,
      encoders.map((each) => each.name),
      domain,
    );
  const written = encoders.map((each) => each.name).filter((each) => each !== 'rest');
  const rest = written.length < encoders.length;
  const chain = context.same.length > 0 ? written : withoutIdle(written, domain, context.guarded);
  if (chain.length < written.length) {
    const active = encoders.filter((each) => each.name !== 'rest').slice(written.length - chain.length);
    const all = [...active, ...encoders.filter((each) => each.name === 'rest')];
    return {
      ...holeProperties({ name, encoding: chain.join(':'), encoders: all }, domain, following, context),
      noInterval: `an end of the interval may be any text, which ${written.join(':')} may change`,
    };
  }
  if (context.same.length > 0 && domain.text !== undefined && !writesSame(chain, context.same))
    return none(
      `values of ${name} are the same by ${context.same.join(':')}, and the key does not write them so`,
      following,
      false,
    );
  if (domain.values !== undefined && !chain.includes('shard'))
    return enumerated(name, encoders, domain.values, following);
  const [first = '', ...more] = chain;
  const shape = domain.text;
  const mixed = shape !== undefined && (domain.number !== undefined || domain.other);
  const { guarded } = context;
  if (chain.length === 0) return plain(name, domain, following, rest ? undefined : guarded);
  const ends = endsBefore(following, charactersOf(chain), guarded);
  if (chain.join(':') === escapedChain(context.same) && (context.same.length === 0 || shape !== undefined))
    return {
      exact: mixed ? `1 and "1" of ${name} are one text` : true,
      order: { not: `${name} is escaped: "#" becomes "%23", which sorts elsewhere` },
      ends,
    };
  if (context.same.join(':') === chain.join(':')) return writtenAsSame(name, chain, shape, mixed, following, ends);
  if (first === 'epoch' && more.length > 0 && shape === undefined && domain.number?.whole === true)
    return timed(
      name,
      more,
      { text: undefined, other: false, whole: true, fractions: false, seconds: true },
      following,
    );
  const digits = padded.exec(first);
  if (digits !== null && more.length === 0) {
    if (mixed || shape !== undefined)
      return none(`${name} may be text, of which "7" and "007" are one number`, following, true);
    return { exact: true, order: digits[1] === '0' ? 'up' : 'down', ends: true };
  }
  if (first === 'bare' && more.length === 0) {
    const fixed = shape !== undefined && /[:#|/]$/.test(shape.begins) && shape.isBare;
    return fixed
      ? plain(name, domain, following, guarded)
      : none(`two values of ${name} that differ before the last ":" are one text`, following, false);
  }
  const time = {
    text: mixed ? undefined : shape?.time,
    other: shape !== undefined && !shape.isTime,
    whole: domain.number?.whole === true && shape === undefined,
    fractions: domain.number?.whole === false,
    seconds: false,
  };
  if (first === 'utc' || first === 'seconds' || first === 'inverseTime' || cutting.test(first))
    return timed(name, chain, time, following);
  const fixed = first === 'ksuid' || first === 'ulid';
  return none(`two values of ${name} may be written alike by ${chain.join(':')}`, following, fixed || ends);
}

/** The characters that an encoder may change. Of those outside of ASCII, some have another case, and some are spaces. */
const changing: Readonly<Record<string, Characters>> = {
  lower: [
    [65, 90],
    [128, 0x10ffff],
  ],
  upper: [
    [97, 122],
    [128, 0x10ffff],
  ],
  trim: [
    [9, 13],
    [32, 32],
    [128, 0x10ffff],
  ],
  slug: [
    [0, 47],
    [58, 96],
    [123, 0x10ffff],
  ],
  escape: [
    [35, 35],
    [37, 37],
    [58, 58],
    [124, 124],
  ],
  bare: [
    [35, 35],
    [47, 47],
    [58, 58],
    [124, 124],
  ],
};

/** A chain without the encoders at its beginning that change no text of the domain: `lower`, where all letters are in lower case. */
function withoutIdle(
  chain: readonly string[],
  { text, number, other, values }: Domain,
  guarded: string | undefined,
): readonly string[] {
  if (text === undefined || number !== undefined || other || values !== undefined) return chain;
  const { least, most, characters } = text;
  const has = (ranges: Characters): boolean =>
    ranges.some(([from, to]) => characters.some(([low, high]) => from <= high && low <= to));
  const isIdle = (encoder: string): boolean => {
    const width = /^0(\d+)$/.exec(encoder)?.[1];
    if (width !== undefined) return least === most && most === Number(width) && !has(allButDigits);
    const separator = encoder === 'escape' ? guarded?.codePointAt(0) : undefined;
    return (
      encoder in changing &&
      !has([...(changing[encoder] ?? []), ...(separator === undefined ? [] : ([[separator, separator]] as const))])
    );
  };
  const first = chain.findIndex((encoder) => !isIdle(encoder));
  return first < 0 ? [] : chain.slice(first);
}

/** A value that is written as it is compared. Decision 0143 says which order it has. */
function writtenAsSame(
  name: string,
  chain: readonly string[],
  shape: Domain['text'],
  mixed: boolean,
  following: Following,
  ends: boolean,
): HoleProperties {
  if (shape === undefined)
    return { exact: true, order: { not: `${name} is not text, and ${chain.join(':')} writes it as one` }, ends };
  if (mixed) return none(`1 and "1" of ${name} are one text`, following, ends);
  if (following === 'end') return { exact: true, order: 'up', ends };
  const isCased = chain.every((each) => each === 'lower' || each === 'upper');
  if (isCased && shape.least === shape.most && shape.characters.every(([, high]) => high <= lastOfAscii))
    return { exact: true, order: 'up', noInterval: anyEnd(name), ends: true };
  const order = orderBefore(following, name, imageOf(chain, shape));
  // The ends of an interval may be any text, of which a slug has only letters and digits.
  return { exact: true, order, ...(chain.at(-1) !== 'slug' && { noInterval: anyEnd(name) }), ends };
}

function anyEnd(name: string): string {
  return `an end of the interval may have any characters, and something follows ${name}`;
}

/** Whether a chain writes values as they are compared. Escaping after that keeps different texts apart. */
function writesSame(chain: readonly string[], same: readonly string[]): boolean {
  return [same.join(':'), escapedChain(same)].includes(chain.join(':'));
}

/** What a value is compared as, escaped; without that, the value itself. */
function escapedChain(same: readonly string[]): string {
  return [...same, 'escape'].join(':');
}

/** The characters that texts may have after encoders that change only their case and their ends, or remove characters. */
function imageOf(chain: readonly string[], shape: Domain['text']): Characters {
  return chain.reduce<Characters>((characters, encoder) => {
    if (encoder === 'slug') return slugged;
    if (encoder === 'trim') return characters;
    // Outside of ASCII, what becomes of a letter is a letter or a mark: nothing below "A".
    return characters.flatMap(([low, high]): Characters => [
      ...casedLetters(encoder, low, Math.min(high, lastOfAscii)),
      ...(high > lastOfAscii ? ([[65, 0x10ffff]] as const) : []),
    ]);
  }, shape?.characters ?? anyCharacter);
}

/** What ASCII characters become in another case. */
function casedLetters(encoder: string, low: number, high: number): Characters {
  const [first, last, moved] = encoder === 'lower' ? [65, 90, 32] : [97, 122, -32];
  const ranges: Characters = [
    [low, Math.min(high, first - 1)],
    [Math.max(low, first) + moved, Math.min(high, last) + moved],
    [Math.max(low, last + 1), high],
  ];
  return ranges.filter(([from, to]) => from <= to);
}

/** The order of texts of any length: theirs only if the character that follows sorts before all of them. */
function orderBefore(following: Following, name: string, characters: Characters): HoleProperties['order'] {
  if (following === 'end') return 'up';
  if (following === 'variable') return { not: `${name} has any length, and something follows it` };
  const behind = following.literal.codePointAt(0) ?? 0;
  const [low] = characters.find(([each]) => each <= behind) ?? [];
  if (low === undefined) return 'up';
  return {
    not: `${name} may have a character that does not sort after "${String.fromCodePoint(behind)}", such as ${exampleOf(characters, low, behind)}`,
  };
}

/** A character below the one that follows, one that can be printed if there is one. */
function exampleOf(characters: Characters, low: number, behind: number): string {
  const printed = characters.find(([from, to]) => to >= 33 && Math.max(from, 33) < behind);
  return JSON.stringify(String.fromCodePoint(printed === undefined ? low : Math.max(printed[0], 33)));
}

/** The characters of what a chain of encoders gives, where its length varies. */
function charactersOf(chain: readonly string[]): Characters {
  const last = chain.at(-1) ?? '';
  if (last === 'slug') return slugged;
  if (last.startsWith('shard')) return digits;
  return last === 'escape' ? escaped : last === 'epoch' ? numeric : anyCharacter;
}

/** Whether a text of these characters, but for the guarded one, ends where what follows begins. */
function endsBefore(following: Following, characters: Characters, guarded: string | undefined): boolean {
  if (typeof following === 'string') return following === 'end';
  const behind = following.literal.codePointAt(0) ?? 0;
  return behind === guarded?.codePointAt(0) || characters.every(([low, high]) => behind < low || behind > high);
}

function none(why: string, following: Following, ends: boolean): HoleProperties {
  return { exact: why, order: { not: why }, ends: ends || following === 'end' };
}

/** A key attribute of the type number. */
function numberKey(name: string, chain: readonly string[], { text, other }: Domain): HoleProperties {
  if (text !== undefined || other) return none(`${name} is not always a number`, 'end', true);
  const known = chain.length === 0 || (chain.length === 1 && (chain[0] === 'epoch' || padded.test(chain[0] ?? '')));
  const down = /^(inverse|tens)/.test(chain[0] ?? '');
  return known ? { exact: true, order: down ? 'down' : 'up', ends: true } : none(`${name} is cut`, 'end', true);
}

/** Few values: each one is checked. */
function enumerated(
  name: string,
  encoders: TemplateVariable['encoders'],
  values: NonNullable<Domain['values']>,
  following: Following,
): HoleProperties {
  const behind = typeof following === 'object' ? following.literal : '';
  const texts = new Map<KeyValue, string>();
  for (const value of values) {
    try {
      texts.set(value, String(encoders.reduce<KeyValue>((each, { encode }) => encode(each), value)));
    } catch {
      // A write rejects it.
    }
  }
  const all = [...texts];
  const pairs = all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b] as const));
  const alike = pairs.find(([a, b]) => a[1] === b[1]);
  const before = pairs.find(([a, b]) => a[1] !== b[1] && (b[1].startsWith(a[1]) || a[1].startsWith(b[1])));
  const ends =
    before === undefined ||
    following === 'end' ||
    (typeof following === 'object' && all.every(([, text]) => !text.includes(behind.slice(0, 1))));
  const orders = new Set(
    pairs.map(([[x, a], [y, b]]) => {
      const value =
        typeof x === 'string' && typeof y === 'string'
          ? compareText(x, y)
          : typeof x === typeof y
            ? Number(x) - Number(y)
            : Number.NaN;
      const text = compareText(a + behind, b + behind);
      return Number.isNaN(value) || value === 0 || text === 0 ? 'none' : value < 0 === text < 0 ? 'up' : 'down';
    }),
  );
  // Whether the ends of an interval are exchanged follows from the encoders, not from the values.
  const turned = encoders.some(({ reversed }) => reversed === true) ? 'down' : 'up';
  const [order = turned, other] = orders;
  return {
    exact:
      alike === undefined
        ? true
        : `${JSON.stringify(alike[0][0])} and ${JSON.stringify(alike[1][0])} of ${name} are one text`,
    order:
      other === undefined && order === turned && ends && all.length === values.length
        ? order
        : { not: `the values of ${name} do not sort as text` },
    ends,
  };
}

/** A value that is written unchanged in the key. */
function plain(name: string, domain: Domain, following: Following, guarded: string | undefined): HoleProperties {
  const { text, number, other } = domain;
  if (text === undefined && number !== undefined && !other) {
    const width = (value: number): number => String(value).length;
    const even =
      number.whole && number.least >= 0 && number.most < 2 ** 53 && width(number.least) === width(number.most);
    return {
      exact: true,
      order: even ? 'up' : { not: unsortedNumber(name, domain) },
      ends: even || endsBefore(following, number.whole && isSafe(number) ? digits : numeric, guarded),
    };
  }
  if (text === undefined || number !== undefined)
    return text === undefined
      ? none(`${name} may be any value`, following, false)
      : none(`1 and "1" of ${name} are one text`, following, endsBefore(following, anyCharacter, guarded));
  const width = text.least === text.most;
  const order = width ? 'up' : orderBefore(following, name, text.characters);
  return {
    exact: true,
    order: order === 'up' ? timeOrder(name, text) : order,
    ends: following === 'end' || width || endsBefore(following, text.characters, guarded),
  };
}

/** Larger numbers are written with an exponent. */
function isSafe({ least, most }: NonNullable<Domain['number']>): boolean {
  return least >= Number.MIN_SAFE_INTEGER && most <= Number.MAX_SAFE_INTEGER;
}

/** Text sorts by its bytes, and times by instant. If all are in one format, both orders agree. */
function timeOrder(name: string, { isTime, time }: NonNullable<Domain['text']>): HoleProperties['order'] {
  return isTime && time === undefined
    ? { not: `${name} may be written with an offset, or with fractions of a second: such texts do not sort as times` }
    : 'up';
}

interface TimeForm {
  readonly text: 'date' | 'seconds' | 'milliseconds' | undefined;
  /** Text that the schema does not declare as a time sorts as text. */
  readonly other: boolean;
  /** Whole milliseconds since 1970, or seconds. */
  readonly whole: boolean;
  /** Numbers of milliseconds with a fraction. */
  readonly fractions: boolean;
  readonly seconds: boolean;
}

/** A time that is written in another format, or truncated. */
function timed(
  name: string,
  chain: readonly string[],
  { text, other, whole, fractions, seconds }: TimeForm,
  following: Following,
): HoleProperties {
  const [first = '', ...more] = chain;
  const ends = true;
  const cut = `two values of ${name} within one ${cutting.test(first) ? first : 'second'} are one text`;
  if (more.length > 0) return none(cut, following, ends);
  // Other encoders refuse a fraction of a millisecond.
  if (first === 'utc' && fractions)
    return none(`${name} may have a fraction of a millisecond, which is cut`, following, ends);
  if (first === 'utc' || first === 'inverseTime') {
    const exact = text !== undefined || whole ? true : `one instant may be written in several ways in ${name}`;
    if (other)
      return {
        exact,
        order: { not: `the schema of ${name} says text, not a time, and text sorts by its characters` },
        ends,
      };
    return { exact, order: first === 'utc' ? 'up' : 'down', ends };
  }
  if (first === 'seconds' || first === 'second')
    return text === 'seconds' || text === 'date' || seconds
      ? { exact: true, order: 'up', ends }
      : none(cut, following, ends);
  if ((first === 'date' || first === 'day' || first === 'hour') && text === 'date')
    return { exact: true, order: 'up', ends };
  return none(cut, following, ends);
}

/** The encoders that `same` names, as a chain. */
export function sameChain(same: string | readonly string[] | undefined): readonly string[] {
  const names = same === undefined ? [] : [same].flat();
  return names.filter((name) => encoderNamed(name) !== undefined);
}
