import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Modal } from '../ui/modal.tsx';
import type { Address } from './address.ts';
import { type KeyRow, keysEverywhere, keysOf } from './key-list.ts';
import { areLetterKeysOn } from './letter-keys.ts';
import { commandKey } from './shell.tsx';
import './key-dialog.css';

/** The keys of the view, and those that work everywhere. */
export function KeyDialog({
  address,
  onClose,
}: {
  readonly address: Address;
  readonly onClose: () => void;
}): ReactNode {
  const here = keysOf(address);
  return (
    <Modal className="key-dialog" label="Keys" onClose={onClose}>
      <header>
        <h2>Keys</h2>
        <span className="grow" />
        <button type="button" className="button" onClick={onClose}>
          Close <kbd>Esc</kbd>
        </button>
      </header>
      <div className="lists" tabIndex={0} role="region" aria-label="All keys">
        {here.length > 0 && <Keys title="In this view" rows={here} />}
        <Keys title="Everywhere" rows={keysEverywhere} />
      </div>
      {!areLetterKeysOn() && <p className="quiet">Single letters are off: the settings switch them on.</p>}
    </Modal>
  );
}

function Keys({ title, rows }: { readonly title: string; readonly rows: readonly KeyRow[] }): ReactNode {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {rows.map(([keys, does]) => (
          <div key={`${keys} ${does}`}>
            <dt>
              {keys.split(', ').map((each) => (
                <span key={each} className="chord">
                  {each.split(' ').map((key, at) =>
                    // The keys of a chord, in order.
                    key === 'to' ? <i key={at}> to </i> : <Key key={at} name={key} />,
                  )}
                </span>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The font of the page has arrows up and down only. */
const arrows: Readonly<Record<string, readonly [icon: IconName, name: string]>> = {
  '←': ['back', 'Left'],
  '→': ['closed', 'Right'],
};

function Key({ name }: { readonly name: string }): ReactNode {
  const [icon, text] = arrows[name] ?? [];
  if (icon === undefined) return <kbd>{name === 'Ctrl' ? commandKey().trim() : name}</kbd>;
  return (
    <kbd>
      <Icon name={icon} />
      <span className="hidden">{text}</span>
    </kbd>
  );
}
