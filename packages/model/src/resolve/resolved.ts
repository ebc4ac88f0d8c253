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
  readonly name: string;
  readonly table: string;
  readonly kind: 'table' | 'global' | 'local';
  readonly partition: readonly KeyAttributeInfo[];
  readonly sort: readonly KeyAttributeInfo[];
  /** Attributes held: all, keys only, or these stored names besides the keys. */
  readonly project: 'ALL' | 'KEYS_ONLY' | readonly string[];
}

/** A table with what all its items share. */
export interface TableInfo {
  readonly name: string;
  readonly place: PlaceInfo;
  readonly indexes: readonly PlaceInfo[];
  /** Absent where all items are of one entity and do not say so. */
  readonly typeAttribute: string | undefined;
  readonly separator: string;
  /** Stored name of the attribute with the time to live, if an entity of the table has one. */
  readonly expires: string | undefined;
  readonly stream: string | undefined;
}

/** One key attribute of one entity and the template of its value. */
export interface KeySlot extends KeyAttributeInfo {
  readonly template: KeyTemplate;
  /** The key attribute is an attribute of the application as well, and is returned to it. */
  readonly own: boolean;
}

/** The key of one entity in one place, while `when` holds. */
export interface KeyForm {
  readonly when: Condition | undefined;
  readonly partition: readonly KeySlot[];
  readonly sort: readonly KeySlot[];
}

/** An entity's key in an index; several forms where it depends on the item. */
export interface IndexKeyInfo {
  readonly place: PlaceInfo;
  readonly forms: readonly KeyForm[];
}

/** An attribute of the application. */
export interface AttributeInfo {
  readonly name: string;
  readonly stored: string;
  readonly schema: StandardSchema;
  /** The schema accepts that there is none. */
  readonly optional: boolean;
  /** What the schema makes of a missing value. */
  readonly fallback: unknown;
}

/** The item that guards the uniqueness of an attribute. */
export interface UniqueInfo {
  readonly attribute: string;
  readonly type: string;
  readonly form: KeyForm;
}

/** A parent whose existence or counters a child's writes look after. */
export interface ParentInfo {
  readonly entity: string;
  readonly rules: RelationshipRules;
  /** Attributes of the parent's key, with the child's attribute that holds each. */
  readonly by: readonly (readonly [parent: string, child: string])[];
}

/** A sequence number: the attribute it fills, and the counter on the parent. */
export interface SequenceInfo {
  readonly attribute: string;
  readonly counter: string;
  readonly parent: ParentInfo;
}

/** An entity with its keys, markers and parents. */
export interface EntityInfo {
  readonly name: string;
  readonly type: string;
  readonly table: TableInfo;
  readonly key: KeyForm;
  readonly indexes: readonly IndexKeyInfo[];
  readonly attributes: ReadonlyMap<string, AttributeInfo>;
  readonly rules: EntityRules;
  readonly unique: readonly UniqueInfo[];
  readonly parents: readonly ParentInfo[];
  readonly sequences: readonly SequenceInfo[];
}

/** One part of a read's result. */
export interface ReadPart {
  /** Its name in the result; none where the result is the item or the page itself. */
  readonly name: string | undefined;
  readonly entity: EntityInfo;
  readonly many: boolean;
}

/** The sort keys that one entity's items of a query have: one, or all that begin alike. */
export interface SortBound {
  readonly part: ReadPart;
  readonly form: KeyForm;
  /** Slots whose variables are all inputs. */
  readonly equal: readonly KeySlot[];
  /** The slot that is bound in part, or whose variable is the range. */
  readonly partial:
    { readonly slot: KeySlot; readonly bound: KeyTemplate; readonly next: TemplateVariable } | undefined;
}

/** One item collection, or one of several that are alike. */
export interface QueryStream {
  readonly place: PlaceInfo;
  readonly partition: readonly KeySlot[];
  /** In the order of the sort key. */
  readonly bounds: readonly SortBound[];
}

/** What a pattern does, as data: what `check`, `explain` and the run-time functions read. */
export type Plan =
  /** `parts` are the entities that may stand under the key; `part` is the one whose key variables are the inputs. */
  | { readonly kind: 'get'; readonly part: ReadPart; readonly parts: readonly ReadPart[] }
  | { readonly kind: 'batch-get'; readonly part: ReadPart }
  | {
      readonly kind: 'query';
      readonly parts: readonly ReadPart[];
      readonly streams: readonly QueryStream[];
      readonly descending: boolean;
      /** The variable of the partition key that is spread, and over how many partitions. */
      readonly shards:
        { readonly variable: TemplateVariable; readonly first: number; readonly count: number } | undefined;
      readonly walk: (TimeWalk & { readonly variable: TemplateVariable }) | undefined;
      /** What of `where` the keys do not serve already. */
      readonly filter: Condition | undefined;
      readonly readAhead: number | undefined;
    }
  | {
      readonly kind: 'scan';
      readonly part: ReadPart;
      readonly place: PlaceInfo;
      readonly filter: Condition | undefined;
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
  readonly verb: WriteVerb;
  /** Its name among the parts of a transaction. */
  readonly part: string | undefined;
  readonly many: boolean;
  readonly entity: EntityInfo;
  readonly need: WriteNeed;
  /** The stored item has to be read first: a unique value, a parent or a key template depends on what it was. */
  readonly readsFirst: boolean;
  /** Where the item is not there, or fails the condition, the rest of the transaction is written without it. */
  readonly droppable?: boolean;
  /** Index keys to write again, for the attributes that change. */
  readonly rekeys: readonly IndexKeyInfo[];
}

/** A pattern, its plan, or why it has none. */
export interface PatternInfo {
  readonly name: string;
  readonly need: Need;
  readonly served: Served;
  readonly plan: Plan | undefined;
  readonly problems: readonly ModelProblem[];
}

/** A model made ready: templates read, keys joined with tables, patterns planned. What every tool reads. */
export interface ResolvedModel {
  readonly model: Model;
  readonly tables: ReadonlyMap<string, TableInfo>;
  readonly entities: ReadonlyMap<string, EntityInfo>;
  readonly patterns: ReadonlyMap<string, PatternInfo>;
  readonly problems: readonly ModelProblem[];
}
