import type { RequestContext } from '../../engine/index.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { InspectServices } from '../endpoint.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** Reports a changed forecast. A server that was started without weather has none to report. */
export class WeatherChanges {
  readonly #services: InspectServices;
  readonly #context: RequestContext;
  #known: string | undefined;

  constructor(services: InspectServices, context: RequestContext) {
    this.#services = services;
    this.#context = context;
  }

  async poll(): Promise<readonly InspectionEvent[]> {
    const { Forecast } = await this.#weather();
    const before = this.#known;
    this.#known = JSON.stringify(Forecast);
    return before === undefined || before === this.#known ? [] : [{ topic: 'weather', data: { Forecast } }];
  }

  async #weather(): Promise<{ readonly Forecast: object }> {
    try {
      return (await this.#services.call('GetWeather', {}, this.#context)) as { readonly Forecast: object };
    } catch (error) {
      if (error instanceof ValidationException) return { Forecast: {} };
      throw error;
    }
  }
}
