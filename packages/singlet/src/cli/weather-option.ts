import { readFileSync } from 'node:fs';
import { checkForecast, type WeatherForecast } from '../engine/index.ts';
import { ValidationException } from '../values/service-error.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads the value of `--weather`: the name of a weather, or a JSON file with `seed`, `everywhere` and `tables`.
 *
 * @throws {UsageError}
 */
export function forecastOf(text: string): WeatherForecast {
  const forecast = /^[a-z]+$/.test(text) ? { everywhere: text as WeatherForecast['everywhere'] } : forecastIn(text);
  try {
    checkForecast(forecast);
  } catch (error) {
    if (!(error instanceof ValidationException)) throw error;
    throw new UsageError(`--weather ${text}: ${error.message}`, { cause: error });
  }
  return forecast;
}

function forecastIn(file: string): WeatherForecast {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--weather takes clear, breeze, storm, or a JSON file; ${file} cannot be read.`, {
      cause: error,
    });
  }
  try {
    // checkForecast checks its contents.
    return JSON.parse(text) as WeatherForecast;
  } catch (error) {
    throw new UsageError(`--weather ${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
