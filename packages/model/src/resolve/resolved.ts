import type { EntityRules } from '../entities/entity.ts';
import type { RelationshipRules } from '../entities/relationship.ts';
import type { KeyTemplate, TemplateVariable } from '../keys/template.ts';
import type { Model } from '../model.ts';
import type { ModelProblem } from '../model-error.ts';
import type { Need, WriteNeed } from '../patterns/need.ts';
import type { OperationName, Served, TimeWalk } from '../patterns/served.ts';
import type { Condition } from '../patterns/value.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';

/** Types that a key attribute can have. */
export type KeyType = 'S' | 'N' | 'B';

/** An attribute of a key as the service knows it. */
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
  /** The attributes of the sort key, in order; empty where there is none. */
  readonly sort: readonly KeyAttributeInfo[];
  /** Attributes held: all, keys only, or these stored names besides the keys. */
  readonly project: 'ALL' | 'KEYS_ONLY' | readonly string[];
}

/** A table with what all its items share. */
export interface TableInfo {
  /** Its name in the model. */
  readonly name: string;
  /** The table as a place of keys. */
  readonly place: PlaceInfo;
  /** Its indexes as places of keys. */
  readonly indexes: readonly PlaceInfo[];
  /** Absent where all items are of one entity and do not say so. */
  readonly typeAttribute: string | undefined;
  /** The text between the parts of keys. */
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
  /** The key attribute is an attribute of the application as well, and is returned to it. */
  readonly own: boolean;
}

/** The key of one entity in one place, while `when` holds. */
export interface KeyForm {
  /** The condition on the item; undefined where the form is the only one. */
  readonly when: Condition | undefined;
  /** The partition key, attribute by attribute. */
  readonly partition: readonly KeySlot[];
  /** The sort key, attribute by attribute; empty where the place has none. */
  readonly sort: readonly KeySlot[];
}

/** An entity's key in an index; several forms where it depends on the item. */
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
  /** What values it takes. */
  readonly schema: StandardSchema;
  /** The schema accepts that there is none. */
  readonly optional: boolean;
  /** What the schema makes of a missing value. */
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

/** A parent whose existence a child's writes check, or whose counters they keep. */
export interface ParentInfo {
  /** The parent's name. */
  readonly entity: string;
  /** What the relationship declares: whether the parent is required, its counter, names of attributes. */
  readonly rules: RelationshipRules;
  /** Attributes of the parent's key, with the child's attribute that holds each. */
  readonly by: readonly (readonly [parent: string, child: string])[];
}

/** A sequence number: the attribute it fills, and the counter on the parent. */
export interface SequenceInfo {
  /** The attribute that gets the number. */
  readonly attribute: string;
  /** The attribute of the parent that holds the last number given. */
  readonly counter: string;
  /** The parent within which is counted. */
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
  /** Its primary key. */
  readonly key: KeyForm;
  /** Its keys in indexes; none for an index that it is not in. */
  readonly indexes: readonly IndexKeyInfo[];
  /** Its attributes, by name. */
  readonly attributes: ReadonlyMap<string, AttributeInfo>;
  /** Its rules, as declared. */
  readonly rules: EntityRules;
  /** Attributes of which no two items share a value. */
  readonly unique: readonly UniqueInfo[];
  /** The entities it belongs to. */
  readonly parents: readonly ParentInfo[];
  /** Attributes that are numbered within a parent. */
  readonly sequences: readonly SequenceInfo[];
}

/** One part of a read's result. */
export interface ReadPart {
  /** Its name in the result; none where the result is the item or the page itself. */
  readonly name: string | undefined;
  /** The entity that is read. */
  readonly entity: EntityInfo;
  /** Whether there may be several. */
  readonly many: boolean;
}

/** The sort keys that one entity's items of a query have: one, or all that begin alike. */
export interface SortBound {
  /** What is read within the bound. */
  readonly part: ReadPart;
  /** The form of the key that the bound is made of. */
  readonly form: KeyForm;
  /** The partition key that the form has in the place: of a local index, that of the table. */
  readonly partition: readonly KeySlot[];
  /** What of the form's condition an input decides: where it does not hold, no item that is asked for has this form. */
  readonly picks: Condition | undefined;
  /** Slots whose variables are all inputs. */
  readonly equal: readonly KeySlot[];
  /** The slot that is bound in part, or whose variable is the range. */
  readonly partial:
    { readonly slot: KeySlot; readonly bound: KeyTemplate; readonly next: TemplateVariable } | undefined;
}

/**
 * What the keys do not settle of one part: tests that each of its items still has to meet. The service filters by them; of a get,
 * which has no filter, the reader looks.
 */
export interface Residual {
  readonly part: ReadPart;
  /** All of them hold. References are to the pattern's inputs. */
  readonly tests: readonly Condition[];
}

/** One item collection, or one of several that are alike. */
export interface QueryStream {
  /** The table or index that is queried. */
  readonly place: PlaceInfo;
  /** The partition key of the items that are read. */
  readonly partition: readonly KeySlot[];
  /** In the order of the sort key. */
  readonly bounds: readonly SortBound[];
  /** Of the parts that have any. */
  readonly residuals: readonly Residual[];
}

/** What a pattern does, as data: what `check`, `explain` and the run-time functions read. */
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
      /** The input that is a list, whose values are in a partition each, and how many there may be. */
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
  /** What the write does with the item. */
  readonly verb: WriteVerb;
  /** Its name among the parts of a transaction. */
  readonly part: string | undefined;
  /** Whether it takes several items. */
  readonly many: boolean;
  /** The entity that is written. */
  readonly entity: EntityInfo;
  /** What the application needs, as declared. */
  readonly need: WriteNeed;
  /** Attributes of `by` beyond the primary key: the item must have the values that the input gives them. */
  readonly named: readonly string[];
  /** What index keys depend on that the input does not say: it is read first. */
  readonly unknown: readonly string[];
  /** The stored item has to be read first: a unique value, a parent or a key template depends on what it was. */
  readonly readsFirst: boolean;
  /** Guards of unique values or counters of parents move with it. */
  readonly moves: boolean;
  /** The item has to be as it was read in everything: it is returned, and a transaction returns nothing by itself. */
  readonly whole: boolean;
  /** Where the item is not there, or fails the condition, the rest of the transaction is written without it. */
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
  /** The requests that serve it; undefined where no plan was found. */
  readonly plan: Plan | undefined;
  /** Why there is no plan, or what is wrong with it. */
  readonly problems: readonly ModelProblem[];
}

/** A model made ready: templates read, keys joined with tables, patterns planned. What every tool reads. */
export interface ResolvedModel {
  /** The model as declared. */
  readonly model: Model;
  /** Its tables, by name. */
  readonly tables: ReadonlyMap<string, TableInfo>;
  /** Its entities, by name. */
  readonly entities: ReadonlyMap<string, EntityInfo>;
  /** Its patterns, by name. */
  readonly patterns: ReadonlyMap<string, PatternInfo>;
  /** All that is wrong with the model, those of patterns included. */
  readonly problems: readonly ModelProblem[];
}
