import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { setTheme, themes, useTheme } from '../../app/appearance.ts';
import { destinations } from '../../app/destinations.ts';
import { setLetterKeys, useLetterKeys } from '../../app/letter-keys.ts';
import { serverLog, useWeather } from '../../app/weather.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { isRemote, serverName } from '../../app/server-name.ts';
import { Failure } from '../../ui/failure.tsx';
import { Strip } from '../../ui/strip.tsx';
import { isSignatureMissing, onConnectionChange } from '../../wire/connection.ts';
import { inspect } from '../../wire/inspect.ts';
import { SignInSection } from './sign-in-section.tsx';
import { WeatherSection } from './weather-section.tsx';
import './settings-view.css';

interface ServerInfo {
  readonly version: string;
  readonly region: string;
  readonly accountId: string;
  readonly store: string;
  readonly auth: boolean;
  readonly workers: number;
  readonly features: readonly string[];
}

/** The connection, appearance, keys, the weather, and information about this server. */
export function SettingsView(): ReactNode {
  const log = serverLog;
  const theme = useTheme();
  const letterKeys = useLetterKeys();
  const [info, setInfo] = useState<ServerInfo>();
  const weather = useWeather();
  const [error, setError] = useState<Error>();
  const isUnsigned = useSyncExternalStore(onConnectionChange, isSignatureMissing);
  usePageTitle('Settings');
  useEffect(() => {
    const ask = async (): Promise<void> => {
      try {
        setInfo(await inspect<ServerInfo>('info', { onExchange: log.add }));
      } catch (cause) {
        setError(cause as Error); // inspect() throws errors only
      }
    };
    void ask();
  }, [log]);
  return (
    <section className="settings" aria-label="Settings">
      <div className="scroll" tabIndex={0} role="region" aria-label="All settings">
        <section aria-label="Connection">
          <h2>Connection</h2>
          <dl>
            <dt>Server</dt>
            <dd className="mono">
              {serverName()}
              {isRemote() && ', not on this machine'}
            </dd>
            {info && (
              <>
                <dt>Region, account</dt>
                <dd className="mono">
                  {info.region}, {info.accountId}
                </dd>
                <dt>Store</dt>
                <dd className="mono">
                  {info.store}, {info.workers === 1 ? 'one process' : `${info.workers} processes`}
                </dd>
                <dt>Credentials</dt>
                <dd>{info.auth ? 'Requests must be signed.' : 'Any are accepted.'}</dd>
              </>
            )}
            <dt>Another endpoint</dt>
            <dd>
              <code className="mono">npx singlet studio --endpoint URL</code>
            </dd>
          </dl>
          {(isUnsigned || info?.auth === true) && <SignInSection />}
          {error && !isUnsigned && <Failure error={error} />}
        </section>
        <section aria-label="Appearance">
          <h2>Appearance</h2>
          <div className="options" role="group" aria-label="Theme">
            {themes.map((each) => (
              <button
                key={each}
                type="button"
                className="button"
                aria-pressed={theme === each}
                onClick={() => setTheme(each)}
              >
                {each}
              </button>
            ))}
          </div>
        </section>
        <section aria-label="Keys">
          <h2>Keys</h2>
          <label className="switch">
            <input type="checkbox" checked={letterKeys} onChange={(event) => setLetterKeys(event.target.checked)} />{' '}
            Single letters are shortcuts
          </label>
          <dl>
            {destinations.map(({ title, key }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <kbd>G</kbd> <kbd>{key.toUpperCase()}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
        {weather && <WeatherSection answer={weather} />}
        {info && (
          <section aria-label="About">
            <h2>About</h2>
            <p>
              Singlet <span className="mono">{info.version}</span>. This server provides: {info.features.join(', ')}.
            </p>
          </section>
        )}
      </div>
      <Strip log={log} subject="the server" />
    </section>
  );
}
