import { randomBytes } from 'node:crypto';
import type { OpenDatabase } from '../../testing/databases.ts';
import { type SiteServer, startSite } from './site-server.ts';

export interface StartOptions {
  readonly database: Pick<OpenDatabase, 'clientConfig'>;
  readonly port: number;
  /** Of the sample data: 1 is 200 brands, 3,000 deals and 1,000 users; 0 is none. */
  readonly scale: number;
  readonly say: (line: string) => void;
}

/** Serves the site. Editors show the token in `EDITOR_TOKEN`, or the one that is said. */
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
