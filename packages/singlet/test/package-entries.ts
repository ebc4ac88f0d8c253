import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One entry of a package, as users import it. */
export interface PackageEntry {
  /** `singlet` or `model`. */
  readonly name: string;
  /** As in the package's manifest: `.` or `./testing`. */
  readonly entry: string;
  /** Path of its declaration file. */
  readonly types: string;
  /** Folder of the package. */
  readonly folder: string;
}

interface Manifest {
  /** If `require` can load an entry as well, its types are those of `import`. */
  readonly exports: Readonly<
    Record<string, string | { readonly types: string } | { readonly import: { readonly types: string } }>
  >;
}

const packages = fileURLToPath(new URL('../../', import.meta.url));

/** All entries of the packages that are published with types. */
export const packageEntries: readonly PackageEntry[] = ['singlet', 'model'].flatMap((name) => {
  const folder = join(packages, name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(manifest.exports).flatMap(([entry, conditions]) => {
    if (typeof conditions === 'string') return []; // jest loads it by its name
    const types = join(folder, 'import' in conditions ? conditions.import.types : conditions.types);
    return [{ name, entry, types, folder }];
  });
});
