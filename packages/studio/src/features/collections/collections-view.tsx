import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { type CollectionsAddress, navigate } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { notePrefixes } from '../../app/key-prefixes.ts';
import { heatLevel, useHeat } from '../../app/heat.ts';
import { useChord, useKeys } from '../../app/keys.ts';
import { entitiesFor, useModels } from '../../app/models.ts';
import { type KeptRun, keptRun } from '../../app/pattern-runs.ts';
import { commandKey } from '../../app/shell.tsx';
import { takeUndo, useUndo } from '../../app/undo.ts';
import { useWrittenItems } from '../../app/written-items.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { CollectionSource } from '../../grid/collection-source.ts';
import { Entities } from '../../grid/entities.ts';
import { whyNotIn } from '../../grid/index-membership.ts';
import { itemId, type Row, rowsOf } from '../../grid/rows.ts';
import { requestOf } from '../../request-text/built-query.ts';
import { requestText } from '../../request-text/request-text.ts';
import { Failure } from '../../ui/failure.tsx';
import { countText, plural } from '../../ui/figures.ts';
import { Link } from '../../ui/link.tsx';
import { Strip } from '../../ui/strip.tsx';
import { typedText, typedValue } from '../../values/value-text.ts';
import { call, ServiceError } from '../../wire/client.ts';
import type { HeatReport } from '../../wire/heat-answers.ts';
import { RequestLog } from '../../wire/request-log.ts';
import {
  indexesOf,
  type KeyNames,
  keyNamesOf,
  keyTypeOf,
  type TableDescription,
  type TableIndex,
} from '../../wire/table-description.ts';
import type { BulkChange } from '../bulk/bulk-change.ts';
import { BulkPanel } from '../bulk/bulk-panel.tsx';
import { keyOfAddress, newItem } from '../item/item-address.ts';
import { ItemPanel } from '../item/item-panel.tsx';
import { BesideIndex } from './beside-index.tsx';
import { Grid, type ItemOpening, partitionOf, type RowMark } from './grid.tsx';
import { IndexTabs, Legend } from './index-tabs.tsx';
import { KeyBar } from './key-bar.tsx';
import { AwaitedRows, NoItems } from './no-items.tsx';
import { Peek } from './peek.tsx';
import { placedItem } from './placed-item.ts';
import { Ruler } from './ruler.tsx';
import { parseSortCondition } from '../../app/sort-condition.ts';
import { TimeBar } from './time-bar.tsx';
import { useLiveChanges } from './use-live-changes.ts';
import { usePast } from './use-past.ts';
import { useWeatherMarks } from './use-weather-marks.ts';
import './collections-view.css';

/** The items of a table or an index, by partition key. */
export function CollectionsView({ address }: { readonly address: CollectionsAddress }): ReactNode {
  const { tables, status, error } = useCatalog();
  const table = tables.find(({ TableName }) => TableName === address.table);
  usePageTitle(`Items of ${address.table}${address.index === undefined ? '' : `, ${address.index}`}`);
  if (error && !table) return <Failure error={error} onRetry={() => void catalog.refresh()} />;
  if (status === 'loading') return null;
  if (!table)
    return (
      <Failure
        error={new ServiceError('ResourceNotFoundException', `There is no table ${address.table} here.`)}
        onRetry={() => void catalog.refresh()}
      />
    );
  const index = indexesOf(table).find(({ IndexName }) => IndexName === address.index);
  if (address.index !== undefined && !index) {
    return (
      <Failure
        error={
          new ServiceError('ResourceNotFoundException', `The table ${address.table} has no index ${address.index}.`)
        }
      />
    );
  }
  const what = [table.TableName, index?.IndexName, address.pk, address.sk].join('\n');
  return <Collections key={what} address={address} table={table} index={index} />;
}

interface CollectionsProps {
  readonly address: CollectionsAddress;
  readonly table: TableDescription;
  readonly index: TableIndex | undefined;
}

/** The row with the keyboard focus is kept when the index changes. */
let carriedCursor: string | undefined;

/** Entities keep their colours when the index of a table changes. */
const entitiesByTable = new Map<string, { readonly known: string; readonly entities: Entities }>();

/** The entities of a table, computed again when its models declare other ones. */
function useEntities(table: TableDescription): Entities {
  const models = useModels();
  const [declared, known] = useMemo(() => {
    const entities = entitiesFor(models, table.TableName);
    return [entities, JSON.stringify(entities)];
  }, [models, table.TableName]);
  const kept = entitiesByTable.get(table.TableName);
  if (kept?.known === known) return kept.entities;
  const entities = new Entities(table, declared);
  entitiesByTable.set(table.TableName, { known, entities });
  return entities;
}

function Collections({ address, table, index }: CollectionsProps): ReactNode {
  const keys = keyNamesOf(index ?? table);
  const tableKeys = keyNamesOf(table);
  const indexes = indexesOf(table);
  const entities = useEntities(table);
  const log = useMemo(() => new RequestLog(), []);
  const source = useSource({ address, table, index, log });
  const present = useSyncExternalStore(source.subscribe, source.snapshot);
  const past = usePast({
    table,
    index,
    partition: address.pk === undefined ? undefined : typedValue(address.pk),
    time: address.time,
    onExchange: log.add,
  });
  const live = useLiveChanges({
    table,
    index,
    source,
    isShown: (written) => {
      const value = written[keys.partition];
      return address.pk === undefined || (value !== undefined && typedText(value) === address.pk);
    },
    onReceived: log.received,
  });
  const weather = useWeatherMarks(table, present.items, log.add);
  const state = useMemo(
    () =>
      past?.collection === undefined
        ? present
        : { ...present, items: past.collection.items, isStart: true, isEnd: true },
    [present, past?.collection],
  );
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string | undefined>(address.item ?? carriedCursor);
  const [part, setPart] = useState(0);
  const [notice, setNotice] = useState('');
  const grid = useRef<HTMLDivElement>(null);
  const section = useRef<HTMLElement>(null);
  const isWide = useIsWide(section);
  const shown = useMemo(() => (address.e === undefined ? undefined : new Set(address.e.split(','))), [address.e]);
  const isFolded = useCallback((partition: string) => folded.has(partition), [folded]);
  const rows = useMemo(
    () =>
      rowsOf(state.items, {
        keys,
        tableKeys,
        entityOf: (item) => entities.of(item),
        isFolded,
        shown,
        isStart: state.isStart,
        isEnd: state.isEnd,
        skipped: state.skipped,
      }),
    // The names of keys are those of the table.
    [state.items, state.isStart, state.isEnd, state.skipped, isFolded, shown, entities],
  );

  const run = keptRun(address.hi);
  const marks = useMemo(() => {
    if (past?.collection)
      return new Map<string, RowMark>(
        [...past.collection.changed].map((id) => [id, { kind: 'changed', text: 'Changed since' }]),
      );
    return new Map([
      ...weather,
      ...live.marks,
      ...marksOf(run?.table === table.TableName ? run : undefined, tableKeys),
    ]);
  }, [run, past?.collection, live.marks, weather]);
  useEffect(
    () => notePrefixes(table.TableName, tableKeys.partition, state.items.slice(0, 1000)),
    [table.TableName, tableKeys.partition, state.items],
  );

  useEffect(() => {
    const key = address.pk === undefined && address.item !== undefined ? keyOfAddress(address.item, table) : undefined;
    if (key === undefined) void source.jump(Number(address.at ?? 0));
    else void source.jumpToItem(() => placedItem({ table, index, key, onExchange: log.add }), Number(address.at ?? 0));
    grid.current?.focus({ preventScroll: true });
    // An item or a position in the address is where the view begins; later jumps write a position there.
  }, [source]);

  const jump = (fraction: number): void => {
    navigate({ ...address, at: fraction === 0 ? undefined : String(Math.round(fraction * 1e6) / 1e6) }, 'replace');
    setCursor(undefined);
    void source.jump(fraction);
  };
  const openRow = rows.find((row) => row.id === cursor);
  const item = openRow?.kind === 'item' ? openRow.item : undefined;

  const places = [undefined, ...indexes];
  const goToIndex = (step: 1 | -1): void => {
    const at = places.findIndex((place) => place?.IndexName === index?.IndexName);
    goToPlace((at + step + places.length) % places.length);
  };
  /** @param number - 0 is the table. */
  const goToPlace = (number: number): void => {
    const next = places[number];
    if (number >= places.length) return;
    const why = item && next && whyNotIn(item, next, table);
    if (why !== undefined) {
      setNotice(`This item is not in ${next?.IndexName ?? ''}: ${why}`);
      return;
    }
    carriedCursor = item && itemId(item, tableKeys);
    navigate(inIndex(address, next, table, item));
  };
  const isHot = address.heat === 'on';
  const { report: heat, error: heatError } = useHeat(
    isHot
      ? { table: table.TableName, index: index?.kind === 'global' ? index.IndexName : undefined, minutes: '5' }
      : undefined,
    log,
  );
  // Said once, although it is asked for again.
  const heatFailure = heatError?.message;
  useEffect(() => {
    if (heatFailure !== undefined) setNotice(heatFailure);
  }, [heatFailure]);
  const toggleHeat = (): void => navigate({ ...address, heat: isHot ? undefined : 'on' }, 'replace');
  const undo = useUndo();
  const takeBack = async (): Promise<void> => {
    const step = takeUndo();
    if (step === undefined) return;
    try {
      await step.run();
      setNotice('Undone.');
    } catch (error) {
      const name = error instanceof Error ? error.name : '';
      const isChanged = name === 'ConditionalCheckFailedException';
      const what = name === 'NotUndoneError' && error instanceof Error ? error.message : name;
      setNotice(isChanged ? 'Not undone: the item has changed since.' : `Not undone: ${what}`);
    }
  };
  useChord('z', () => void takeBack(), 'outside fields');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isSelecting, setSelecting] = useState(false);
  const [opening, setOpening] = useState<ItemOpening>('read');
  const [isPeeking, setPeeking] = useState(false);
  const [bulk, setBulk] = useState<BulkChange['kind']>();
  const itemRows = useMemo(() => rows.filter((row) => row.kind === 'item'), [rows]);
  const selectedItems = useMemo(
    () => itemRows.filter(({ id }) => selected.has(id)).map((row) => row.item),
    [itemRows, selected],
  );
  /** An item, or all loaded items of a collection; deselected if all of them are selected. */
  const toggleSelected = (...chosen: readonly Row[]): void => {
    const ids = chosen.flatMap((row) => {
      if (row.kind !== 'collection') return row.kind === 'item' ? [row.id] : [];
      return itemRows.filter(({ item: each }) => source.partitionOf(each) === partitionOf(row)).map(({ id }) => id);
    });
    if (ids.length === 0) return;
    const isAll = ids.every((id) => selected.has(id));
    setSelected(new Set(isAll ? [...selected].filter((id) => !ids.includes(id)) : [...selected, ...ids]));
    setSelecting(true);
  };
  const endSelection = (): void => {
    setSelected(new Set());
    setSelecting(false);
    setBulk(undefined);
  };
  const isPartial = index !== undefined && index.Projection.ProjectionType !== 'ALL';
  const openBulk = (kind: BulkChange['kind']): void => {
    if (past !== undefined) setNotice('This is a past state. Go back to Now to change items.');
    else if (selectedItems.length === 0) setNotice('Select items first: press X, or click Select and then the items.');
    else if (isPartial) setNotice(`${index.IndexName} projects only some attributes. Change these items in the table.`);
    else {
      navigate({ ...address, item: undefined, tab: undefined, vs: undefined }, 'replace');
      setBulk(kind);
    }
  };
  const closeBulk = (): void => {
    setBulk(undefined);
    grid.current?.focus({ preventScroll: true });
  };
  const closeItem = (): void => {
    navigate({ ...address, item: undefined, tab: undefined, vs: undefined, full: undefined }, 'replace');
    grid.current?.focus({ preventScroll: true });
  };
  const open = (opened: AttributeMap, how: ItemOpening): void => {
    // What was is shown, and not changed.
    if (past !== undefined && how === 'delete') return;
    setBulk(undefined);
    setPeeking(false);
    setOpening(how);
    const full = how === 'full page' ? 'on' : address.full;
    navigate({ ...address, item: itemId(opened, tableKeys), full, vs: undefined }, 'replace');
  };
  /** In an index, and for a new item, only the server can tell the position in the order. */
  useWrittenItems((written) => {
    const changes = new Map(
      written
        .filter(({ tableName }) => tableName === table.TableName)
        .map(({ key, item: now }) => [itemId(key, tableKeys), now]),
    );
    const [first] = changes.keys();
    if (first === undefined) return;
    const held = new Set(source.snapshot().items.map((each) => itemId(each, tableKeys)));
    if (index === undefined && [...changes].every(([id, now]) => now === undefined || held.has(id)))
      source.replaceItems(changes);
    else void source.jump(Number(address.at ?? 0));
    if (changes.size === 1) setCursor(first);
    void catalog.refresh();
  });
  useKeys({
    n: () => navigate({ ...address, item: newItem, tab: undefined, vs: undefined }, 'replace'),
    '[': () => goToIndex(-1),
    ']': () => goToIndex(1),
    h: toggleHeat,
    f: () => document.getElementById('pk-value')?.focus(),
    c: () => document.querySelector<HTMLButtonElement>('.strip .forms button:not(.explain)')?.click(),
    e: () => document.querySelector<HTMLButtonElement>('.strip .explain')?.click(),
    x: () => openRow && toggleSelected(openRow),
    b: () => openBulk('set'),
    d: () => {
      if (selectedItems.length > 0) openBulk('delete');
      else if (item !== undefined) open(item, 'delete');
    },
    ...Object.fromEntries(placeKeys.map((key, number) => [key, () => goToPlace(number)])),
    Escape: () => {
      if (isPeeking) setPeeking(false);
      else if (selected.size > 0 || isSelecting) endSelection();
      else if (address.item !== undefined) closeItem();
      else if (address.pk !== undefined) navigate({ ...address, pk: undefined, sk: undefined });
    },
  });

  /** The open item as it is in the rows. */
  const shownItem = itemRows.find(({ id }) => id === address.item)?.item;

  return (
    <section ref={section} className="collections" aria-label="Item collections" data-live={live.status}>
      <div className="index-tabs">
        <IndexTabs address={address} table={table} indexes={indexes} />
        <Legend
          entities={entities.all}
          shown={shown}
          onShow={(names) => navigate({ ...address, e: names }, 'replace')}
        />
      </div>
      <KeyBar
        key={`${address.pk ?? ''} ${address.sk ?? ''}`}
        partition={{ name: keys.partition, type: keyTypeOf(table, keys.partition) }}
        sort={keys.sort === undefined ? undefined : { name: keys.sort, type: keyTypeOf(table, keys.sort) }}
        address={address}
        codeOf={({ pk, sk }) => queryCode(table, { ...address, pk, sk })}
        onCopied={() => setNotice('The request is copied, as code for the SDK.')}
      >
        <button
          type="button"
          className="button plain"
          aria-pressed={past !== undefined}
          onClick={() =>
            navigate(
              { ...address, sk: undefined, item: undefined, time: past === undefined ? '0' : undefined },
              past === undefined ? 'push' : 'replace',
            )
          }
        >
          Time
        </button>
        {run && (
          <button
            type="button"
            className="button plain"
            onClick={() => navigate({ ...address, hi: undefined }, 'replace')}
          >
            Unmark {run.pattern}
          </button>
        )}
        {undo && (
          <button type="button" className="button plain" onClick={() => void takeBack()}>
            {undo.label}. Undo <kbd>{commandKey()}Z</kbd>
          </button>
        )}
        <Link
          to={{ view: 'query', table: table.TableName, index: index?.IndexName, pk: address.pk, sk: address.sk }}
          className="button plain optional"
        >
          Filter…
        </Link>
        <button type="button" className="button plain optional" aria-pressed={isHot} onClick={toggleHeat}>
          Heat <kbd>H</kbd>
        </button>
        <button
          type="button"
          className="button plain"
          aria-pressed={isSelecting}
          onClick={() => (isSelecting ? endSelection() : setSelecting(true))}
        >
          Select <kbd>X</kbd>
        </button>
        <button
          type="button"
          className="button"
          onClick={() => navigate({ ...address, item: newItem, tab: undefined, vs: undefined }, 'replace')}
        >
          New item <kbd>N</kbd>
        </button>
      </KeyBar>
      {past && (
        <TimeBar
          past={past}
          onTime={(time) => navigate({ ...address, time }, 'replace')}
          onNow={() => navigate({ ...address, time: undefined }, 'replace')}
        />
      )}
      <div className="grid-place">
        {state.error && rows.length === 0 ? (
          <Failure error={state.error} onRetry={() => void source.jump(Number(address.at ?? 0))} />
        ) : rows.length === 0 && state.jumps > 0 && !state.loading && state.isEnd && state.isStart ? (
          past === undefined ? (
            <NoItems address={address} table={table} index={index} onExchange={log.add} />
          ) : (
            <p className="grid-message">This collection had no items then.</p>
          )
        ) : (
          <Grid
            source={source}
            state={state}
            rows={rows}
            table={table}
            indexes={indexes}
            leading={
              index === undefined
                ? (tableKeys.sort ?? tableKeys.partition)
                : (keys.sort ?? tableKeys.sort ?? tableKeys.partition)
            }
            cursor={cursor}
            openItem={address.item}
            marks={marks}
            isFolded={isFolded}
            focusRef={grid}
            onCursor={(row) => {
              setNotice('');
              setCursor(row.id);
            }}
            selected={selected}
            isSelecting={isSelecting}
            onSelect={toggleSelected}
            onOpen={open}
            onPeek={() => setPeeking(!isPeeking)}
            onFold={(partition, fold) => {
              setFolded(withOrWithout(folded, partition, fold));
              if (!fold) void source.resume(partition);
            }}
            onJump={jump}
            onScrolled={setPart}
          />
        )}
        {rows.length === 0 && state.loading && <AwaitedRows />}
        {live.fresh > 0 && past === undefined && (
          <p className="fresh" role="status">
            {plural(live.fresh, 'new item')}{' '}
            <button
              type="button"
              className="button"
              onClick={() => {
                live.clear();
                void source.jump(Number(address.at ?? 0));
              }}
            >
              Read again
            </button>
          </p>
        )}
        <p className="notice" role="status">
          {notice}
        </p>
        {isPeeking && item !== undefined && (
          <Peek item={item} entity={openRow?.kind === 'item' ? openRow.entity : undefined} index={index} />
        )}
        {isSelecting && bulk === undefined && (
          <SelectionBar
            count={selectedItems.length}
            shown={itemRows.length}
            onAll={() => setSelected(new Set(itemRows.map(({ id }) => id)))}
            onBulk={openBulk}
            onEnd={endSelection}
          />
        )}
        {address.pk === undefined && (
          <Ruler
            from={state.from}
            to={state.to}
            here={state.from + (state.to - state.from) * part}
            {...rulerHeat(heat)}
            onJump={jump}
          />
        )}
      </div>
      <Strip
        log={log}
        subject={index === undefined ? table.TableName : `${table.TableName}, ${index.IndexName}`}
        isExplained
      />
      {bulk !== undefined && (
        <BulkPanel
          key={bulk}
          table={table}
          items={selectedItems}
          kind={bulk}
          onExchange={log.add}
          onClose={closeBulk}
        />
      )}
      {address.item !== undefined && bulk === undefined && (
        <ItemPanel
          key={address.item}
          address={address}
          table={table}
          entityOf={(shownItem) => entities.of(shownItem)}
          onExchange={log.add}
          opening={opening}
          onClose={closeItem}
        />
      )}
      {isWide && shownItem !== undefined && bulk === undefined && (
        <BesideIndex
          address={address}
          table={table}
          item={shownItem}
          entityOf={(each) => entities.of(each)}
          onExchange={log.add}
        />
      )}
    </section>
  );
}

/** `1` is the table, the others are its indexes. */
const placeKeys: readonly string[] = Array.from({ length: 9 }, (_, at) => String(at + 1));

/** From here on there is room for a third column. */
const wideWidthMin = 1_800;

/** Whether a view is that wide. The third column sends a request, so hiding it would not do. */
function useIsWide(element: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = (): void => setWide(current.clientWidth >= wideWidthMin);
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return isWide;
}

/** What can be done with the selected items. */
function SelectionBar({
  count,
  shown,
  onAll,
  onBulk,
  onEnd,
}: {
  readonly count: number;
  readonly shown: number;
  readonly onAll: () => void;
  readonly onBulk: (kind: BulkChange['kind']) => void;
  readonly onEnd: () => void;
}): ReactNode {
  return (
    <div className="selection-bar" role="group" aria-label="Selection">
      <b role="status">{countText(count)} selected</b>
      <button type="button" className="button plain" onClick={onAll}>
        All {countText(shown)} loaded
      </button>
      <button type="button" className="button" disabled={count === 0} onClick={() => onBulk('set')}>
        Change… <kbd>B</kbd>
      </button>
      <button type="button" className="button" disabled={count === 0} onClick={() => onBulk('delete')}>
        Delete… <kbd>D</kbd>
      </button>
      <button type="button" className="button plain" onClick={onEnd}>
        None <kbd>Esc</kbd>
      </button>
    </div>
  );
}

function useSource({ address, table, index, log }: CollectionsProps & { readonly log: RequestLog }): CollectionSource {
  const { pk, sk } = address;
  return useMemo(() => {
    const sortName = keyNamesOf(index ?? table).sort;
    return new CollectionSource({
      table,
      index,
      partition: pk === undefined ? undefined : typedValue(pk),
      sort: sk === undefined || sortName === undefined ? undefined : parseSortCondition(sk, keyTypeOf(table, sortName)),
      call: <Output,>(operation: string, input: object) => call<Output>(operation, input, { onExchange: log.add }),
    });
    // A table that is described again has the same keys.
  }, [table.TableName, index?.IndexName, pk, sk, log]);
}

/** The request for items, as code. */
function queryCode(table: TableDescription, { index, pk, sk }: CollectionsAddress): string {
  const { sort } = keyNamesOf(indexesOf(table).find(({ IndexName }) => IndexName === index) ?? table);
  const { operation, input } = requestOf(table, {
    index,
    partition: pk === undefined ? undefined : typedValue(pk),
    sort: sk === undefined || sort === undefined ? undefined : parseSortCondition(sk, keyTypeOf(table, sort)),
    filters: [],
    projection: [],
    isDescending: false,
    isConsistent: false,
    limit: undefined,
  });
  return requestText('sdk', operation, input);
}

/** The address of another index, at the item's collection there. */
function inIndex(
  address: CollectionsAddress,
  index: TableIndex | undefined,
  table: TableDescription,
  item: AttributeMap | undefined,
): CollectionsAddress {
  const place: CollectionsAddress = {
    view: 'collections',
    table: address.table,
    index: index?.IndexName,
    e: address.e,
  };
  if (item === undefined) return place;
  const { partition } = keyNamesOf(index ?? table);
  const value = item[partition];
  return {
    ...place,
    pk: value && typedText(value),
    item: address.item === undefined ? undefined : itemId(item, keyNamesOf(table)),
  };
}

/** The heat on the ruler: reads and writes of the last minutes together, and where partitions begin. */
function rulerHeat(report: HeatReport | undefined): {
  readonly heat?: readonly number[];
  readonly partitions?: readonly number[];
} {
  if (report === undefined) return {};
  const sum = (series: readonly number[]): number => series.reduce((total, units) => total + units, 0);
  const totals = report.rows.map(({ reads, writes }) => sum(reads) + sum(writes));
  const hottest = Math.max(...totals);
  return {
    heat: totals.map((total) => heatLevel(total, hottest)),
    partitions: report.partitions.slice(1).map(({ hashFrom }) => Number.parseInt(hashFrom.slice(0, 8), 16) / 2 ** 32),
  };
}

/** The rows that a run of a pattern read, by the ids of their items. */
function marksOf(run: KeptRun | undefined, keys: KeyNames): ReadonlyMap<string, RowMark> {
  const marks = new Map<string, RowMark>();
  for (const key of run?.filtered ?? []) {
    marks.set(itemId(key, keys), { kind: 'filtered', text: 'Read, and filtered away' });
  }
  for (const [at, key] of (run?.read ?? []).entries()) {
    marks.set(itemId(key, keys), {
      kind: 'read',
      text: `Number ${at + 1} of the items that ${run?.pattern ?? ''} touched`,
    });
  }
  return marks;
}

function withOrWithout(set: ReadonlySet<string>, element: string, isIn: boolean): ReadonlySet<string> {
  const changed = new Set(set);
  if (isIn) changed.add(element);
  else changed.delete(element);
  return changed;
}
