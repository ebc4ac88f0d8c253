import type { AttributeValue } from '../../values/attribute-value.ts';
import type { ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import type { ReturnValues } from '../operations/put-item.ts';
import type { Select } from '../operations/page-request.ts';

/**
 * One permission that a request needs on one resource. A policy decides on each permission, and a request may run only if it
 * has all of them.
 *
 * @see Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB"
 */
export interface Touch {
  /** The IAM action without its prefix: `GetItem` for `dynamodb:GetItem`. */
  readonly permission: string;
  readonly resource: TouchedResource;
  /** Only for actions on items. */
  readonly items?: TouchedItems;
  /** In a batch of statements, which may be refused individually: the statement's position, from 0. */
  readonly position?: number;
}

export type TouchedResource =
  | { readonly kind: 'table'; readonly tableName: string }
  /** A query of an index needs the permission on the index only, not on its table. */
  | { readonly kind: 'index'; readonly tableName: string; readonly indexName: string }
  /** Taken unchecked from the request: a table, stream, backup, export, import or bulk operation. */
  | { readonly kind: 'arn'; readonly arn: string }
  | { readonly kind: 'global-table'; readonly tableName: string }
  /** No single resource: a listing of everything in the account. */
  | { readonly kind: 'account' };

/** What a request says about the items that it reads or writes: the values of DynamoDB's own condition keys. */
export interface TouchedItems {
  /**
   * The values to which the request limits an attribute in all items that it touches. For the partition key this is
   * `dynamodb:LeadingKeys`.
   *
   * @returns undefined when the request may touch items with any value: a scan, or a query on another attribute.
   */
  valuesOf(attributeName: string): readonly AttributeValue[] | undefined;
  /** The top-level attributes that the parameters name, each once: `dynamodb:Attributes`, to which the table adds its keys. */
  readonly attributeNames: ReadonlySet<string>;
  /** For reads. */
  readonly select?: Select;
  /** For writes. */
  readonly returnValues?: ReturnValues;
  /** Absent for PartiQL, which has no such condition key. */
  readonly returnConsumedCapacity?: ReturnConsumedCapacity;
  /** For the parts of a transaction. */
  readonly enclosingOperation?: 'TransactGetItems' | 'TransactWriteItems' | 'ExecuteTransaction';
}

export function tableResource(tableName: string): TouchedResource {
  return { kind: 'table', tableName };
}

/** The index if there is one, otherwise the table. */
export function indexOrTable(tableName: string, indexName: string | undefined): TouchedResource {
  return indexName === undefined ? tableResource(tableName) : { kind: 'index', tableName, indexName };
}
