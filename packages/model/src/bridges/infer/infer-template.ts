import { parseTemplate, templateWriter } from '../../keys/template.ts';
import { align } from './align.ts';
import { encodingsOf, shardsOf } from './encodings.ts';

/** Values of an item by attribute, and one of its keys. */
export interface KeySample {
  readonly values: Readonly<Record<string, unknown>>;
  readonly key: string;
}

/** A template, and how many of the keys it produces. */
export interface InferredTemplate {
  readonly template: string;
  /** The number of items whose key the template produces, and the number of all items. */
  readonly fits: number;
  readonly of: number;
  /** Other templates that also fit. */
  readonly alternatives: readonly string[];
}

const alignedItems = 16;
const draws = 12;
/** Samples that are also searched for shards, which requires hashing. */
const shardDraws = 2;
const alternativesMax = 3;

/**
 * The template that produces most of the keys; undefined if none produces half of them. It is aligned on a few items at a time, so
 * that irregular keys do not hide it, and then compared with all of them.
 */
export function inferTemplate(
  samples: readonly KeySample[],
  attributes: readonly string[],
  /** Attributes with a single value that is probably a word of the key: it distinguishes one form from another. */
  words: ReadonlySet<string> = new Set(),
): InferredTemplate | undefined {
  let best: InferredTemplate | undefined;
  for (let draw = 0; draw < draws; draw += 1) {
    // If a template misses some keys, one of these is examined too: it may decide between two encodings.
    const missed = best === undefined || draw % 2 === 0 ? [] : misfits(best.template, samples);
    // Picked from the whole list, since some keys may be irregular while others fit.
    const seldom = missed.slice(Math.floor((draw * missed.length) / draws)).slice(0, 1);
    const others = seldom.length === 0 ? samples : samples.filter((sample) => !missed.includes(sample));
    const chosen = [...seldom, ...choose(others, draw)];
    if (chosen.length === 0) break;
    const [template, ...further] = alignedTemplates(chosen, attributes, { words, shards: draw < shardDraws });
    if (template === undefined) continue;
    const fits = countFits(template, samples);
    if (fits > (best?.fits ?? 0)) {
      const alternatives = further.filter((other) => countFits(other, samples) >= fits).slice(0, alternativesMax);
      best = { template, fits, of: samples.length, alternatives };
    }
    if (best?.fits === samples.length) break;
  }
  return best !== undefined && best.fits * 2 >= best.of ? best : undefined;
}

/** A few items from across the sample. Every other draw puts different keys first. Later draws are smaller. */
function choose(samples: readonly KeySample[], draw: number): KeySample[] {
  const count = Math.min(draw === 0 ? alignedItems : draw < 6 ? 6 : 3, samples.length);
  // A stride without a common factor visits every item once.
  const stride = [61, 59, 53].find((prime) => samples.length % prime !== 0) ?? 1;
  const visited = samples.map((_, i) => samples[(draw * 7 + i * stride) % samples.length]);
  const byKey = new Map(visited.flatMap((sample) => (sample === undefined ? [] : [[sample.key, sample] as const])));
  const rest = visited.filter((sample) => sample !== undefined && byKey.get(sample.key) !== sample);
  const ordered = draw % 2 === 0 ? [...byKey.values(), ...rest] : visited;
  return ordered.slice(0, count).filter((sample) => sample !== undefined);
}

function alignedTemplates(
  samples: readonly KeySample[],
  attributes: readonly string[],
  { words, shards }: { readonly words: ReadonlySet<string>; readonly shards: boolean },
): string[] {
  const keys = samples.map(({ key }) => key);
  const columns = attributes.flatMap((attribute) => {
    const values = samples.map((sample) => sample.values[attribute]);
    return values.some((value) => !isKeyValue(value)) ? [] : [{ attribute, values }];
  });
  const encodings = columns
    .flatMap(({ attribute, values }) => encodingsOf(attribute, values))
    .filter(({ attribute, constant }) => !(constant && words.has(attribute)));
  const found = align(keys, encodings);
  if (found.length > 0 || !shards) return found;
  return align(keys, [...encodings, ...columns.flatMap(({ attribute, values }) => shardsOf(attribute, values))]);
}

function isKeyValue(value: unknown): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}

function countFits(template: string, samples: readonly KeySample[]): number {
  return samples.length - misfits(template, samples).length;
}

/** The samples whose key the template does not produce. */
function misfits(template: string, samples: readonly KeySample[]): KeySample[] {
  const write = templateWriter(parseTemplate(template).template, '', '');
  return samples.filter(({ values, key }) => {
    try {
      return write(values) !== key;
    } catch {
      return true; // a value that the template's encoders reject
    }
  });
}
