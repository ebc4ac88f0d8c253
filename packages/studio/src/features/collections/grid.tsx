import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import type { CollectionSource, SourceState } from '../../grid/collection-source.ts';
import { type Column, columnsOf, type Entity } from '../../grid/entities.ts';
import { offsetsOf, type Row, rowAt } from '../../grid/rows.ts';
import { entityClass } from '../../ui/badge.tsx';
import type { TableDescription, TableIndex } from '../../wire/table-description.ts';
import { CollectionHeader } from './collection-header.tsx';
import { columnTemplate, fittingColumns, ItemCells, NameCells } from './item-row.tsx';

interface GridProps {
  readonly source: CollectionSource;
  readonly state: SourceState;
  readonly rows: readonly Row[];
  readonly table: TableDescription;
  readonly indexes: readonly TableIndex[];
  readonly leading: string;
  /** Id of the row that has the keyboard focus. */
  readonly cursor: string | undefined;
  readonly openItem: string | undefined;
  /** What a run of a pattern did with items, by their ids. */
  readonly marks: ReadonlyMap<string, RowMark>;
  readonly selected: ReadonlySet<string>;
  /** Whether a click selects instead of opening. */
  readonly isSelecting: boolean;
  readonly onSelect: (...rows: readonly Row[]) => void;
  readonly isFolded: (partition: string) => boolean;
  readonly onCursor: (row: Row) => void;
  readonly onOpen: (item: AttributeMap, how: ItemOpening) => void;
  /** Shows the row with the keyboard focus without opening its item, or ends that. */
  readonly onPeek: () => void;
  readonly onFold: (partition: string, folded: boolean) => void;
  readonly onJump: (fraction: number) => void;
  /** The position of the view within the loaded items, 0 to 1. */
  readonly onScrolled: (part: number) => void;
  readonly focusRef: RefObject<HTMLDivElement | null>;
}

/** How an item opens: to be read, in place of the rows, in its first field, or with the effects of its deletion. */
export type ItemOpening = 'read' | 'full page' | 'edit' | 'delete';

/**
 * How a run read an item: its number in the order of reading, or that it was filtered out; or that it has changed since, or what the weather did
 * when it was read.
 */
export interface RowMark {
  readonly kind: 'read' | 'filtered' | 'changed' | 'weather';
  readonly text: string;
}

const wideHeights = { collection: 36, names: 22, item: 28 } as const;
const narrowHeights = { collection: 36, names: 22, item: 40 } as const;
const narrowWidthMax = 560;
/** Rows that are drawn beyond the edges, and the distance in rows at which more are loaded. */
const overscanRows = 4;
const loadAheadRows = 40;
/** Consecutive loads that may bring no visible row. After that, the user is asked whether to continue reading. */
const idleLoadsMax = 10;

/** A million items in at most sixty elements. Positions of rows are computed, and items near the edges are loaded. */
export function Grid(props: GridProps): ReactNode {
  const { state, rows, cursor, focusRef: scroller } = props;
  const [view, setView] = useState({ top: 0, height: 600, width: 1000 });
  const isNarrow = view.width <= narrowWidthMax;
  const offsets = useMemo(() => offsetsOf(rows, isNarrow ? narrowHeights : wideHeights), [rows, isNarrow]);
  const columns = useColumns(props, view.width, isNarrow);
  const anchor = useRef<{ id: string; delta: number } | undefined>(undefined);

  const measure = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop: top, clientHeight: height, clientWidth: width } = element;
    setView((known) =>
      known.top === top && known.height === height && known.width === width ? known : { top, height, width },
    );
  }, [scroller]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [measure, scroller]);

  // The first item in view, and its distance above the edge.
  const noteAnchor = useCallback(() => {
    const element = scroller.current;
    anchor.current = undefined;
    if (!element) return;
    for (let at = rowAt(offsets, element.scrollTop); at < rows.length; at += 1) {
      const row = rows[at];
      if (row?.kind !== 'item') continue;
      anchor.current = { id: row.id, delta: element.scrollTop - (offsets[at] ?? 0) };
      return;
    }
  }, [rows, offsets, scroller]);

  // Rows that are inserted before those in view must not move them.
  const jumps = useRef(state.jumps);
  const shown = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (jumps.current !== state.jumps) {
      if (state.loading) return;
      jumps.current = state.jumps;
      element.scrollTop = state.isEnd && !state.isStart ? (offsets.at(-1) ?? 0) : 0;
      shown.current = undefined; // an item that the address names is shown there as well
    } else if (anchor.current) {
      const { id, delta } = anchor.current;
      const at = rows.findIndex((row) => row.id === id);
      if (at >= 0) element.scrollTop = (offsets[at] ?? 0) + delta;
    }
    noteAnchor();
    measure();
  }, [rows, offsets, state.jumps, state.loading, state.isEnd, state.isStart, noteAnchor, measure, scroller]);

  const first = Math.max(0, rowAt(offsets, view.top) - overscanRows);
  const last = Math.min(rows.length - 1, rowAt(offsets, view.top + view.height) + overscanRows);
  useLoading({ ...props, first, last });

  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    noteAnchor();
    props.onScrolled(element.scrollTop / Math.max(1, element.scrollHeight));
    measure();
  };

  const show = (at: number, where: 'edge' | 'middle' = 'edge'): void => {
    const element = scroller.current;
    if (!element) return;
    const top = offsets[at] ?? 0;
    const bottom = offsets[at + 1] ?? top;
    const isAbove = top < element.scrollTop;
    if (!isAbove && bottom <= element.scrollTop + element.clientHeight) return;
    if (where === 'middle') element.scrollTop = (top + bottom - element.clientHeight) / 2;
    else element.scrollTop = isAbove ? top : bottom - element.clientHeight;
    // Before the event of scrolling, items may be inserted above.
    noteAnchor();
    measure();
  };

  const cursorAt = rows.findIndex(({ id }) => id === cursor);
  const moveTo = (at: number): void => {
    const row = rows[at];
    if (row === undefined) return;
    props.onCursor(row);
    show(at);
  };

  // An item that the address names, or that was opened from another index, is scrolled into view.
  useLayoutEffect(() => {
    if (cursorAt < 0 || shown.current === cursor) return;
    shown.current = cursor;
    show(cursorAt, 'middle');
  });

  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label="Items"
      aria-rowcount={state.isStart && state.isEnd ? rows.length : -1}
      aria-activedescendant={cursorAt >= first && cursorAt <= last ? `row-${cursorAt}` : undefined}
      onScroll={onScroll}
      onKeyDown={(event) => onGridKey(event, { ...props, cursorAt, pageRows: last - first - 2 * overscanRows, moveTo })}
      onClick={(event) => {
        const at = clickedRow(event);
        const row = rows[at];
        if (row === undefined) return;
        moveTo(at);
        if (props.isSelecting || event.ctrlKey || event.metaKey) {
          props.onSelect(row);
          return;
        }
        if (row.kind === 'collection') props.onFold(partitionOf(row), !row.collection.isFolded);
        if (row.kind === 'item') props.onOpen(row.item, 'read');
      }}
    >
      <div className="grid-rows" role="rowgroup" style={{ height: offsets.at(-1) ?? 0 }}>
        {rows.slice(first, last + 1).map((row, at) => (
          <GridRow
            key={row.id}
            row={row}
            at={first + at}
            top={offsets[first + at] ?? 0}
            height={(offsets[first + at + 1] ?? 0) - (offsets[first + at] ?? 0)}
            columns={columns}
            isNarrow={isNarrow}
            grid={props}
          />
        ))}
      </div>
      {!state.isEnd && !state.loading && rows.length === 0 && (
        <p className="grid-message">Nothing to show in what has been read so far.</p>
      )}
    </div>
  );
}

interface GridRowProps {
  readonly row: Row;
  readonly at: number;
  readonly top: number;
  readonly height: number;
  readonly columns: (entity: Entity | undefined) => readonly Column[];
  readonly isNarrow: boolean;
  readonly grid: GridProps;
}

function GridRow({ row, at, top, height, columns, isNarrow, grid }: GridRowProps): ReactNode {
  const { cursor, openItem, table, indexes, leading, marks, selected } = grid;
  const place = { top, height };
  const common = { id: `row-${at}`, role: 'row', 'aria-rowindex': at + 1, 'data-row': at };
  if (row.kind === 'collection') {
    return (
      <div {...common} className="row collection" aria-selected={row.id === cursor} style={place}>
        <CollectionHeader collection={row.collection} />
      </div>
    );
  }
  const shown = columns(row.entity);
  const style = { ...place, gridTemplateColumns: columnTemplate(shown, indexes.length, isNarrow) };
  if (row.kind === 'names') {
    return (
      <div
        {...(shown.length === 0 ? { id: common.id, role: 'presentation', 'data-row': at } : common)}
        className={`row names ${entityClass(row.entity)}`}
        style={style}
      >
        <NameCells columns={shown} />
      </div>
    );
  }
  const mark = marks.get(row.id);
  return (
    <div
      {...common}
      className={`row item ${entityClass(row.entity)}${row.id === openItem ? ' open' : ''}${selected.has(row.id) ? ' selected' : ''}${mark ? ` marked-${mark.kind}` : ''}`}
      aria-selected={row.id === cursor}
      title={mark?.text}
      style={style}
    >
      <ItemCells
        item={row.item}
        entity={row.entity}
        columns={shown}
        leading={leading}
        table={table}
        indexes={indexes}
        weather={mark?.kind === 'weather' ? mark.text : undefined}
      />
    </div>
  );
}

/** Columns keep their first layout, so that rows do not jump while more are loaded. */
function useColumns(
  { rows, table, source, indexes }: GridProps,
  width: number,
  isNarrow: boolean,
): (entity: Entity | undefined) => readonly Column[] {
  const known = useRef(new Map<string, readonly Column[]>());
  const knownFor = useRef(source);
  if (knownFor.current !== source) {
    known.current = new Map();
    knownFor.current = source;
  }
  return (entity) => {
    const name = entity?.name ?? '';
    let columns = known.current.get(name);
    if (columns === undefined) {
      const items = rows.flatMap((row) => (row.kind === 'item' && row.entity === entity ? [row.item] : []));
      columns = columnsOf(items, table);
      known.current.set(name, columns);
    }
    return isNarrow ? columns.slice(0, 1) : fittingColumns(columns, width, indexes.length);
  };
}

function useLoading({
  source,
  state,
  rows,
  first,
  last,
  isFolded,
}: GridProps & { readonly first: number; readonly last: number }): void {
  const idle = useRef({ rows: 0, loads: 0, first: 0, jumps: 0 });
  useEffect(() => {
    if (state.loading || state.error !== undefined || document.hidden) return;
    const known = idle.current;
    if (known.rows !== rows.length || known.first !== first || known.jumps !== state.jumps) {
      idle.current = { rows: rows.length, loads: 0, first, jumps: state.jumps };
    }
    if (idle.current.loads >= idleLoadsMax) return;
    const lastItem = state.items.at(-1);
    if (!state.isEnd && lastItem !== undefined && last >= rows.length - loadAheadRows) {
      idle.current.loads += 1;
      void source.after({ skipCollection: source.canSkipCollections && isFolded(source.partitionOf(lastItem)) });
    } else if (!state.isStart && first < loadAheadRows / 2) {
      idle.current.loads += 1;
      void source.before();
    }
  }, [source, state, rows, first, last, isFolded]);
}

function clickedRow(event: MouseEvent): number {
  const element = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
  return element === null ? -1 : Number(element.dataset['row']);
}

export function partitionOf(row: Row & { readonly kind: 'collection' }): string {
  return row.id.slice('collection '.length);
}

interface KeyContext extends GridProps {
  readonly cursorAt: number;
  readonly pageRows: number;
  readonly moveTo: (at: number) => void;
}

let lastG = 0;
const chordMs = 600;

function onGridKey(event: KeyboardEvent, context: KeyContext): void {
  const hasChord = event.metaKey || event.ctrlKey || event.altKey;
  const act = hasChord ? collectionAction(event, context) : gridAction(event, context);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/** From collection to collection: Alt and an arrow to the next one, Ctrl or ⌘ to the first or last that is loaded. Other chords are not ours. */
function collectionAction(
  { key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  { rows, cursorAt, moveTo }: KeyContext,
): (() => void) | undefined {
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : undefined;
  if (step === undefined || shiftKey || (altKey && (ctrlKey || metaKey))) return undefined;
  const isCollection = ({ kind }: Row): boolean => kind === 'collection';
  const at = altKey
    ? step === 1
      ? rows.findIndex((row, number) => number > cursorAt && isCollection(row))
      : rows.findLastIndex((row, number) => number < cursorAt && isCollection(row))
    : step === 1
      ? rows.findLastIndex(isCollection)
      : rows.findIndex(isCollection);
  return () => (at < 0 ? undefined : moveTo(at));
}

/** The action of a key; undefined for a key that the grid does not use. Typing never changes data. */
function gridAction({ key, timeStamp, shiftKey }: KeyboardEvent, context: KeyContext): (() => void) | undefined {
  const { rows, cursorAt, pageRows, moveTo, onOpen, onPeek, onFold, onJump } = context;
  const row = rows[cursorAt];
  switch (key) {
    case 'ArrowDown':
      if (shiftKey) return () => extend(context, 1);
      return () => moveTo(nextRow(rows, cursorAt, 1));
    case 'j':
      return () => moveTo(nextRow(rows, cursorAt, 1));
    case 'ArrowUp':
      if (shiftKey) return () => extend(context, -1);
      return () => moveTo(nextRow(rows, cursorAt < 0 ? rows.length : cursorAt, -1));
    case 'k':
      return () => moveTo(nextRow(rows, cursorAt < 0 ? rows.length : cursorAt, -1));
    case 'PageDown':
      return () => moveTo(nextRow(rows, Math.min(rows.length - 1, cursorAt + pageRows) - 1, 1));
    case 'PageUp':
      return () => moveTo(nextRow(rows, Math.max(0, cursorAt - pageRows) + 1, -1));
    case 'Home':
      return () => onJump(0);
    case 'End':
    case 'G':
      return () => onJump(1);
    case 'g': {
      const isSecond = timeStamp - lastG < chordMs;
      lastG = timeStamp;
      return () => (isSecond ? onJump(0) : undefined);
    }
    case 'Enter':
      if (row?.kind === 'item') return () => onOpen(row.item, shiftKey ? 'full page' : 'read');
      return row?.kind === 'collection' ? () => onFold(partitionOf(row), !row.collection.isFolded) : undefined;
    case 'F2':
      return row?.kind === 'item' ? () => onOpen(row.item, 'edit') : undefined;
    case ' ':
      return row?.kind === 'item' ? onPeek : undefined;
    case 'ArrowLeft':
    case 'ArrowRight':
      return row?.kind === 'collection' ? () => onFold(partitionOf(row), key === 'ArrowLeft') : undefined;
    default:
      return undefined;
  }
}

/** Selects the row and the next one, and goes there. */
function extend({ rows, cursorAt, moveTo, selected, onSelect }: KeyContext, step: 1 | -1): void {
  const next = nextRow(rows, cursorAt, step);
  const fresh = [rows[cursorAt], rows[next]]
    .filter((row) => row?.kind === 'item')
    .filter(({ id }) => !selected.has(id));
  moveTo(next);
  if (fresh.length > 0) onSelect(...fresh);
}

/** The next row that can be selected. Lines of names cannot. */
function nextRow(rows: readonly Row[], from: number, step: 1 | -1): number {
  for (let at = from + step; at >= 0 && at < rows.length; at += step) if (rows[at]?.kind !== 'names') return at;
  return from;
}
