import { prices } from '@singlet/model/cost';
import type { AskedPattern, Collection, Cost } from './costs.ts';
import { html, type Markup, type Renderable } from './markup.ts';

/** If a screen needs more requests than this, only their number is shown. */
const SHOWN_MAX = 20;
/** `e1` to `e8` in look.css. */
const ENTITY_COLOURS = 8;

/** What a screen shows beside its costs. */
export interface ReceiptNotes {
  /** Ids of the access patterns that the screen uses: `EC-06`. */
  readonly serves?: readonly string[];
  /** One sentence on why the data is read in this way. */
  readonly teaches?: string;
}

/**
 * The cost of an answer, in the format of the header `Receipt`: one part per request, then the patterns.
 * `op=Query;place=EcommerceTable;read=11;returned=11;rcu=1;pattern=EC-06`
 */
export function receiptHeader(costs: readonly Cost[], serves: readonly string[] = []): string {
  const parts = costs.slice(0, SHOWN_MAX).map((cost) => {
    const { operation, pattern, place, itemsRead, itemsReturned, itemsWritten, readUnits, writeUnits } = cost;
    const asked = pattern === undefined ? '' : `;pattern=${pattern.id ?? pattern.name}`;
    const figures = writes(cost)
      ? `written=${itemsWritten};wcu=${writeUnits}`
      : `read=${itemsRead};returned=${itemsReturned};rcu=${readUnits}`;
    return `op=${operation};place=${place.replaceAll(' ', '/')};${figures}${asked}${cost.isRefused ? ';refused' : ''}`;
  });
  const more = costs.length - SHOWN_MAX;
  return [
    ...parts,
    ...(more > 0 ? [`more=${more}`] : []),
    ...(serves.length > 0 ? [`serves=${serves.join(' ')}`] : []),
  ].join(', ');
}

/** The strip at the bottom of a screen: one line when closed, a column for each access pattern when open. Decision 0142 says what it leaves out. */
export function receiptStrip(
  costs: readonly Cost[],
  { serves = [], teaches, workbench }: ReceiptNotes & { readonly workbench?: URL | undefined },
): Markup {
  const colours = new Map<string, number>();
  const colourOf = (entity: string): number => {
    const colour = colours.get(entity) ?? (colours.size % ENTITY_COLOURS) + 1;
    colours.set(entity, colour);
    return colour;
  };
  return html`<aside class="receipt" aria-label="What this screen asked of the table">
    <details>
      <summary>${summaryOf(costs)}</summary>
      ${serves.length > 0 && html`<p>Access patterns: <span class="mono">${serves.join(', ')}</span></p>`}
      ${
        costs.length > 0 &&
        html`<div class="requests">
          ${byPattern(costs.slice(0, SHOWN_MAX)).map((of) => columnOf(of, { colourOf, workbench }))}
        </div>`
      }
      ${costs.length > SHOWN_MAX && html`<p>and ${costs.length - SHOWN_MAX} more requests</p>`}
      ${teaches !== undefined && html`<p class="teaches">${teaches}</p>`}
    </details>
  </aside>`;
}

interface Drawing {
  readonly colourOf: (entity: string) => number;
  readonly workbench: URL | undefined;
}

/** The requests of each pattern, in the order of the first. */
function byPattern(costs: readonly Cost[]): readonly (readonly Cost[])[] {
  const groups = new Map<string | undefined, Cost[]>();
  for (const cost of costs) {
    const name = cost.pattern && [cost.pattern.id, cost.pattern.name].join(' ');
    groups.set(name, [...(groups.get(name) ?? []), cost]);
  }
  return [...groups.values()];
}

/** An access pattern with its requests. */
function columnOf(costs: readonly Cost[], drawing: Drawing): Markup {
  const [{ pattern } = { pattern: undefined }] = costs;
  return html`<section>
    <h3>${headingOf(pattern, drawing)}</h3>
    ${costs.map((cost) => requestOf(cost, drawing))}
  </section>`;
}

function headingOf(pattern: AskedPattern | undefined, { workbench }: Drawing): Renderable {
  if (pattern === undefined) return 'Beside the model';
  const { id, name, strategy } = pattern;
  const page =
    strategy !== undefined &&
    workbench !== undefined &&
    new URL(`/studio/docs/strategies/${strategy.toLowerCase()}.html`, workbench).href;
  return html`${id !== undefined && `${id} `}<span class="mono">${name}</span>${
      page !== false && html` <a class="mono" href="${page}">${strategy}</a>`
    }`;
}

/** A request with what it cost, and the first items that it returned, in their order. */
function requestOf(cost: Cost, { colourOf, workbench }: Drawing): Markup {
  const { operation, place, collection, isBackwards, items, itemsRead, itemsReturned } = cost;
  const [more, filtered] = [itemsReturned - items.length, itemsRead - itemsReturned];
  return html`<p class="mono">
      ${operation}${isBackwards && ' backwards'}
      ${place}${
        workbench !== undefined &&
        collection !== undefined &&
        html` <a href="${inWorkbench(workbench, collection)}">in the workbench</a>`
      }
    </p>
    <p class="mono">${effectOf(cost)}</p>
    ${
      items.length > 0 &&
      html`<ul>
        ${items.map(
          ({ entity, key }) =>
            html`<li class="mono e${colourOf(entity)}" data-key="${key}">
              <span class="key">${typeset(key)}</span>${entity !== '' && html`<span class="badge">${entity}</span>`}
            </li>`,
        )}
      </ul>`
    }
    ${items.length > 0 && more > 0 && html`<p class="mono">and ${more} more</p>`}
    ${filtered > 0 && html`<p class="mono"><s>${filtered} read</s>, and filtered away</p>`}`;
}

function effectOf(cost: Cost): string {
  if (cost.isRefused) return 'refused';
  return writes(cost)
    ? `${cost.itemsWritten} written, ${cost.writeUnits} WCU`
    : `${cost.itemsRead} read, ${cost.itemsReturned} returned, ${cost.readUnits} RCU`;
}

/** What the model writes into a key is light, what comes from the item is dark. */
function typeset(key: string): Renderable {
  const parts = key.split('#');
  return parts.map((part, at) => {
    const text = at < parts.length - 1 ? `${part}#` : part;
    return /^[A-Z_-]*#$/.test(text) ? html`<i>${text}</i>` : html`${text}`;
  });
}

/** The address of the part of an item collection that was read, in the workbench of the database. */
function inWorkbench(workbench: URL, { table, index, partitionKey, sortCondition }: Collection): string {
  const query = { pk: partitionKey, ...(sortCondition !== undefined && { sk: sortCondition }) };
  const path = [table, ...(index === undefined ? [] : ['i', index])].map(encodeURIComponent).join('/');
  return new URL(`/studio/t/${path}?${new URLSearchParams(query).toString()}`, workbench).href;
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
