import { expect, test } from 'vitest';
import { loadPackage, missingPackage, MissingPackageError } from './missing-package.ts';

/** The error that Node throws. */
function notFound(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
}

test.each([
  ["Cannot find package 'csv-parse' imported from /app/node_modules/singlet/dist/chunk.js", 'csv-parse'],
  ["Cannot find package '@aws-sdk/client-s3' imported from /app/x.js", '@aws-sdk/client-s3'],
  ["Cannot find package '@singlet/model/check' imported from /app/x.js", '@singlet/model'],
])('%s: says which package to add', async (message, packageName) => {
  const cause = notFound(message);
  const error = await loadPackage('Reading CSV', () => Promise.reject(cause)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MissingPackageError);
  expect(error).toMatchObject({
    message: `Reading CSV needs the package ${packageName}, which is not installed: npm install ${packageName}`,
    code: 'missing-package',
    packageName,
    cause,
  });
});

test('other failures of a package stay what they are', async () => {
  for (const error of [
    new Error('no such thing'),
    notFound("Cannot find module '/app/handler.js' imported from /app/x.js"),
    'text',
  ]) {
    expect(missingPackage('Reading CSV', error)).toBeUndefined();
    await expect(loadPackage('Reading CSV', () => Promise.reject(error as Error))).rejects.toBe(error);
  }
  await expect(loadPackage('Reading CSV', () => Promise.resolve(1))).resolves.toBe(1);
});
