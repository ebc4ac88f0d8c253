import { useSyncExternalStore } from 'react';
import type { Exchange } from '../wire/client.ts';
import { inspect } from '../wire/inspect.ts';
import { RequestLog } from '../wire/request-log.ts';

/** Settings by name: `Name`, `LatencyMs`, `ThrottleRate`, … */
export type WeatherSettings = Readonly<Record<string, string | number>>;

export interface WeatherForecast {
  readonly Seed?: number;
  readonly Everywhere?: WeatherSettings;
  readonly Tables?: Readonly<Record<string, WeatherSettings>>;
}

/** The server's answer about its weather. */
export interface WeatherAnswer {
  /** False if it was started without weather, which then cannot be changed. */
  readonly isPossible: boolean;
  readonly Forecast: WeatherForecast;
  /** How many times each kind has acted, by table. */
  readonly Acted: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** The requests about the server itself, for the strip of the settings. */
export const serverLog: RequestLog = new RequestLog();
let answer: WeatherAnswer | undefined;
const listeners = new Set<() => void>();

async function readWeather(): Promise<void> {
  set(await inspect<WeatherAnswer>('weather', { onExchange: serverLog.add }));
}

/** Reads it again, for a view with its own log. @throws {ServiceError} {ConnectionError} */
export async function refreshWeather(onExchange: (exchange: Exchange) => void): Promise<WeatherAnswer> {
  const read = await inspect<WeatherAnswer>('weather', { onExchange });
  set(read);
  return read;
}

/** @throws {ServiceError} for invalid settings. */
export async function changeWeather(forecast: WeatherForecast): Promise<void> {
  set(await inspect<WeatherAnswer>('weather', { onExchange: serverLog.add, method: 'PUT', body: forecast }));
}

/** The weather, as the server last reported it. */
export function useWeather(): WeatherAnswer | undefined {
  return useSyncExternalStore(subscribe, () => answer);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    again();
    window.addEventListener('focus', again);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('focus', again);
  };
}

/** Another page or a script may have changed it. An endpoint without weather shows none. */
function again(): void {
  readWeather().catch(() => undefined);
}

function set(next: WeatherAnswer): void {
  answer = next;
  for (const listener of listeners) listener();
}

/** The name of the weather; undefined while it is clear. */
export function skyOf({ Forecast: { Everywhere, Tables = {} } }: WeatherAnswer): string | undefined {
  const acting = [Everywhere ?? {}, ...Object.values(Tables)].filter(isActing);
  const [first] = acting;
  if (first === undefined) return undefined;
  const names = new Set(acting.map(({ Name }) => Name));
  return names.size === 1 && typeof first['Name'] === 'string' && first['Name'] !== 'clear' ? first['Name'] : 'weather';
}

function isActing(settings: WeatherSettings): boolean {
  return Object.entries(settings).some(([name, value]) => (name === 'Name' ? value !== 'clear' : value !== 0));
}
