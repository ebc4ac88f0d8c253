import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { type CollectionsAddress, guardLeaving, type ItemTab, itemTabs, navigate } from '../../app/address.ts';
import { useChord } from '../../app/keys.ts';
import { commandKey } from '../../app/shell.tsx';
import { usePanelWidth } from '../../app/panel-width.ts';
import { pushUndo } from '../../app/undo.ts';
import { announceWritten } from '../../app/written-items.ts';
import { effectsOf, type WriteEffects } from '../../effects/write-effects.ts';
import { changesOf, isMove, keyOf, writeRequest, type WriteRequest } from '../../effects/write-request.ts';
import { columnsOf, type Entity } from '../../grid/entities.ts';
import { itemId } from '../../grid/rows.ts';
import { Badge } from '../../ui/badge.tsx';
import { Failure } from '../../ui/failure.tsx';
import { bytesText } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { itemBytes } from '../../values/attribute-size.ts';
import { sameValue, ValueError } from '../../values/value-problem.ts';
import { call, type Exchange, ServiceError } from '../../wire/client.ts';
import { keyNamesOf, type TableDescription } from '../../wire/table-description.ts';
import { AttributeForm, fieldId } from './attribute-form.tsx';
import { EffectList } from './effect-list.tsx';
import { ItemHistory } from './item-history.tsx';
import { IndexMemberships } from './index-memberships.tsx';
import { JsonEditor } from './json-editor.tsx';
import { keyOfAddress, newItem } from './item-address.ts';
import { PanelEdge } from './panel-edge.tsx';
import { TheirChanges } from './their-changes.tsx';
import './item-panel.css';

export interface ItemPanelProps {
  readonly address: CollectionsAddress;
  readonly table: TableDescription;
  readonly entityOf: (item: AttributeMap) => Entity | undefined;
  readonly onExchange: (exchange: Exchange) => void;
  /** To be read, in its first field, or with the effects of its deletion. */
  readonly opening: 'read' | 'full page' | 'edit' | 'delete';
  readonly onClose: () => void;
}

/** The item that the address names, read in full, with a form to edit it. */
export function ItemPanel(props: ItemPanelProps): ReactNode {
  const { address, table, onExchange, onClose } = props;
  const [read, setRead] = useState<{ readonly item?: AttributeMap | undefined; readonly error?: Error }>();
  const [reads, setReads] = useState(0);
  const [restored, setRestored] = useState<AttributeMap>();
  const key = useMemo(() => keyOfAddress(address.item ?? '', table), [address.item, table]);
  useEffect(() => {
    setRead(undefined);
    setRestored(undefined);
    if (key === undefined) return undefined;
    const abort = new AbortController();
    const input = { TableName: table.TableName, Key: key, ConsistentRead: true };
    call<{ Item?: AttributeMap }>('GetItem', input, { signal: abort.signal, onExchange }).then(
      ({ Item }) => setRead({ item: Item }),
      (error: unknown) => abort.signal.aborted || setRead({ error: error as Error }),
    );
    return () => abort.abort();
  }, [key, table.TableName, onExchange, reads]);
  if (address.item === newItem) return <ItemEditor {...props} stored={undefined} />;
  if (restored !== undefined) return <ItemEditor {...props} stored={undefined} restored={restored} />;
  if (key === undefined || (read !== undefined && read.item === undefined && !read.error)) {
    return (
      <Frame onClose={onClose} title="No such item">
        <p className="item-problem">This item does not exist: it was deleted, or its key was changed.</p>
        {key !== undefined && (
          <div className="item-body" role="region" aria-label="History" tabIndex={0}>
            <ItemHistory
              table={table}
              itemKey={key}
              now={undefined}
              against={address.vs}
              onAgainst={(vs) => navigate({ ...address, vs }, 'replace')}
              onExchange={onExchange}
              onRestore={setRestored}
            />
          </div>
        )}
      </Frame>
    );
  }
  if (read?.error) {
    return (
      <Frame onClose={onClose} title="Item">
        <Failure error={read.error} onRetry={() => setReads(reads + 1)} />
      </Frame>
    );
  }
  return read?.item === undefined ? (
    <Frame onClose={onClose} title="Item" />
  ) : (
    <ItemEditor {...props} key={itemId(read.item, keyNamesOf(table))} stored={read.item} />
  );
}

const tabTitles: Readonly<Record<ItemTab, string>> = {
  form: 'Form',
  json: 'JSON',
  indexes: 'Indexes',
  history: 'History',
};

interface ItemEditorProps extends ItemPanelProps {
  readonly stored: AttributeMap | undefined;
  /** An earlier version of an item that was deleted. */
  readonly restored?: AttributeMap;
}

function ItemEditor(props: ItemEditorProps): ReactNode {
  const { address, table, entityOf, onExchange, opening, onClose, stored, restored } = props;
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState<AttributeMap>(stored ?? restored ?? emptyItem(table));
  const [isMoving, setMoving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<Error>();
  const [theirs, setTheirs] = useState<AttributeMap | 'gone'>();
  const [isDeleting, setDeleting] = useState(opening === 'delete' && stored !== undefined);
  const [isSaving, setSaving] = useState(false);
  const [revision, setRevision] = useState(0);
  const tab = address.tab ?? 'form';
  const entity = entityOf(draft);
  const isChanged = base === undefined || !sameValue({ M: base }, { M: draft });
  const after = isDeleting ? undefined : draft;
  const { request, refused } = requestOf(table, base, after);
  const effects = useMemo(
    () => (problem === undefined && (isChanged || isDeleting) ? effectsOfWrite(table, base, after) : undefined),
    [problem, isChanged, isDeleting, table, base, after],
  );
  useUnsavedGuard(isChanged && stored !== undefined, address.item);

  const reset = (item: AttributeMap | undefined, edited: AttributeMap = item ?? emptyItem(table)): void => {
    setBase(item);
    setDraft(edited);
    setProblem(undefined);
    setFailure(undefined);
    setTheirs(undefined);
    setDeleting(false);
    setMoving(false);
    setRevision(revision + 1);
  };

  const readTheirs = async (mine: AttributeMap): Promise<void> => {
    try {
      const input = { TableName: table.TableName, Key: keyOf(table, mine), ConsistentRead: true };
      const { Item } = await call<{ Item?: AttributeMap }>('GetItem', input, { onExchange });
      setTheirs(Item ?? 'gone');
    } catch (error) {
      setFailure(error as Error); // call() throws errors only
    }
  };

  const save = async (): Promise<void> => {
    if (request === undefined || problem !== undefined || isSaving) return;
    setSaving(true);
    setFailure(undefined);
    try {
      await call(request.operation, request.input, { onExchange });
      rememberUndo(table, base, after, onExchange);
      const isMoved = base !== undefined && after !== undefined && isMove(table, base, after);
      if (isMoved) announceWritten({ tableName: table.TableName, key: keyOf(table, base), item: undefined });
      announceWritten({ tableName: table.TableName, key: keyOf(table, draft), item: after });
      if (after === undefined) onClose();
      else if (base === undefined || isMoved)
        navigate({ ...address, item: itemId(after, keyNamesOf(table)) }, 'replace');
      else reset(after);
    } catch (error) {
      const isChangedMeanwhile = error instanceof ServiceError && isRefusedByCondition(error);
      if (isChangedMeanwhile && base !== undefined) await readTheirs(base);
      else setFailure(error as Error); // call() throws errors only
    } finally {
      setSaving(false);
    }
  };

  // With any focus: that of a button is lost with it, as when an attribute is removed.
  useChord('Enter', () => void save());
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'F2') {
      event.preventDefault();
      focusFirstField(draft, table);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      event.preventDefault();
      onClose();
    }
  };
  useEffect(() => {
    if (opening === 'edit' && stored !== undefined) focusFirstField(stored, table);
    // Only when the item opens.
  }, []);
  const edit = (item: AttributeMap): void => {
    setDraft(item);
    setProblem(undefined);
    setDeleting(false);
  };
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(keepFieldInView);
    if (body.current) observer.observe(body.current);
    return () => observer.disconnect();
  }, []);
  const title = base === undefined ? 'New item' : (entity?.name ?? 'Item');
  return (
    <Frame
      title={title}
      entity={entity}
      note={`${bytesText(itemBytes(draft))} of 400 KB`}
      revision={revision}
      full={{
        isOn: address.full === 'on',
        toggle: () => navigate({ ...address, full: address.full === 'on' ? undefined : 'on' }, 'replace'),
      }}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <div className="tabs" role="tablist" aria-label="Item as">
        {itemTabs.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-selected={tab === each}
            aria-controls="item-body"
            onClick={() => navigate({ ...address, tab: each === 'form' ? undefined : each, vs: undefined }, 'replace')}
          >
            {tabTitles[each]}
          </button>
        ))}
      </div>
      <div ref={body} className="item-body" id="item-body" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === 'form' && (
          <AttributeForm
            key={revision}
            table={table}
            base={base}
            draft={draft}
            isMoving={isMoving}
            onEdit={edit}
            onProblem={setProblem}
          />
        )}
        {tab === 'json' && (
          <JsonEditor key={revision} table={table} base={base} draft={draft} onEdit={edit} onProblem={setProblem} />
        )}
        {tab === 'indexes' && <IndexMemberships table={table} item={draft} />}
        {tab === 'history' && (
          <ItemHistory
            table={table}
            itemKey={keyOf(table, base ?? draft)}
            now={base}
            against={address.vs}
            onAgainst={(vs) => navigate({ ...address, vs }, 'replace')}
            onExchange={onExchange}
            onRestore={(version) => {
              reset(base, version);
              navigate({ ...address, tab: undefined, vs: undefined }, 'replace');
            }}
          />
        )}
      </div>
      {theirs !== undefined && base !== undefined && (
        <TheirChanges
          was={base}
          theirs={theirs}
          mine={draft}
          onTakeTheirs={() => (theirs === 'gone' ? onClose() : reset(theirs))}
          onKeepMine={(merged) => reset(theirs === 'gone' ? undefined : theirs, merged)}
        />
      )}
      {(problem ?? refused) !== undefined && (isChanged || problem !== undefined) && (
        <p className="item-problem" role="alert">
          {problem ?? refused}
        </p>
      )}
      {failure && <Failure error={failure} />}
      {effects && (
        <EffectList
          effects={effects}
          request={request}
          changes={base === undefined || after === undefined ? [] : changesOf(base, after)}
        >
          <button
            type="button"
            className="button main"
            disabled={request === undefined || isSaving || theirs !== undefined}
            onClick={() => void save()}
          >
            {isDeleting ? 'Delete' : effects.length > 1 ? 'Move' : 'Save'} <kbd>{commandKey()}Enter</kbd>
          </button>
          <button type="button" className="button" onClick={() => (base === undefined ? onClose() : reset(base))}>
            {isDeleting ? 'Cancel' : 'Discard'}
          </button>
        </EffectList>
      )}
      {!effects && base !== undefined && (
        <div className="effects">
          <button
            type="button"
            className="button"
            aria-pressed={isMoving}
            onClick={() => {
              setMoving(!isMoving);
              navigate({ ...address, tab: undefined }, 'replace');
            }}
          >
            {isMoving ? 'Keep the key' : 'Move to another key…'}
          </button>{' '}
          <button type="button" className="button" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        </div>
      )}
    </Frame>
  );
}

/** The attribute that the grid shows first; without one, the first field. */
function focusFirstField(item: AttributeMap, table: TableDescription): void {
  const name = columnsOf([item], table)[0]?.name;
  const field = name === undefined ? null : document.getElementById(fieldId(name));
  const first = field ?? document.querySelector<HTMLElement>('#item-body :is(input, textarea, select)');
  first?.focus();
  // What is typed replaces the value, as in a sheet.
  if (first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement) first.select();
}

/** What appears below the form takes room from it: the field that is typed into stays in view. */
function keepFieldInView(): void {
  const field = document.activeElement;
  if (field?.matches('#item-body :is(input, textarea)')) field.scrollIntoView({ block: 'nearest' });
}

interface FrameProps {
  readonly title: string;
  readonly entity?: Entity | undefined;
  readonly note?: string;
  /** Counts how many times the contents were replaced. */
  readonly revision?: number;
  /** Whether the item takes the place of the rows. */
  readonly full?: { readonly isOn: boolean; readonly toggle: () => void };
  readonly onClose: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children?: ReactNode;
}

function Frame({ title, entity, note, revision = 0, full, onClose, onKeyDown, children }: FrameProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const width = usePanelWidth();
  const sizes: CSSProperties & { readonly '--panel-width': string } = { '--panel-width': `${width}px` };
  // If a field that had the focus is gone, the panel gets it for the keys, in the same step as the new contents:
  // a later effect could take the focus back from the grid if the panel is closed before it runs.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [revision]);
  return (
    <aside
      className={full?.isOn ? 'item-panel full' : 'item-panel'}
      aria-label="Item"
      style={sizes}
      onKeyDown={onKeyDown}
    >
      <PanelEdge width={width} />
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {entity && <Badge entity={entity} />}
          {title}
          <em>{note}</em>
          {full && (
            <button type="button" className="button plain widen" aria-pressed={full.isOn} onClick={full.toggle}>
              Full page
            </button>
          )}
          <button type="button" className="button plain" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </h2>
      </header>
      {children}
    </aside>
  );
}

function requestOf(
  table: TableDescription,
  base: AttributeMap | undefined,
  after: AttributeMap | undefined,
): { readonly request?: WriteRequest | undefined; readonly refused?: string } {
  try {
    return { request: writeRequest(table, base, after) };
  } catch (error) {
    if (error instanceof ValueError) return { refused: error.message };
    throw error;
  }
}

/** The effects of a write; for a move, those of its two halves. */
function effectsOfWrite(
  table: TableDescription,
  before: AttributeMap | undefined,
  after: AttributeMap | undefined,
): readonly WriteEffects[] {
  if (before === undefined || after === undefined || !isMove(table, before, after))
    return [effectsOf(table, before, after)];
  return [effectsOf(table, before, undefined, true), effectsOf(table, undefined, after, true)];
}

/** Whether another client has changed the item; for a move, its first half reports it. */
function isRefusedByCondition({ name, reasons }: ServiceError): boolean {
  return name === 'ConditionalCheckFailedException' || reasons[0]?.Code === 'ConditionalCheckFailed';
}

/** The reverse write, on condition that the item has not changed since. */
function rememberUndo(
  table: TableDescription,
  before: AttributeMap | undefined,
  after: AttributeMap | undefined,
  onExchange: (exchange: Exchange) => void,
): void {
  const item = after ?? before ?? {};
  const isMoved = before !== undefined && after !== undefined && isMove(table, before, after);
  const request = writeRequest(table, after, before);
  if (request === undefined) return;
  const label = after === undefined ? 'Deleted' : before === undefined ? 'Created' : isMoved ? 'Moved' : 'Saved';
  pushUndo({
    label,
    run: async () => {
      await call(request.operation, request.input, { onExchange });
      if (isMoved) announceWritten({ tableName: table.TableName, key: keyOf(table, after), item: undefined });
      announceWritten({ tableName: table.TableName, key: keyOf(table, before ?? item), item: before });
    },
  });
}

/** Leaving with unsaved changes asks once. */
function useUnsavedGuard(isUnsaved: boolean, item: string | undefined): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    guardLeaving(
      (next) =>
        (next.view === 'collections' && next.item === item) ||
        window.confirm('The item has unsaved changes. Leave anyway?'),
    );
    return () => {
      window.removeEventListener('beforeunload', ask);
      guardLeaving(undefined);
    };
  }, [isUnsaved, item]);
}

function emptyItem(table: TableDescription): AttributeMap {
  const { partition, sort } = keyNamesOf(table);
  const names = sort === undefined ? [partition] : [partition, sort];
  return Object.fromEntries(
    names.map((name) => {
      const type = table.AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S';
      return [name, type === 'N' ? { N: '0' } : type === 'B' ? { B: '' } : { S: '' }];
    }),
  );
}
