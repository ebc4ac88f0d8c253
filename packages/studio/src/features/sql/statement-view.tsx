import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { navigate, type StatementAddress } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { useChord, useKeys } from '../../app/keys.ts';
import { entitiesIn, useModels } from '../../app/models.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { commandKey } from '../../app/shell.tsx';
import { pushUndo, takeUndo, useUndo } from '../../app/undo.ts';
import { announceWritten } from '../../app/written-items.ts';
import { writeRequest } from '../../effects/write-request.ts';
import { ExplanationPanel, useExplanation } from '../../ui/explanation-panel.tsx';
import { Failure } from '../../ui/failure.tsx';
import { plural } from '../../ui/figures.ts';
import { ItemTable } from '../../ui/item-table.tsx';
import { Strip } from '../../ui/strip.tsx';
import { call } from '../../wire/client.ts';
import { inspect } from '../../wire/inspect.ts';
import { RequestLog } from '../../wire/request-log.ts';
import { indexesOf, type TableDescription } from '../../wire/table-description.ts';
import {
  type Completion,
  completionsOf,
  keepStatement,
  statementHistory,
  tableOf,
  type Vocabulary,
} from './statement-words.ts';
import { type PreviewedItem, type WritePreview, WritePreviewPanel } from '../../ui/write-preview-panel.tsx';
import './statement-view.css';

/** The pause in typing after which a statement is explained. */
const restMs = 400;
const rowsShown = 200;

interface Outcome {
  readonly items?: readonly AttributeMap[];
  readonly nextToken?: string | undefined;
  readonly error?: Error;
  readonly notice?: string;
}

/** PartiQL: the effects of a statement are shown while it is typed, and its writes before they are made. */
export function StatementView({ address }: { readonly address: StatementAddress }): ReactNode {
  const { tables } = useCatalog();
  const models = useModels();
  const log = useMemo(() => new RequestLog(), []);
  const explanation = useExplanation(log.add);
  const [preview, setPreview] = useState<{ readonly statement: string; readonly answer: WritePreview }>();
  const [outcome, setOutcome] = useState<Outcome>({});
  const [history, setHistory] = useState(statementHistory);
  const [seen, setSeen] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const undo = useUndo();
  const statement = address.s ?? '';
  const vocabulary = useMemo(
    (): Vocabulary => ({
      tables: tables.map((table) => ({
        name: table.TableName,
        indexes: indexesOf(table).map(({ IndexName }) => IndexName),
        attributes: [
          ...new Set([
            ...table.AttributeDefinitions.map(({ AttributeName }) => AttributeName),
            ...(seen.get(table.TableName) ?? []),
          ]),
        ],
      })),
      entities: new Map(
        tables.map(({ TableName }) => [TableName, entitiesIn(models, TableName).map(({ name }) => name)]),
      ),
    }),
    [tables, models, seen],
  );
  const table = tables.find(({ TableName }) => TableName === tableOf(statement, vocabulary)?.name);
  const isWrite = /^\s*(insert|update|delete)\b/i.test(statement);

  usePageTitle('PartiQL');
  useEffect(() => {
    explanation.clear();
    if (statement.trim() === '') return undefined;
    const timer = setTimeout(
      () => explanation.ask({ operation: 'ExecuteStatement', input: { Statement: statement } }),
      restMs,
    );
    return () => clearTimeout(timer);
  }, [statement]);

  const fail = (error: unknown): void => setOutcome({ error: error as Error }); // call() and inspect() throw errors only
  const read = async (before: readonly AttributeMap[], nextToken: string | undefined): Promise<void> => {
    const input = { Statement: statement, ...(nextToken !== undefined && { NextToken: nextToken }) };
    const page = await call<{ Items: readonly AttributeMap[]; NextToken?: string }>('ExecuteStatement', input, {
      onExchange: log.add,
    });
    const items = [...before, ...page.Items];
    setOutcome({ items, nextToken: page.NextToken });
    if (table) setSeen(new Map(seen).set(table.TableName, [...new Set(items.flatMap((item) => Object.keys(item)))]));
  };
  const show = async (): Promise<void> => {
    const body = { operation: 'ExecuteStatement', input: { Statement: statement } };
    setPreview({ statement, answer: await inspect<WritePreview>('preview', { body, onExchange: log.add }) });
  };
  const write = async (shown: WritePreview): Promise<void> => {
    await call('ExecuteStatement', { Statement: statement }, { onExchange: log.add });
    setPreview(undefined);
    setOutcome({ notice: 'Written.' });
    for (const item of shown.items) remember(item, tables, log);
    void catalog.refresh();
  };
  const isShown = preview?.statement === statement && preview.answer.ok;
  const run = (): void => {
    if (statement.trim() === '') return;
    setOutcome({});
    setHistory(keepStatement(statement));
    if (!isWrite) {
      if (address.run === undefined) navigate({ ...address, run: '1' }, 'replace');
      void read([], undefined).catch(fail);
    } else if (isShown) {
      void write(preview.answer).catch(fail);
    } else {
      void show().catch(fail);
    }
  };
  const takeBack = async (): Promise<void> => {
    try {
      await takeUndo()?.run();
      setOutcome({ notice: 'Undone.' });
      void catalog.refresh();
    } catch (error) {
      fail(error);
    }
  };
  // An address whose statement was run and only reads is run again when it is opened.
  useEffect(() => {
    if (address.run !== undefined && !isWrite) run();
  }, []);
  useChord('Enter', run);
  useChord('z', () => void takeBack(), 'outside fields');
  useKeys({ f: () => document.getElementById('statement')?.focus() });
  return (
    <section className="statement query" aria-label="PartiQL">
      <div className="query-scroll">
        <StatementEditor
          statement={statement}
          vocabulary={vocabulary}
          onChange={(next) => {
            setPreview(undefined);
            navigate({ view: 'statement', s: next }, 'replace');
          }}
        />
        <div className="run-bar">
          <button type="button" className="button main" disabled={statement.trim() === ''} onClick={run}>
            {isWrite ? (isShown ? 'Write' : 'Preview the write') : 'Run'} <kbd>{commandKey()}Enter</kbd>
          </button>
          {outcome.notice !== undefined && <span role="status">{outcome.notice}</span>}
          {undo && (
            <button type="button" className="button plain" onClick={() => void takeBack()}>
              {undo.label}. Undo <kbd>{commandKey()}Z</kbd>
            </button>
          )}
        </div>
        {preview?.statement === statement ? (
          <WritePreviewPanel preview={preview.answer} label="What this statement changes" />
        ) : (
          <ExplanationPanel explanation={explanation} />
        )}
        {outcome.error && <Failure error={outcome.error} onRetry={run} />}
        {outcome.items && outcome.items.length === 0 && (
          <p className="message" role="status">
            Nothing was returned.{outcome.nextToken === undefined ? '' : ' There is more to read.'}
          </p>
        )}
        {outcome.items && outcome.items.length > 0 && (
          <ItemTable table={table} items={outcome.items} shown={rowsShown} label="Items of the statement" />
        )}
        {outcome.nextToken !== undefined && (
          <p className="message">
            <button
              type="button"
              className="button"
              onClick={() => void read(outcome.items ?? [], outcome.nextToken).catch(fail)}
            >
              Read the next page
            </button>
          </p>
        )}
        <section className="history" aria-label="History">
          <h2>
            {history.length === 0
              ? 'Statements that you run are listed here, without their values.'
              : `${plural(history.length, 'earlier statement')}, kept without values`}
          </h2>
          <ul className="mono">
            {history.map((kept) => (
              <li key={kept}>
                <button type="button" className="row-button" onClick={() => navigate({ view: 'statement', s: kept })}>
                  {kept}
                </button>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <Strip log={log} subject="statements" />
    </section>
  );
}

/** The reverse write, on condition that the item has not changed since. */
function remember(item: PreviewedItem, tables: readonly TableDescription[], log: RequestLog): void {
  const table = tables.find(({ TableName }) => TableName === item.table);
  const before = item.old ?? undefined;
  const after = item.new ?? undefined;
  const request = table && writeRequest(table, after, before);
  if (request === undefined) return;
  pushUndo({
    label: 'Written',
    run: async () => {
      await call(request.operation, request.input, { onExchange: log.add });
      announceWritten({ tableName: item.table, key: item.key, item: before });
    },
  });
}

/** Completions are listed below. The arrows select one, Tab inserts it, Escape closes the list. */
function StatementEditor({
  statement,
  vocabulary,
  onChange,
}: {
  readonly statement: string;
  readonly vocabulary: Vocabulary;
  readonly onChange: (statement: string) => void;
}): ReactNode {
  const area = useRef<HTMLTextAreaElement>(null);
  const [completion, setCompletion] = useState<Completion>();
  const [at, setAt] = useState(0);
  const inserted = useRef<{ readonly statement: string; readonly caret: number }>(undefined);
  // As soon as the text is there: later, the caret would move away from what has been typed meanwhile.
  useLayoutEffect(() => {
    if (inserted.current?.statement !== statement) return;
    const { caret } = inserted.current;
    inserted.current = undefined;
    area.current?.focus();
    area.current?.setSelectionRange(caret, caret);
  });
  const look = (text: string, caret: number): void => {
    setAt(0);
    setCompletion(completionsOf(text, caret, vocabulary));
  };
  const take = (choice: string): void => {
    const element = area.current;
    if (element === null || completion === undefined) return;
    const next = `${statement.slice(0, completion.from)}${choice}${statement.slice(element.selectionStart)}`;
    inserted.current = { statement: next, caret: completion.from + choice.length };
    onChange(next);
    setCompletion(undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      look(statement, event.currentTarget.selectionStart);
      return;
    }
    if (completion === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { length } = completion.choices;
    if (event.key === 'ArrowDown') setAt((at + 1) % length);
    else if (event.key === 'ArrowUp') setAt((at - 1 + length) % length);
    else if (event.key === 'Tab' && !event.shiftKey) take(completion.choices[at] ?? '');
    else if (event.key === 'Escape') setCompletion(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="statement-editor">
      <textarea
        id="statement"
        ref={area}
        className="mono"
        aria-label="Statement"
        rows={6}
        value={statement}
        placeholder={'SELECT * FROM "table"."index" WHERE "PK" = \'…\''}
        spellCheck={false}
        autoComplete="off"
        aria-controls="completions"
        onKeyDown={onKeyDown}
        onBlur={() => setCompletion(undefined)}
        onChange={(event) => {
          onChange(event.target.value);
          look(event.target.value, event.target.selectionStart);
        }}
      />
      <ul id="completions" role="listbox" aria-label="Completions" hidden={completion === undefined}>
        {completion?.choices.map((choice, number) => (
          <li
            key={choice}
            role="option"
            aria-selected={number === at}
            className="mono"
            onMouseDown={(event) => {
              event.preventDefault();
              take(choice);
            }}
          >
            {choice}
          </li>
        ))}
        {completion !== undefined && (
          <li className="quiet" role="option" aria-selected="false" aria-disabled="true">
            <kbd>Tab</kbd>
          </li>
        )}
      </ul>
    </div>
  );
}
