import type { ScrubReport } from '../engine/index.ts';
import { ValidationException } from '../values/service-error.ts';
import type { Endpoint, InspectServices } from './endpoint.ts';
import type { PartRequest } from './peers.ts';
import { numberIn } from './query.ts';
import { partsOf, summed } from './summed.ts';

/** A requested pass can run faster: other requests still get their turn between its steps. */
const bytesPerSecondAsked = 100 * 1024 * 1024;

interface ScrubPart {
  readonly report: ScrubReport | null;
}

const path = ['scrub'];

async function ownReport(_request: PartRequest, { engine }: InspectServices): Promise<ScrubPart> {
  return { report: engine.scrubReport() ?? null };
}

/** The running pass, or else the one that started last, in any process. */
function latest(parts: readonly ScrubPart[]): ScrubPart {
  const reports = parts.flatMap(({ report }) => report ?? []);
  const running = reports.find(({ endedAtMs }) => endedAtMs === undefined);
  return { report: running ?? reports.toSorted((a, b) => b.startedAtMs - a.startedAtMs)[0] ?? null };
}

/** The findings of the running or last check of all stored data. */
export const scrubReportEndpoint: Endpoint = summed({
  method: 'GET',
  path,
  permission: 'GetScrub',
  part: ownReport,
  together: latest,
});

/** Starts a check of all stored data, unless one is running. */
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
