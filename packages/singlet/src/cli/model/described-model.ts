import type { SchemaShape } from '@singlet/model/bridges';
import type { CheckReport, Finding, Rule } from '@singlet/model/check';
import type { Explanation } from '@singlet/model/cost';
import type { ModelDocument } from '@singlet/model/docs';
import type { EntityInfo, KeyForm, KeySlot } from '@singlet/model/resolved';
import { type FindingExcerpt, findingExcerpt } from './finding-excerpt.ts';
import { loadFindingLocator } from './finding-locator.ts';
import { inputSchema, type JsonSchema } from './input-schema.ts';
import type { LoadedModel } from './load-models.ts';
import { inputShapes, patternInputs } from './pattern-inputs.ts';

/** Everything about a model that can be shown. */
export interface DescribedModel {
  readonly name: string;
  readonly file: string;
  readonly export: string;
  /** The table names in the database, by the names in the model. */
  readonly tables: Readonly<Record<string, string>>;
  readonly check: Omit<CheckReport, 'findings'> & {
    /** Each with its place in the file: `shop.model.ts:12:3`. */
    readonly findings: readonly (Finding & { readonly place: string; readonly excerpt: FindingExcerpt | null })[];
  };
  /** The rules of the findings by their codes, with the text of their pages. */
  readonly rules: Readonly<Record<string, Pick<Rule, 'title' | 'why' | 'remedy'>>>;
  readonly document: ModelDocument;
  readonly explanations: readonly Explanation[];
  readonly entities: readonly DescribedEntity[];
  readonly patterns: readonly DescribedPattern[];
}

/** How an item of an entity is recognised. */
interface DescribedEntity {
  readonly name: string;
  readonly table: string;
  /** Null if the items of the table do not contain their type. */
  readonly type: { readonly attribute: string; readonly value: string } | null;
  /** Its key in the table and in each index. */
  readonly forms: readonly DescribedForm[];
}

interface DescribedForm {
  readonly place: string;
  /** By key attribute: alternating texts and variables. */
  readonly attributes: Readonly<Record<string, readonly TemplatePart[]>>;
}

type TemplatePart = { readonly text: string } | { readonly variable: string };

interface DescribedPattern {
  readonly name: string;
  readonly writes: boolean;
  /** Whether the input is a list of inputs. */
  readonly many: boolean;
  /** The names of the inputs; null if only the pattern itself can determine them. */
  readonly inputs: readonly string[] | null;
  readonly needed: readonly string[];
  /** The shape of each, as far as its schema reveals it. */
  readonly shapes: Readonly<Record<string, SchemaShape>>;
  /** The input as JSON Schema. */
  readonly schema: JsonSchema;
}

/** Checks, documents and explains a model. */
export async function describeModel(
  loaded: LoadedModel,
  tables: Readonly<Record<string, string>>,
): Promise<DescribedModel> {
  const [{ shapeOfSchema }, { check, rules }, { explainAll }, { documentOf }, { resolve }, where] = await Promise.all([
    import('@singlet/model/bridges'),
    import('@singlet/model/check'),
    import('@singlet/model/cost'),
    import('@singlet/model/docs'),
    import('@singlet/model/resolved'),
    loadFindingLocator(),
  ]);
  const { model, file, name } = loaded;
  const report = check(model);
  const resolved = resolve(model);
  return {
    name: model.name,
    file,
    export: name,
    tables: Object.fromEntries([...resolved.tables.keys()].map((table) => [table, tables[table] ?? table])),
    check: {
      ...report,
      findings: report.findings.map((finding) => {
        const place = where(loaded, finding);
        return { ...finding, place, excerpt: findingExcerpt(file, place) };
      }),
    },
    rules: Object.fromEntries(
      rules
        .filter(({ code }) => report.findings.some((finding) => finding.code === code))
        .map(({ code, title, why, remedy }) => [code, { title, why, remedy }]),
    ),
    document: documentOf(model),
    explanations: explainAll(model),
    entities: [...resolved.entities.values()].map(describeEntity),
    patterns: Object.entries(model.patterns).map(([pattern, need]) => {
      const { many, known, needed } = patternInputs(model, pattern);
      return {
        name: pattern,
        writes: need.reads === undefined,
        many,
        inputs: known === undefined ? null : [...known],
        needed,
        shapes: inputShapes(model, pattern, shapeOfSchema),
        schema: inputSchema(model, pattern, shapeOfSchema),
      };
    }),
  };
}

function describeEntity({ name, type, table, key, indexes }: EntityInfo): DescribedEntity {
  return {
    name,
    table: table.name,
    type: table.typeAttribute === undefined ? null : { attribute: table.typeAttribute, value: type },
    forms: [
      describeForm('table', key),
      ...indexes.flatMap(({ place, forms }) => forms.map((form) => describeForm(place.name, form))),
    ],
  };
}

function describeForm(place: string, { partition, sort }: KeyForm): DescribedForm {
  return {
    place,
    attributes: Object.fromEntries([...partition, ...sort].map((slot) => [slot.attribute, partsOf(slot)])),
  };
}

function partsOf({ template }: KeySlot): readonly TemplatePart[] {
  return template.parts.map((part) => (typeof part === 'string' ? { text: part } : { variable: part.name }));
}
