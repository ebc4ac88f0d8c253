import { type ReactNode, useEffect, useState } from 'react';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { useChord } from '../../app/keys.ts';
import { countText, plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { type WritePreview, WritePreviewPanel } from '../../ui/write-preview-panel.tsx';
import { inspect } from '../../wire/inspect.ts';
import type { MigrationAnswer, MigrationJob } from '../../wire/migration-answers.ts';
import type { RequestLog } from '../../wire/request-log.ts';
import { countedFor, countsText, partOf, type Stage, stageOf } from './migration-stage.ts';
import { VerifiedReport } from './verified-report.tsx';

interface MigrationWorkPanelProps {
  readonly answer: MigrationAnswer;
  readonly canRun: boolean;
  readonly work: (name: string, settings: object) => Promise<void>;
  readonly log: RequestLog;
}

/** Number fields; the server decides the value of empty ones. */
const rateFields = [
  { name: 'writeUnits', title: 'Write units a second', hint: 'no limit' },
  { name: 'readUnits', title: 'Read units a second', hint: 'no limit' },
  { name: 'segments', title: 'Parallel parts', hint: '4' },
  { name: 'failures', title: 'Failures allowed', hint: '0' },
] as const;
type Drafts = Readonly<Partial<Record<(typeof rateFields)[number]['name'], string>>>;

/** The steps with their progress, and the next possible actions. Every action that writes first shows what it would write. */
export function MigrationWorkPanel({ answer, canRun, work, log }: MigrationWorkPanelProps): ReactNode {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [drop, setDrop] = useState(false);
  const { job, state } = answer;
  const stage = stageOf(answer);
  const counted = countedFor(job);
  const drops = answer.steps.some(({ kind }) => kind === 'drop-index');
  const begin = (name: 'run' | 'resume' | 'undo' | 'verify', isDry = false): void => {
    const taken = taking[name];
    const numbers = Object.entries(drafts).flatMap(([field, text]) =>
      text !== '' && taken.includes(field) ? [[field, Number(text)] as const] : [],
    );
    void work(name, {
      ...Object.fromEntries(numbers),
      ...(isDry && { dryRun: true }),
      ...(drop && name !== 'undo' && name !== 'verify' && { drop: true }),
    });
  };
  // Plan, count, run, verify: the same key does what comes next.
  useChord('Enter', () => document.querySelector<HTMLButtonElement>('.migration-work .button.main')?.click());
  // Indexes and items have changed, so the page reads the descriptions of the tables again.
  const isDone = job?.state === 'done' && !job.dryRun;
  useEffect(() => {
    if (isDone) void catalog.refresh();
  }, [isDone, job?.number]);
  return (
    <section className="migration-work" aria-label="Work">
      <h2>
        Steps <span>{answer.steps.length === 0 && 'none: no stored item changes'}</span>
      </h2>
      <Steps answer={answer} />
      {answer.problem !== null && <p className="quiet">{answer.problem}</p>}
      {job?.error && (
        <p className="migration-problem" role="alert">
          × <b>{job.error.name}</b> {job.error.message}
        </p>
      )}
      {job !== null && <Failures job={job} />}
      {counted !== undefined && job !== null && <Counted job={job} log={log} />}
      {job?.verified && <VerifiedReport verified={job.verified} />}
      {!canRun && (
        <p className="quiet">
          This server requires signed requests, and runs no migrations from the page. Use singlet migrate.
        </p>
      )}
      {canRun && stage !== 'unplanned' && stage !== 'working' && (
        <fieldset className="rates">
          <legend>How fast</legend>
          {rateFields.map(({ name, title, hint }) => (
            <label key={name}>
              {title}
              <input
                className="field mono"
                inputMode="numeric"
                placeholder={hint}
                value={drafts[name] ?? ''}
                onChange={(event) => setDrafts({ ...drafts, [name]: event.target.value.replace(/[^\d.]/g, '') })}
              />
            </label>
          ))}
          {drops && (
            <label className="switch">
              <input type="checkbox" checked={drop} onChange={(event) => setDrop(event.target.checked)} /> Drop indexes
              that the new version does not have
            </label>
          )}
        </fieldset>
      )}
      <div className="actions">
        {stage === 'unplanned' && <Plan answer={answer} onPlan={() => void work('plan', {})} />}
        {canRun && stage !== 'unplanned' && (
          <Actions
            stage={stage}
            counted={counted}
            isUndoing={state?.direction === 'undo'}
            begin={begin}
            onPause={() => void work('pause', {})}
          />
        )}
      </div>
      {answer.isPresent && answer.isWritten && stage !== 'working' && (
        <p className="accepting">
          <button type="button" className="button" onClick={() => void work('accept', {})}>
            Accept
          </button>{' '}
          <span className="quiet">once the new version is in use: later versions are compared with it.</span>
        </p>
      )}
    </section>
  );
}

/** The settings of each kind of work. */
const taking: Readonly<Record<'run' | 'resume' | 'undo' | 'verify', readonly string[]>> = {
  run: ['writeUnits', 'readUnits', 'segments', 'failures'],
  resume: ['writeUnits', 'readUnits', 'failures'],
  undo: ['writeUnits', 'readUnits', 'segments', 'failures'],
  verify: ['readUnits', 'segments'],
};

/** Each step, with a sign and its results. */
function Steps({ answer: { steps, state, job, tables } }: { readonly answer: MigrationAnswer }): ReactNode {
  const { tables: known } = useCatalog();
  const isRunning = job?.state === 'running' && job.work !== 'verify';
  // An undo has steps of its own.
  const texts = state !== null && (job === null || !job.dryRun) ? state.texts : steps.map(({ text }) => text);
  const at = isRunning
    ? (job.progress?.number ?? 1) - 1
    : state === null || state.endedAt !== undefined
      ? -1
      : state.step;
  return (
    <ol className="steps">
      {texts.map((text, number) => {
        const isHere = number === at;
        const isDone = !isHere && state !== null && (state.endedAt !== undefined || number < state.step);
        const count = isRunning && isHere ? job.progress?.count : isHere ? state?.count : undefined;
        const table = steps[number]?.table ?? '';
        const items = known.find(({ TableName }) => TableName === (tables[table] ?? table))?.ItemCount;
        const part = count && partOf(count, items);
        return (
          <li key={text} className={isDone ? 'done' : isHere ? 'here' : ''}>
            <span className="sign">{isDone ? <Icon name="proven" /> : isHere ? '…' : '–'}</span>
            <span className="text">
              {text}
              {isRunning && isHere && job.dryRun && <span className="quiet"> counting, nothing is written</span>}
            </span>
            {count && count.scanned > 0 && (
              <span className="count mono">
                {part !== undefined && <progress max={1} value={part} aria-label={text} />}
                {part !== undefined && `${Math.round(part * 100)} % · `}
                {countsText(count)}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The results of a dry run: how many items, and the first writes in full. */
function Counted({ job, log }: { readonly job: MigrationJob; readonly log: RequestLog }): ReactNode {
  const [previews, setPreviews] = useState<readonly WritePreview[]>([]);
  useEffect(() => {
    let isGone = false;
    void Promise.all(
      job.unsent.map(async ({ operation, input }) =>
        inspect<WritePreview>('preview', { body: { operation, input }, onExchange: log.add }).catch(() => undefined),
      ),
    ).then((found) => {
      if (!isGone) setPreviews(found.flatMap((each) => each ?? []));
    });
    return () => {
      isGone = true;
    };
  }, [job.unsent, job.number, log]);
  const writes = job.steps.reduce((sum, { count }) => sum + count.written, 0);
  return (
    <section className="counted" aria-label="What it would write">
      <h3>
        {job.work === 'undo' ? 'Undoing it' : 'It'} would write <b>{plural(writes, 'item')}</b>
        {previews.length > 0 && (previews.length < writes ? `; the first ${countText(previews.length)}:` : ':')}
      </h3>
      {previews.map((preview, at) => (
        // The order in which they would be sent.
        <WritePreviewPanel key={at} preview={preview} label={`Write ${at + 1}`} />
      ))}
    </section>
  );
}

function Failures({ job: { failures } }: { readonly job: MigrationJob }): ReactNode {
  if (failures.length === 0) return null;
  return (
    <details className="failures" open>
      <summary>{plural(failures.length, 'item')} could not be migrated and were left unchanged</summary>
      <ul className="mono">
        {failures.map((message, at) => (
          // In the order in which they failed.
          <li key={at}>{message}</li>
        ))}
      </ul>
    </details>
  );
}

function Plan({ answer, onPlan }: { readonly answer: MigrationAnswer; readonly onPlan: () => void }): ReactNode {
  return (
    <>
      <button type="button" className="button main" onClick={onPlan}>
        Plan
      </button>
      <span className="quiet">
        writes <span className="mono">{answer.file}</span> with functions to fill in, and both versions beside it. No
        item is touched.
      </span>
    </>
  );
}

function Actions({
  stage,
  counted,
  isUndoing,
  begin,
  onPause,
}: {
  readonly stage: Stage;
  readonly counted: 'run' | 'undo' | undefined;
  readonly isUndoing: boolean;
  readonly begin: (name: 'run' | 'resume' | 'undo' | 'verify', isDry?: boolean) => void;
  readonly onPause: () => void;
}): ReactNode {
  if (stage === 'working') {
    return (
      <>
        <button type="button" className="button main" onClick={onPause}>
          Pause
        </button>
        <span className="quiet">No write is left half done; work resumes from there.</span>
      </>
    );
  }
  const isInterrupted = stage === 'interrupted';
  return (
    <>
      {isInterrupted && isUndoing && (
        <button type="button" className="button main" onClick={() => begin('resume')}>
          Continue undoing
        </button>
      )}
      {counted === 'run' && !isUndoing && isInterrupted && (
        <button type="button" className="button main" onClick={() => begin('resume')}>
          Resume
        </button>
      )}
      {counted === 'run' && !isInterrupted && (
        <button type="button" className="button main" onClick={() => begin('run')}>
          Run it
        </button>
      )}
      {counted === 'undo' && !isUndoing && (
        <button type="button" className="button main" onClick={() => begin('undo')}>
          Undo it
        </button>
      )}
      {counted !== 'run' && !(isInterrupted && isUndoing) && (
        <button
          type="button"
          className={stage === 'ended' ? 'button' : 'button main'}
          disabled={stage === 'incomplete'}
          onClick={() => begin('run', true)}
        >
          {isInterrupted ? 'Count what is left' : 'Count what it would write'}
        </button>
      )}
      {stage === 'ended' && (
        <button type="button" className="button main" onClick={() => begin('verify')}>
          Verify
        </button>
      )}
      {(stage === 'ended' || isInterrupted) && !isUndoing && counted !== 'undo' && (
        <button type="button" className="button" onClick={() => begin('undo', true)}>
          Undo…
        </button>
      )}
    </>
  );
}
