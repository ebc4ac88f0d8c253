import type { Values } from '../../run/item-codec.ts';

/** Items of one kind, identified by the value of a type attribute or by the form of their keys. */
export interface ItemGroup {
  /** The type's value, or the first words of the key. */
  readonly type: string;
  readonly items: readonly Values[];
}

/** How a table's items were told apart. */
export interface Grouping {
  /** Undefined if no attribute identifies the type, and the forms of the keys did. */
  readonly typeAttribute: string | undefined;
  /** The share of items whose type says how their key begins, or 1. */
  readonly share: number;
  readonly groups: readonly ItemGroup[];
}

const typesMax = 200;
const shareMin = 0.9;
/** The names that libraries and guides use for it. */
const usualNames = /^(_?_?(entity_?)?type(name)?|_?_?entity|_et|__edb_e__|kind|_?class|model)$/i;

/**
 * Groups items by the attribute that identifies their type: text on nearly all of them, with few values that each correspond to
 * one form of key. If there is none, groups them by the form of their keys.
 */
export function groupItems(items: readonly Values[], keyAttributes: readonly string[]): Grouping {
  const forms = items.map((item) => keyForm(item, keyAttributes));
  const candidates = [...new Set(items.flatMap((item) => Object.keys(item)))]
    .filter((name) => !keyAttributes.includes(name))
    .flatMap((name) => candidateOf(name, items, forms))
    .sort((a, b) => b.score - a.score);
  const [best] = candidates;
  const byForm = groupsBy(items, (_item, i) => forms[i] ?? '');
  if (best === undefined) return { typeAttribute: undefined, share: 1, groups: byForm };
  const groups = groupsBy(items, (item) => textValue(item[best.name]) ?? '');
  return { typeAttribute: best.name, share: best.share, groups };
}

function candidateOf(
  name: string,
  items: readonly Values[],
  forms: readonly string[],
): { readonly name: string; readonly share: number; readonly score: number }[] {
  const values = items.map((item) => textValue(item[name]));
  const present = values.filter((value) => value !== undefined).length;
  const distinct = new Set(values).size;
  const usual = usualNames.test(name);
  if (present < items.length * shareMin || distinct > typesMax) return [];
  if (!usual && distinct > Math.max(1, items.length / 2)) return [];
  const formOfType = purity(values.map(String), forms);
  const typeOfForm = purity(forms, values.map(String));
  // A value that all items share is not evidence, unless the attribute has a usual name for a type.
  if (formOfType < shareMin || (!usual && (distinct === 1 || typeOfForm < shareMin))) return [];
  return [{ name, share: formOfType, score: formOfType + typeOfForm + (usual ? 1 : 0) }];
}

/** The share of items that have the most frequent `outcome` for their `given`. */
function purity(given: readonly string[], outcome: readonly string[]): number {
  const counts = new Map<string, Map<string, number>>();
  given.forEach((value, i) => {
    const of = counts.get(value) ?? new Map<string, number>();
    counts.set(value, of.set(outcome[i] ?? '', (of.get(outcome[i] ?? '') ?? 0) + 1));
  });
  const most = [...counts.values()].map((of) => Math.max(...of.values()));
  return most.reduce((sum, count) => sum + count, 0) / Math.max(1, given.length);
}

/** The words at the start of a primary key: `CUSTOMER|#ORDER`. Values are not words, because no separator follows them. */
function keyForm(item: Values, keyAttributes: readonly string[]): string {
  return keyAttributes.map((name) => wordOf(item[name])).join('|');
}

function wordOf(value: unknown): string {
  if (typeof value !== 'string') return typeof value;
  const word = /^[#$]?[\p{L}_-]+(?=[#|:/]|$)/u.exec(value)?.[0] ?? '';
  return word === value && !/^[A-Z_#-]+$/.test(word) ? '' : word;
}

function groupsBy(items: readonly Values[], keyOf: (item: Values, index: number) => string): ItemGroup[] {
  const groups = new Map<string, Values[]>();
  items.forEach((item, i) => {
    const key = keyOf(item, i);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  });
  return [...groups].map(([type, of]) => ({ type, items: of }));
}

function textValue(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 100 ? value : undefined;
}
