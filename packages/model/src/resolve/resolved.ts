import type { EntityRules } from '../entities/entity.ts';
import type { RelationshipRules } from '../entities/relationship.ts';
import type { KeyTemplate, TemplateVariable } from '../keys/template.ts';
import type { Model } from '../model.ts';
import type { ModelProblem } from '../model-error.ts';
import type { Need, WriteNeed } from '../patterns/need.ts';
import type { OperationName, Served, TimeWalk } from '../patterns/served.ts';
import type { Condition } from '../patterns/value.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';

/** The types that a key attribute can have. */
export type KeyType = 'S' | 'N' | 'B';

/** An attribute of a key as the service sees it. */
export interface KeyAttributeInfo {
  readonly attribute: string;
  readonly type: KeyType;
}

/** A table or an index of one. */
export interface PlaceInfo {
  /** The table's or index's name. */
  readonly name: string;
  /** The table's name. */
  readonly table: string;
  /** The table itself, or a global or local index of it. */
  readonly kind: 'table' | 'global' | 'local';
  /** The attributes of the partition key, in order. */
  readonly partition: readonly KeyAttributeInfo[];
  /** The attributes of the sort key, in order; empty if there is none. */
  readonly sort: readonly KeyAttributeInfo[];
  /** Attributes that it holds: all, keys only, or these stored names besides the keys. */
  readonly project: 'ALL' | 'KEYS_ONLY' | readonly string[];
}

/** A table with the settings that all its items share. */
export interface TableInfo {
  /** Its name in the model. */
  readonly name: string;
  /** The table as a place of keys. */
  readonly place: PlaceInfo;
  /** Its indexes as places of keys. */
  readonly indexes: readonly PlaceInfo[];
  /** Absent if all items belong to one entity and have no type. */
  readonly typeAttribute: string | undefined;
  /** The separator between the parts of keys. */
  readonly separator: string;
  /** Stored name of the attribute with the time to live, if an entity of the table has one. */
  readonly expires: string | undefined;
  /** The stream's view type; undefined without a stream. */
  readonly stream: string | undefined;
}

/** One key attribute of one entity and the template of its value. */
export interface KeySlot extends KeyAttributeInfo {
  /** The text of the attribute with its holes. */
  readonly template: KeyTemplate;
  /** Whether the key attribute is also an attribute of the application, and is returned to it. */
  readonly own: boolean;
}

/** The key of one entity in one place, valid while `when` holds. */
export interface KeyForm {
  /** The condition on the item; undefined if the form is the only one. */
  readonly when: Condition | undefined;
  /** The partition key, attribute by attribute. */
  readonly partition: readonly KeySlot[];
  /** The sort key, attribute by attribute; empty if the place has none. */
  readonly sort: readonly KeySlot[];
}

/** An entity's key in an index. It has several forms if it depends on the item. */
export interface IndexKeyInfo {
  /** The index. */
  readonly place: PlaceInfo;
  /** The forms of the key, the first whose condition holds. */
  readonly forms: readonly KeyForm[];
}

/** An attribute of the application. */
export interface AttributeInfo {
  /** Its name in the model. */
  readonly name: string;
  /** Its name in stored items. */
  readonly stored: string;
  /** The schema of its values. */
  readonly schema: StandardSchema;
  /** Whether the schema accepts a missing value. */
  readonly optional: boolean;
  /** The schema's result for a missing value. */
  readonly fallback: unknown;
}

/** The item that guards the uniqueness of an attribute. */
export interface UniqueInfo {
  /** The attribute whose values are unique. */
  readonly attribute: string;
  /** The value of the type attribute in guard items. */
  readonly type: string;
  /** The key of the guard item. */
  readonly form: KeyForm;
}

/** A parent whose existence a child's writes check, or whose counters they update. */
export interface ParentInfo {
  /** The parent's name. */
  readonly entity: string;
  /** The declaration of the relationship: whether the parent is required, its counter, names of attributes. */
  readonly rules: RelationshipRules;
  /** Attributes of the parent's key, each with the child's attribute that holds it. */
  readonly by: readonly (readonly [parent: string, child: string])[];
}

/** A sequence number: the attribute it fills, and the counter on the parent. */
export interface SequenceInfo {
  /** The attribute that gets the number. */
  readonly attribute: string;
  /** The attribute of the parent that holds the last assigned number. */
  readonly counter: string;
  /** The parent within which numbers are assigned. */
  readonly parent: ParentInfo;
}

/** An entity with its keys, markers and parents. */
export interface EntityInfo {
  /** Its name in the model. */
  readonly name: string;
  /** The value of the type attribute in its items. */
  readonly type: string;
  /** The table its items are in. */
  readonly table: TableInfo;
  /** Findings about it that the model accepts, by code, with the reason. */
  readonly accepts: { readonly [code: string]: string } | undefined;
  /** Its primary key. */
  readonly key: KeyForm;
  /** Its keys in indexes; none for an index that does not contain it. */
  readonly indexes: readonly IndexKeyInfo[];
  /** Its attributes, by name. */
  readonly attributes: ReadonlyMap<string, AttributeInfo>;
  /** Its rules, as declared. */
  readonly rules: EntityRules;
  /** Attributes whose values must be unique. */
  readonly unique: readonly UniqueInfo[];
  /** The entities it belongs to. */
  readonly parents: readonly ParentInfo[];
  /** Attributes that are numbered within a parent. */
  readonly sequences: readonly SequenceInfo[];
}

/** One part of a read's result. */
export interface ReadPart {
  /** Its name in the result; undefined if the result is the item or the page itself. */
  readonly name: string | undefined;
  /** The entity that is read. */
  readonly entity: EntityInfo;
  /** Whether there may be several. */
  readonly many: boolean;
}

/** The sort keys of one entity's items in a query: one, or all with a common prefix. */
export interface SortBound {
  /** The part of the result that the bound belongs to. */
  readonly part: ReadPart;
  /** The form of the key that the bound is made of. */
  readonly form: KeyForm;
  /** The partition key of the form in the place; for a local index, that of the table. */
  readonly partition: readonly KeySlot[];
  /** The part of the form's condition that an input decides. If it does not hold, no requested item has this form. */
  readonly picks: Condition | undefined;
  /** Slots whose variables are all inputs. */
  readonly equal: readonly KeySlot[];
  /** The slot that is partly bound, or whose variable is the range. */
  readonly partial:
    { readonly slot: KeySlot; readonly bound: KeyTemplate; readonly next: TemplateVariable } | undefined;
}

/**
 * What the keys do not settle about one part: tests that each of its items must still pass. The service filters by them. A get
 * has no filter, so its reader applies them.
 */
export interface Residual {
  readonly part: ReadPart;
  /** All of them must hold. References are to the pattern's inputs. */
  readonly tests: readonly Condition[];
}

/** One item collection, or one of several with the same structure. */
export interface QueryStream {
  /** The table or index that is queried. */
  readonly place: PlaceInfo;
  /** The partition key of the items that are read. */
  readonly partition: readonly KeySlot[];
  /** The bounds, in the order of the sort key. */
  readonly bounds: readonly SortBound[];
  /** The residual filters of the parts that have any. */
  readonly residuals: readonly Residual[];
}

/** What a pattern does, as data for `check`, `explain` and the run-time functions. */
export type Plan =
  /** `parts` are the entities that may be under the key; `part` is the one whose key variables are the inputs. */
  | {
      readonly kind: 'get';
      readonly part: ReadPart;
      readonly parts: readonly ReadPart[];
      readonly residuals: readonly Residual[];
    }
  | { readonly kind: 'batch-get'; readonly part: ReadPart; readonly residuals: readonly Residual[] }
  | {
      readonly kind: 'query';
      readonly parts: readonly ReadPart[];
      readonly streams: readonly QueryStream[];
      readonly descending: boolean;
      /** The variable of the partition key that is spread, and over how many partitions. */
      readonly shards:
        { readonly variable: TemplateVariable; readonly first: number; readonly count: number } | undefined;
      readonly walk: (TimeWalk & { readonly variable: TemplateVariable }) | undefined;
      /** The input that is a list, each value of which has its own partition, and the maximum number of values. */
      readonly among: { readonly input: string; readonly most: number } | undefined;
      readonly readAhead: number | undefined;
    }
  | {
      readonly kind: 'scan';
      readonly part: ReadPart;
      readonly place: PlaceInfo;
      readonly residuals: readonly Residual[];
    }
  | {
      readonly kind: 'write';
      readonly writes: readonly WritePlan[];
      /** The operations it takes, in series. */
      readonly operations: readonly OperationName[];
    };

/** Verbs of a write. */
export type WriteVerb = 'creates' | 'puts' | 'upserts' | 'updates' | 'deletes' | 'checks';

/** One write of a pattern. */
export interface WritePlan {
  /** What the write does to the item. */
  readonly verb: WriteVerb;
  /** Its name among the parts of a transaction. */
  readonly part: string | undefined;
  /** Whether it writes several items. */
  readonly many: boolean;
  /** The entity that is written. */
  readonly entity: EntityInfo;
  /** What the application needs, as declared. */
  readonly need: WriteNeed;
  /** Attributes of `by` beyond the primary key: the item must have the values that the input gives them. */
  readonly named: readonly string[];
  /** Whether index keys depend on attributes that are not in the input, so that the item is read first. */
  readonly unknown: readonly string[];
  /** Whether the stored item has to be read first, because a unique value, a parent or a key template depends on its previous state. */
  readonly readsFirst: boolean;
  /** Whether guards of unique values or counters of parents change with it, or a parent that the stored item names in part. */
  readonly moves: boolean;
  /** Whether the whole item must be unchanged since it was read: it is returned, and a transaction returns nothing by itself. */
  readonly whole: boolean;
  /** Whether, if the item is missing or fails the condition, the rest of the transaction is written without it. */
  readonly droppable?: boolean;
  /** Index keys to write again, for the attributes that change. */
  readonly rekeys: readonly IndexKeyInfo[];
}

/** A pattern, its plan, or why it has none. */
export interface PatternInfo {
  /** Its name in the model. */
  readonly name: string;
  /** What the application needs, as declared. */
  readonly need: Need;
  /** How it is served, as declared. */
  readonly served: Served;
  /** The requests that serve it; undefined if no plan was found. */
  readonly plan: Plan | undefined;
  /** Why there is no plan, or other faults. */
  readonly problems: readonly ModelProblem[];
}

/** A model after resolution: templates parsed, keys joined with tables, patterns planned. The input of every tool. */
export interface ResolvedModel {
  /** The model as declared. */
  readonly model: Model;
  /** Its tables, by name. */
  readonly tables: ReadonlyMap<string, TableInfo>;
  /** Its entities, by name. */
  readonly entities: ReadonlyMap<string, EntityInfo>;
  /** Its patterns, by name. */
  readonly patterns: ReadonlyMap<string, PatternInfo>;
  /** All faults of the model, including those of patterns. */
  readonly problems: readonly ModelProblem[];
}
