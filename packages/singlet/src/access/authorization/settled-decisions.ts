import type { ActionName, TableAccessFacts } from '../../engine/index.ts';
import type { Caller, RequestOrigin } from '../caller.ts';

/** What a request touches if it needs a single permission, named like its action, on one table or one of its indexes. */
export interface SoleTouch {
  readonly permission: SoleAction;
  readonly tableName: string;
  readonly indexName: string | undefined;
}

type SoleAction = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query' | 'Scan';

/** Returns the same as the table of actions for these requests (`settled-decisions.test.ts`), without reading their items. */
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

/** The parts of a request's origin that a decision depends on. */
export type SettledOrigin = Partial<Pick<RequestOrigin, 'sourceIp' | 'secureTransport'>>;

/**
 * Permissions that can be reused for later requests, because the policies used only the caller, the table in its present state, and the origin
 * of the request. Evaluation is deterministic: given the same values it uses the same values again, so the decision depends on nothing else.
 *
 * A changed identity is a new caller object, and a changed table or policy is a new facts object, so earlier decisions are not found any more.
 * Only grants are kept, so every denial is evaluated and reported.
 *
 * Decision 0083 says why.
 */
export class SettledDecisions {
  readonly #byCaller: WeakMap<Caller, WeakMap<TableAccessFacts, Map<string, SettledOrigin>>> = new WeakMap();

  /** Whether the permission is known to be granted. */
  isGiven(caller: Caller, origin: RequestOrigin, table: TableAccessFacts, touch: SoleTouch): boolean {
    const settled = this.#byCaller.get(caller)?.get(table)?.get(nameOf(touch));
    if (settled === undefined) return false;
    const { sourceIp = origin.sourceIp, secureTransport = origin.secureTransport } = settled;
    return sourceIp === origin.sourceIp && secureTransport === origin.secureTransport;
  }

  /** Keeps one decision per permission on a table and on each of its indexes, which bounds their number. */
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
