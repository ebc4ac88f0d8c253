import type { Database, DatabaseServer } from '../index.ts';
import { readJestConfig } from './jest-config-file.ts';
import { seedDatabase } from './seeded-database.ts';
import { serveOnPort } from './serve-on-port.ts';

let shared: { readonly database: Database; readonly server: DatabaseServer } | undefined;

/** Starts the server that all test files share if the project is configured for `@shelf/jest-dynamodb`: jest's `globalSetup`. */
export async function startSharedServer(_: unknown, { rootDir }: { readonly rootDir: string }): Promise<void> {
  const { seed, sharedPort } = await readJestConfig(rootDir);
  if (sharedPort === undefined) return;
  const database = await seedDatabase({ oneRegion: true, ...seed });
  shared = { database, server: await serveOnPort(database, sharedPort, '`port` in jest-dynamodb-config') };
}

/** Stops the shared server: jest's `globalTeardown`. */
export async function stopSharedServer(): Promise<void> {
  await shared?.server.close();
  await shared?.database.close();
  shared = undefined;
}
