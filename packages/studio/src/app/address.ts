import { useSyncExternalStore } from 'react';
import { type RequestForm, requestForms } from '../request-text/request-text.ts';

// The address is the state: the screen can be reloaded, reached with the back button and sent to a colleague. Unknown parts of an address
// are dropped, and never cause an error.

export type Address =
  | TablesAddress
  | TableAddress
  | CollectionsAddress
  | ModelAddress
  | QueryAddress
  | RequestsAddress
  | StreamsAddress
  | StatementAddress
  | HeatAddress
  | MigrationsAddress
  | TourAddress
  | SettingsAddress;

export interface TablesAddress {
  readonly view: 'tables';
  /** Search. */
  readonly q?: string | undefined;
  readonly sort?: 'name' | 'items' | 'size' | undefined;
}

/** The settings of a table; without a name, a new one. */
export interface TableAddress {
  readonly view: 'table';
  readonly table?: string | undefined;
}

export interface CollectionsAddress {
  readonly view: 'collections';
  readonly table: string;
  readonly index?: string | undefined;
  /** Typed value of the partition key, `S:CUSTOMER#alexdebrie`. */
  readonly pk?: string | undefined;
  /** Condition on the sort key, `begins_with:ORDER#`. */
  readonly sk?: string | undefined;
  /** Position in hash space, from 0 to 1 with six digits. */
  readonly at?: string | undefined;
  /** Key of the open item: DynamoDB JSON of the table's key. `new` is an item that is being created. */
  readonly item?: string | undefined;
  readonly tab?: ItemTab | undefined;
  /** Whether the open item takes the place of the rows. */
  readonly full?: 'on' | undefined;
  /** The version that those of the history are compared with: `now`, or the id of a change. */
  readonly vs?: string | undefined;
  /** The index that is shown beside the open item, if there is room: its name, or `Table`. */
  readonly beside?: string | undefined;
  /** Entities that are shown; all if absent. */
  readonly e?: string | undefined;
  /** A run of a pattern, whose items are marked. */
  readonly hi?: string | undefined;
  /** The collection as it was after the change with this sequence number; `0` is before every change that the stream has. */
  readonly time?: string | undefined;
  /** Whether the ruler shows heat. */
  readonly heat?: 'on' | undefined;
}

export const heatKinds = ['read', 'write', 'throttled'] as const;
export type HeatKind = (typeof heatKinds)[number];
/** How far back, in minutes. */
export const heatWindows = ['5', '15', '60', '1440'] as const;

export interface HeatAddress {
  readonly view: 'heat';
  /** The first one if absent. */
  readonly table?: string | undefined;
  readonly index?: string | undefined;
  readonly minutes?: (typeof heatWindows)[number] | undefined;
  /** When the time shown begins, epoch milliseconds; it ends now if absent. */
  readonly from?: string | undefined;
  readonly kind?: HeatKind | undefined;
  /** The selected row: one of 64 parts of hash space. */
  readonly row?: string | undefined;
  /** The number of shards in the what-if calculation. */
  readonly shards?: string | undefined;
}

export interface MigrationsAddress {
  readonly view: 'migrations';
  /** The migration that leads to the current state of a model if absent. */
  readonly id?: string | undefined;
}

export interface TourAddress {
  readonly view: 'tour';
  /** `S-29`; the first one if absent. */
  readonly strategy?: string | undefined;
  /** From 1. */
  readonly step?: string | undefined;
  /** Search in the strategies. */
  readonly q?: string | undefined;
}

export interface SettingsAddress {
  readonly view: 'settings';
}

export const modelSections = ['overview', 'patterns', 'keys', 'cost', 'decisions'] as const;
export type ModelSection = (typeof modelSections)[number];

export interface ModelAddress {
  readonly view: 'model';
  /** The first one if absent. */
  readonly model?: string | undefined;
  readonly section?: ModelSection | undefined;
  /** Search in the patterns. */
  readonly q?: string | undefined;
  /** The pattern in the runner. */
  readonly p?: string | undefined;
  /** Its input as JSON. */
  readonly in?: string | undefined;
  /** The number of the open finding. */
  readonly finding?: string | undefined;
}

/** A query in the builder. */
export interface QueryAddress {
  readonly view: 'query';
  readonly table?: string | undefined;
  readonly index?: string | undefined;
  readonly pk?: string | undefined;
  readonly sk?: string | undefined;
  /** Filters: a list of `[attribute, operator, value…]` and `[condition]` in JSON. */
  readonly f?: string | undefined;
  /** Attributes, one per line. */
  readonly proj?: string | undefined;
  readonly dir?: 'desc' | undefined;
  readonly cons?: 'strong' | undefined;
  readonly limit?: string | undefined;
  /** The form that is shown if there is room for only one. */
  readonly as?: RequestForm | undefined;
  /** Whether it was run in this state. */
  readonly run?: string | undefined;
}

/** The request log. */
export interface RequestsAddress {
  readonly view: 'requests';
  readonly table?: string | undefined;
  readonly action?: string | undefined;
  /** The name of a pattern of a model. */
  readonly pattern?: string | undefined;
  /** Milliseconds. */
  readonly slow?: string | undefined;
  readonly scan?: string | undefined;
  readonly error?: string | undefined;
  /** Part of an identity or user agent. */
  readonly who?: string | undefined;
  /** The open request. */
  readonly seq?: string | undefined;
}

/** The stream of a table. */
export interface StreamsAddress {
  readonly view: 'streams';
  readonly table?: string | undefined;
  readonly entity?: string | undefined;
  readonly kind?: 'INSERT' | 'MODIFY' | 'REMOVE' | undefined;
  /** Part of a key. */
  readonly key?: string | undefined;
  /** Whether records from before the view was opened are shown. */
  readonly from?: 'start' | undefined;
}

/** PartiQL. */
export interface StatementAddress {
  readonly view: 'statement';
  /** The statement. */
  readonly s?: string | undefined;
  /** Whether it was run in this state, and reads. */
  readonly run?: string | undefined;
}

export const itemTabs = ['form', 'json', 'indexes', 'history'] as const;
export type ItemTab = (typeof itemTabs)[number];

const base = '/studio';
const sorts = ['name', 'items', 'size'] as const;
const placePattern = /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/;
const skPattern = /^(=|<|<=|>|>=|begins_with|between):/;

/** How each view is written into a path: its first part, and which parts of its state follow. The rest is in the query. */
const paths: Readonly<Record<Address['view'], { readonly first: string; readonly names: readonly string[] }>> = {
  tables: { first: 'tables', names: [] },
  table: { first: 'table', names: ['table'] },
  collections: { first: 't', names: ['table', 'index'] },
  model: { first: 'm', names: ['model'] },
  query: { first: 'q', names: ['table'] },
  requests: { first: 'requests', names: [] },
  streams: { first: 'streams', names: ['table'] },
  statement: { first: 'sql', names: [] },
  heat: { first: 'heat', names: ['table', 'index'] },
  migrations: { first: 'migrations', names: ['id'] },
  tour: { first: 'tour', names: ['strategy'] },
  settings: { first: 'settings', names: [] },
};

type Parser = (names: readonly (string | undefined)[], query: Query) => Address | undefined;

/** By the first part of the path. An unknown path leads to the tables. */
const parsers: Readonly<Record<string, Parser>> = {
  t: ([table = '', second, index], query) =>
    table === ''
      ? undefined
      : {
          view: 'collections',
          table,
          index: second === 'i' && index !== '' ? index : undefined,
          pk: query.matching('pk', /^[SNB]:/),
          sk: query.matching('sk', skPattern),
          at: query.matching('at', placePattern),
          item: query.text('item'),
          tab: query.one('tab', itemTabs),
          full: query.one('full', ['on']),
          vs: query.matching('vs', /^(now|\d{1,40})$/),
          beside: query.text('beside'),
          e: query.text('e'),
          hi: query.matching('hi', /^\d{1,9}$/),
          time: query.matching('time', /^\d{1,40}$/),
          heat: query.one('heat', ['on']),
        },
  table: ([table]) => ({ view: 'table', table: table === '' ? undefined : table }),
  heat: ([table = '', second, index], query) => ({
    view: 'heat',
    table: table === '' ? undefined : table,
    index: second === 'i' && index !== '' ? index : undefined,
    minutes: query.one('minutes', heatWindows),
    from: query.matching('from', /^\d{13}$/),
    kind: query.one('kind', heatKinds),
    row: query.matching('row', /^\d{1,2}$/),
    shards: query.matching('shards', /^[1-9]\d{0,2}$/),
  }),
  migrations: ([id = '']) => ({ view: 'migrations', id: /^[0-9a-f]{12}$/.test(id) ? id : undefined }),
  tour: ([strategy = ''], query) => ({
    view: 'tour',
    strategy: /^S-\d{2}$/.test(strategy) ? strategy : undefined,
    step: query.matching('step', /^[1-9]$/),
    q: query.text('q'),
  }),
  settings: () => ({ view: 'settings' }),
  m: ([model = ''], query) => ({
    view: 'model',
    model: model === '' ? undefined : model,
    section: query.one('section', modelSections),
    q: query.text('q'),
    p: query.text('p'),
    in: query.text('in'),
    finding: query.matching('finding', /^\d{1,4}$/),
  }),
  q: ([table], query) => ({
    view: 'query',
    table: table === '' ? undefined : table,
    index: query.text('index'),
    pk: query.matching('pk', /^[SNB]:/),
    sk: query.matching('sk', skPattern),
    f: query.text('f'),
    proj: query.text('proj'),
    dir: query.one('dir', ['desc']),
    cons: query.one('cons', ['strong']),
    limit: query.matching('limit', /^[1-9]\d{0,8}$/),
    as: query.one(
      'as',
      requestForms.map(({ form }) => form),
    ),
    run: query.one('run', ['1']),
  }),
  requests: (_, query) => ({
    view: 'requests',
    table: query.text('table'),
    action: query.matching('action', /^\w+$/),
    pattern: query.text('pattern'),
    slow: query.matching('slow', /^\d{1,6}$/),
    scan: query.one('scan', ['1']),
    error: query.one('error', ['1']),
    who: query.text('who'),
    seq: query.matching('seq', /^\d{1,16}$/),
  }),
  streams: ([table], query) => ({
    view: 'streams',
    table: table === '' ? undefined : table,
    entity: query.text('entity'),
    kind: query.one('kind', ['INSERT', 'MODIFY', 'REMOVE']),
    key: query.text('key'),
    from: query.one('from', ['start']),
  }),
  sql: (_, query) => ({ view: 'statement', s: query.text('s'), run: query.one('run', ['1']) }),
};

/** The query of an address, without unknown members. */
class Query {
  readonly #parameters: URLSearchParams;

  constructor(query: string) {
    this.#parameters = new URLSearchParams(query);
  }

  text(name: string): string | undefined {
    return this.#parameters.get(name) ?? undefined;
  }

  matching(name: string, pattern: RegExp): string | undefined {
    const text = this.text(name);
    return text !== undefined && pattern.test(text) ? text : undefined;
  }

  one<T extends string>(name: string, choices: readonly T[]): T | undefined {
    return choices.find((choice) => choice === this.text(name));
  }
}

export function parseAddress(path: string, search: string): Address {
  const [first = '', ...names] = decoded(path.slice(base.length + 1));
  const query = new Query(search);
  const parser = Object.hasOwn(parsers, first) ? parsers[first] : undefined;
  return parser?.(names, query) ?? { view: 'tables', q: query.text('q'), sort: query.one('sort', sorts) };
}

function decoded(path: string): readonly string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return [];
    throw error;
  }
}

export function formatAddress(address: Address): string {
  const { view, ...state } = address;
  const { first, names } = paths[view];
  const parameters = new URLSearchParams();
  const path = [base, first];
  for (const [name, value] of Object.entries(state)) {
    if (typeof value !== 'string' || value === '') continue;
    if (!names.includes(name)) parameters.set(name, value);
  }
  for (const name of names) {
    const value: unknown = Object.entries(state).find(([member]) => member === name)?.[1];
    if (typeof value !== 'string') break;
    // The path of an index is below its table's, next to other parts.
    path.push(...(name === 'index' ? ['i'] : []), encodeURIComponent(value));
  }
  return `${path.join('/')}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
}

const listeners = new Set<() => void>();
let known: { readonly href: string; readonly address: Address } | undefined;

/** Called before the page leaves an address; false keeps it. */
let mayLeave: ((next: Address) => boolean) | undefined;

/** Makes leaving ask about unsaved changes; undefined ends that. */
export function guardLeaving(guard: ((next: Address) => boolean) | undefined): void {
  mayLeave = guard;
}

/** Entries of the history are numbered, so that a rejected step can be reversed. */
interface Entry {
  readonly number: number;
}
let here = 0;

/** A rejected step is being reversed. Until that is done, the address is the one that was kept. */
let isReturning = false;

/** A selection adds an entry to the history; typing replaces the current one. */
export function navigate(address: Address, how: 'push' | 'replace' = 'push'): void {
  if (mayLeave?.(address) === false) return;
  const href = formatAddress(address);
  if (how === 'push') here += 1;
  const entry: Entry = { number: here };
  if (how === 'push') history.pushState(entry, '', href);
  else history.replaceState(entry, '', href);
  for (const listener of listeners) listener();
}

export function currentAddress(): Address {
  const { pathname, search } = location;
  const href = pathname + search;
  if (known === undefined || (known.href !== href && !isReturning))
    known = { href, address: parseAddress(pathname, search) };
  return known.address;
}

export function useAddress(): Address {
  return useSyncExternalStore(subscribe, currentAddress);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    here = numberOf(history.state);
    window.addEventListener('popstate', onPopState);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', onPopState);
  };
}

/** When the page is notified of the browser's own buttons, they have already changed the address. */
function onPopState({ state }: PopStateEvent): void {
  if (isReturning) {
    isReturning = false;
    return;
  }
  const number = numberOf(state);
  if (number !== here && mayLeave?.(parseAddress(location.pathname, location.search)) === false) {
    isReturning = true;
    history.go(here - number);
    return;
  }
  here = number;
  for (const listener of listeners) listener();
}

function numberOf(state: unknown): number {
  const { number } = (state ?? {}) as Partial<Entry>; // as navigate() stored it
  return number ?? 0;
}
