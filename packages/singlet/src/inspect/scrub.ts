import { ValidationException } from '../values/service-error.ts';
import type { Endpoint } from './endpoint.ts';
import { numberIn } from './query.ts';

/** A pass that is asked for need not be slow: requests have their turn between its steps all the same. */
const bytesPerSecondAsked = 100 * 1024 * 1024;

/** What the check of all stored data has found: that which runs, or the last. */
export const scrubReportEndpoint: Endpoint = {
  method: 'GET',
  path: ['scrub'],
  permission: 'GetScrub',
  answer: async (_request, { engine }) => ({ report: engine.scrubReport() ?? null }),
};

/** Begins a check of all stored data, unless one runs. */
export const scrubEndpoint: Endpoint = {
  method: 'POST',
  path: ['scrub'],
  permission: 'StartScrub',
  async answer({ query }, { engine }) {
    const bytesPerSecond = numberIn(query, 'bytesPerSecond') ?? bytesPerSecondAsked;
    if (bytesPerSecond < 1) throw new ValidationException('?bytesPerSecond= takes a number from 1 on.');
    await engine.scrub(bytesPerSecond);
    return { report: engine.scrubReport() ?? null };
  },
};
