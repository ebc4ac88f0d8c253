import type { ReactNode } from 'react';
import { requestText } from '../../request-text/request-text.ts';
import { bytesText, unitsText } from '../../ui/figures.ts';
import { KeyText } from '../../ui/key-text.tsx';
import { keyText } from '../../values/value-text.ts';
import type { WritePreview } from '../../wire/model-answers.ts';
import type { RunPreview } from './run-pattern.ts';

const itemsShownMax = 50;

/** What a run would write, as the server determined it without writing: items, index entries, stream records, units. */
export function WritePreviewList({ preview: { writes, isPartial } }: { readonly preview: RunPreview }): ReactNode {
  const units = writes.reduce((sum, { preview }) => sum + (preview?.capacity.writes ?? 0), 0);
  const isTold = writes.every(({ preview }) => preview !== undefined);
  return (
    <section className="run-preview" aria-label="What this run writes">
      <h3>What this run writes {isTold && <em className="mono">{unitsText(units)} WCU</em>}</h3>
      {!isTold && (
        <p className="quiet">This endpoint cannot preview a write. These are the requests that would be sent.</p>
      )}
      {isPartial && <p className="quiet">It reads first; what it writes then depends on what it finds.</p>}
      {writes.map(({ operation, input, preview }, at) => (
        // The requests of one run, in order.
        <div key={at}>
          <p className="mono quiet">{operation}</p>
          {preview === undefined && (
            <pre className="mono" tabIndex={0} aria-label="Request">
              {requestText('request', operation, input)}
            </pre>
          )}
          {preview?.error && (
            <p className="problem">
              × <b>{preview.error.name}</b> {preview.error.message}
            </p>
          )}
          <ul className="ripple mono">
            {preview?.items.slice(0, itemsShownMax).map((item) => (
              <PreviewedItem key={JSON.stringify([item.table, item.key])} item={item} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

const changes = {
  put: 'a new entry',
  delete: 'the entry is deleted',
  replace: 'the entry stays in place, rewritten',
  move: 'the entry moves: one delete, one put',
  none: 'the entry stays as it is',
  absent: 'no entry',
} as const;

function PreviewedItem({ item }: { readonly item: WritePreview['items'][number] }): ReactNode {
  const texts = Object.values(item.key).map((value) => keyText(value));
  return (
    <>
      <li>
        <b>{item.action}</b>
        <span className="what">
          <KeyText text={texts.at(-1) ?? ''} /> <span className="quiet">{sizesText(item.oldBytes, item.newBytes)}</span>
        </span>
        <span>{item.writes}</span>
      </li>
      {item.indexes
        .filter(({ change }) => change !== 'none' && change !== 'absent')
        .map(({ name, change, writes }) => (
          <li key={name} className="sub">
            <b>{name}</b>
            <span className="what">{changes[change]}</span>
            <span>{writes === 0 ? '' : writes}</span>
          </li>
        ))}
      {item.stream && (
        <li className="sub">
          <b>Stream</b>
          <span className="what">{item.stream.eventName}</span>
          <span />
        </li>
      )}
    </>
  );
}

function sizesText(oldBytes: number, newBytes: number): string {
  if (oldBytes === 0) return `new, ${bytesText(newBytes)}`;
  return newBytes === 0 ? `deleted, ${bytesText(oldBytes)}` : `${bytesText(oldBytes)} to ${bytesText(newBytes)}`;
}
