import { EventStreams, type Inspect, inspectionPage } from '../../server/index.ts';
import type { LocalInspection } from '../../studio/forwarder.ts';

const unstored = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'] as const;

/** Sends the answers of an inspection over HTTP, beside a page that shows another endpoint. Decision 0122 says which there are. */
export function localInspection(inspect: Inspect, region: string): LocalInspection {
  const streams = new EventStreams();
  return {
    close: () => streams.close(),
    async answer({ method = '', url = '', headers }, body, response) {
      const named = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
      );
      // Models belong to no account.
      const page = await inspectionPage(inspect, { method, url, headers: named, body }, { accountId: '', region });
      if (page === undefined) return false;
      if ('events' in page) {
        const headers = ['content-type', 'text/event-stream', ...unstored];
        await streams.send(response, { status: 200, headers, body: new Uint8Array() }, page.events);
        return true;
      }
      response.writeHead(page.status, ['content-type', 'application/json', ...unstored]);
      response.end(page.body);
      return true;
    },
  };
}
