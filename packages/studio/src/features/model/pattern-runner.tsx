import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type CollectionsAddress, type ModelAddress, navigate } from '../../app/address.ts';
import { catalog } from '../../app/catalog.ts';
import { useChord, useKeys } from '../../app/keys.ts';
import { keepRun } from '../../app/pattern-runs.ts';
import { commandKey } from '../../app/shell.tsx';
import { typedText } from '../../values/value-text.ts';
import { ServiceError } from '../../wire/client.ts';
import type { ModelAnswer, PatternForm, PatternRun, PatternVerdict } from '../../wire/model-answers.ts';
import type { RequestLog } from '../../wire/request-log.ts';
import { indexesOf, keyNamesOf } from '../../wire/table-description.ts';
import { InputForm } from './input-form.tsx';
import type { ModelEntities } from './model-entities.ts';
import { type Drafts, draftsOf, inputOf, type Problem } from './pattern-input.ts';
import { PatternPlan } from './pattern-plan.tsx';
import { PatternRequests } from './pattern-requests.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { partitionOf, previewPattern, type RunOptions, type RunPreview, runPattern } from './run-pattern.ts';
import { WritePreviewList } from './write-preview.tsx';

interface PatternRunnerProps {
  readonly address: ModelAddress;
  readonly model: ModelAnswer;
  readonly entities: ModelEntities;
  readonly form: PatternForm;
  readonly pattern: PatternVerdict;
  readonly log: RequestLog;
}

/** The outcome of pressing Run. A write is first previewed, and made when Run is pressed again. */
type Outcome =
  | { readonly kind: 'none' | 'running' }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'previewed'; readonly preview: RunPreview }
  | { readonly kind: 'ran'; readonly run: PatternRun };

const typingRestMs = 300;

/** A form for a pattern's input, its plan, and the result of a run. */
export function PatternRunner({ address, model, entities, form, pattern, log }: PatternRunnerProps): ReactNode {
  const [drafts, setDrafts] = useState<Drafts>(() => draftsOf(form, address.in));
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const aside = useRef<HTMLElement>(null);
  const close = (): void => {
    navigate({ ...address, p: undefined, in: undefined });
    document.querySelector<HTMLElement>('.pattern-list a[aria-current]')?.focus();
  };
  useEffect(() => aside.current?.querySelector<HTMLElement>('input, select, textarea, .main')?.focus(), []);
  // The result gets the focus as it is drawn, so that the next key acts on it and is not typed into a field.
  useLayoutEffect(() => {
    if (outcome.kind === 'ran') aside.current?.querySelector<HTMLElement>('.outcome')?.focus();
  }, [outcome]);
  useInputInAddress(address, form, drafts);
  useKeys({ v: () => show(), Escape: close });

  const change = (path: string, text: string): void => {
    setDrafts({ ...drafts, [path]: text });
    setProblems(problems.filter((problem) => problem.path !== path));
    if (outcome.kind === 'previewed') setOutcome({ kind: 'none' });
  };
  const optionsOf = (): RunOptions | undefined => {
    const { input, problems: found } = inputOf(form, drafts);
    setProblems(found);
    return found.length > 0 ? undefined : { model: model.name, pattern: form.name, input, onExchange: log.add };
  };
  const run = async (cursor?: string): Promise<void> => {
    const asked = optionsOf();
    if (asked === undefined) return;
    const options = { ...asked, cursor };
    const isWriteToPreview = form.writes && outcome.kind !== 'previewed';
    setOutcome({ kind: 'running' });
    try {
      if (isWriteToPreview) {
        setOutcome({ kind: 'previewed', preview: await previewPattern(options) });
        return;
      }
      setOutcome({ kind: 'ran', run: await runPattern(options) });
      if (form.writes) void catalog.refresh();
    } catch (error) {
      setProblems(problemsOf(error, drafts));
      setOutcome({ kind: 'failed', error: error as Error }); // inspect() throws errors only
    }
  };
  const place = outcome.kind === 'ran' ? collectionOf(outcome.run, form.name) : undefined;
  const show = (): void => {
    if (place !== undefined && outcome.kind === 'ran') navigate(place());
  };
  const cursor = outcome.kind === 'ran' ? cursorOf(outcome.run.result) : undefined;
  // With any focus: that of the button is lost while it is disabled.
  useChord('Enter', () => outcome.kind !== 'running' && void run());
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  const isPreviewed = outcome.kind === 'previewed';
  return (
    <aside ref={aside} className="runner" aria-label={`Run ${form.name}`} onKeyDown={onKeyDown}>
      <h2>
        {form.name}
        <em className="mono">{pattern.id}</em>
        <button type="button" className="button plain" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (outcome.kind !== 'running') void run();
        }}
      >
        <InputForm form={form} drafts={drafts} problems={problems} onChange={change} />
        {isPreviewed && <WritePreviewList preview={outcome.preview} />}
        <div className="actions">
          <button
            type="submit"
            className="button main"
            disabled={outcome.kind === 'running' || !model.check.ok || model.fault !== null}
          >
            {isPreviewed ? 'Write it' : form.writes ? 'Preview' : 'Run'} <kbd>{commandKey()}Enter</kbd>
          </button>
          {!model.check.ok && <span className="quiet">A model can run only when all its patterns are proven.</span>}
        </div>
      </form>
      {outcome.kind === 'failed' && (
        <p className="problem" role="alert">
          × <b>{outcome.error.name}</b> {outcome.error.message}
        </p>
      )}
      <PatternPlan model={model} pattern={pattern} drafts={drafts} />
      {model.check.ok && model.fault === null && (
        <PatternRequests key={form.name} optionsOf={optionsOf} onExchange={log.add} isRead={!form.writes} />
      )}
      {outcome.kind === 'ran' && (
        <RunOutcome
          run={outcome.run}
          entities={entities}
          onShow={place && show}
          onNextPage={cursor === undefined ? undefined : () => void run(cursor)}
        />
      )}
    </aside>
  );
}

/** The typed input replaces the one in the address when typing pauses. */
function useInputInAddress(address: ModelAddress, form: PatternForm, drafts: Drafts): void {
  const latest = useRef(address);
  latest.current = address;
  useEffect(() => {
    const timer = setTimeout(() => {
      const { input } = inputOf(form, drafts);
      const text = Object.values(drafts).every((draft) => draft === '') ? undefined : JSON.stringify(input);
      if (latest.current.p === form.name && latest.current.in !== text)
        navigate({ ...latest.current, in: text }, 'replace');
    }, typingRestMs);
    return () => clearTimeout(timer);
  }, [drafts, form]);
}

/** The field that an error names: `Order.status: Invalid option`. */
function problemsOf(error: unknown, drafts: Drafts): readonly Problem[] {
  if (!(error instanceof ServiceError)) return [];
  const [, name, message = ''] = /^\w+\.(\w+): (.*)$/s.exec(error.message) ?? [];
  const path = Object.keys(drafts).find((each) => each === name || each.endsWith(`.${name ?? ''}`));
  return path === undefined ? [] : [{ path, message }];
}

function cursorOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('cursor' in result)) return undefined;
  return typeof result.cursor === 'string' ? result.cursor : undefined;
}

/** The location of the items that a run has read: the collection of its first request, with those items marked. */
function collectionOf(run: PatternRun, pattern: string): (() => CollectionsAddress) | undefined {
  const touched = [...run.read, ...run.filtered, ...run.written];
  return touched.length === 0 ? undefined : () => addressOf(run, pattern);
}

function addressOf(run: PatternRun, pattern: string): CollectionsAddress {
  const [first] = [...run.read, ...run.filtered, ...run.written];
  const tableName = first?.table ?? '';
  const isHere = ({ table }: { readonly table: string }): boolean => table === tableName;
  const hi = keepRun({
    table: tableName,
    pattern,
    read: [...run.read, ...run.written].filter(isHere).map(({ key }) => key),
    filtered: run.filtered.filter(isHere).map(({ key }) => key),
  });
  const table = catalog.snapshot().tables.find(({ TableName }) => TableName === tableName);
  const request = run.requests.find(({ input }) => input.TableName === tableName);
  const index = table && indexesOf(table).find(({ IndexName }) => IndexName === request?.input.IndexName);
  const { partition } = keyNamesOf(index ?? table ?? { KeySchema: [] });
  const value = (request && partitionOf(request.input, partition)) ?? (index ? undefined : first?.key[partition]);
  return {
    view: 'collections',
    table: tableName,
    index: index?.IndexName,
    pk: value && typedText(value),
    hi,
  } as const;
}
