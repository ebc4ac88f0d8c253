import type { ReactNode } from 'react';
import { Failure } from '../../ui/failure.tsx';
import type { PastCollection } from '../../grid/past-collection.ts';
import { countText, plural } from '../../ui/figures.ts';
import { cellText } from '../../values/value-text.ts';
import { type Past, recordsReadMax } from './use-past.ts';

interface TimeBarProps {
  readonly past: Past;
  /** The sequence number of the last change that had happened; `0` is before all of them. */
  readonly onTime: (time: string) => void;
  readonly onNow: () => void;
}

/** A handle over the changes of a collection. The grid shows it as it was after the chosen one. */
export function TimeBar({ past, onTime, onNow }: TimeBarProps): ReactNode {
  const { records, happened, collection, problem, error } = past;
  const last = records[happened - 1];
  const text =
    last === undefined
      ? 'before the first change in the stream'
      : `after ${last.eventName} ${Object.values(last.dynamodb.Keys).map(cellText).join(' · ')}, ${timeText(last.dynamodb.ApproximateCreationDateTime)}`;
  return (
    <section className="time-bar" aria-label="Time travel">
      {error && <Failure error={error} />}
      {problem !== undefined && <p>{problem}</p>}
      {problem === undefined && error === undefined && collection === undefined && <p>Reading the stream…</p>}
      {collection && (
        <>
          <input
            type="range"
            aria-label="Time"
            aria-valuetext={text}
            min={0}
            max={records.length}
            value={happened}
            onChange={(event) => onTime(records[Number(event.target.value) - 1]?.dynamodb.SequenceNumber ?? '0')}
          />
          <p role="status">
            {records.length === 0
              ? 'The stream, which keeps changes for 24 hours, has none to this collection.'
              : `As it was ${text}: ${happened} of ${plural(records.length, 'change')}; ${sinceText(collection)}`}{' '}
            <span className="quiet">
              From the stream of the table: 24 hours, up to {countText(recordsReadMax)} changes.
            </span>
          </p>
        </>
      )}
      <button type="button" className="button" onClick={onNow}>
        Now
      </button>
    </section>
  );
}

/** What has happened since: items that are shown are marked, and those that came later are not shown. */
function sinceText({ items, changed, added }: PastCollection): string {
  const marked = changed.size - added;
  const later = added === 0 ? '' : ` ${plural(added, 'item')} came later.`;
  return items.length === 0 && marked === 0 ? later.trim() : `${plural(marked, 'item')} marked: changed since.${later}`;
}

function timeText(seconds: number | undefined): string {
  return seconds === undefined ? '' : `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
