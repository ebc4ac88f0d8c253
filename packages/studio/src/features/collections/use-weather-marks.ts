import { useEffect, useRef, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { refreshWeather, skyOf, useWeather, type WeatherAnswer } from '../../app/weather.ts';
import { itemId } from '../../grid/rows.ts';
import type { Exchange } from '../../wire/client.ts';
import { keyNamesOf, type TableDescription } from '../../wire/table-description.ts';
import type { RowMark } from './grid.tsx';

const noMarks: ReadonlyMap<string, RowMark> = new Map();
/** What can happen to a read. The other kinds concern writes and streams. */
const ofReads: ReadonlySet<string> = new Set(['latency', 'internal-error', 'throttle', 'short-page', 'stale-read']);

type Counts = WeatherAnswer['Acted'][string];

/**
 * Marks the items that were read while the weather acted on their table. The server counts by table, not by request: a mark says what happened
 * to the table in that time, and may come from somebody else's request. While the weather is clear, nothing is asked.
 */
export function useWeatherMarks(
  table: TableDescription,
  items: readonly AttributeMap[],
  onExchange: (exchange: Exchange) => void,
): ReadonlyMap<string, RowMark> {
  const { TableName } = table;
  const weather = useWeather();
  const isActing = weather !== undefined && skyOf(weather) !== undefined;
  const [marks, setMarks] = useState(noMarks);
  const known = useRef<ReadonlySet<string>>(new Set());
  // What is not known to have happened before counts as having happened now.
  const counted = useRef<Counts>(weather?.Acted[TableName] ?? {});
  // Known when the items before these came. A page is asked for after that, and its counts may be known before it arrives itself.
  const countedBefore = useRef<Counts>(counted.current);
  useEffect(() => {
    const keys = keyNamesOf(table);
    const fresh = items.map((item) => itemId(item, keys)).filter((id) => !known.current.has(id));
    known.current = new Set([...known.current, ...fresh]);
    if (!isActing || fresh.length === 0) return;
    const before = countedBefore.current;
    countedBefore.current = counted.current;
    refreshWeather(onExchange).then(
      ({ Acted }) => {
        const now = Acted[TableName] ?? {};
        counted.current = now;
        const kinds = Object.keys(now).filter((kind) => ofReads.has(kind) && (now[kind] ?? 0) > (before[kind] ?? 0));
        if (kinds.length === 0) return;
        const text = `While this was read, the weather acted on ${TableName}: ${kinds.join(', ')}`;
        setMarks((given) => new Map([...given, ...fresh.map((id) => [id, { kind: 'weather', text }] as const)]));
      },
      () => undefined, // the strip says that it failed
    );
  }, [items, isActing]);
  return isActing ? marks : noMarks;
}
