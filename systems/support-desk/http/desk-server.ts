import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableDefinitions } from '@singlet/model';
import { randomBytes } from 'node:crypto';
import { type HttpServer, serveHttp } from '../../http/node-server.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { ensureTable } from '../../table-lifecycle.ts';
import type { OpenDatabase } from '../../testing/databases.ts';
import { SupportDesk } from '../desk.ts';
import { supportDesk } from '../model.ts';
import { seedSupportDesk } from '../seed.ts';
import { application, type Suggestions } from './application.ts';

export interface DeskServerOptions {
  readonly database: Pick<OpenDatabase, 'clientConfig'>;
  /** 0 for any free port. */
  readonly port: number;
  readonly tableName?: string;
  /** Fills the desk with sample data of this scale before it is served. */
  readonly seedScale?: number | undefined;
  /** The names on the start page. */
  readonly suggestions?: Suggestions;
  /** Seals cursors. If absent, they are valid until the server ends. */
  readonly cursorSecret?: string;
  readonly checksAnswers?: boolean;
  /** Receives errors whose details callers do not see. */
  readonly onFault?: (error: unknown) => void;
}

export interface DeskServer extends HttpServer {
  readonly desk: SupportDesk;
  /** The number of items of sample data, by entity, if it was requested. */
  readonly seeded: Readonly<Record<string, number>> | undefined;
}

/** Serves the desk on a database, whose table it creates if it does not exist. */
export async function startDesk(options: DeskServerOptions): Promise<DeskServer> {
  const { database, seedScale, port } = options;
  const client = new DynamoDBClient(database.clientConfig);
  try {
    const [definition = { TableName: supportDesk.name }] = tableDefinitions(supportDesk);
    const tableName = options.tableName ?? definition.TableName ?? supportDesk.name;
    await ensureTable(client, { ...definition, TableName: tableName });
    const seeded = seedScale === undefined ? undefined : await seedSupportDesk({ client, tableName, scale: seedScale });
    const clock = { nowMs: () => Date.now() };
    const cursorSecret = options.cursorSecret ?? randomBytes(32).toString('hex');
    const newId = createKsuidGenerator({ clock, randomBytes });
    const desk = new SupportDesk({ client, tableName, clock, newId, cursorSecret });
    const server = await serveHttp(await application({ ...options, desk }), { port });
    return {
      url: server.url,
      desk,
      seeded,
      close: async () => {
        await server.close();
        client.destroy();
      },
    };
  } catch (error) {
    client.destroy();
    throw error;
  }
}
