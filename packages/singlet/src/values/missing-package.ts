/**
 * A package that only some features need is not installed. The message names the package to install.
 *
 * Packages like these are optional peer dependencies: an installation of the database for tests has none of them.
 *
 * Decision 0049 says why.
 */
export class MissingPackageError extends Error {
  readonly code = 'missing-package';
  readonly packageName: string;

  /** @param use - the feature that needs the package: `Reading CSV`. */
  constructor(use: string, packageName: string, options: { readonly cause?: unknown } = {}) {
    super(`${use} needs the package ${packageName}, which is not installed: npm install ${packageName}`, options);
    this.name = 'MissingPackageError';
    this.packageName = packageName;
  }
}

/**
 * Loads an optional package.
 *
 * @throws {MissingPackageError} when it, or a package that it depends on, is not installed.
 */
export async function loadPackage<T>(use: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw missingPackage(use, error) ?? error;
  }
}

/** The error for a failed import; undefined when it failed for a reason other than a missing package. */
export function missingPackage(use: string, error: unknown): MissingPackageError | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  const [, packageName] = /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(error.message) ?? [];
  return packageName === undefined ? undefined : new MissingPackageError(use, packageName, { cause: error });
}
