import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { navigate, type TourAddress } from '../../app/address.ts';
import { catalog, useCatalog } from '../../app/catalog.ts';
import { useChord, useKeys } from '../../app/keys.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Failure } from '../../ui/failure.tsx';
import { plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { Strip } from '../../ui/strip.tsx';
import { RequestLog } from '../../wire/request-log.ts';
import { type Strategy, tourTable } from './tour-request.ts';
import { TourStepPanel } from './tour-step-panel.tsx';
import { makeTourTable, removeTourTable, tourWrites } from './tour-table.ts';
import './tour-view.css';

/** Each strategy of single-table design, as questions that requests on real items answer. */
export function TourView({ address }: { readonly address: TourAddress }): ReactNode {
  const log = useMemo(() => new RequestLog(), []);
  const [strategies, setStrategies] = useState<readonly Strategy[]>([]);
  const strategy =
    strategies.find(({ id }) => id === address.strategy) ?? firstFound(strategies, address.q) ?? strategies[0];
  useEffect(() => {
    // Texts that few visitors read are not part of the initial load.
    void import('./strategies/all.ts').then((loaded) => setStrategies(loaded.strategies));
  }, []);
  usePageTitle(strategy ? `Tour, ${strategy.id} ${strategy.title}` : 'Tour');
  return (
    <section className="tour" aria-label="Tour">
      <StrategyList address={address} strategies={strategies} current={strategy} />
      <div className="scroll" tabIndex={0} role="region" aria-label="Strategy">
        {strategy && (
          <Shown key={strategy.id} address={address} strategy={strategy} strategies={strategies} log={log} />
        )}
      </div>
      <Strip log={log} subject={tourTable} />
    </section>
  );
}

function StrategyList({
  address,
  strategies,
  current,
}: {
  readonly address: TourAddress;
  readonly strategies: readonly Strategy[];
  readonly current: Strategy | undefined;
}): ReactNode {
  const q = address.q ?? '';
  const found = strategies.filter((strategy) => isFound(strategy, q));
  const search = useRef<HTMLInputElement>(null);
  // The view opens where a strategy can be typed, unless the address names one.
  useEffect(() => {
    if (address.strategy === undefined) search.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="tour-list">
      <input
        ref={search}
        className="field"
        type="search"
        aria-label="Search strategies"
        placeholder="Search"
        value={q}
        onChange={(event) => {
          const typed = event.target.value;
          navigate(
            { view: 'tour', q: typed, strategy: firstFound(strategies, typed)?.id ?? address.strategy },
            'replace',
          );
        }}
      />
      <select
        className="field"
        aria-label="Strategy"
        value={current?.id ?? ''}
        onChange={(event) => navigate({ view: 'tour', strategy: event.target.value })}
      >
        {strategies.map(({ id, title }) => (
          <option key={id} value={id}>
            {id} {title}
          </option>
        ))}
      </select>
      <nav aria-label="Strategies">
        {found.map(({ id, title }) => (
          <Link key={id} to={{ view: 'tour', strategy: id, q: address.q }} current={id === current?.id}>
            <span className="mono">{id}</span> <span>{title}</span>
          </Link>
        ))}
      </nav>
    </div>
  );
}

/** What is typed before the strategies are loaded finds one as soon as they are. */
function firstFound(strategies: readonly Strategy[], text = ''): Strategy | undefined {
  return text === '' ? undefined : strategies.find((strategy) => isFound(strategy, text));
}

function isFound({ id, title }: Strategy, text: string): boolean {
  return `${id} ${title}`.toLowerCase().includes(text.toLowerCase());
}

interface ShownProps {
  readonly address: TourAddress;
  readonly strategy: Strategy;
  readonly strategies: readonly Strategy[];
  readonly log: RequestLog;
}

function Shown({ address, strategy, strategies, log }: ShownProps): ReactNode {
  const { tables, status } = useCatalog();
  const table = tables.find(({ TableName }) => TableName === tourTable);
  const last = strategy.steps.length;
  const at = Math.min(last, Math.max(1, Number(address.step ?? '1')));
  const step = strategy.steps[at - 1];
  const go = (by: 1 | -1): void => {
    const to = at + by;
    if (to >= 1 && to <= last) {
      navigate({ ...address, strategy: strategy.id, step: String(to) });
      return;
    }
    const next = strategies[strategies.indexOf(strategy) + by];
    if (next !== undefined)
      navigate({ ...address, strategy: next.id, step: by === 1 ? undefined : String(next.steps.length) });
  };
  useKeys({ ArrowRight: () => go(1), ArrowLeft: () => go(-1) });
  return (
    <>
      <header className="tour-head">
        <h2>
          <span className="mono">{strategy.id}</span> {strategy.title}
        </h2>
        <span className="quiet mono" data-testid="step">
          {at}/{last}
        </span>
        <button type="button" className="button" aria-label="Step before" onClick={() => go(-1)}>
          <Icon name="back" />
        </button>
        <button type="button" className="button" aria-label="Next step" onClick={() => go(1)}>
          <Icon name="closed" />
        </button>
      </header>
      {status === 'ready' && table === undefined && <Make log={log} />}
      {step && (
        <TourStepPanel
          key={at}
          step={step}
          table={table}
          isTableKnown={status !== 'loading'}
          log={log}
          onNext={() => go(1)}
        />
      )}
      {table !== undefined && <Remove log={log} />}
    </>
  );
}

/** No surprising writes: the page says what creating the table writes, and creates it only on request. */
function Make({ log }: { readonly log: RequestLog }): ReactNode {
  const { items, units } = tourWrites();
  const { isBusy, error, act } = useAct(() => makeTourTable({ onExchange: log.add }));
  useChord('Enter', () => !isBusy && act());
  return (
    <section className="tour-make" aria-label="The table of the tour">
      <p>
        The tour has its own table. This creates <b className="mono">{tourTable}</b> (on demand, two indexes, a stream)
        and writes <b>{plural(items, 'item')}</b> for {units} WCU, index entries included. The steps only read it, or
        are rejected; at the end it can be removed.
      </p>
      <button type="button" className="button main" disabled={isBusy} onClick={act}>
        {isBusy ? 'Creating it…' : `Create ${tourTable}`}
      </button>
      {error && <Failure error={error} onRetry={act} />}
    </section>
  );
}

function Remove({ log }: { readonly log: RequestLog }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const { isBusy, error, act } = useAct(() => removeTourTable({ onExchange: log.add }));
  return (
    <p className="tour-remove">
      <button type="button" className="button" disabled={isBusy} onClick={() => (isAsked ? act() : setAsked(true))}>
        {isAsked ? `Remove ${tourTable} with all its items` : 'End the tour…'}
      </button>
      {isAsked && (
        <button type="button" className="button plain" onClick={() => setAsked(false)}>
          Keep it
        </button>
      )}
      {error && <span role="alert">× {error.message}</span>}
    </p>
  );
}

/** Runs one task at a time, and then reads the list of tables again. */
function useAct(action: () => Promise<void>): {
  readonly isBusy: boolean;
  readonly error: Error | undefined;
  readonly act: () => void;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const act = (): void => {
    setBusy(true);
    setError(undefined);
    void action()
      .catch((cause: unknown) => setError(cause as Error)) // call() throws errors only
      .then(() => catalog.refresh())
      .finally(() => setBusy(false));
  };
  return { isBusy, error, act };
}
