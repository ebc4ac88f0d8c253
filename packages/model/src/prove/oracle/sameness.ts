import type { EntityRules } from '../../entities/entity.ts';

/** Texts that count as equal have one text of these. Written once more, so that a fault of the keys is not repeated here. */
const foldings: { readonly [name: string]: (text: string) => string } = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
  slug: (text) => Array.from(text.toLowerCase(), (each) => (/[a-z0-9]/.test(each) ? each : '')).join(''),
};

/** A value as it is compared: values of an attribute that the entity declares to be the same (`same`) are equal. */
export function comparedValue({ same }: Pick<EntityRules, 'same'>, name: string, value: unknown): unknown {
  const names = [
    (same as { readonly [attribute: string]: string | readonly string[] } | undefined)?.[name] ?? [],
  ].flat();
  if (typeof value !== 'string') return value;
  return names.reduce((text, each) => foldings[each]?.(text) ?? text, value);
}
