import type { AttributeValue } from '../../values/attribute-value.ts';
import { canonicalizeNumber } from '../../values/decimal.ts';
import { canonicalizeBase64 } from '../../values/base64.ts';
import type { KeyNames, RequestContext, TableAccessFacts, Touch } from '../../engine/index.ts';
import type { Caller, RequestOrigin } from '../caller.ts';
import { type ConditionContext, type ContextValue, unresolved } from '../policy/condition-context.ts';
import type { RequestTags } from './request-tags.ts';
import type { SettledOrigin } from './settled-decisions.ts';
import type { NamedResource } from './touched-arn.ts';

/** What all parts of a request have in common. */
export interface RequestFacts {
  readonly caller: Caller;
  readonly origin: RequestOrigin;
  readonly context: RequestContext;
  readonly nowMs: number;
  readonly requestTags: RequestTags | undefined;
}

/**
 * The values of condition keys for one permission that a request needs. Each value is computed when a policy first uses it.
 *
 * @see Service Authorization Reference, "Condition keys for Amazon DynamoDB"; IAM User Guide, "AWS global condition context keys"
 */
export class RequestConditions implements ConditionContext {
  readonly #request: RequestFacts;
  readonly #touch: Touch;
  readonly #resource: NamedResource;
  readonly #table: TableAccessFacts | undefined;
  #isSettled = true;
  #settledOrigin: SettledOrigin = {};

  /** @param table - what is known of the table that the permission applies to; undefined if there is no table. */
  constructor(request: RequestFacts, touch: Touch, resource: NamedResource, table: TableAccessFacts | undefined) {
    this.#request = request;
    this.#touch = touch;
    this.#resource = resource;
    this.#table = table;
  }

  /**
   * Which parts of the request's origin the policies have used so far. Undefined if they have used a value that can differ between requests of
   * this caller for this resource.
   */
  get settledOrigin(): SettledOrigin | undefined {
    return this.#isSettled ? this.#settledOrigin : undefined;
  }

  valueOf(key: string): ContextValue {
    this.#note(key);
    if (key.startsWith('dynamodb:')) return this.#ofItems(key);
    const slash = key.indexOf('/');
    return slash < 0 ? this.#ofRequest(key) : this.#tag(key.slice(0, slash), key.slice(slash + 1));
  }

  #note(key: string): void {
    const { sourceIp, secureTransport } = this.#request.origin;
    if (key === 'aws:sourceip') this.#settledOrigin = { ...this.#settledOrigin, sourceIp };
    else if (key === 'aws:securetransport') this.#settledOrigin = { ...this.#settledOrigin, secureTransport };
    else if (!settledKeys.has(key) && !settledTags.has(key.slice(0, key.indexOf('/')))) this.#isSettled = false;
  }

  #ofItems(key: string): ContextValue {
    const { items } = this.#touch;
    if (items === undefined) return undefined;
    switch (key) {
      case 'dynamodb:leadingkeys':
      case 'dynamodb:firstpartitionkeyvalues':
        return this.#partitionValues(0);
      case 'dynamodb:secondpartitionkeyvalues':
        return this.#partitionValues(1);
      case 'dynamodb:thirdpartitionkeyvalues':
        return this.#partitionValues(2);
      case 'dynamodb:fourthpartitionkeyvalues':
        return this.#partitionValues(3);
      case 'dynamodb:attributes':
        return this.#attributes();
      case 'dynamodb:select':
        return items.select;
      case 'dynamodb:returnvalues':
        return items.returnValues;
      case 'dynamodb:returnconsumedcapacity':
        return items.returnConsumedCapacity;
      case 'dynamodb:enclosingoperation':
        return items.enclosingOperation;
      case 'dynamodb:fulltablescan':
        return this.#fullTableScan();
      default:
        return undefined;
    }
  }

  /** The keys of the table or index that is read; undefined if they are not known. */
  #keys(): KeyNames | undefined {
    const { indexName } = this.#resource;
    return indexName === undefined ? this.#table?.keys : this.#table?.indexes.get(indexName);
  }

  /**
   * The values to which the request restricts an attribute of the partition key. Only scans, and selects that read like scans, have none; any
   * other request without them could not run.
   */
  #partitionValues(position: number): ContextValue {
    const { items, permission } = this.#touch;
    if (permission === 'Scan') return undefined;
    const keys = this.#keys();
    if (keys === undefined) return unresolved;
    const name = keys.partition[position];
    if (name === undefined) return undefined;
    const values = items?.valuesOf(name);
    if (values === undefined) return permission === 'PartiQLSelect' ? undefined : unresolved;
    const texts: string[] = [];
    for (const value of values) {
      const text = keyText(value);
      if (text === undefined) return unresolved;
      texts.push(text);
    }
    return texts;
  }

  /** The attribute names in the parameters of the request; they always include the key attributes. */
  #attributes(): ContextValue {
    if (this.#table === undefined) return unresolved;
    const keys = this.#keys();
    if (keys === undefined) return unresolved;
    return [...new Set([...this.#table.keys.all, ...keys.all, ...(this.#touch.items?.attributeNames ?? [])])];
  }

  #fullTableScan(): ContextValue {
    if (this.#touch.permission !== 'PartiQLSelect') return undefined;
    const keys = this.#keys();
    if (keys === undefined) return unresolved;
    return String(!keys.partition.every((name) => this.#touch.items?.valuesOf(name) !== undefined));
  }

  #ofRequest(key: string): ContextValue {
    const { caller, origin, context, nowMs, requestTags } = this.#request;
    switch (key) {
      case 'aws:principalarn':
        return caller.principalArn;
      case 'aws:principalaccount':
        return caller.accountId;
      case 'aws:principaltype':
        return principalTypes[caller.kind];
      case 'aws:userid':
        return caller.userId;
      case 'aws:username':
        return caller.kind === 'user' ? caller.userName : undefined;
      case 'aws:currenttime':
        return `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
      case 'aws:epochtime':
        return String(Math.floor(nowMs / 1000));
      case 'aws:sourceip':
        return origin.sourceIp;
      case 'aws:securetransport':
        return String(origin.secureTransport);
      case 'aws:useragent':
        return origin.userAgent;
      case 'aws:requestedregion':
        return context.region;
      case 'aws:resourceaccount':
        return this.#resource.accountId;
      case 'aws:viaawsservice':
      case 'aws:principalisawsservice':
        return 'false';
      case 'aws:multifactorauthpresent':
        return caller.kind === 'session' ? 'false' : undefined;
      case 'aws:tagkeys':
        return requestTags?.keysFor(this.#touch.permission);
      default:
        return undefined;
    }
  }

  #tag(prefix: string, name: string): ContextValue {
    switch (prefix) {
      case 'aws:principaltag':
        return tagOf(this.#request.caller.tags, name);
      case 'aws:requesttag':
        return this.#request.requestTags?.valueFor(this.#touch.permission, name);
      case 'aws:resourcetag': {
        if (this.#resource.kind !== 'table' && this.#resource.kind !== 'index') return undefined;
        return this.#table?.tags.find(({ key }) => key.toLowerCase() === name)?.value;
      }
      default:
        return undefined;
    }
  }
}

/** Keys whose values are the same for every request of a caller for an unchanged table. Their region is that of the table. */
const settledKeys: ReadonlySet<string> = new Set([
  'aws:principalarn',
  'aws:principalaccount',
  'aws:principaltype',
  'aws:userid',
  'aws:username',
  'aws:requestedregion',
  'aws:resourceaccount',
]);
const settledTags: ReadonlySet<string> = new Set(['aws:principaltag', 'aws:resourcetag']);

const principalTypes = { root: 'Account', user: 'User', session: 'AssumedRole' } as const;

/** Numbers as the service returns them, binary values in base64. Undefined for a value that cannot be a key. */
function keyText(value: AttributeValue): string | undefined {
  if ('S' in value) return value.S;
  if ('N' in value) return canonicalizeNumber(value.N);
  return 'B' in value ? canonicalizeBase64(value.B) : undefined;
}

/** Names of condition keys, and so the tag names in them, are case-insensitive. */
function tagOf(tags: ReadonlyMap<string, string>, lowerCaseName: string): string | undefined {
  for (const [name, value] of tags) if (name.toLowerCase() === lowerCaseName) return value;
  return undefined;
}
