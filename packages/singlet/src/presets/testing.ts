/** Databases for tests, for any test runner. `singlet/vitest` provides the same as vitest fixtures. */
export { FixtureError, loadFixture, saveFixture } from './fixture.ts';
export { databasePerTest, type Seed, seedDatabase, type TestHooks } from './seeded-database.ts';
export type { TableTemplate } from './template-tables.ts';
export { TemplateError } from '../templates/template-error.ts';
export { testClock, type TestClock } from './test-clock.ts';
export { ForgottenRequestsError } from './logged-requests.ts';
export { UndeclaredRequestError } from './undeclared-requests.ts';
export { UnexpectedScanError } from './unexpected-scans.ts';
