import type { ActionName, TableAccessFacts } from '../../engine/index.ts';
import type { Caller, RequestOrigin } from '../caller.ts';

/** What a request touches that asks for one permission, named as the action, on one table or one of its indexes. */
export interface SoleTouch {
  readonly permission: SoleAction;
  readonly tableName: string;
  readonly indexName: string | undefined;
}

type SoleAction = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query' | 'Scan';

/** The same as the table of actions says of these requests (`settled-decisions.test.ts`), without looking at their items. */
export function soleTouch(action: ActionName, request: object): SoleTouch | undefined {
  switch (action) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
    case 'Query':
    case 'Scan': {
      const { tableName, indexName } = request as { readonly tableName: string; readonly indexName?: string }; // as their shapes say
      return { permission: action, tableName, indexName };
    }
    default:
      return undefined;
  }
}

/** How a request came in, as far as a decision depends on it. */
export type SettledOrigin = Partial<Pick<RequestOrigin, 'sourceIp' | 'secureTransport'>>;

/**
 * Permissions that were given for reasons that hold for the next request as well: the policies asked for nothing but the caller, the table
 * as it is, and where the request comes from. Evaluation does the same for the same answers, so what was asked for is all that it depends on.
 *
 * A caller is another object when the identities have changed, the facts of a table are when the table or its policy has: what was decided before
 * is then not found. Only permissions are kept, so that each denial is evaluated, and told.
 *
 * Decision 0083 says why.
 */
export class SettledDecisions {
  readonly #byCaller: WeakMap<Caller, WeakMap<TableAccessFacts, Map<string, SettledOrigin>>> = new WeakMap();

  /** Whether it is known that the permission is given. */
  isGiven(caller: Caller, origin: RequestOrigin, table: TableAccessFacts, touch: SoleTouch): boolean {
    const settled = this.#byCaller.get(caller)?.get(table)?.get(nameOf(touch));
    if (settled === undefined) return false;
    const { sourceIp = origin.sourceIp, secureTransport = origin.secureTransport } = settled;
    return sourceIp === origin.sourceIp && secureTransport === origin.secureTransport;
  }

  /** Keeps one decision for each permission on a table and each of its indexes: there are not more of them than these. */
  keep(caller: Caller, origin: SettledOrigin, table: TableAccessFacts, touch: SoleTouch): void {
    if (touch.indexName !== undefined && !table.indexes.has(touch.indexName)) return;
    let byTable = this.#byCaller.get(caller);
    if (byTable === undefined) this.#byCaller.set(caller, (byTable = new WeakMap()));
    let byName = byTable.get(table);
    if (byName === undefined) byTable.set(table, (byName = new Map()));
    byName.set(nameOf(touch), origin);
  }
}

function nameOf({ permission, indexName }: SoleTouch): string {
  return indexName === undefined ? permission : `${permission}/${indexName}`;
}
