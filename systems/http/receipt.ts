import { prices } from '@singlet/model/cost';
import type { Collection, Cost } from './costs.ts';
import { html, type Markup } from './markup.ts';

/** If a screen needs more requests than this, only their number is shown. */
const SHOWN_MAX = 20;

/** What a screen shows beside its costs. */
export interface ReceiptNotes {
  /** Ids of the access patterns that the screen uses: `EC-06`. */
  readonly serves?: readonly string[];
  /** One sentence on why the data is read in this way. */
  readonly teaches?: string;
}

/**
 * The cost of an answer, in the format of the header `Receipt`: one part per request, then the patterns.
 * `op=Query;place=EcommerceTable;read=11;returned=11;rcu=1`
 */
export function receiptHeader(costs: readonly Cost[], serves: readonly string[] = []): string {
  const parts = costs.slice(0, SHOWN_MAX).map((cost) => {
    const { operation, place, itemsRead, itemsReturned, itemsWritten, readUnits, writeUnits } = cost;
    const figures = writes(cost)
      ? `written=${itemsWritten};wcu=${writeUnits}`
      : `read=${itemsRead};returned=${itemsReturned};rcu=${readUnits}`;
    return `op=${operation};place=${place.replaceAll(' ', '/')};${figures}${cost.isRefused ? ';refused' : ''}`;
  });
  const more = costs.length - SHOWN_MAX;
  return [
    ...parts,
    ...(more > 0 ? [`more=${more}`] : []),
    ...(serves.length > 0 ? [`serves=${serves.join(' ')}`] : []),
  ].join(', ');
}

/** The strip at the bottom of a screen: one line when closed, a row for each request when open. */
export function receiptStrip(
  costs: readonly Cost[],
  { serves = [], teaches, workbench }: ReceiptNotes & { readonly workbench?: URL | undefined },
): Markup {
  return html`<aside class="receipt" aria-label="What this screen asked of the table">
    <details>
      <summary>${summaryOf(costs)}</summary>
      ${serves.length > 0 && html`<p>Access patterns: <span class="mono">${serves.join(', ')}</span></p>`}
      ${
        costs.length > 0 &&
        html`<div class="scrolls" tabindex="0" role="region" aria-label="Requests">
          <table>
            <thead>
              <tr>
                <th scope="col">Operation</th>
                <th scope="col">Table and index</th>
                <th scope="col">Items</th>
                <th scope="col">Units</th>
              </tr>
            </thead>
            <tbody>
              ${costs.slice(0, SHOWN_MAX).map((cost) => rowOf(cost, workbench))}
            </tbody>
          </table>
        </div>`
      }
      ${costs.length > SHOWN_MAX && html`<p>and ${costs.length - SHOWN_MAX} more requests</p>`}
      ${teaches !== undefined && html`<p class="teaches">${teaches}</p>`}
    </details>
  </aside>`;
}

function rowOf(cost: Cost, workbench: URL | undefined): Markup {
  const items = writes(cost)
    ? `${cost.itemsWritten} written`
    : `${cost.itemsRead} read, ${cost.itemsReturned} returned`;
  const units = writes(cost) ? `${cost.writeUnits} WCU` : `${cost.readUnits} RCU`;
  return html`<tr>
    <td class="mono">${cost.operation}${cost.isBackwards && ' ↑'}</td>
    <td class="mono">
      ${cost.place}${
        workbench !== undefined &&
        cost.collection !== undefined &&
        html` <a href="${inWorkbench(workbench, cost.collection)}">in the workbench</a>`
      }
    </td>
    <td>${cost.isRefused ? 'refused' : items}</td>
    <td>${units}</td>
  </tr>`;
}

/** The address of an item collection in the workbench of the database. */
function inWorkbench(workbench: URL, { table, index, partitionKey }: Collection): string {
  const path = [table, ...(index === undefined ? [] : ['i', index])].map(encodeURIComponent).join('/');
  return new URL(`/studio/t/${path}?${new URLSearchParams({ pk: partitionKey }).toString()}`, workbench).href;
}

function summaryOf(costs: readonly Cost[]): string {
  if (costs.length === 0) return 'No request';
  const sum = (of: (cost: Cost) => number): number => costs.reduce((total, cost) => total + of(cost), 0);
  const [read, returned, written] = [sum((c) => c.itemsRead), sum((c) => c.itemsReturned), sum((c) => c.itemsWritten)];
  const [rcu, wcu] = [sum((c) => c.readUnits), sum((c) => c.writeUnits)];
  const dollars = rcu * prices.millionReadUnits + wcu * prices.millionWriteUnits;
  return [
    `${costs.length} ${costs.length === 1 ? 'request' : 'requests'}`,
    `${read} ${read === 1 ? 'item' : 'items'} read, ${returned} shown`,
    ...(written > 0 ? [`${written} written`] : []),
    `${rcu} RCU`,
    ...(wcu > 0 ? [`${wcu} WCU`] : []),
    `a million of these: $${dollars.toFixed(2)} in ${prices.region}`,
  ].join(' · ');
}

function writes({ operation }: Cost): boolean {
  return /Put|Update|Delete|Write/.test(operation);
}
