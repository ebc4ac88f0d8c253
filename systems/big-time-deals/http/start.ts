import { randomBytes } from 'node:crypto';
import type { StartOptions } from '../../http/start-options.ts';
import { type SiteServer, startSite } from './site-server.ts';

/**
 * Serves the site. Scale 1 is 200 brands, 3,000 deals and 1,000 users. Editors send the token in `EDITOR_TOKEN`, or the
 * one that is printed.
 */
export async function startBigTimeDeals({ database, port, scale, say }: StartOptions): Promise<SiteServer> {
  const editorToken = process.env['EDITOR_TOKEN'] ?? randomBytes(16).toString('hex');
  const server = await startSite({
    database,
    editorToken,
    port,
    seedScale: scale === 0 ? undefined : scale,
    onFault: (error) => say(String(error)),
  });
  const { seeded } = server;
  if (seeded !== undefined) say(`${seeded.brands} brands, ${seeded.deals} deals, ${seeded.users} users`);
  if (process.env['EDITOR_TOKEN'] === undefined) say(`The token of editors is ${editorToken}`);
  return server;
}
