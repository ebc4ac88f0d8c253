import type { Address } from './address.ts';
import { destinations } from './destinations.ts';

/** Keys, and what they do: `['Enter', 'open the item']`. Keys with spaces between them are pressed one after the other. */
export type KeyRow = readonly [keys: string, does: string];

const grid: readonly KeyRow[] = [
  ['↑ ↓, J K', 'row'],
  ['PgUp PgDn', 'page'],
  ['Home, G G', 'first item'],
  ['End, Shift G', 'last item'],
  ['Alt ↑ ↓', 'previous, next collection'],
  ['Ctrl ↑ ↓', 'first, last collection that is loaded'],
  ['← →, Enter', 'on a collection: fold, unfold'],
  ['Enter', 'open the item'],
  ['Shift Enter', 'open it in place of the rows'],
  ['F2', 'open it in its first field'],
  ['Space', 'peek at it'],
  ['[ ]', 'the same item in the previous, next index'],
  ['1 to 9', 'the table, its indexes'],
  ['F', 'key conditions'],
  ['N', 'new item'],
  ['X, Shift ↑ ↓', 'select'],
  ['B', 'change what is selected'],
  ['D', 'delete the item, or what is selected'],
  ['E', 'explain the last request'],
  ['C', 'last request as code'],
  ['Ctrl C', 'in the key conditions, with nothing selected: copy the request as code'],
  ['H', 'heat on the ruler'],
  ['Ctrl Enter', 'save'],
  ['Ctrl Z', 'undo'],
  ['Esc', 'close, clear the selection, show all collections'],
];

const byView: Readonly<Record<Address['view'], readonly KeyRow[]>> = {
  tables: [],
  table: [],
  collections: grid,
  query: [
    ['F', 'key conditions'],
    ['Ctrl Enter', 'run'],
    ['E', 'explain'],
  ],
  statement: [
    ['F', 'the statement'],
    ['Tab, Ctrl Space', 'complete a name; list what fits'],
    ['Ctrl Enter', 'run, or preview what it writes'],
    ['Ctrl Z', 'undo'],
  ],
  model: [
    ['↑ ↓, Enter', 'choose a pattern, open it in the runner'],
    ['R', 'the first pattern in the runner'],
    ['Ctrl Enter', 'in the runner: run, or preview what it writes'],
    ['V', 'show the rows in their collection'],
    ['E', 'explain what the pattern reads'],
    ['C', 'its requests as code'],
    ['Esc', 'close the runner'],
  ],
  requests: [
    ['↑ ↓, J K', 'request'],
    ['E', 'explain the open request'],
    ['F', 'filters'],
    ['P', 'pause'],
    ['Esc', 'close'],
  ],
  streams: [
    ['F', 'filter by key'],
    ['P', 'pause'],
  ],
  heat: [['↑ ↓, Enter', 'on the map: range of hashes, the hottest one']],
  migrations: [['Ctrl Enter', 'take the next step']],
  tour: [
    ['← →', 'step'],
    ['Ctrl Enter', 'run the step, then the next one'],
  ],
  settings: [],
};

/** What works everywhere. */
export const keysEverywhere: readonly KeyRow[] = [
  ['Ctrl K, /', 'jump to a key, table, index, pattern, place or command'],
  ['?', 'this list'],
  ['R', 'run a pattern'],
  ['T, G T', 'all tables'],
  ...destinations.map(({ key, title }): KeyRow => [`G ${key.toUpperCase()}`, title]),
];

export function keysOf({ view }: Address): readonly KeyRow[] {
  return byView[view];
}
