import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScrubReport } from '../../engine/index.ts';
import { UsageError } from '../usage-error.ts';

/** The interval between requests for the server's progress. Milliseconds. */
const askMs = 200;

/**
 * Makes a running server check all its data, or waits for the check in progress.
 *
 * @param onProgress - called with the number of entries checked.
 * @throws {UsageError} if the server does not answer properly.
 */
export async function examineServer(endpoint: string, onProgress: (entries: number) => void): Promise<ScrubReport> {
  // If several processes share the port, later requests must reach the one that started: it has the report.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    let report = await ask(agent, endpoint, 'POST');
    while (report.endedAtMs === undefined) {
      onProgress(report.entries);
      await delay(askMs);
      report = await ask(agent, endpoint, 'GET');
    }
    return report;
  } finally {
    agent.destroy();
  }
}

async function ask(agent: Agent, endpoint: string, method: 'GET' | 'POST'): Promise<ScrubReport> {
  const headers = { 'content-type': 'application/json' };
  try {
    const outgoing = request(new URL('/_singlet/scrub', endpoint), { method, agent, headers });
    outgoing.end(method === 'POST' ? '{}' : undefined);
    const [response] = await once(outgoing, 'response');
    // A server of an earlier release, or of another kind, answers with something else.
    const answer = (await json(response)) as { readonly report?: ScrubReport | null } | null;
    if (answer?.report) return answer.report;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The server at ${endpoint} could not be reached: ${reason}`, { cause: error });
  }
  throw new UsageError(
    `The server at ${endpoint} does not check its data: it is not Singlet, or requires credentials.`,
  );
}
