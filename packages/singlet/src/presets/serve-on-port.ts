import { type Database, type DatabaseServer, serve } from '../index.ts';

/**
 * Serves a database on a port that a configuration names.
 *
 * @param setting - the name of the setting, with its file.
 * @throws {Error} that says what to change, if another program uses the port; its cause is the {@link ListenError}.
 */
export async function serveOnPort(
  database: Pick<Database, 'handle' | 'request'>,
  port: number,
  setting: string,
): Promise<DatabaseServer> {
  try {
    return await serve(database, { port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is in use: stop the program that uses it, or change ${setting}`, { cause: error });
  }
}
