import { type ReactNode, useMemo } from 'react';
import { type MigrationsAddress, navigate } from '../../app/address.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Failure } from '../../ui/failure.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Strip } from '../../ui/strip.tsx';
import type { MigrationAnswer, MigrationList } from '../../wire/migration-answers.ts';
import { RequestLog } from '../../wire/request-log.ts';
import { MigrationWorkPanel } from './migration-work-panel.tsx';
import { stageOf } from './migration-stage.ts';
import { useMigrations } from './use-migrations.ts';
import './migrations-view.css';

/** From one version of a model to the next: the changes, their order, and the progress. */
export function MigrationsView({ address }: { readonly address: MigrationsAddress }): ReactNode {
  const log = useMemo(() => new RequestLog(), []);
  const { list, answer, error, isAbsent, work } = useMigrations(address.id, log);
  usePageTitle(answer === undefined ? 'Migrations' : `Migration ${answer.name}`);
  return (
    <section className="migrations" aria-label="Migrations">
      {list?.models.some(({ migrations }) => migrations.length > 0) === true ? (
        <Head list={list} answer={answer} />
      ) : (
        <header className="migration-head">
          <h2>Migrations</h2>
          <span className="quiet">from the accepted version of a model to the current one</span>
        </header>
      )}
      <div className="scroll" tabIndex={0} role="region" aria-label="Migration">
        {isAbsent ? (
          <p className="nothing">
            This endpoint is not a Singlet server and runs no migrations. Use the command line:{' '}
            <code className="mono">npx singlet migrate plan shop.model.ts</code>
          </p>
        ) : (
          error && <Failure error={error} />
        )}
        {list && <Problems list={list} />}
        {list && answer && <Loaded key={answer.id} list={list} answer={answer} work={work} log={log} />}
      </div>
      <Strip log={log} subject={answer?.modelFile ?? 'migrations'} />
    </section>
  );
}

/** The selected migration, and its progress. */
function Head({
  list,
  answer,
}: {
  readonly list: MigrationList;
  readonly answer: MigrationAnswer | undefined;
}): ReactNode {
  return (
    <header className="migration-head">
      <select
        className="field mono"
        aria-label="Migration"
        value={answer?.id ?? ''}
        onChange={(event) => navigate({ view: 'migrations', id: event.target.value })}
      >
        {answer === undefined && <option value="">–</option>}
        {list.models.flatMap(({ model, migrations }) =>
          migrations.map(({ id, name, isPresent }) => (
            <option key={id} value={id}>
              {model} {name}
              {isPresent ? '' : ', earlier'}
            </option>
          )),
        )}
      </select>
      {answer && <Stages answer={answer} />}
    </header>
  );
}

/** Plan, run, verify, accept, each with a sign. */
function Stages({ answer }: { readonly answer: MigrationAnswer }): ReactNode {
  const stage = stageOf(answer);
  const { job, isWritten, isPresent, refusals } = answer;
  const verified = job?.verified;
  const isBusy = stage === 'working';
  const all = [
    { title: 'Plan', sign: !isWritten ? '' : refusals.length > 0 ? 'open' : 'done' },
    {
      title: 'Run',
      sign:
        stage === 'ended' ? 'done' : isBusy && job?.work !== 'verify' ? 'busy' : stage === 'interrupted' ? 'open' : '',
    },
    {
      title: 'Verify',
      sign: verified ? (verified.ok ? 'done' : 'bad') : isBusy && job?.work === 'verify' ? 'busy' : '',
    },
    { title: 'Accept', sign: isPresent ? '' : 'done' },
  ] as const;
  return (
    <ol className="stages" aria-label="Stages">
      {all.map(({ title, sign }) => (
        <li key={title} className={sign}>
          {title} <span aria-hidden="true">{sign === 'done' ? <Icon name="proven" /> : signs[sign]}</span>
          <span className="hidden">{words[sign]}</span>
        </li>
      ))}
    </ol>
  );
}

const signs = { '': '–', open: '!', bad: '×', busy: '…' } as const;
const words = { '': 'not done', open: 'not complete', bad: 'found faults', busy: 'in progress', done: 'done' } as const;

/** Why a model has no migration to show. */
function Problems({ list }: { readonly list: MigrationList }): ReactNode {
  if (list.models.length === 0) {
    return (
      <div className="nothing">
        <p>This server was started without a model: a migration leads from one version of a model to the next.</p>
        <pre className="mono" tabIndex={0}>
          npx singlet serve --model shop.model.ts
        </pre>
      </div>
    );
  }
  return list.models.map(({ model, file, accepted, problem, migrations }) => {
    if (problem !== null) {
      return (
        <p key={model} className="nothing note" role="status">
          <b>! {model}</b> {problem}
        </p>
      );
    }
    if (migrations.some(({ isPresent }) => isPresent)) return null;
    return (
      <p key={model} className="nothing">
        <b>{model}</b> has not changed since it was accepted: <span className="mono">{file}</span> matches{' '}
        <span className="mono">{accepted}</span>. Change the model, and this page shows what has to happen to the stored
        items.
      </p>
    );
  });
}

interface LoadedProps {
  readonly list: MigrationList;
  readonly answer: MigrationAnswer;
  readonly work: (name: string, settings: object) => Promise<void>;
  readonly log: RequestLog;
}

function Loaded({ list, answer, work, log }: LoadedProps): ReactNode {
  const { changes, order, refusals, functions, file, isWritten } = answer;
  return (
    <div className="migration-columns">
      <div>
        <section aria-label="Changes">
          <h2>
            Changes <span>{changes.length}</span>
          </h2>
          <ul className="changes">
            {changes.map(({ class: kind, path, code, message }) => (
              <li key={`${path} ${code} ${message}`}>
                <span className={`change-class ${kind}`}>{kind}</span>
                <span className="mono">{path}</span>
                <p>{message}</p>
              </li>
            ))}
          </ul>
        </section>
        <section aria-label="Order of work">
          <h2>Order of work</h2>
          <ol className="order">
            {order.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ol>
        </section>
        {isWritten && functions.length > 0 && (
          <p className="quiet said">
            <span className="mono">{file}</span> defines what happens to {functions.join(', ')}.
          </p>
        )}
        {refusals.length > 0 && (
          <section aria-label="Required before it can run" className="missing">
            <h2>
              Required before it can run <span className="mono">{file}</span>
            </h2>
            <ul>
              {refusals.map((sentence) => (
                <li key={sentence}>! {sentence}</li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <MigrationWorkPanel answer={answer} canRun={list.canRun} work={work} log={log} />
    </div>
  );
}
