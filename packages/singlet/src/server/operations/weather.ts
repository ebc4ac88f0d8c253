import type { NamedSettings, SetWeatherRequest, WeatherForecast, WeatherReport } from '../../engine/index.ts';
import { double, enumeration, integer, map, result, structure, type Shape } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';

const settings: Shape<NamedSettings> = structure<NamedSettings>('WeatherSettings', {
  name: enumeration(['clear', 'breeze', 'storm']),
  latencyMs: double,
  internalErrorRate: double,
  lostAnswerRate: double,
  throttleRate: double,
  conflictRate: double,
  shortPageRate: double,
  staleReadMs: double,
  indexLagMs: double,
  expiryDelayMs: double,
  repeatedRecordsRate: double,
});

const report: Shape<WeatherReport> = result<WeatherReport>({
  forecast: result<WeatherForecast>({ seed: integer(), everywhere: settings, tables: map(settings) }),
  acted: map(map(integer())),
});

/** Our own action: sets the faults of the service that Singlet injects now and then. See docs/weather.md. */
export const setWeather: Operation = defineOperation('SetWeather', {
  input: structure<SetWeatherRequest>('SetWeatherInput', {
    seed: integer(),
    everywhere: settings,
    tables: map(settings),
  }),
  output: report,
});

/** Our own action: returns the current weather, and how often it has acted. */
export const getWeather: Operation = defineOperation('GetWeather', {
  input: structure<object>('GetWeatherInput', {}),
  output: report,
});
