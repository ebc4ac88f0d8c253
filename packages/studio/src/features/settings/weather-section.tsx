import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useCatalog } from '../../app/catalog.ts';
import { changeWeather, type WeatherAnswer, type WeatherForecast, type WeatherSettings } from '../../app/weather.ts';
import { Failure } from '../../ui/failure.tsx';
import { countText } from '../../ui/figures.ts';

const skies = ['clear', 'breeze', 'storm'] as const;

/** What the service does then, by the name of the setting. */
const settings = [
  { name: 'LatencyMs', title: 'extra latency, up to ms' },
  { name: 'InternalErrorRate', title: 'internal errors, rate' },
  { name: 'LostAnswerRate', title: 'lost answers to writes, rate' },
  { name: 'ThrottleRate', title: 'throttling, rate' },
  { name: 'ConflictRate', title: 'transaction conflicts, rate' },
  { name: 'ShortPageRate', title: 'short pages, rate' },
  { name: 'StaleReadMs', title: 'stale reads, up to ms' },
  { name: 'IndexLagMs', title: 'index lag, up to ms' },
  { name: 'ExpiryDelayMs', title: 'expiry delay, ms' },
  { name: 'RepeatedRecordsRate', title: 'repeated stream records, rate' },
] as const;

/** The weather: the tables it acts on, its settings, and how many times it has acted. */
export function WeatherSection({ answer }: { readonly answer: WeatherAnswer }): ReactNode {
  return (
    <section aria-label="Weather">
      <h2>Weather</h2>
      {answer.isPossible ? (
        <>
          <p>
            Simulates conditions that applications sometimes meet in the real service. The same seed makes the same
            choices for the same requests.
          </p>
          <WeatherForm key={JSON.stringify(answer.Forecast)} forecast={answer.Forecast} />
          <Acted acted={answer.Acted} />
        </>
      ) : (
        <p>
          Clear. To change the weather here, start the server with <code className="mono">--weather clear</code>.
        </p>
      )}
    </section>
  );
}

const everywhere = '';

function WeatherForm({ forecast }: { readonly forecast: WeatherForecast }): ReactNode {
  const { tables } = useCatalog();
  const { Everywhere, Tables = {} } = forecast;
  const [seed, setSeed] = useState(String(forecast.Seed ?? 1));
  const [scope, setScope] = useState(Everywhere === undefined ? (Object.keys(Tables)[0] ?? everywhere) : everywhere);
  const [drafts, setDrafts] = useState<Readonly<Record<string, WeatherSettings>>>({
    ...Tables,
    ...(Everywhere && { [everywhere]: Everywhere }),
  });
  const [error, setError] = useState<Error>();
  const draft = drafts[scope] ?? {};
  const sky = draft['Name'] ?? 'clear';
  const change = (name: string, value: string | number | undefined): void => {
    const { [name]: _, ...others } = draft;
    setDrafts({ ...drafts, [scope]: value === undefined ? others : { ...others, [name]: value } });
  };
  const send = (next: WeatherForecast): void => {
    changeWeather(next).then(
      () => setError(undefined),
      (cause: unknown) => setError(cause as Error), // inspect() throws errors only
    );
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const { [everywhere]: all, ...byTable } = drafts;
    send({ Seed: Number(seed), ...(all && { Everywhere: all }), Tables: byTable });
  };
  return (
    <form className="weather-form" onSubmit={submit}>
      <p className="options">
        <label>
          Where{' '}
          <select className="field" value={scope} onChange={(event) => setScope(event.target.value)}>
            <option value={everywhere}>all other tables</option>
            {tables.map(({ TableName }) => (
              <option key={TableName}>{TableName}</option>
            ))}
          </select>
        </label>
        <label>
          Sky{' '}
          <select
            className="field"
            value={sky}
            onChange={(event) => setDrafts({ ...drafts, [scope]: { Name: event.target.value } })}
          >
            {skies.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          Seed{' '}
          <input
            className="field mono"
            inputMode="numeric"
            value={seed}
            onChange={(event) => setSeed(event.target.value.replace(/\D/g, ''))}
          />
        </label>
      </p>
      <fieldset className="weather-settings">
        <legend>Individual settings; an empty one has the value of the sky</legend>
        {settings.map(({ name, title }) => (
          <label key={name}>
            <span>{title}</span>
            <input
              className="field mono"
              type="number"
              min="0"
              step="any"
              value={draft[name] ?? ''}
              onChange={(event) => change(name, event.target.value === '' ? undefined : Number(event.target.value))}
            />
          </label>
        ))}
      </fieldset>
      <p className="options">
        <button type="submit" className="button main">
          Set the weather
        </button>
        <button type="button" className="button" onClick={() => send({ Seed: Number(seed) })}>
          Clear all
        </button>
      </p>
      {error && <Failure error={error} />}
    </form>
  );
}

function Acted({ acted }: { readonly acted: WeatherAnswer['Acted'] }): ReactNode {
  const rows = Object.entries(acted).flatMap(([table, kinds]) =>
    Object.entries(kinds).map(([kind, count]) => ({ table, kind, count })),
  );
  if (rows.length === 0) return <p className="quiet">It has not acted yet.</p>;
  return (
    <table className="acted" aria-label="How often the weather has acted">
      <tbody>
        {rows.map(({ table, kind, count }) => (
          <tr key={`${table} ${kind}`}>
            <td className="mono">{table}</td>
            <td>{kind}</td>
            <td className="mono number">{countText(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
