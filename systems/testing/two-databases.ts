import { databasesUnderTest, type DatabaseUnderTest } from './databases.ts';

/** Over HTTP and stored in LMDB, and in this process and in memory; or the endpoint given in the environment. */
export const twoDatabases: readonly DatabaseUnderTest[] = databasesUnderTest.filter(
  ({ name }) => name !== 'HTTP and memory' && name !== 'in process and LMDB',
);

/** The one for slow tests. */
export const quickDatabase: DatabaseUnderTest = twoDatabases.at(-1)!;
