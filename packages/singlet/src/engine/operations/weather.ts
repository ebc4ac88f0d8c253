import { ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import type { Weather, WeatherReport } from '../weather/weather.ts';
import type { NamedSettings } from '../weather/weather-settings.ts';

export interface SetWeatherRequest {
  readonly seed?: number | undefined;
  readonly everywhere?: NamedSettings | undefined;
  /** By table name. */
  readonly tables?: Readonly<Record<string, NamedSettings>> | undefined;
}

/**
 * Changes the weather. Omitted settings are cleared.
 *
 * @throws {ValidationException} for invalid settings, and in a database that was opened without weather.
 */
export async function setWeather(
  services: EngineServices,
  request: SetWeatherRequest,
  _context: RequestContext,
): Promise<WeatherReport> {
  const weather = weatherOf(services);
  weather.change(request);
  return weather.report();
}

/**
 * The present weather, and how often it has affected each table.
 *
 * @throws {ValidationException} in a database that was opened without weather.
 */
export async function getWeather(
  services: EngineServices,
  _request: object,
  _context: RequestContext,
): Promise<WeatherReport> {
  return weatherOf(services).report();
}

function weatherOf({ weather }: EngineServices): Weather {
  if (weather !== undefined) return weather;
  throw new ValidationException(
    'This database was opened without weather: start it with --weather clear, or createDatabase({ weather: {} }), to change the weather while it runs.',
  );
}
