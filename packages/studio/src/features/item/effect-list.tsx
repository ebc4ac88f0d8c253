import type { ReactNode } from 'react';
import type { IndexEffect, WriteEffects } from '../../effects/write-effects.ts';
import type { PathChange, WriteRequest } from '../../effects/write-request.ts';
import { bytesText, plural, unitsText } from '../../ui/figures.ts';
import { cellText, cut } from '../../values/value-text.ts';

interface EffectListProps {
  /** One entry for each item that is written: two if an item is moved to another key. */
  readonly effects: readonly WriteEffects[];
  readonly request: WriteRequest | undefined;
  /** What an update changes; its condition is that this is still as it was read. */
  readonly changes: readonly PathChange[];
  readonly children: ReactNode;
}

/** What a write will change: the table, each index, the stream, the units. */
export function EffectList({ effects, request, changes, children }: EffectListProps): ReactNode {
  const title = effects.length > 1 ? 'move' : effects[0]?.change === 'delete' ? 'deletion' : 'save';
  const units = effects.reduce((sum, { writeUnits }) => sum + writeUnits, 0);
  return (
    <section className="effects" aria-label={`What this ${title} changes`}>
      <h3>
        What this {title} changes
        <em>{unitsText(units)} WCU</em>
      </h3>
      {effects.map((each) => (
        <Effects key={each.change} effects={each} />
      ))}
      {request !== undefined && <p className="condition mono quiet">{conditionText(request, changes)}</p>}
      <div className="actions">{children}</div>
    </section>
  );
}

function Effects({ effects }: { readonly effects: WriteEffects }): ReactNode {
  const { indexes, stream } = effects;
  return (
    <ul className="ripple mono">
      <li>
        <b>Table</b>
        <span className="what">{tableText(effects)}</span>
        <span>{effects.tableUnits}</span>
      </li>
      {indexes.map((index) => (
        <li key={index.name} className={index.units === 0 ? 'idle' : undefined}>
          <b>{index.name}</b>
          <span className="what">{indexText(index)}</span>
          <span>{index.units === 0 ? '' : index.units}</span>
        </li>
      ))}
      <li className={stream ? undefined : 'idle'}>
        <b>Stream</b>
        <span className="what">
          {stream ? `${stream.eventName} with ${views[stream.view] ?? stream.view}` : 'no record'}
        </span>
        <span />
      </li>
    </ul>
  );
}

const views: Readonly<Record<string, string>> = {
  NEW_AND_OLD_IMAGES: 'both images',
  NEW_IMAGE: 'the new image',
  OLD_IMAGE: 'the old image',
  KEYS_ONLY: 'the key',
};

function tableText({ change, oldBytes, newBytes }: WriteEffects): string {
  switch (change) {
    case 'insert':
      return `a new item of ${bytesText(newBytes)}`;
    case 'delete':
      return `the item of ${bytesText(oldBytes)} is deleted`;
    case 'rewrite':
      return `rewritten, ${bytesText(oldBytes)} to ${bytesText(newBytes)}`;
    case 'none':
      return 'stays as it is';
  }
}

function indexText({ change, reason }: IndexEffect): string {
  switch (change) {
    case 'put':
      return 'a new entry';
    case 'delete':
      return reason === undefined ? 'the entry is deleted' : `the entry is deleted: ${reason}`;
    case 'move':
      return 'the entry moves: one delete, one put';
    case 'rewrite':
      return 'the entry stays in place, rewritten';
    case 'none':
      return 'the entry stays as it is';
    case 'absent':
      return reason === undefined ? 'no entry' : `no entry: ${reason}`;
  }
}

const namedMax = 3;
const valueCharactersMax = 40;

/** The condition of a request in words. One value is told as a whole, several by their names. */
function conditionText({ operation }: WriteRequest, changes: readonly PathChange[]): string {
  switch (operation) {
    case 'TransactWriteItems':
      return 'both or neither: only if the item has not changed since it was read, and the new key is free';
    case 'PutItem':
      return 'only if there is no such item yet';
    case 'DeleteItem':
      return 'only if the item has not changed since it was read';
    case 'UpdateItem': {
      const [first] = changes;
      if (first === undefined) return 'only if the item is still there';
      if (changes.length === 1) return `only if ${nameOf(first)} is still ${stateOf(first)}`;
      const named = changes.slice(0, namedMax).map(nameOf);
      const others = changes.length - named.length;
      const all = others === 0 ? named : [...named, plural(others, 'other attribute')];
      return `only if ${all.slice(0, -1).join(', ')} and ${all.at(-1) ?? ''} are still as they were read`;
    }
  }
}

function nameOf({ path }: PathChange): string {
  return path.join('.');
}

function stateOf({ old }: PathChange): string {
  if (old === undefined) return 'absent';
  const text = cellText(old);
  return text === '' ? 'empty' : cut(text, valueCharactersMax);
}
