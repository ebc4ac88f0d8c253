import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { type Draft, type DraftAttribute, type DraftEntity, type DraftKey, identifier, unused } from './draft.ts';
import type { Shape } from './shape.ts';
import { tableLayout } from './table-layout.ts';
import { withUsualPatterns } from './usual-patterns.ts';

/** A table as a template declares it: its keys, without its items. */
export interface DeclaredTable {
  /** What CreateTable takes. */
  readonly description: TableDescription;
  /** The attribute with the time to live, if there is one. */
  readonly expires?: string;
}

type KeySchema = NonNullable<TableDescription['KeySchema']>;

/**
 * A model from declarations of tables: an entity for each table, with the attributes of its keys. A template does not describe
 * the items any further. The remarks name what remains to be decided.
 */
export function draftFromTables(name: string, tables: readonly DeclaredTable[]): Draft {
  const taken = new Set<string>();
  const layouts = tables.map(({ description }) => tableLayout(description));
  const entities = tables.map((table): DraftEntity => {
    const entity = entityOf(table);
    const free = unused(entity.name, taken);
    taken.add(free);
    return { ...entity, name: free, type: free };
  });
  return withUsualPatterns({
    name,
    notes: [
      'Read from the declarations of tables: an entity for each table, with the attributes of its keys.',
      'Add the other attributes, and where a table holds several kinds of items, an entity for each.',
    ],
    // A single entity needs no type attribute.
    tables: Object.fromEntries(layouts.map(({ name: table, layout }) => [table, { ...layout, type: false }])),
    entities,
    patterns: [],
  });
}

function entityOf({ description, expires }: DeclaredTable): DraftEntity {
  const { TableName = 'Table', KeySchema: primary = [] } = description;
  const attributes = attributesOf(description, expires);
  const nameOf = (stored: string): string =>
    attributes.find((attribute) => (attribute.stored ?? attribute.name) === stored)?.name ?? stored;
  const keyOf = (place: string, schema: KeySchema, kinds: readonly string[] = ['HASH', 'RANGE']): DraftKey => {
    const names = kinds.flatMap((kind) =>
      schema.flatMap(({ AttributeName = '', KeyType }) => (KeyType === kind ? [AttributeName] : [])),
    );
    const templates = names.map((each) => `{${nameOf(each)}}`);
    const maybe = attributes.filter((each) => each.optional && names.includes(each.stored ?? each.name));
    const when = Object.fromEntries(maybe.map((each) => [each.name, { exists: true as const }]));
    return { place, forms: [{ templates, ...(maybe.length > 0 && { when }) }], notes: [] };
  };
  const indexes = [
    ...(description.GlobalSecondaryIndexes ?? []).map((index) => keyOf(index.IndexName ?? '', index.KeySchema ?? [])),
    // A local index has the partition key of its table.
    ...(description.LocalSecondaryIndexes ?? []).map((index) =>
      keyOf(index.IndexName ?? '', index.KeySchema ?? [], ['RANGE']),
    ),
  ];
  const overloaded = primary.map(({ AttributeName = '' }) => AttributeName).filter((key) => /^_?(PK|SK)$/i.test(key));
  const expiring = attributes.find((attribute) => (attribute.stored ?? attribute.name) === expires);
  return {
    name: identifier(TableName, 'Type'),
    type: TableName,
    attributes,
    keys: [keyOf(TableName, primary), ...indexes],
    ...(expiring !== undefined && { rules: { expires: expiring.name } }),
    notes:
      overloaded.length === 0
        ? []
        : [
            `${overloaded.join(' and ')} look like keys of several kinds of items: give each an entity with templates such as 'CUSTOMER#{customerId}'.`,
          ],
  };
}

/** Seconds since 1970 for the next centuries, and no milliseconds. */
const checksOfSeconds = '.int().max(9_999_999_999)';

const shapes: Readonly<Record<string, Shape>> = { N: { kind: 'number' }, B: { kind: 'binary' } };

/** The attributes of the table's key, which every item has, those of its indexes, what these project, and the time to live. */
function attributesOf(description: TableDescription, expires?: string): DraftAttribute[] {
  const { AttributeDefinitions = [], KeySchema: primary = [] } = description;
  const required = new Set(primary.map(({ AttributeName }) => AttributeName));
  const types = new Map<string, string | undefined>(
    AttributeDefinitions.map(({ AttributeName = '', AttributeType }) => [AttributeName, AttributeType]),
  );
  for (const stored of projectedOf(description)) if (!types.has(stored)) types.set(stored, undefined);
  if (expires !== undefined && types.get(expires) === undefined) types.set(expires, 'N');
  const taken = new Set<string>();
  return [...types].map(([stored, type]) => {
    const name = unused(/^\w+$/.test(stored) ? stored : identifier(stored, 'value'), taken);
    taken.add(name);
    return {
      name,
      ...(name !== stored && { stored }),
      shape: shapes[type ?? ''] ?? { kind: type === undefined ? 'unknown' : 'string' },
      // The service takes no empty text in a key.
      ...(stored === expires ? { checks: checksOfSeconds } : type === 'S' && { checks: '.min(1)' }),
      optional: !required.has(stored),
    };
  });
}

/** What indexes hold besides keys. A template does not say of which type it is. */
function projectedOf({ GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] }: TableDescription): string[] {
  return [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes].flatMap(
    ({ Projection }) => Projection?.NonKeyAttributes ?? [],
  );
}
