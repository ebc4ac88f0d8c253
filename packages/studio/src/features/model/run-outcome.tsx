import type { ReactNode } from 'react';
import { Badge, entityClass } from '../../ui/badge.tsx';
import { countText, millisecondsText, unitsText } from '../../ui/figures.ts';
import { KeyText } from '../../ui/key-text.tsx';
import { keyText } from '../../values/value-text.ts';
import type { PatternRun, TouchedKey } from '../../wire/model-answers.ts';
import { capacityUnits } from './run-pattern.ts';
import type { ModelEntities } from './model-entities.ts';

interface RunOutcomeProps {
  readonly run: PatternRun;
  readonly entities: ModelEntities;
  readonly onShow: (() => void) | undefined;
  readonly onNextPage: (() => void) | undefined;
}

const keysShownMax = 100;

/** The outcome of a run: its requests, the items that it read in order, the result. */
export function RunOutcome({ run, entities, onShow, onNextPage }: RunOutcomeProps): ReactNode {
  const { requests, read, written, filteredAway, filtered, result, error } = run;
  const { reads, writes } = capacityUnits(requests);
  const ms = requests.reduce((sum, request) => sum + request.ms, 0);
  return (
    <section className="outcome" aria-label="Outcome" tabIndex={-1}>
      {error && (
        <p className="problem" role="alert">
          × <b>{error.name}</b> {error.message}
        </p>
      )}
      <p className="sums quiet" data-testid="run-sums">
        {read.length + filteredAway > 0 && (
          <>
            <span>
              <b>{countText(read.length + filteredAway)}</b> read
            </span>
            <span>
              <b>{countText(read.length)}</b> returned
            </span>
            <span>{countText(filteredAway)} filtered away</span>
          </>
        )}
        {written.length > 0 && (
          <span>
            <b>{countText(written.length)}</b> written
          </span>
        )}
        <span>
          {[reads > 0 ? `${unitsText(reads)} RCU` : '', writes > 0 ? `${unitsText(writes)} WCU` : '']
            .filter((text) => text !== '')
            .join(', ')}
        </span>
        <span>{millisecondsText(ms)}</span>
      </p>
      <div className="actions">
        {onShow && (
          <button type="button" className="button" onClick={onShow}>
            Show in collection <kbd>V</kbd>
          </button>
        )}
        {onNextPage && (
          <button type="button" className="button" onClick={onNextPage}>
            Next page
          </button>
        )}
      </div>
      <ul className="hits mono">
        {read.slice(0, keysShownMax).map((touched, at) => (
          <Hit key={`${at} read`} touched={touched} entities={entities} note={String(at + 1)} />
        ))}
        {filtered.slice(0, keysShownMax).map((touched, at) => (
          <Hit key={`${at} filtered`} touched={touched} entities={entities} note="filtered away" isOff />
        ))}
        {written.slice(0, keysShownMax).map((touched, at) => (
          <Hit key={`${at} written`} touched={touched} entities={entities} note="written" />
        ))}
      </ul>
      {error === null && (
        <details>
          <summary>Result</summary>
          <pre className="mono" tabIndex={0}>
            {JSON.stringify(result, undefined, 2)}
          </pre>
        </details>
      )}
    </section>
  );
}

function Hit({
  touched: { table, place, key },
  entities,
  note,
  isOff = false,
}: {
  readonly touched: TouchedKey;
  readonly entities: ModelEntities;
  readonly note: string;
  readonly isOff?: boolean;
}): ReactNode {
  const entity = entities.ofKey(table, key);
  const texts = Object.values(key).map((value) => keyText(value));
  return (
    <li
      className={`${isOff ? 'off' : ''} ${entityClass(entity)}`}
      title={`${table}${place === 'table' ? '' : `, ${place}`}: ${texts.join(' / ')}`}
    >
      <i className="spine" />
      {entity ? <Badge entity={entity} /> : <span />}
      <span className="key">
        <KeyText text={texts.at(-1) ?? ''} />
      </span>
      <span className="quiet">{note}</span>
    </li>
  );
}
