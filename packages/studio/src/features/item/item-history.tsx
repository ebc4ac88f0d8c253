import { type ReactNode, useEffect, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { Failure } from '../../ui/failure.tsx';
import { countText } from '../../ui/figures.ts';
import { sameValue } from '../../values/value-problem.ts';
import { cellText } from '../../values/value-text.ts';
import type { Exchange } from '../../wire/client.ts';
import { readPastRecords, shardIdsOf } from '../../wire/past-records.ts';
import { isExpiry, isNewer, type StreamRecord } from '../../wire/stream-records.ts';
import type { TableDescription } from '../../wire/table-description.ts';

interface ItemHistoryProps {
  readonly table: TableDescription;
  readonly itemKey: AttributeMap;
  /** The current item; absent if it was deleted. */
  readonly now: AttributeMap | undefined;
  readonly onExchange: (exchange: Exchange) => void;
  /** Puts an earlier version into the form, from which it is saved like every change. */
  readonly onRestore: (version: AttributeMap) => void;
}

/** Maximum records of the whole stream that are searched for one item. */
const recordsReadMax = 20_000;
const versionsShownMax = 200;

type Read =
  | { readonly kind: 'reading' }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'read'; readonly records: readonly StreamRecord[]; readonly isWhole: boolean };

/** The versions of an item that the stream of its table still has. */
export function ItemHistory({ table, itemKey, now, onExchange, onRestore }: ItemHistoryProps): ReactNode {
  const [read, setRead] = useState<Read>({ kind: 'reading' });
  const [isAgainstNow, setAgainstNow] = useState(false);
  const { LatestStreamArn: arn, StreamSpecification } = table;
  const hasImages = StreamSpecification?.StreamViewType === 'NEW_AND_OLD_IMAGES';
  const keyText = JSON.stringify(itemKey);
  useEffect(() => {
    if (arn === undefined || !hasImages) return undefined;
    const abort = new AbortController();
    const key: AttributeMap = JSON.parse(keyText) as AttributeMap; // as it was serialised above
    const options = { signal: abort.signal, onExchange };
    const readAll = async (): Promise<void> => {
      const own: StreamRecord[] = [];
      const shards = await shardIdsOf(arn, options);
      const count = await readPastRecords(
        arn,
        shards,
        options,
        (records) => own.push(...records.filter(({ dynamodb }) => sameValue({ M: dynamodb.Keys }, { M: key }))),
        recordsReadMax,
      );
      const newestFirst = own.toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
      setRead({ kind: 'read', records: newestFirst, isWhole: count < recordsReadMax });
    };
    readAll().catch((error: unknown) => abort.signal.aborted || setRead({ kind: 'failed', error: error as Error }));
    return () => abort.abort();
  }, [arn, hasImages, keyText, onExchange]);
  if (arn === undefined || !hasImages) {
    return (
      <p className="history quiet">
        Versions are read from the stream of the table, and this one has{' '}
        {arn === undefined ? 'none' : 'one without old and new images'}.
      </p>
    );
  }
  if (read.kind === 'failed') return <Failure error={read.error} />;
  if (read.kind === 'reading') return <p className="history quiet">Reading the stream…</p>;
  const { records, isWhole } = read;
  return (
    <div className="history">
      <p className="quiet">
        {records.length === 0
          ? 'The stream, which is kept for 24 hours, has no change of this item.'
          : 'What the stream still has, the newest first.'}
        {!isWhole && ` The first ${countText(recordsReadMax)} records of the table were looked through.`}
      </p>
      {now !== undefined && records.length > 0 && (
        <label className="switch">
          <input type="checkbox" checked={isAgainstNow} onChange={(event) => setAgainstNow(event.target.checked)} />{' '}
          Compare with the item as it is now
        </label>
      )}
      <ol>
        {records.slice(0, versionsShownMax).map((record) => (
          <Version
            key={record.eventID}
            record={record}
            against={isAgainstNow ? now : undefined}
            now={now}
            onRestore={onRestore}
          />
        ))}
      </ol>
    </div>
  );
}

/** One change: the version before, the version after, and a button to restore the latter. */
function Version({
  record,
  against,
  now,
  onRestore,
}: {
  readonly record: StreamRecord;
  /** The version to compare with, if not the previous one. */
  readonly against: AttributeMap | undefined;
  readonly now: AttributeMap | undefined;
  readonly onRestore: (version: AttributeMap) => void;
}): ReactNode {
  const { OldImage, NewImage, ApproximateCreationDateTime: seconds } = record.dynamodb;
  // A deletion can only restore the version before it.
  const version = NewImage ?? OldImage;
  const isNow = version !== undefined && now !== undefined && sameValue({ M: version }, { M: now });
  const [before, after] = against === undefined ? [OldImage ?? {}, NewImage ?? {}] : [version ?? {}, against];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameValue(before[name], after[name]),
  );
  const time = seconds === undefined ? '' : new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return (
    <li className="version" aria-label={`${record.eventName} ${time}`}>
      <p>
        <b>{isExpiry(record) ? 'EXPIRED' : record.eventName}</b> <time className="mono quiet">{time}</time>
        <span className="grow" />
        {version !== undefined && !isNow && (
          <button type="button" className="button plain" onClick={() => onRestore(version)}>
            Restore…
          </button>
        )}
        {isNow && <span className="quiet">as it is now</span>}
      </p>
      <ul className="mono">
        {names.map((name) => (
          <li key={name}>
            {name} {before[name] && <del>{cellText(before[name])}</del>}{' '}
            {after[name] && <ins>{cellText(after[name])}</ins>}
          </li>
        ))}
      </ul>
    </li>
  );
}
