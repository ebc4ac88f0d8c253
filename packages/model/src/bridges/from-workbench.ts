import type { AttributeValue, TableDescription } from '@aws-sdk/client-dynamodb';
import { parseTemplate } from '../keys/template.ts';
import { InputError } from '../model-error.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import { type Draft, type DraftAttribute, type DraftEntity, identifier, unused } from './draft.ts';
import { inferModel, type TableSample } from './infer/infer-model.ts';
import type { Shape } from './shape.ts';
import { tableLayout } from './table-layout.ts';
import { withUsualPatterns } from './usual-patterns.ts';
import type { WorkbenchFacet, WorkbenchModel, WorkbenchTable } from './workbench.ts';

/**
 * A model from a file of NoSQL Workbench. Facets become entities, and their aliases become templates if they are written as such.
 * Anything that the file does not say is inferred from its sample data.
 *
 * @throws {InputError} if it is not a NoSQL Workbench file.
 */
export function draftFromWorkbench(data: unknown): Draft {
  const file = parseWorkbench(data);
  const drafts = file.DataModel.map((table) => tableDraft(file.ModelName, table));
  const names = new Set<string>();
  const entities = drafts.flatMap(({ entities: own }) =>
    own.map((entity): DraftEntity => {
      const name = unused(entity.name, names);
      names.add(name);
      return { ...entity, name };
    }),
  );
  const description = file.ModelMetadata?.Description ?? '';
  return withUsualPatterns({
    name: file.ModelName === '' ? 'imported' : file.ModelName,
    notes: [
      'Read from a model of NoSQL Workbench.',
      ...description.split('\n').filter((line) => line.trim() !== ''),
      ...drafts.flatMap(({ notes }) => notes),
    ],
    tables: Object.assign({}, ...drafts.map(({ tables }) => tables)) as Draft['tables'],
    entities,
    patterns: [],
  });
}

function parseWorkbench(data: unknown): WorkbenchModel {
  const file = data as Partial<WorkbenchModel> | null;
  const wrong = (path: string, message: string): InputError => new InputError('not-workbench', path, message);
  if (typeof file !== 'object' || file === null || !Array.isArray(file.DataModel))
    throw wrong('DataModel', 'is missing: this is not a data model of NoSQL Workbench');
  for (const [i, table] of (file.DataModel as readonly Partial<WorkbenchTable>[]).entries()) {
    if (typeof table.TableName !== 'string') throw wrong(`DataModel[${i}].TableName`, 'is missing');
    if (typeof table.KeyAttributes?.PartitionKey?.AttributeName !== 'string')
      throw wrong(`DataModel[${i}].KeyAttributes.PartitionKey`, 'is missing');
  }
  return { ...file, ModelName: typeof file.ModelName === 'string' ? file.ModelName : '', DataModel: file.DataModel };
}

function tableDraft(name: string, table: WorkbenchTable): Omit<Draft, 'name' | 'patterns'> {
  const sample = sampleOf(table);
  const facets = table.TableFacets ?? [];
  if (sample.items.length > 0) {
    const { draft } = inferModel(name, [sample]);
    const entities = draft.entities.map((entity) => withFacet(entity, facets));
    return { notes: draft.notes.filter((note) => !note.startsWith('Left out')), tables: draft.tables, entities };
  }
  const { name: tableName, layout } = tableLayout(sample.description);
  const whole: WorkbenchFacet = {
    FacetName: identifier(tableName, 'Type'),
    NonKeyAttributes: (table.NonKeyAttributes ?? []).map((each) => each.AttributeName),
  };
  const entities = (facets.length === 0 ? [whole] : facets).map((facet) => entityOf(facet, table, tableName));
  const stored = new Set(entities.flatMap(({ attributes }) => attributes.map((each) => each.stored ?? each.name)));
  const type = unused(usualType, stored);
  return {
    notes: [`${tableName} has no sample data: nothing could be inferred from it.`],
    tables: { [tableName]: { ...layout, ...(type !== usualType && { type }) } },
    entities,
  };
}

function sampleOf(table: WorkbenchTable): TableSample {
  const types = new Map<string, string>();
  const schemaOf = ({
    PartitionKey,
    SortKey,
  }: WorkbenchTable['KeyAttributes']): NonNullable<TableDescription['KeySchema']> =>
    [PartitionKey, SortKey].flatMap((attribute, i) => {
      if (attribute === undefined) return [];
      types.set(attribute.AttributeName, attribute.AttributeType);
      return [{ AttributeName: attribute.AttributeName, KeyType: i === 0 ? ('HASH' as const) : ('RANGE' as const) }];
    });
  const KeySchema = schemaOf(table.KeyAttributes);
  const indexes = (table.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeyAttributes, Projection }) => ({
    IndexName,
    KeySchema: schemaOf(KeyAttributes),
    Projection: {
      ProjectionType: (Projection?.ProjectionType ?? 'ALL') as 'ALL',
      NonKeyAttributes: [...(Projection?.NonKeyAttributes ?? [])],
    },
  }));
  const data = [...(table.TableData ?? []), ...(table.TableFacets ?? []).flatMap((facet) => facet.TableData ?? [])];
  const keys = KeySchema.map(({ AttributeName = '' }) => AttributeName);
  const items = new Map<string, StoredItem>();
  for (const each of data) {
    const item = each as StoredItem;
    if (keys.every((key) => item[key] !== undefined))
      items.set(JSON.stringify(keys.map((key) => item[key])), bytesOf(item));
  }
  return {
    description: {
      TableName: table.TableName,
      KeySchema,
      AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType: AttributeType as 'S',
      })),
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
    },
    items: [...items.values()],
  };
}

/** Binary values are base64 in the file. */
function bytesOf(item: StoredItem): StoredItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, valueOf(value)]));
}

function valueOf(value: AttributeValue): AttributeValue {
  const bytes = (text: unknown): Uint8Array =>
    Uint8Array.from(atob(String(text)), (character) => character.charCodeAt(0));
  if (value.B !== undefined) return { B: bytes(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(bytes) };
  if (value.L !== undefined) return { L: value.L.map(valueOf) };
  return value.M === undefined ? value : { M: bytesOf(value.M) };
}

/** A facet with the entity's name, or the only one with the same attributes, gives its name and perhaps its templates. */
function withFacet(entity: DraftEntity, facets: readonly WorkbenchFacet[]): DraftEntity {
  const facet = facets.find(
    ({ FacetName }) => FacetName === entity.type || identifier(FacetName, 'Type') === entity.name,
  );
  if (facet === undefined) return entity;
  const [first, ...indexes] = entity.keys;
  const declared = aliases(facet, entity.attributes);
  if (first === undefined || declared.length !== first.forms[0]?.templates.length) return entity;
  const notes = [`as the facet ${facet.FacetName} declares it`];
  return { ...entity, keys: [{ ...first, forms: [{ templates: declared }], notes }, ...indexes] };
}

/** Aliases that are templates of known attributes; none if one of them is not. */
function aliases({ KeyAttributeAlias: alias }: WorkbenchFacet, attributes: readonly DraftAttribute[]): string[] {
  const given = [alias?.PartitionKeyAlias, alias?.SortKeyAlias].flatMap((each) =>
    each === undefined || each === '' ? [] : [each],
  );
  const known = (source: string): boolean => {
    const { template, problem } = parseTemplate(source);
    return (
      problem === undefined &&
      template.variables.every(({ name }) => name === 'copy' || attributes.some((each) => each.name === name))
    );
  };
  // A word without a variable is the display name of the attribute, not its template.
  return given.every((each) => known(each)) && given.some((each) => each.includes('{')) ? given : [];
}

const shapes: Readonly<Record<string, Shape>> = {
  S: { kind: 'string' },
  N: { kind: 'number' },
  B: { kind: 'binary' },
  BOOL: { kind: 'boolean' },
  NULL: { kind: 'null' },
  L: { kind: 'list', of: { kind: 'unknown' } },
  M: { kind: 'record', of: { kind: 'unknown' } },
  SS: { kind: 'set', of: { kind: 'string' } },
  NS: { kind: 'set', of: { kind: 'number' } },
  BS: { kind: 'set', of: { kind: 'binary' } },
};

/** The attribute with the entity's name, unless a model says otherwise. */
const usualType = 'Type';

/** An entity from its facet alone, without data. */
function entityOf(facet: WorkbenchFacet, table: WorkbenchTable, place: string): DraftEntity {
  const { KeyAttributes: key } = table;
  const types = new Map((table.NonKeyAttributes ?? []).map((each) => [each.AttributeName, each.AttributeType]));
  const keyNames = [key.PartitionKey, ...(key.SortKey === undefined ? [] : [key.SortKey])];
  const indexKeys = new Set(
    (table.GlobalSecondaryIndexes ?? []).flatMap(({ KeyAttributes: own }) => [
      own.PartitionKey.AttributeName,
      own.SortKey?.AttributeName,
    ]),
  );
  const named = (facet.NonKeyAttributes ?? []).filter((name) => !indexKeys.has(name) && name !== usualType);
  const taken = new Set<string>();
  const attributeOf = (stored: string, type: string, optional: boolean): DraftAttribute => {
    const name = unused(/^[A-Za-z_$][\w$]*$/.test(stored) ? stored : identifier(stored, 'value'), taken);
    taken.add(name);
    return { name, ...(name !== stored && { stored }), shape: shapes[type] ?? { kind: 'unknown' }, optional };
  };
  const plain = named.map((attribute) => attributeOf(attribute, types.get(attribute) ?? 'S', true));
  const declared = aliases(facet, plain);
  const own =
    declared.length === keyNames.length
      ? []
      : keyNames.map((each) => attributeOf(each.AttributeName, each.AttributeType, false));
  return {
    name: identifier(facet.FacetName, 'Type'),
    type: facet.FacetName,
    attributes: [...own, ...plain],
    keys: [
      {
        place,
        forms: [{ templates: own.length === 0 ? declared : own.map(({ name }) => `{${name}}`) }],
        notes: own.length === 0 ? [] : ['the keys as they are: the file has no templates of them'],
      },
    ],
    notes: [],
  };
}
