import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';

// Models of the server: the part of docs/inspect.md that the page reads.

export interface ModelFault {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export interface ModelSummary {
  readonly name: string;
  readonly file: string;
  readonly version: number;
  readonly ok: boolean;
  readonly patterns: number;
  readonly errors: number;
  readonly warnings: number;
  readonly fault: ModelFault | null;
}

export type TemplatePart = { readonly text: string } | { readonly variable: string };

/** An entity, and how to recognise its items. */
export interface ModelEntity {
  readonly name: string;
  /** Its name in the model. */
  readonly table: string;
  readonly type: { readonly attribute: string; readonly value: string } | null;
  readonly forms: readonly {
    /** `table`, or the name of an index. */
    readonly place: string;
    readonly attributes: Readonly<Record<string, readonly TemplatePart[]>>;
  }[];
}

/** A shape of values, as far as a schema exposes it. */
export type Shape =
  | { readonly kind: 'string' | 'number' | 'bigint' | 'boolean' | 'binary' | 'null' | 'unknown' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list' | 'set' | 'record'; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Field>> }
  | { readonly kind: 'union'; readonly of: readonly Shape[] };

export interface Field {
  readonly shape: Shape;
  readonly optional: boolean;
}

export interface PatternForm {
  readonly name: string;
  readonly writes: boolean;
  /** Whether it takes a list of inputs. */
  readonly many: boolean;
  readonly inputs: readonly string[] | null;
  readonly needed: readonly string[];
  readonly shapes: Readonly<Record<string, Field>>;
}

export interface PatternVerdict {
  readonly pattern: string;
  readonly id?: string;
  readonly actor?: string;
  readonly verb: string;
  readonly entities: readonly string[];
  readonly served?: ServedBy;
  readonly verdict: 'served' | 'remarked' | 'refused';
}

export interface ServedBy {
  readonly operation: string;
  readonly place: string;
  readonly requests: number;
  readonly keyCondition?: string;
  readonly order?: 'ascending' | 'descending';
  readonly limit?: number;
  readonly filter?: readonly string[];
}

export interface PatternCost {
  readonly pattern: string;
  readonly rate?: number;
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly onDemandPerMonth?: number;
}

export interface Finding {
  readonly code: string;
  readonly level: 'error' | 'warning' | 'hint' | 'accepted';
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
  readonly because?: string;
  /** `shop.model.ts:12:3`, or only the file. */
  readonly place: string;
  readonly excerpt: { readonly firstLine: number; readonly lines: readonly string[] } | null;
}

export interface Chart {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table or an index with sample items. */
export interface IndexView {
  readonly place: { readonly name: string; readonly table: string; readonly kind: string };
  readonly collections: readonly {
    readonly partition: string;
    readonly items: readonly {
      readonly sort: string;
      readonly type: string;
      readonly attributes: readonly (readonly [string, string])[];
    }[];
  }[];
}

/** The contents of a model's documentation. */
export interface ModelDocument {
  readonly entities: readonly {
    readonly name: string;
    readonly attributes: readonly { readonly name: string; readonly kind: string; readonly key: boolean }[];
  }[];
  readonly relationships: readonly {
    readonly parent: string;
    readonly child: string;
    readonly cardinality: string;
    readonly label: string;
  }[];
  readonly entityChart: readonly { readonly table: string; readonly chart: Chart }[];
  readonly procedureChart: Chart;
  readonly views: readonly IndexView[];
  readonly costChart: Chart;
  readonly cost: {
    readonly prices: { readonly date: string; readonly region: string; readonly currency: string };
    readonly peakToAverage: number;
    readonly patterns: readonly PatternCost[];
    readonly storedBytes: number;
    readonly storagePerMonth: number;
    readonly onDemandPerMonth: number;
    readonly provisionedPerMonth: number;
  };
  readonly decisions: readonly string[];
}

/** All information about one model. */
export interface ModelAnswer {
  readonly name: string;
  readonly file: string;
  readonly version: number;
  readonly fault: ModelFault | null;
  /** Names of tables in the database, by their names in the model. */
  readonly tables: Readonly<Record<string, string>>;
  readonly entities: readonly ModelEntity[];
  readonly patterns: readonly PatternForm[];
  readonly check: {
    readonly ok: boolean;
    readonly patterns: readonly PatternVerdict[];
    readonly findings: readonly Finding[];
  };
  /** The rules with findings, by their codes. */
  readonly rules: Readonly<Record<string, { readonly title: string; readonly why: string; readonly remedy: string }>>;
  readonly document: ModelDocument;
  readonly explanations: readonly {
    readonly pattern: string;
    readonly problems: readonly string[];
    readonly cost?: PatternCost;
  }[];
}

export interface TouchedKey {
  readonly table: string;
  /** `table`, or the name of the index that was read. */
  readonly place: string;
  readonly key: AttributeMap;
}

export interface SentRequest {
  readonly operation: string;
  readonly input: RequestInput;
  readonly ms: number;
  readonly capacity: Capacity | readonly Capacity[] | null;
}

export interface Capacity {
  readonly CapacityUnits?: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

/** The members of a request that the page reads. */
export interface RequestInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: AttributeMap;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: AttributeMap;
}

/** The outcome of a pattern's run. */
export interface PatternRun {
  readonly result: unknown;
  readonly requests: readonly SentRequest[];
  readonly read: readonly TouchedKey[];
  readonly written: readonly TouchedKey[];
  readonly filteredAway: number;
  readonly filtered: readonly TouchedKey[];
  readonly error: { readonly name: string; readonly message: string } | null;
}

/** What a write would do, for each item. */
export interface WritePreview {
  readonly ok: boolean;
  readonly error?: { readonly name: string; readonly message: string };
  readonly items: readonly {
    readonly table: string;
    readonly key: AttributeMap;
    readonly action: string;
    readonly oldBytes: number;
    readonly newBytes: number;
    readonly indexes: readonly {
      readonly name: string;
      readonly change: 'put' | 'delete' | 'replace' | 'move' | 'none' | 'absent';
      readonly reason?: string;
      readonly writes: number;
    }[];
    readonly stream: { readonly eventName: string; readonly view: string } | null;
    readonly writes: number;
  }[];
  readonly capacity: { readonly reads: number; readonly writes: number };
}
