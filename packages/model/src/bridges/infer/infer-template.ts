import { parseTemplate, templateWriter } from '../../keys/template.ts';
import { align } from './align.ts';
import { encodingsOf, shardsOf } from './encodings.ts';

/** Values of an item by attribute, and one of its keys. */
export interface KeySample {
  readonly values: Readonly<Record<string, unknown>>;
  readonly key: string;
}

/** A template, and how well it gives the keys. */
export interface InferredTemplate {
  readonly template: string;
  /** Items whose key is what the template gives, of how many. */
  readonly fits: number;
  readonly of: number;
  /** Other templates that fit as well. */
  readonly alternatives: readonly string[];
}

const alignedItems = 16;
const draws = 12;
/** Draws that look for shards as well, which takes hashing. */
const shardDraws = 2;
const alternativesMax = 3;

/**
 * The template that gives most of the keys; undefined where none gives half of them. Aligned on a few items at a time, so that
 * some that were written otherwise do not hide it, and then held against all.
 */
export function inferTemplate(
  samples: readonly KeySample[],
  attributes: readonly string[],
  /** Attributes whose single value rather is a word of the key: what tells one form of it from another. */
  words: ReadonlySet<string> = new Set(),
): InferredTemplate | undefined {
  let best: InferredTemplate | undefined;
  for (let draw = 0; draw < draws; draw += 1) {
    // Where a template misses some, one of these is looked at as well: it may be what tells two encodings apart.
    const missed = best === undefined || draw % 2 === 0 ? [] : misfits(best.template, samples);
    // One from all over them, as some are keys that no template gives, beside such as do fit.
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

/** A few items from all over the sample, different keys first at every other draw; fewer at each. */
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

/** The samples whose key the template does not give. */
function misfits(template: string, samples: readonly KeySample[]): KeySample[] {
  const write = templateWriter(parseTemplate(template).template, '', '');
  return samples.filter(({ values, key }) => {
    try {
      return write(values) !== key;
    } catch {
      return true; // a value that the template's encoders refuse
    }
  });
}
