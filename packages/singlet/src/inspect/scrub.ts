import type { ScrubReport } from '../engine/index.ts';
import { ValidationException } from '../values/service-error.ts';
import type { Endpoint, InspectServices } from './endpoint.ts';
import type { PartRequest } from './peers.ts';
import { numberIn } from './query.ts';
import { partsOf, summed } from './summed.ts';

/** A pass that is asked for need not be slow: requests have their turn between its steps all the same. */
const bytesPerSecondAsked = 100 * 1024 * 1024;

interface ScrubPart {
  readonly report: ScrubReport | null;
}

const path = ['scrub'];

async function ownReport(_request: PartRequest, { engine }: InspectServices): Promise<ScrubPart> {
  return { report: engine.scrubReport() ?? null };
}

/** What runs, or else what began last, whichever process it was. */
function latest(parts: readonly ScrubPart[]): ScrubPart {
  const reports = parts.flatMap(({ report }) => report ?? []);
  const running = reports.find(({ endedAtMs }) => endedAtMs === undefined);
  return { report: running ?? reports.toSorted((a, b) => b.startedAtMs - a.startedAtMs)[0] ?? null };
}

/** What the check of all stored data has found: that which runs, or the last. */
export const scrubReportEndpoint: Endpoint = summed({
  method: 'GET',
  path,
  permission: 'GetScrub',
  part: ownReport,
  together: latest,
});

/** Begins a check of all stored data, unless one runs. */
export const scrubEndpoint: Endpoint = {
  method: 'POST',
  path,
  permission: 'StartScrub',
  async answer({ query, context }, services) {
    const bytesPerSecond = numberIn(query, 'bytesPerSecond') ?? bytesPerSecondAsked;
    if (bytesPerSecond < 1) throw new ValidationException('?bytesPerSecond= takes a number from 1 on.');
    const asked: PartRequest = { method: 'GET', path, query, json: undefined, context };
    const { report } = latest(await partsOf(ownReport, asked, services, []));
    if (report !== null && report.endedAtMs === undefined) return { report };
    await services.engine.scrub(bytesPerSecond);
    return { report: services.engine.scrubReport() ?? null };
  },
};
