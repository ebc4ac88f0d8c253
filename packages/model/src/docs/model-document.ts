import { check } from '../check/check.ts';
import type { Finding } from '../check/finding.ts';
import type { Shape } from '../bridges/shape.ts';
import { shapeOfSchema } from '../bridges/shape-of-schema.ts';
import { kindOf } from '../check/probe.ts';
import { conditionText, writtenKeys } from '../check/written-keys.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { type CostOptions, estimateCost, type ModelCost } from '../cost/estimate.ts';
import type { Model } from '../model.ts';
import { keyVariables } from '../resolve/entities.ts';
import { resolve } from '../resolve/resolve.ts';
import type { EntityInfo, KeyForm, ResolvedModel } from '../resolve/resolved.ts';
import { storedSamples } from '../samples/stored-samples.ts';
import { decisionsOf } from './decisions.ts';
import { type IndexView, indexView } from './index-view.ts';

/** A table of a document: a heading and rows of text. */
export interface Chart {
  /** The headings. */
  readonly columns: readonly string[];
  /** The cells, row by row. */
  readonly rows: readonly (readonly string[])[];
}

/** An entity of the diagram: its attributes with their kinds. */
export interface DrawnEntity {
  readonly name: string;
  readonly attributes: readonly { readonly name: string; readonly kind: string; readonly key: boolean }[];
}

/** An edge of the entity-relationship diagram. */
export interface DrawnRelationship {
  readonly parent: string;
  readonly child: string;
  readonly cardinality: string;
  readonly label: string;
}

/** The contents of a model's documentation, before layout. */
export interface ModelDocument {
  /** The model's name. */
  readonly name: string;
  /** The entities of the diagram, with their attributes. */
  readonly entities: readonly DrawnEntity[];
  /** The lines of the diagram. */
  readonly relationships: readonly DrawnRelationship[];
  /** The entity chart of each table: the keys of each entity. */
  readonly entityChart: readonly { readonly table: string; readonly chart: Chart }[];
  /** The patterns, each with the operation that serves it. */
  readonly patternChart: Chart;
  /** The primary keys that each pattern writes, with those of guards and of parents that count. */
  readonly writeChart: Chart;
  /** The procedures; without rows if there are none. */
  readonly procedureChart: Chart;
  /** Tables and indexes with sample items in them. */
  readonly views: readonly IndexView[];
  /** The cost of each pattern. */
  readonly costChart: Chart;
  /** The same costs as numbers. */
  readonly cost: ModelCost;
  /** The decision record: each choice and its cost, in a sentence each. */
  readonly decisions: readonly string[];
  /** Findings that the model accepts, with its reasons. */
  readonly accepted: readonly Finding[];
  /** Findings that the model does not accept. */
  readonly open: readonly Finding[];
}

/** Options of a document. */
export interface DocumentOptions extends CostOptions {
  /** Sample items of each entity in the views. 3 by default. */
  readonly samples?: number;
}

/** Collects the contents of a model's documentation. */
export function documentOf(model: Model, options: DocumentOptions = {}): ModelDocument {
  const resolved = resolve(model);
  const { findings, patterns, procedures } = check(model);
  const cost = estimateCost(resolved, options);
  return {
    name: model.name,
    entities: Object.entries(model.entities).map(([name, { attributes }]) => {
      const info = resolved.entities.get(name);
      const keys = new Set(info === undefined ? [] : keyVariables(info));
      return {
        name,
        attributes: Object.entries(attributes).map(([attribute, schema]) => ({
          name: attribute,
          kind: kindText(schema),
          key: keys.has(attribute),
        })),
      };
    }),
    relationships: model.relationships.map(([parent, cardinality, child, rules = {}]) => ({
      parent,
      child,
      cardinality,
      label: [
        rules.count === undefined ? '' : `counted in ${rules.count}`,
        ...Object.entries(rules.sum ?? {}).map(([tally, of]) => `${of} added up in ${tally}`),
        rules.required === true ? 'required' : '',
        rules.through === undefined ? '' : `through ${rules.through}`,
      ]
        .filter((each) => each !== '')
        .join(', '),
    })),
    entityChart: [...resolved.tables.keys()].map((table) => ({ table, chart: entityChart(resolved, table) })),
    patternChart: {
      columns: ['Id', 'Pattern', 'Actor', 'Entities', 'Operation', 'Table or index', 'Key condition', 'Notes'],
      rows: patterns.map(({ id = '', pattern, actor = '', verb, entities, served }) => [
        id,
        pattern,
        actor,
        `${verb} ${entities.join(', ')}`,
        served === undefined
          ? 'not served'
          : `${served.operation}${served.requests > 1 && served.operation === 'Query' ? ` × ${served.requests}` : ''}`,
        served?.place ?? '',
        served?.keyCondition ?? '',
        [
          served?.order === 'descending' ? 'descending' : '',
          served?.limit === undefined ? '' : `${served.limit} a page`,
          served?.filter === undefined ? '' : `filter on ${served.filter.join(', ')}`,
          model.patterns[pattern]?.strategy ?? '',
          model.patterns[pattern]?.note ?? '',
        ]
          .filter((each) => each !== '')
          .join('; '),
      ]),
    },
    writeChart: {
      columns: ['Pattern', 'Keys that are written'],
      rows: [...resolved.patterns.values()].flatMap((pattern) => {
        const keys = writtenKeys(resolved, pattern);
        return keys === undefined ? [] : [[pattern.name, keys.join('; ')]];
      }),
    },
    procedureChart: {
      columns: ['Id', 'Procedure', 'Actor', 'Patterns', 'Notes'],
      rows: procedures.map(({ id = '', procedure, actor = '', takes, scans = {}, note = '' }) => [
        id,
        procedure,
        actor,
        takes.join(', '),
        [note, ...Object.entries(scans).map(([place, because]) => `scans ${place}: ${because}`)]
          .filter((each) => each !== '')
          .join('; '),
      ]),
    },
    views: viewsOf(resolved, options.samples ?? 3),
    costChart: costChart(cost),
    cost,
    decisions: decisionsOf(resolved, patterns),
    accepted: findings.filter(({ level }) => level === 'accepted'),
    open: findings.filter(({ level }) => level !== 'accepted'),
  };
}

function entityChart(model: ResolvedModel, table: string): Chart {
  const entities = [...model.entities.values()].filter((entity) => entity.table.name === table);
  const { place, indexes = [] } = model.tables.get(table) ?? {};
  const tableKeys = [...(place?.partition ?? []), ...(place?.sort ?? [])];
  const columns = ['Entity', ...tableKeys.map(({ attribute }) => attribute), ...indexes.map(({ name }) => name)];
  const rows = entities.flatMap((entity) => [
    [entity.name, ...formTexts(entity.key), ...indexes.map(({ name }) => indexText(entity, name))],
    ...entity.unique.map(({ type, form }) => [type, ...formTexts(form), ...indexes.map(() => '')]),
  ]);
  return { columns, rows };
}

function formTexts({ partition, sort }: KeyForm): string[] {
  return [...partition, ...sort].map(({ template }) => template.source);
}

function indexText(entity: EntityInfo, index: string): string {
  const forms = entity.indexes.find(({ place }) => place.name === index)?.forms ?? [];
  return forms
    .map(
      (form) => `${formTexts(form).join(' / ')}${form.when === undefined ? '' : ` when ${conditionText(form.when)}`}`,
    )
    .join('; ');
}

function viewsOf(model: ResolvedModel, samples: number): IndexView[] {
  const items = [...storedSamples(model, { count: () => samples })];
  return [...model.tables.values()].flatMap((table) => {
    const stored = items.filter(({ entity }) => entity.table === table).map(({ item }) => item);
    return [table.place, ...table.indexes].map((place) => indexView(table, place, stored));
  });
}

function costChart({ patterns, prices }: ModelCost): Chart {
  const number = (value: number): string =>
    value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Math.round(value * 100) / 100);
  return {
    columns: [
      'Pattern',
      'Per second',
      'Requests',
      'Items',
      'Bytes',
      'Read units',
      'Write units',
      `${prices.currency} a month`,
      'Hottest partition',
    ],
    rows: patterns.map((cost) => [
      cost.pattern,
      cost.rate === undefined ? '' : number(cost.rate),
      String(cost.requests),
      number(cost.items),
      number(cost.bytes),
      number(cost.readUnits),
      number(cost.writeUnits),
      cost.onDemandPerMonth === undefined ? '' : number(cost.onDemandPerMonth),
      cost.hottest === undefined ? '' : hottestText(cost.hottest, number),
    ]),
  };
}

function hottestText(
  { reads, writes }: { readonly reads: number; readonly writes: number },
  number: (value: number) => string,
): string {
  return [reads > 0 ? `${number(reads)} of 3,000 reads` : '', writes > 0 ? `${number(writes)} of 1,000 writes` : '']
    .filter((each) => each !== '')
    .join(', ');
}

/** The stored type of an attribute, in one word. If the library does not describe its schema, accepted values decide. */
function kindText(schema: StandardSchema): string {
  const shown = shapeKind(shapeOfSchema(schema, 'output').shape);
  if (shown !== undefined) return shown;
  const { numeric, document, text } = kindOf(schema);
  return numeric ? 'number' : text ? 'string' : document ? 'document' : 'value';
}

function shapeKind(shape: Shape): string | undefined {
  switch (shape.kind) {
    case 'unknown':
      return undefined;
    case 'literal':
      return typeof shape.value;
    case 'enum':
      return 'string';
    case 'bigint':
      return 'number';
    case 'object':
    case 'record':
      return 'map';
    case 'union': {
      const [first, ...others] = new Set(shape.of.map(shapeKind));
      return others.length === 0 ? first : undefined;
    }
    default:
      return shape.kind;
  }
}
