import type { ReactNode } from 'react';
import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { bytesText, unitsText } from './figures.ts';
import { sameValue } from '../values/value-problem.ts';
import { cellText } from '../values/value-text.ts';

/** The answer of `POST /_singlet/preview`. */
export interface WritePreview {
  readonly ok: boolean;
  readonly error?: { readonly name: string; readonly message: string };
  readonly items: readonly PreviewedItem[];
  readonly capacity: { readonly writes: number };
}

export interface PreviewedItem {
  readonly table: string;
  readonly key: AttributeMap;
  readonly old: AttributeMap | null;
  readonly new: AttributeMap | null;
  readonly oldBytes: number;
  readonly newBytes: number;
  readonly indexes: readonly {
    readonly name: string;
    readonly change: string;
    readonly reason?: string;
    readonly writes: number;
  }[];
  readonly stream: { readonly eventName: string; readonly view: string } | null;
}

/** The effects of one write: each attribute that changes, each index, the stream, the units. */
export function WritePreviewPanel({
  preview,
  label,
}: {
  readonly preview: WritePreview;
  readonly label: string;
}): ReactNode {
  return (
    <section className="explanation" aria-label={label}>
      {preview.error && (
        <p className="sign bad">
          × {preview.error.name}: {preview.error.message}
        </p>
      )}
      {preview.items.map((item, at) => (
        // The items of one answer never change their order.
        <ItemEffect key={at} item={item} />
      ))}
      {preview.ok && (
        <p>
          It costs <b>{unitsText(preview.capacity.writes)} WCU</b>.
        </p>
      )}
    </section>
  );
}

function ItemEffect({ item }: { readonly item: PreviewedItem }): ReactNode {
  const { old, new: next, oldBytes, newBytes, indexes, stream } = item;
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(next ?? {})])];
  const changed = names.filter((name) => !sameValue(old?.[name], next?.[name]));
  const what = old === null ? 'A new item' : next === null ? 'The item is deleted' : 'The item is rewritten';
  return (
    <>
      <p>
        <b>{what}</b> in {item.table}: {Object.values(item.key).map(cellText).join(' · ')}, {bytesText(oldBytes)} to{' '}
        {bytesText(newBytes)}
      </p>
      <ul className="mono">
        {changed.map((name) => (
          <li key={name}>
            {name} {old?.[name] && <del>{cellText(old[name])}</del>} {next?.[name] && <ins>{cellText(next[name])}</ins>}
          </li>
        ))}
        {indexes.map(({ name, change, reason, writes }) => (
          <li key={`index ${name}`}>
            <b>{name}</b> {changes[change] ?? change}
            {reason === undefined ? '' : `: ${reason}`}{' '}
            <span className="quiet">{writes > 0 ? `${writes} WCU` : ''}</span>
          </li>
        ))}
        <li>
          <b>Stream</b> {stream === null ? 'no record' : `${stream.eventName}, ${stream.view}`}
        </li>
      </ul>
    </>
  );
}

const changes: Readonly<Record<string, string>> = {
  put: 'a new entry',
  delete: 'the entry is deleted',
  move: 'the entry moves: one delete, one put',
  replace: 'the entry stays in place, rewritten',
  none: 'the entry stays as it is',
  absent: 'no entry',
};
