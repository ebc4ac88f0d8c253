import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { cellText, keyText } from '../values/value-text.ts';
import type { ModelEntity, TemplatePart } from '../wire/model-answers.ts';
import { indexesOf, type KeyNames, keyNamesOf, type TableDescription } from '../wire/table-description.ts';

/** The entity of an item, as far as the item itself shows it. */
export interface Entity {
  readonly name: string;
  /** Two letters, so that colour is never the only sign. */
  readonly badge: string;
  /** One of eight colours; the ninth entity has the first colour again, with a ring. */
  readonly color: number;
  readonly isRinged: boolean;
}

/** Attributes in which tools store the type of an item. */
const typeAttributes = ['Type', '_type', 'type', 'entity', 'Entity', '__edb_e__', '_et', '__typename'];
const colorCount = 8;
const badgeLength = 2;
/** The maximum number of entities; further items have none. */
const entitiesMax = 64;

/** Identifies the entities of a table's items: those of its models, then others in the order in which they are found. */
export class Entities {
  readonly #keys: KeyNames;
  /** Undefined while it is not known what the models declare. */
  readonly #known: readonly KnownEntity[] | undefined;
  readonly #entities = new Map<string, Entity>();
  readonly #badges = new Set<string>();
  readonly #met = new Set<Entity>();

  /**
   * @param known - the entities of models; their colours follow the order of declaration. `'awaited'` while the models are being read: no item
   *   has an entity until then, since it might have another colour afterwards.
   */
  constructor(table: Pick<TableDescription, 'KeySchema'>, known: readonly ModelEntity[] | 'awaited' = []) {
    this.#keys = keyNamesOf(table);
    if (known === 'awaited') return;
    this.#known = known.map(({ name, type, forms }) => ({
      name,
      type,
      forms: keyPatterns(forms),
      partitions: partitionPatterns(forms, this.#keys.partition),
    }));
    for (const { name } of known) this.#entityOf(name);
  }

  /** The entities that were found. */
  get all(): readonly Entity[] {
    return [...this.#entities.values()].filter((entity) => this.#met.has(entity));
  }

  of(item: AttributeMap): Entity | undefined {
    const name = this.#nameOf(item);
    const entity = name === undefined ? undefined : this.#entityOf(name);
    if (entity !== undefined) this.#met.add(entity);
    return entity;
  }

  /** By its key alone, if models describe how keys are built. */
  ofKey(key: AttributeMap): Entity | undefined {
    const known = this.#known?.find(({ forms }) => forms.some((form) => fits(key, form)));
    return known && this.#entities.get(known.name);
  }

  /**
   * The entity of the item that a partition key alone identifies, such as the customer whose orders share the key. Of several templates that fit,
   * the one with most literal text counts. Undefined if no model has such an entity. Decision 0140.
   */
  ofPartition(key: AttributeMap[string] | undefined): Entity | undefined {
    const text = keyText(key);
    const [best] = (this.#known ?? [])
      .flatMap(({ name, partitions }) => partitions.map((partition) => ({ name, ...partition })))
      .filter(({ pattern }) => pattern.test(text))
      .sort((a, b) => b.literals - a.literals || Number(b.isWhole) - Number(a.isWhole));
    return best?.isWhole === true ? this.#entities.get(best.name) : undefined;
  }

  /** An entity by its name. */
  named(name: string): Entity | undefined {
    return this.#entities.get(name);
  }

  #entityOf(name: string): Entity | undefined {
    const known = this.#entities.get(name);
    if (known !== undefined || this.#entities.size >= entitiesMax) return known;
    const number = this.#entities.size;
    const entity = {
      name,
      badge: this.#badgeOf(name),
      color: (number % colorCount) + 1,
      isRinged: number >= colorCount,
    };
    this.#entities.set(name, entity);
    this.#badges.add(entity.badge);
    return entity;
  }

  /**
   * The model's entity by type or key; otherwise the value of the type attribute, or the text before the first `#` of the sort key, or of the
   * partition key.
   */
  #nameOf(item: AttributeMap): string | undefined {
    if (this.#known === undefined) return undefined;
    const known =
      this.#known.find(({ type }) => type !== null && keyText(item[type.attribute]) === type.value) ??
      this.#known.find(({ type, forms }) => type === null && forms.some((form) => fits(item, form)));
    if (known !== undefined) return known.name;
    for (const attribute of typeAttributes) {
      const value = item[attribute];
      if (value !== undefined && 'S' in value && /^[\w .:-]{1,40}$/.test(value.S)) return value.S;
    }
    const { partition, sort } = this.#keys;
    return prefixOf(keyText(sort === undefined ? undefined : item[sort])) ?? prefixOf(keyText(item[partition]));
  }

  #badgeOf(name: string): string {
    const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== '');
    const initials = words.length > 1 ? words.map((word) => word.charAt(0)).join('') : (words[0] ?? '?');
    const letters = initials.slice(0, badgeLength);
    const wanted =
      words.length > 1 ? letters.toUpperCase() : letters.charAt(0).toUpperCase() + letters.slice(1).toLowerCase();
    if (!this.#badges.has(wanted)) return wanted;
    for (let number = 2; ; number += 1) {
      const numbered = `${wanted.charAt(0)}${number}`;
      if (!this.#badges.has(numbered)) return numbered;
    }
  }
}

interface KnownEntity {
  readonly name: string;
  readonly type: ModelEntity['type'];
  /** Patterns of key attributes in the table. */
  readonly forms: readonly KeyPattern[];
  readonly partitions: readonly PartitionPattern[];
}

interface PartitionPattern {
  readonly pattern: RegExp;
  /** Characters of literal text. */
  readonly literals: number;
  /** Whether it identifies an item: the sort key has no other variable. */
  readonly isWhole: boolean;
}

type KeyPattern = readonly (readonly [attribute: string, pattern: RegExp])[];

function keyPatterns(forms: ModelEntity['forms']): readonly KeyPattern[] {
  return forms
    .filter(({ place }) => place === 'table')
    .map(({ attributes }) => Object.entries(attributes).map(([name, parts]) => [name, patternOf(parts)] as const));
}

function partitionPatterns(forms: ModelEntity['forms'], partition: string): readonly PartitionPattern[] {
  return forms
    .filter(({ place }) => place === 'table')
    .map(({ attributes: { [partition]: parts = [], ...sort } }) => ({
      pattern: patternOf(parts),
      literals: parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0),
      isWhole: Object.values(sort).every((others) =>
        variablesOf(others).every((variable) => variablesOf(parts).includes(variable)),
      ),
    }));
}

function variablesOf(parts: readonly TemplatePart[]): readonly string[] {
  return parts.flatMap((part) => ('variable' in part ? [part.variable] : []));
}

function patternOf(parts: readonly TemplatePart[]): RegExp {
  const source = parts.map((part) => ('text' in part ? escaped(part.text) : '.+')).join('');
  return new RegExp(`^${source}$`, 's');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function fits(item: AttributeMap, form: KeyPattern): boolean {
  return form.every(([name, pattern]) => item[name] !== undefined && pattern.test(keyText(item[name])));
}

function prefixOf(key: string): string | undefined {
  return /^#?([A-Za-z][\w-]{0,39})#/.exec(key)?.[1];
}

/** One attribute as a column of the rows of an entity. */
export interface Column {
  readonly name: string;
  readonly width: number;
  readonly isNumber: boolean;
}

const sampledItems = 200;
const columnsMax = 12;
const characterWidth = 7.3;
const paddingWidth = 20;
const widthMin = 72;
const widthMax = 232;

/**
 * The attributes that the rows of some items show: those that most of them have, in the order in which they are in the items. What the key
 * already says comes last.
 */
export function columnsOf(items: readonly AttributeMap[], table: TableDescription): readonly Column[] {
  const hidden = new Set([
    ...typeAttributes,
    ...[table, ...indexesOf(table)].flatMap((keyed) => Object.values(keyNamesOf(keyed))),
  ]);
  const { partition, sort } = keyNamesOf(table);
  const found = new Map<string, { count: number; numbers: number; length: number; inKey: number }>();
  for (const item of items.slice(0, sampledItems)) {
    const key = `${keyText(item[partition])}\n${sort === undefined ? '' : keyText(item[sort])}`;
    for (const [name, value] of Object.entries(item)) {
      if (hidden.has(name)) continue;
      const attribute = found.get(name) ?? { count: 0, numbers: 0, length: name.length, inKey: 0 };
      attribute.count += 1;
      if ('S' in value && value.S !== '' && key.includes(value.S)) attribute.inKey += 1;
      attribute.numbers += 'N' in value ? 1 : 0;
      attribute.length = Math.max(attribute.length, cellText(value).length);
      found.set(name, attribute);
    }
  }
  const frequent = [...found]
    .filter(([, { count }]) => count * 4 >= Math.min(items.length, sampledItems))
    .sort(([, a], [, b]) => Number(a.inKey === a.count) - Number(b.inKey === b.count))
    .slice(0, columnsMax);
  return frequent.map(([name, { count, numbers, length }]) => ({
    name,
    width: Math.round(Math.min(widthMax, Math.max(widthMin, length * characterWidth + paddingWidth))),
    isNumber: numbers === count,
  }));
}
