import type { AttributeValue } from '../../values/attribute-value.ts';
import type { ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import type { ReturnValues } from '../operations/put-item.ts';
import type { Select } from '../operations/page-request.ts';

/**
 * One permission that a request needs on one resource. A request may run when it has all of its permissions: a policy decides
 * on each.
 *
 * @see Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB"
 */
export interface Touch {
  /** The IAM action without its prefix: `GetItem` for `dynamodb:GetItem`. */
  readonly permission: string;
  readonly resource: TouchedResource;
  /** Only of actions on items. */
  readonly items?: TouchedItems;
  /** Of a batch of statements, which may be refused one by one: the statement's position, from 0. */
  readonly position?: number;
}

export type TouchedResource =
  | { readonly kind: 'table'; readonly tableName: string }
  /** A query of an index needs the permission on the index, and none on its table. */
  | { readonly kind: 'index'; readonly tableName: string; readonly indexName: string }
  /** As the request has it, not checked: a table, stream, backup, export, import or bulk operation. */
  | { readonly kind: 'arn'; readonly arn: string }
  | { readonly kind: 'global-table'; readonly tableName: string }
  /** No single resource: a listing of all that the account has. */
  | { readonly kind: 'account' };

/** What a request says about the items that it reads or writes: the values of DynamoDB's own condition keys. */
export interface TouchedItems {
  /**
   * The values to which the request confines an attribute in all items that it touches. Of the partition key that is
   * `dynamodb:LeadingKeys`.
   *
   * @returns undefined when an item with any value may be touched: by a scan, and by a query for another attribute.
   */
  valuesOf(attributeName: string): readonly AttributeValue[] | undefined;
  /** The top-level attributes that the parameters name, each once: `dynamodb:Attributes`, to which the table adds its keys. */
  readonly attributeNames: ReadonlySet<string>;
  /** Of reads. */
  readonly select?: Select;
  /** Of writes. */
  readonly returnValues?: ReturnValues;
  /** Absent from PartiQL, which has no such condition key. */
  readonly returnConsumedCapacity?: ReturnConsumedCapacity;
  /** Of the parts of a transaction. */
  readonly enclosingOperation?: 'TransactGetItems' | 'TransactWriteItems' | 'ExecuteTransaction';
}

export function tableResource(tableName: string): TouchedResource {
  return { kind: 'table', tableName };
}

/** The index if there is one, or else the table. */
export function indexOrTable(tableName: string, indexName: string | undefined): TouchedResource {
  return indexName === undefined ? tableResource(tableName) : { kind: 'index', tableName, indexName };
}
