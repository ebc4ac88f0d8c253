import type { RequestContext, TouchedResource } from '../../engine/index.ts';
import { BoundedMap } from '../bounded-map.ts';
import { splitArn } from '../policy/arn-pattern.ts';
import type { PermissionResource } from './permission-table.ts';

/** A resource as policies name it. */
export interface NamedResource {
  readonly kind: PermissionResource | 'other';
  /** An ARN; `*` for no single resource. */
  readonly arn: string;
  /** As returned by `splitArn`; absent if it has not been split yet. */
  readonly parts?: readonly string[];
  readonly accountId: string;
  /** The table whose policy, keys and tags apply. */
  readonly tableName?: string;
  readonly indexName?: string;
}

const arnForm = /^arn:[^:]*:dynamodb:([^:]*):([^:]*):(.*)$/s;
const partKinds = new Set(['stream', 'backup', 'export', 'import', 'bulk-operation']);

/** Tables of a context, which most permissions are for. A context lives as long as its caller is known. */
const tablesOfContexts = new WeakMap<RequestContext, BoundedMap<string, NamedResource>>();

/** The number of tables kept per context. */
const tablesMax = 64;

function namedTable(tableName: string, context: RequestContext): NamedResource {
  let tables = tablesOfContexts.get(context);
  if (tables === undefined) tablesOfContexts.set(context, (tables = new BoundedMap(tablesMax)));
  let resource = tables.get(tableName);
  if (resource === undefined) {
    const { accountId, region } = context;
    const arn = `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}`;
    resource = { kind: 'table', arn, parts: splitArn(arn), accountId, tableName };
    tables.set(tableName, resource);
  }
  return resource;
}

/**
 * The resource that a request touches. ARNs in requests are interpreted as the engine interprets them: any partition name means this partition,
 * so that a different spelling cannot evade a policy.
 *
 * @param context - of the account that owns the tables.
 */
export function namedResource(resource: TouchedResource, context: RequestContext): NamedResource {
  const { accountId, region } = context;
  switch (resource.kind) {
    case 'table':
      return namedTable(resource.tableName, context);
    case 'index': {
      const { tableName, indexName } = resource;
      const arn = `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}/index/${indexName}`;
      return { kind: 'index', arn, accountId, tableName, indexName };
    }
    case 'global-table': {
      const arn = `arn:aws:dynamodb::${accountId}:global-table/${resource.tableName}`;
      return { kind: 'global-table', arn, accountId };
    }
    case 'account':
      return { kind: 'account', arn: '*', accountId };
    case 'arn':
      return named(resource.arn, accountId);
  }
}

function named(text: string, callerAccountId: string): NamedResource {
  const [, region = '', accountId = '', id = ''] = arnForm.exec(text) ?? [];
  const [prefix, tableName = '', part, ...rest] = id.split('/');
  // The action refuses anything that is not an ARN, if a policy permits the request at all.
  if (prefix !== 'table' || tableName === '')
    return { kind: 'other', arn: text === '' ? '*' : text, accountId: callerAccountId };
  const arn = `arn:aws:dynamodb:${region}:${accountId}:${id}`;
  if (part === undefined) return { kind: 'table', arn, accountId, tableName };
  const kind = partKinds.has(part) && rest.length === 1 ? (part as PermissionResource) : 'other'; // as the set says
  return { kind, arn, accountId, ...(kind === 'stream' && { tableName }) };
}
