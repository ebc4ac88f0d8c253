import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { shortCount } from '../ui/figures.ts';
import { indexesOf, type TableDescription } from '../wire/table-description.ts';
import type { Address } from './address.ts';
import { setTheme, type Theme, themes, useTheme } from './appearance.ts';
import { type CatalogState, useCatalog } from './catalog.ts';
import { destinationOf, destinations } from './destinations.ts';
import { LostConnection, MissingSignature } from './lost-connection.tsx';
import { isRemote, serverName } from './server-name.ts';
import { useModels } from './models.ts';
import { skyOf, useWeather } from './weather.ts';

interface ShellProps {
  readonly address: Address;
  readonly onFind: () => void;
  readonly children: ReactNode;
}

/** The frame of every view: the current place, the palette's button, the server, and the tables. */
export function Shell({ address, onFind, children }: ShellProps): ReactNode {
  const { tables, status } = useCatalog();
  return (
    <div className={isRemote() ? 'app remote' : 'app'}>
      {isRemote() && (
        <aside className="production-line" aria-label="Not on this machine">
          <b className="mono">{serverName()}</b> is not on this machine
        </aside>
      )}
      <header className="top">
        <Link to={{ view: 'tables' }} className="brand" label="Singlet, all tables">
          <Logo />
          <b>Singlet</b>
        </Link>
        <span className="crumb">
          {crumbs(address).map((part) => [<i key={`${part}/`}>/</i>, <span key={part}>{part}</span>])}
        </span>
        <button type="button" className="find" onClick={onFind}>
          <Icon name="find" />
          <span>Jump to a key, table, place…</span>
          <kbd>{commandKey()}K</kbd>
        </button>
        <Sky />
        <Server status={status} />
        <ThemeButton />
      </header>
      <LostConnection />
      <MissingSignature />
      <Navigation address={address} tables={tables} />
      <BottomBar address={address} />
      <main className="view">
        {address.view !== 'tables' && <h1 className="hidden">{crumbs(address).join(', ')}</h1>}
        {children}
      </main>
    </div>
  );
}

function crumbs(address: Address): readonly string[] {
  if (address.view === 'tables') return ['Tables'];
  if (address.view === 'table') return ['Tables', address.table ?? 'New table'];
  if (address.view !== 'collections') {
    const { table } = address as { readonly table?: string }; // most views have none
    return [destinationOf(address)?.title ?? '', ...(table === undefined ? [] : [table])];
  }
  return address.index === undefined ? [address.table] : [address.table, address.index];
}

export function commandKey(): string {
  return /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl ';
}

function Logo(): ReactNode {
  return (
    <svg className="logo" viewBox="0 0 18 18" aria-hidden="true">
      <circle cx="9" cy="9" r="8" fill="currentColor" />
      <path d="M5 6.5h8M5 9h8M5 11.5h4.5" stroke="var(--panel)" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}

/** The name of the weather, where it is set. Another database has none. */
function Sky(): ReactNode {
  const weather = useWeather();
  if (weather === undefined) return null;
  const sky = skyOf(weather);
  return sky === undefined ? (
    <Link to={{ view: 'settings' }} className="pill weather" label="Weather: clear">
      <Icon name="light" />
      <span className="text">Clear</span>
    </Link>
  ) : (
    <Link to={{ view: 'settings' }} className="pill weather sky">
      ! {sky}
    </Link>
  );
}

function Server({ status }: { readonly status: CatalogState['status'] }): ReactNode {
  const isLost = status === 'failed';
  return (
    <span className="pill" title={isLost ? 'The server does not answer' : 'Connected'}>
      <span className={isLost ? 'dot lost' : 'dot'} />
      <span className="mono text">{serverName()}</span>
      <span className="hidden">{isLost ? 'not connected' : 'connected'}</span>
    </span>
  );
}

const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'light', dark: 'dark' };

function ThemeButton(): ReactNode {
  const theme = useTheme();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className="pill"
      title={`Theme: ${theme}`}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => setTheme(next)}
    >
      <Icon name={themeIcons[theme]} />
    </button>
  );
}

function Navigation({
  address,
  tables,
}: {
  readonly address: Address;
  readonly tables: readonly TableDescription[];
}): ReactNode {
  const at = address.view === 'collections' ? address : undefined;
  const proven = useProven();
  const here = destinationOf(address);
  return (
    <nav className="nav" aria-label="Views">
      <h2>Tables</h2>
      <Link to={{ view: 'tables' }} current={address.view === 'tables'}>
        <Icon name="find" />
        <span className="name">All tables</span>
      </Link>
      {tables.map((table) => (
        <TableLinks key={table.TableName} table={table} at={at} />
      ))}
      {(['Design', 'Live'] as const).map((group) => {
        const inGroup = destinations.filter((destination) => destination.group === group);
        if (inGroup.length === 0) return null;
        return [
          <h2 key={group}>{group}</h2>,
          ...inGroup.map((destination) => (
            <Link key={destination.title} to={destination.to} current={destination === here}>
              <Icon name={destination.icon} />
              <span className="name">{destination.title}</span>
              {destination.title === 'Model' && proven !== undefined && <em title="Proven patterns">{proven}</em>}
            </Link>
          )),
        ];
      })}
    </nav>
  );
}

/** The proven patterns of all models, of how many: `18/18`. */
function useProven(): string | undefined {
  const { models } = useModels();
  const patterns = models.flatMap(({ check }) => check.patterns);
  if (patterns.length === 0) return undefined;
  return `${patterns.filter(({ verdict }) => verdict !== 'refused').length}/${patterns.length}`;
}

/** The navigation of narrow pages. */
function BottomBar({ address }: { readonly address: Address }): ReactNode {
  const inBar = destinations.filter(({ isInBar }) => isInBar);
  if (inBar.length === 0) return null;
  return (
    <nav className="bottom-bar" aria-label="Views">
      <Link to={{ view: 'tables' }} current={['tables', 'table', 'collections'].includes(address.view)}>
        <Icon name="table" />
        Tables
      </Link>
      {inBar.map(({ title, icon, to }) => (
        <Link key={title} to={to} current={address.view === to.view}>
          <Icon name={icon} />
          {title}
        </Link>
      ))}
    </nav>
  );
}

function TableLinks({
  table,
  at,
}: {
  readonly table: TableDescription;
  readonly at: { table: string; index?: string | undefined } | undefined;
}): ReactNode {
  const { TableName: name, ItemCount = 0 } = table;
  const isHere = at?.table === name;
  return (
    <>
      <Link to={{ view: 'collections', table: name }} current={isHere && at.index === undefined}>
        <Icon name="table" />
        <span className="name">{name}</span>
        <em>{shortCount(ItemCount)}</em>
      </Link>
      {indexesOf(table).map(({ IndexName, ItemCount: indexed = 0 }) => (
        <Link
          key={IndexName}
          to={{ view: 'collections', table: name, index: IndexName }}
          className="sub"
          current={isHere && at.index === IndexName}
        >
          <Icon name="index" />
          <span className="name">{IndexName}</span>
          <em>{shortCount(indexed)}</em>
        </Link>
      ))}
    </>
  );
}
