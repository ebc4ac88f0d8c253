import { ValidationException } from '../../values/service-error.ts';

/**
 * Effects of the service that an application meets occasionally, but never with a local database. Rates are probabilities from 0 (never,
 * the default of all) to 1.
 */
export interface WeatherSettings {
  /** The maximum delay of requests before they are served, in milliseconds. */
  readonly latencyMs: number;
  /** Requests that are answered InternalServerError and not executed. */
  readonly internalErrorRate: number;
  /** Writes that are executed but answered InternalServerError. */
  readonly lostAnswerRate: number;
  /**
   * Reads and writes of an item, and pages, that are throttled for their key range. A batch returns throttled actions as
   * unprocessed; a transaction is cancelled.
   */
  readonly throttleRate: number;
  /** Writes of items, and transactions, that conflict with another transaction on one of their items. */
  readonly conflictRate: number;
  /** Pages of Query and Scan that end before the limit and before 1 MB, with a key to continue from. */
  readonly shortPageRate: number;
  /** The maximum age of the state that an eventually consistent read of a table or local index sees, in milliseconds. */
  readonly staleReadMs: number;
  /** The maximum lag of a global index behind its table, in milliseconds. */
  readonly indexLagMs: number;
  /** How long an item can stay after its time to live has passed, in milliseconds. */
  readonly expiryDelayMs: number;
  /** Calls of GetRecords that return the iterator they were called with as the next, so that the records are repeated. */
  readonly repeatedRecordsRate: number;
}

export const clearWeather: WeatherSettings = {
  latencyMs: 0,
  internalErrorRate: 0,
  lostAnswerRate: 0,
  throttleRate: 0,
  conflictRate: 0,
  shortPageRate: 0,
  staleReadMs: 0,
  indexLagMs: 0,
  expiryDelayMs: 0,
  repeatedRecordsRate: 0,
};

/** `breeze`: what an application meets in an ordinary month, within minutes. `storm`: a high rate of everything. */
export const namedWeather: Readonly<Record<'clear' | 'breeze' | 'storm', WeatherSettings>> = {
  clear: clearWeather,
  breeze: {
    latencyMs: 10,
    internalErrorRate: 0.002,
    lostAnswerRate: 0.002,
    throttleRate: 0.01,
    conflictRate: 0.01,
    shortPageRate: 0.1,
    staleReadMs: 200,
    indexLagMs: 500,
    expiryDelayMs: 60_000,
    repeatedRecordsRate: 0.01,
  },
  storm: {
    latencyMs: 20,
    internalErrorRate: 0.05,
    lostAnswerRate: 0.05,
    throttleRate: 0.1,
    conflictRate: 0.1,
    shortPageRate: 0.5,
    staleReadMs: 2000,
    indexLagMs: 5000,
    expiryDelayMs: 3_600_000,
    repeatedRecordsRate: 0.1,
  },
};

/** The names of predefined weather. */
export type WeatherName = keyof typeof namedWeather;

/** Settings. Those that are not given are the ones of the name, or `clear` without a name. */
export interface NamedSettings extends Partial<WeatherSettings> {
  /** The weather that the other settings change, for example `storm`. Without it all effects are off. */
  readonly name?: WeatherName | undefined;
}

/** A name, or settings. */
export type WeatherChoice = WeatherName | NamedSettings;

/** The weather of a database: the default, and that of individual tables. */
export interface WeatherForecast {
  /** Makes the choices repeatable for the same requests in the same order. 1 by default. */
  readonly seed?: number | undefined;
  /** The weather of all tables that `tables` does not name. */
  readonly everywhere?: WeatherChoice | undefined;
  /** By table name. */
  readonly tables?: Readonly<Record<string, WeatherChoice>> | undefined;
}

/** The maximum delay of anything, in milliseconds: two days, after which the service has deleted an expired item. */
export const lateMsMax: number = 48 * 60 * 60 * 1000;

/** The maximum time that older states are kept, in milliseconds: their memory grows with it. */
export const pastMsMax = 60_000;

/** @throws {ValidationException} that names the invalid setting and the values it accepts. */
export function settingsOf(choice: WeatherChoice): WeatherSettings {
  if (typeof choice === 'string') return settingsOf({ name: choice });
  const { name = 'clear', ...settings } = choice;
  const named = (namedWeather as Readonly<Record<string, WeatherSettings | undefined>>)[name];
  if (named === undefined) {
    throw new ValidationException(
      `There is no weather "${name}": it is one of ${Object.keys(namedWeather).join(', ')}, or settings such as {"throttleRate":0.1}.`,
    );
  }
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  for (const [setting, value] of given) checkSetting(setting, value);
  return { ...named, ...Object.fromEntries(given) };
}

/** @throws {ValidationException} that says why it is invalid. */
export function checkForecast(forecast: WeatherForecast): void {
  if (typeof forecast !== 'object' || forecast === null || Array.isArray(forecast)) {
    throw new ValidationException('The weather is an object with seed, everywhere and tables.');
  }
  const unknown = Object.keys(forecast).find((name) => !['seed', 'everywhere', 'tables'].includes(name));
  if (unknown !== undefined) {
    throw new ValidationException(`The weather has no member "${unknown}". It has seed, everywhere and tables.`);
  }
  const { seed = 1, everywhere = 'clear', tables = {} } = forecast;
  if (!Number.isSafeInteger(seed)) throw new ValidationException('The seed of the weather is an integer.');
  settingsOf(everywhere);
  for (const choice of Object.values(tables)) settingsOf(choice);
}

function checkSetting(name: string, value: unknown): void {
  if (!Object.hasOwn(clearWeather, name)) {
    throw new ValidationException(
      `The weather has no setting "${name}". It has ${Object.keys(clearWeather).join(', ')}.`,
    );
  }
  const max = name.endsWith('Rate') ? 1 : /^(staleRead|indexLag)Ms$/.test(name) ? pastMsMax : lateMsMax;
  if (typeof value !== 'number' || !(value >= 0 && value <= max)) {
    throw new ValidationException(
      `The weather's ${name} takes a number from 0 to ${max}, not ${JSON.stringify(value)}.`,
    );
  }
}

/** The same forecast without bare names, as it is reported. */
export function forecastInSettings({ seed, everywhere, tables }: WeatherForecast): WeatherForecast {
  return {
    ...(seed !== undefined && { seed }),
    ...(everywhere !== undefined && { everywhere: namedSettings(everywhere) }),
    ...(tables !== undefined && {
      tables: Object.fromEntries(Object.entries(tables).map(([table, choice]) => [table, namedSettings(choice)])),
    }),
  };
}

export function namedSettings(choice: WeatherChoice): NamedSettings {
  return typeof choice === 'string' ? { name: choice } : choice;
}
