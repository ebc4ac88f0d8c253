import { type ReactNode, useEffect, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { Failure } from '../../ui/failure.tsx';
import { countText, plural } from '../../ui/figures.ts';
import { sameValue } from '../../values/value-problem.ts';
import { cellText } from '../../values/value-text.ts';
import type { Exchange } from '../../wire/client.ts';
import type { TableDescription } from '../../wire/table-description.ts';
import { type ItemChange, type ItemHistoryAnswer, readItemHistory } from './read-item-history.ts';

interface ItemHistoryProps {
  readonly table: TableDescription;
  readonly itemKey: AttributeMap;
  /** The current item; absent if it was deleted. */
  readonly now: AttributeMap | undefined;
  /** The version that the others are compared with: `now`, or the id of a change. Absent: each with the one before it. */
  readonly against: string | undefined;
  readonly onAgainst: (against: string | undefined) => void;
  readonly onExchange: (exchange: Exchange) => void;
  /** Puts an earlier version into the form, from which it is saved like every change. */
  readonly onRestore: (version: AttributeMap) => void;
}

const versionsShownMax = 200;

/** The versions of an item that the server still has, each compared with the one before it, or all with one of them. */
export function ItemHistory(props: ItemHistoryProps): ReactNode {
  const { table, itemKey, now, against, onAgainst, onExchange, onRestore } = props;
  const [answer, setAnswer] = useState<ItemHistoryAnswer>();
  const [error, setError] = useState<Error>();
  const keyText = JSON.stringify(itemKey);
  useEffect(() => {
    const abort = new AbortController();
    const key = JSON.parse(keyText) as AttributeMap; // as it was serialised above
    readItemHistory(table, key, { signal: abort.signal, onExchange }).then(
      setAnswer,
      (cause: unknown) => abort.signal.aborted || setError(cause as Error), // requests throw errors only
    );
    return () => abort.abort();
    // A table that is described again has the same history.
  }, [table.TableName, table.LatestStreamArn, keyText, onExchange]);
  if (error) return <Failure error={error} />;
  if (answer === undefined) return <p className="history quiet">Reading the history…</p>;
  const { source, changes, isComplete } = answer;
  if (source === null) {
    return (
      <p className="history quiet">
        This table keeps no versions: it has neither point-in-time recovery nor a stream with new and old images.
      </p>
    );
  }
  const chosen = changes.find(({ id }) => id === against);
  const isAgainstNow = against === 'now' && now !== undefined;
  const other = isAgainstNow ? now : chosen && (chosen.after ?? {});
  return (
    <div className="history">
      <p className="quiet">
        {changes.length === 0
          ? 'No changes to this item are kept'
          : `${plural(changes.length, 'change')}, the newest first`}
        {source === 'recovery' ? ', by point-in-time recovery.' : ', by the stream, which keeps 24 hours.'}
        {!isComplete && ` There may be more: only ${countText(changes.length)} were found within the limits.`}
      </p>
      {changes.length > 0 && (
        <label className="against">
          <span>Compare with</span>
          <select
            className="field"
            value={isAgainstNow ? 'now' : (chosen?.id ?? '')}
            onChange={(event) => onAgainst(event.target.value === '' ? undefined : event.target.value)}
          >
            <option value="">the version before it</option>
            {now !== undefined && <option value="now">the item as it is now</option>}
            {changes.slice(0, versionsShownMax).map((change) => (
              <option key={change.id} value={change.id}>
                {nameOf(change)}
              </option>
            ))}
          </select>
        </label>
      )}
      <ol>
        {changes.slice(0, versionsShownMax).map((change) => (
          <Version
            key={change.id}
            change={change}
            other={other ?? change.before ?? {}}
            isOther={change === chosen}
            now={now}
            onRestore={onRestore}
          />
        ))}
      </ol>
    </div>
  );
}

function nameOf({ eventName, isExpiry, atEpochMs }: ItemChange): string {
  return `${isExpiry === true ? 'EXPIRED' : eventName} ${timeText(atEpochMs)}`;
}

function timeText(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ');
}

interface VersionProps {
  readonly change: ItemChange;
  /** The version to compare with. */
  readonly other: AttributeMap;
  /** Whether it is this one. */
  readonly isOther: boolean;
  readonly now: AttributeMap | undefined;
  readonly onRestore: (version: AttributeMap) => void;
}

/** One change: how the version after it differs from another one, and a button to restore it. */
function Version({ change, other, isOther, now, onRestore }: VersionProps): ReactNode {
  const { before, after, eventName, isExpiry, atEpochMs } = change;
  // A deletion can only restore the version before it.
  const version = after ?? before;
  const isNow = version !== null && now !== undefined && sameValue({ M: version }, { M: now });
  const item = after ?? {};
  const names = [...new Set([...Object.keys(other), ...Object.keys(item)])].filter(
    (name) => !sameValue(other[name], item[name]),
  );
  return (
    <li className="version" aria-label={nameOf(change)}>
      <p>
        <b>{isExpiry === true ? 'EXPIRED' : eventName}</b> <time className="mono quiet">{timeText(atEpochMs)}</time>
        <span className="grow" />
        {version !== null && !isNow && (
          <button type="button" className="button plain" onClick={() => onRestore(version)}>
            Restore…
          </button>
        )}
        {isNow && <span className="quiet">as it is now</span>}
      </p>
      {isOther ? (
        <p className="quiet">the version that the others are compared with</p>
      ) : (
        <ul className="mono">
          {names.map((name) => (
            <li key={name}>
              {name} {other[name] && <del>{cellText(other[name])}</del>}{' '}
              {item[name] && <ins>{cellText(item[name])}</ins>}
            </li>
          ))}
          {names.length === 0 && <li className="quiet">no difference</li>}
        </ul>
      )}
    </li>
  );
}
