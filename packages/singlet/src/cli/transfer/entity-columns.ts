import type { TableDescription } from '@aws-sdk/client-dynamodb';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { UsageError } from '../usage-error.ts';
import { ColumnProfile, type ColumnType } from './column-profile.ts';

/** The maximum number of entity types of a table, and of columns of a type. Larger numbers indicate a wrong `--type-attribute`. */
const typesMax = 1000;
const columnsMax = 5000;

/** The type of items that do not contain their type. */
export const untyped = 'untyped';

export interface ColumnChoice {
  /** The attribute that contains an item's entity type. */
  readonly typeAttribute: string;
  /** Attributes that are left out. */
  readonly dropped: ReadonlySet<string>;
  /** Column names by attribute, where they differ. */
  readonly renamed: ReadonlyMap<string, string>;
}

export interface Column {
  readonly attributeName: string;
  readonly name: string;
  readonly type: ColumnType;
}

/** Names of key attributes that exist only for an index: PK, SK, GSI1PK, GSI_1_SK, LSI2SK. */
const indexingName = /^((gsi|lsi)[_-]?\d*[_-]?)?(pk|sk)\d*$/i;

/**
 * The attributes that only serve indexing: key attributes of a table and its indexes with generic names. A key with a specific name
 * (`username`) is data.
 */
export function indexingAttributes(table: TableDescription): ReadonlySet<string> {
  const schemas = [
    table.KeySchema,
    ...(table.GlobalSecondaryIndexes ?? []).map(({ KeySchema }) => KeySchema),
    ...(table.LocalSecondaryIndexes ?? []).map(({ KeySchema }) => KeySchema),
  ];
  const names = schemas.flatMap((schema) => (schema ?? []).map(({ AttributeName = '' }) => AttributeName));
  return new Set(names.filter((name) => indexingName.test(name)));
}

/** The name of an item's entity type. */
export function typeOf(item: UncheckedAttributeMap, { typeAttribute }: ColumnChoice): string {
  const value = Object.hasOwn(item, typeAttribute) ? item[typeAttribute] : undefined;
  return value?.S ?? value?.N ?? untyped;
}

/** Determines the columns of each entity type from all of its items. */
export class EntityColumns {
  readonly #choice: ColumnChoice;
  readonly #types = new Map<string, Map<string, ColumnProfile>>();

  constructor(choice: ColumnChoice) {
    this.#choice = choice;
  }

  /** @throws {UsageError} for too many types or columns. */
  add(item: UncheckedAttributeMap): void {
    const type = typeOf(item, this.#choice);
    let profiles = this.#types.get(type);
    if (profiles === undefined) {
      if (this.#types.size === typesMax) {
        throw new UsageError(
          `There are more than ${typesMax} entity types: does ${this.#choice.typeAttribute} name them?`,
        );
      }
      profiles = new Map();
      this.#types.set(type, profiles);
    }
    for (const [name, value] of Object.entries(item)) {
      let profile = profiles.get(name);
      if (profile === undefined) {
        if (profiles.size === columnsMax)
          throw new UsageError(`Items of type ${type} have more than ${columnsMax} attributes.`);
        profile = new ColumnProfile();
        profiles.set(name, profile);
      }
      profile.add(value);
    }
  }

  /**
   * Columns by entity type, sorted by name. A type whose attributes would all be left out keeps them.
   *
   * @throws {UsageError} if two columns of a type would have the same name.
   */
  columns(): ReadonlyMap<string, readonly Column[]> {
    return new Map(Array.from(this.#types, ([type, profiles]) => [type, this.#columnsOf(type, profiles)]));
  }

  #columnsOf(type: string, profiles: ReadonlyMap<string, ColumnProfile>): readonly Column[] {
    const all = Array.from(profiles, ([attributeName, profile]): Column => {
      const name = this.#choice.renamed.get(attributeName) ?? attributeName;
      return { attributeName, name, type: profile.type() };
    }).sort((a, b) => (a.name < b.name ? -1 : 1));
    const kept = all.filter(({ attributeName }) => !this.#choice.dropped.has(attributeName));
    const columns = kept.length > 0 ? kept : all;
    for (const [at, { name }] of columns.entries()) {
      if (columns[at + 1]?.name === name) throw new UsageError(`Items of type ${type} would have two columns ${name}.`);
    }
    return columns;
  }
}
