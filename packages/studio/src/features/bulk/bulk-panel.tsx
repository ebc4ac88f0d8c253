import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { AttributeMap, AttributeTypeTag } from '../../../../singlet/src/values/attribute-value.ts';
import { commandKey } from '../../app/shell.tsx';
import { isRemote } from '../../app/server-name.ts';
import { pushUndo } from '../../app/undo.ts';
import { keyOf } from '../../effects/write-request.ts';
import { countText, millisecondsText, plural, unitsText } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { attributeTypes, ValueError, valueOfText } from '../../values/value-problem.ts';
import { cellText } from '../../values/value-text.ts';
import { call, type Exchange } from '../../wire/client.ts';
import type { TableDescription } from '../../wire/table-description.ts';
import {
  type BulkChange,
  type BulkEffects,
  bulkEffects,
  type BulkProgress,
  changedItem,
  type ChangedItem,
  takeBackMany,
  writeMany,
} from './bulk-change.ts';
import './bulk-panel.css';

interface BulkPanelProps {
  readonly table: TableDescription;
  readonly items: readonly AttributeMap[];
  /** How the panel opens. */
  readonly kind: BulkChange['kind'];
  readonly onExchange: (exchange: Exchange) => void;
  readonly onClose: () => void;
}

const kindTitles = { set: 'Set an attribute', remove: 'Remove an attribute', delete: 'Delete the items' } as const;
const failuresShownMax = 200;

/** One change of many items: its effects first, then progress, what failed, and undo. */
export function BulkPanel({ table, items, kind: first, onExchange, onClose }: BulkPanelProps): ReactNode {
  const [kind, setKind] = useState(first);
  const [name, setName] = useState('');
  const [type, setType] = useState<AttributeTypeTag>('S');
  const [text, setText] = useState('');
  const [progress, setProgress] = useState<BulkProgress>();
  const [total, setTotal] = useState(0);
  const [confirmed, setConfirmed] = useState('');
  // What was written disappears from what is to be written, so the work is on the items as they were when it began.
  const [chosen] = useState(items);
  const abort = useRef<AbortController>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  const nameField = useRef<HTMLInputElement>(null);
  const valueField = useRef<HTMLInputElement>(null);
  useEffect(() => (nameField.current ?? heading.current)?.focus({ preventScroll: true }), []);
  const { change, effects, problem } = useMemo(
    () => planned(table, chosen, kind, { name, type, text }),
    [table, chosen, kind, name, type, text],
  );
  const isConfirmed = !isRemote() || confirmed === table.TableName;
  const isBusy = progress !== undefined && !progress.isDone;
  const run = async (wanted: readonly ChangedItem[], earlier: readonly ChangedItem[] = []): Promise<void> => {
    abort.current = new AbortController();
    setTotal(wanted.length);
    const { signal } = abort.current;
    const { written } = await writeMany({ table, items: wanted, signal, onExchange, onProgress: setProgress });
    const all = [...earlier, ...written];
    if (written.length > 0)
      pushUndo({
        label: `${kind === 'delete' ? 'Deleted' : 'Changed'} ${plural(all.length, 'item')}`,
        run: async () => await takeBackMany(table, written, onExchange),
      });
  };
  const save = (): void => {
    if (effects !== undefined && effects.items.length > 0 && isConfirmed && progress === undefined)
      void run(effects.items);
  };
  const retry = async (): Promise<void> => {
    if (progress === undefined || change === undefined) return;
    const fresh = await Promise.all(
      progress.failures.map(async ({ item }) => {
        const input = { TableName: table.TableName, Key: keyOf(table, item.before), ConsistentRead: true };
        const { Item } = await call<{ Item?: AttributeMap }>('GetItem', input, { onExchange });
        return Item;
      }),
    );
    const left = fresh.flatMap((item) => (item === undefined ? [] : [changedItem(table, item, change)]));
    await run(left);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      save();
    } else if (event.key === 'Escape' && !isBusy) {
      event.stopPropagation();
      event.preventDefault();
      onClose();
    }
  };
  return (
    <aside className="item-panel bulk-panel" aria-label="Many items" onKeyDown={onKeyDown}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {plural(chosen.length, 'item')}
          <em>of {table.TableName}</em>
          <button type="button" className="button plain" aria-label="Close" disabled={isBusy} onClick={onClose}>
            <Icon name="close" />
          </button>
        </h2>
      </header>
      <div className="item-body" tabIndex={0} role="region" aria-label="Change">
        <fieldset disabled={progress !== undefined}>
          <label>
            <span>Change</span>
            <select
              className="field"
              value={kind}
              onChange={(event) => setKind(event.target.value as BulkChange['kind'])} // one of the options
            >
              {Object.entries(kindTitles).map(([each, title]) => (
                <option key={each} value={each}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {kind !== 'delete' && (
            <label>
              <span>Attribute</span>
              <input
                ref={nameField}
                className="field mono"
                value={name}
                list="bulk-names"
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => {
                  const [typed = '', value] = event.target.value.split(/=(.*)/s);
                  const known = typeOfAttribute(chosen, typed.trim());
                  // `Status=SHIPPED` is an attribute that the items have, and its value.
                  if (kind !== 'set' || value === undefined || known === undefined) {
                    setName(event.target.value);
                    return;
                  }
                  setName(typed.trim());
                  setType(known);
                  setText(value);
                  valueField.current?.focus();
                }}
              />
            </label>
          )}
          {kind === 'set' && (
            <>
              <label>
                <span>Type</span>
                <select
                  className="field mono"
                  value={type}
                  onChange={(event) => setType(attributeTypes.find((each) => each === event.target.value) ?? 'S')}
                >
                  {attributeTypes.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              </label>
              <label>
                <span>Value</span>
                <input
                  ref={valueField}
                  className="field mono"
                  value={text}
                  spellCheck={false}
                  autoComplete="off"
                  onChange={(event) => setText(event.target.value)}
                />
              </label>
            </>
          )}
        </fieldset>
        <datalist id="bulk-names">
          {[...new Set(chosen.slice(0, 200).flatMap((item) => Object.keys(item)))].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </datalist>
        {progress && <Failures progress={progress} table={table} />}
      </div>
      {problem !== undefined && (
        <p className="item-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="effects">
        {effects && progress === undefined && <Effects effects={effects} whole={chosen.length} />}
        {effects && progress === undefined && isRemote() && (
          <label className="confirm">
            <span>This server is not on this machine. Type {table.TableName} to continue</span>{' '}
            <input className="field mono" value={confirmed} onChange={(event) => setConfirmed(event.target.value)} />
          </label>
        )}
        {progress && (
          <>
            <progress
              aria-label="Written"
              max={Math.max(1, total)}
              value={progress.written.length + progress.failures.length}
            />
            <p role="status" className="mono">
              {countText(progress.written.length)} of {countText(total)} written, {countText(progress.failures.length)}{' '}
              failed · {millisecondsText(progress.durationMs)}
              {progress.isDone &&
                (progress.written.length + progress.failures.length === total ? ' · complete' : ' · stopped')}
            </p>
          </>
        )}
        <div className="actions">
          {progress === undefined && (
            <button
              type="button"
              className="button main"
              disabled={effects === undefined || effects.items.length === 0 || !isConfirmed}
              onClick={save}
            >
              {kind === 'delete' ? 'Delete' : 'Save'} {plural(effects?.items.length ?? 0, 'item')}{' '}
              <kbd>{commandKey()}Enter</kbd>
            </button>
          )}
          {isBusy && (
            <button type="button" className="button" onClick={() => abort.current?.abort()}>
              Stop
            </button>
          )}
          {progress?.isDone === true && progress.failures.length > 0 && (
            <button type="button" className="button" onClick={() => void retry()}>
              Read the failed items again and retry
            </button>
          )}
          {!isBusy && (
            <button type="button" className="button" onClick={onClose}>
              {progress === undefined ? 'Discard' : 'Close'}
            </button>
          )}
        </div>
      </div>
    </aside>
  );
}

/** The type that an attribute has in the first item that has it. */
function typeOfAttribute(items: readonly AttributeMap[], name: string): AttributeTypeTag | undefined {
  const value = items.find((item) => Object.hasOwn(item, name))?.[name];
  return attributeTypes.find((type) => value !== undefined && type in value);
}

interface Planned {
  readonly change?: BulkChange;
  readonly effects?: BulkEffects;
  readonly problem?: string;
}

function planned(
  table: TableDescription,
  items: readonly AttributeMap[],
  kind: BulkChange['kind'],
  { name, type, text }: { readonly name: string; readonly type: AttributeTypeTag; readonly text: string },
): Planned {
  if (kind !== 'delete' && name === '') return {};
  try {
    const change: BulkChange =
      kind === 'set' ? { kind, name, value: valueOfText(type, text) } : kind === 'remove' ? { kind, name } : { kind };
    return { change, effects: bulkEffects(table, items, change) };
  } catch (error) {
    if (error instanceof ValueError) return { problem: error.message };
    throw error;
  }
}

function Effects({ effects, whole }: { readonly effects: BulkEffects; readonly whole: number }): ReactNode {
  const { items, writeUnits, indexes } = effects;
  const same = whole - items.length;
  return (
    <section aria-label="What this changes">
      <h3>
        What this changes
        <em>{unitsText(writeUnits)} WCU</em>
      </h3>
      <ul className="ripple mono">
        <li>
          <b>Table</b>
          <span className="what">
            {plural(items.length, 'item')} written{same === 0 ? '' : `, ${countText(same)} have it already`}
          </span>
          <span />
        </li>
        {Object.entries(indexes).map(([name, kinds]) => (
          <li key={name}>
            <b>{name}</b>
            <span className="what">
              {Object.entries(kinds)
                .map(([kind, count]) => `${countText(count)} ${indexChanges[kind] ?? kind}`)
                .join(', ')}
            </span>
            <span />
          </li>
        ))}
      </ul>
      <p className="condition mono quiet">each only if it has not changed since it was read</p>
    </section>
  );
}

const indexChanges: Readonly<Record<string, string>> = {
  put: 'added',
  delete: 'removed',
  move: 'moved',
  rewrite: 'rewritten in place',
  none: 'unchanged',
  absent: 'not in the index',
};

function Failures({
  progress,
  table,
}: {
  readonly progress: BulkProgress;
  readonly table: TableDescription;
}): ReactNode {
  if (progress.failures.length === 0) return null;
  return (
    <ul className="bulk-failures mono" aria-label="Failed items">
      {progress.failures.slice(0, failuresShownMax).map(({ item, error }) => {
        const key = Object.values(keyOf(table, item.before)).map(cellText).join(' · ');
        return (
          <li key={key}>
            {key}{' '}
            <span className="sign bad">
              ×{' '}
              {error.name === 'ConditionalCheckFailedException'
                ? 'changed in the meantime'
                : `${error.name}: ${error.message}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
