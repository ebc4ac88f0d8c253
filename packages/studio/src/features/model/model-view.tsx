import { type ReactNode, useMemo } from 'react';
import { type ModelAddress, modelSections, navigate, type ModelSection } from '../../app/address.ts';
import { useKeys } from '../../app/keys.ts';
import { useModelChanges } from '../../app/model-changes.ts';
import { models, type ModelsState, useModels } from '../../app/models.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Failure } from '../../ui/failure.tsx';
import { countText, plural, unitsText } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { Strip } from '../../ui/strip.tsx';
import type { ModelAnswer, ModelFault, ModelSummary } from '../../wire/model-answers.ts';
import { ChartTable, CostSection } from './cost-section.tsx';
import { EntityDiagram } from './entity-diagram.tsx';
import { Accepted, Findings } from './findings.tsx';
import { IndexViews, KeyCharts } from './key-chart.tsx';
import { ModelEntities } from './model-entities.ts';
import { moneyText, PatternList } from './pattern-list.tsx';
import { PatternRunner } from './pattern-runner.tsx';
import './model-view.css';

/** A model of the server: entities, keys, patterns with their verdicts, cost, findings; and the runner of patterns. */
export function ModelView({ address }: { readonly address: ModelAddress }): ReactNode {
  const state = useModels();
  const { status, error, summaries } = state;
  useModelChanges(status !== 'absent');
  const summary = summaries.find(({ name }) => name === address.model) ?? summaries[0];
  const model = state.models.find(({ name }) => name === summary?.name);
  usePageTitle(summary === undefined ? 'Model' : `Model ${summary.name}`);
  if (status === 'loading') return null;
  const isMissing = address.model !== undefined && summary !== undefined && summary.name !== address.model;
  return (
    <section className={address.p === undefined ? 'model' : 'model running'} aria-label="Model">
      {error && status === 'failed' && <Failure error={error} onRetry={() => void models.refresh()} />}
      {status === 'absent' && (
        <p className="nothing">
          This endpoint is not a Singlet server and has no models.{' '}
          <code className="mono">singlet studio --model FILE</code> shows one beside its tables.
        </p>
      )}
      {status === 'ready' && summary === undefined && <NoModels />}
      {isMissing && <p className="model-missing">There is no model {address.model}. This page shows another one.</p>}
      {summary && <Header address={address} summary={summary} summaries={summaries} model={model} />}
      {model && <Loaded key={model.name} address={address} state={state} model={model} />}
      <Strip log={models.log} subject={model?.file ?? 'models'} />
    </section>
  );
}

function NoModels(): ReactNode {
  return (
    <div className="nothing">
      <p>This server was started without a model. Name a file, or a directory with files:</p>
      <pre className="mono" tabIndex={0}>
        npx singlet serve --model shop.model.ts
      </pre>
      <p className="quiet">It is read again each time it is saved, and this page is updated.</p>
    </div>
  );
}

function Header({
  address,
  summary,
  summaries,
  model,
}: {
  readonly address: ModelAddress;
  readonly summary: ModelSummary;
  readonly summaries: readonly ModelSummary[];
  readonly model: ModelAnswer | undefined;
}): ReactNode {
  const { section = 'overview' } = address;
  return (
    <>
      <header className="model-head">
        {summaries.length > 1 ? (
          <select
            className="field"
            aria-label="Model"
            value={summary.name}
            onChange={(event) => navigate({ view: 'model', model: event.target.value, section: address.section })}
          >
            {summaries.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        ) : (
          <h2 className="title">{summary.name}</h2>
        )}
        {model && <Verdict summary={summary} model={model} />}
        <nav className="sections" aria-label="Parts of the model">
          {modelSections.map((each) => (
            <Link
              key={each}
              to={{ ...address, section: each === 'overview' ? undefined : each, finding: undefined }}
              current={each === section}
            >
              {titles[each]}
            </Link>
          ))}
        </nav>
      </header>
      {summary.fault && <Fault fault={summary.fault} isKept={model !== undefined} />}
    </>
  );
}

const titles: Readonly<Record<ModelSection, string>> = {
  overview: 'Overview',
  patterns: 'Patterns',
  keys: 'Keys',
  cost: 'Cost',
  decisions: 'Decisions',
};

function Verdict({ summary, model }: { readonly summary: ModelSummary; readonly model: ModelAnswer }): ReactNode {
  const all = model.check.patterns.length;
  const proven = model.check.patterns.filter(({ verdict }) => verdict !== 'refused').length;
  const rate = model.document.cost.patterns.reduce((sum, cost) => sum + (cost.rate ?? 0), 0);
  return (
    <>
      <span className={summary.ok ? 'verdict served' : 'verdict refused'} data-testid="proven">
        {summary.ok ? <Icon name="proven" /> : '×'} <b>{proven}</b> <span>of {plural(all, 'pattern')} proven</span>
      </span>
      {summary.errors > 0 && (
        <span className="verdict refused">
          × <b>{summary.errors}</b> <span>{summary.errors === 1 ? 'error' : 'errors'}</span>
        </span>
      )}
      {summary.warnings > 0 && (
        <span className="verdict remarked">
          ! <b>{summary.warnings}</b> <span>{summary.warnings === 1 ? 'warning' : 'warnings'}</span>
        </span>
      )}
      {rate > 0 && (
        <span className="quiet optional">
          <b className="mono">{moneyText(model.document.cost.onDemandPerMonth)}</b> a month at peak {unitsText(rate)}/s
        </span>
      )}
      <span className="quiet mono optional" data-testid="version">
        version {countText(summary.version)}
      </span>
    </>
  );
}

/** Why the current file cannot be read. The last version that could be read is still shown. */
function Fault({ fault, isKept }: { readonly fault: ModelFault; readonly isKept: boolean }): ReactNode {
  const place = [fault.file, fault.line, fault.column].filter((part) => part !== null).join(':');
  return (
    <section className="model-fault" role="alert">
      <p>
        <b>× {place}</b> {isKept && 'The page shows the last version that could be read.'}
      </p>
      <p className="mono">{fault.message}</p>
    </section>
  );
}

function Loaded({
  address,
  state,
  model,
}: {
  readonly address: ModelAddress;
  readonly state: ModelsState;
  readonly model: ModelAnswer;
}): ReactNode {
  const entities = useMemo(() => new ModelEntities(state, model), [state, model]);
  const form = model.patterns.find(({ name }) => name === address.p);
  const pattern = model.check.patterns.find((each) => each.pattern === address.p);
  const { section = 'overview' } = address;
  const first = model.check.patterns[0]?.pattern;
  useKeys({ r: () => address.p === undefined && first !== undefined && navigate({ ...address, p: first }) });
  return (
    <>
      <div className="scroll" tabIndex={0} role="region" aria-label={titles[section]}>
        <Section address={address} model={model} entities={entities} />
      </div>
      {form && pattern && (
        <PatternRunner
          key={form.name}
          address={address}
          model={model}
          entities={entities}
          form={form}
          pattern={pattern}
          log={models.log}
        />
      )}
    </>
  );
}

interface SectionProps {
  readonly address: ModelAddress;
  readonly model: ModelAnswer;
  readonly entities: ModelEntities;
}

function Section({ address, model, entities }: SectionProps): ReactNode {
  switch (address.section) {
    case 'patterns':
      return (
        <>
          <input
            className="field search"
            type="search"
            aria-label="Search patterns"
            placeholder="Search"
            value={address.q ?? ''}
            onChange={(event) => navigate({ ...address, q: event.target.value }, 'replace')}
          />
          <PatternList address={address} model={model} entities={entities} q={address.q} />
          {model.document.procedureChart.rows.length > 0 && (
            <section aria-label="Procedures">
              <h2>
                Procedures <span>what the application does with several patterns</span>
              </h2>
              <ChartTable chart={model.document.procedureChart} label="Procedures" />
            </section>
          )}
        </>
      );
    case 'keys':
      return (
        <>
          <KeyCharts model={model} entities={entities} />
          <div className="index-views">
            <IndexViews model={model} entities={entities} />
          </div>
        </>
      );
    case 'cost':
      return <CostSection model={model} />;
    case 'decisions':
      return (
        <>
          <section aria-label="Decisions">
            <h2>Decisions</h2>
            <ul className="decisions">
              {model.document.decisions.map((decision) => (
                <li key={decision}>{decision}</li>
              ))}
            </ul>
          </section>
          <Accepted model={model} />
        </>
      );
    default:
      return (
        <div className="overview">
          <section aria-label="Entities">
            <h2>
              Entities <span>and how they are related</span>
            </h2>
            <EntityDiagram document={model.document} entities={entities} />
          </section>
          <KeyCharts model={model} entities={entities} />
          <PatternList address={address} model={model} entities={entities} />
          <Findings address={address} model={model} />
        </div>
      );
  }
}
