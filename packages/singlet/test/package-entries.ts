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

/** An entry of a package's manifest: with types, unless jest loads it by its name. */
export interface ManifestEntry {
  /** As it is imported: `singlet/testing`. */
  readonly specifier: string;
  readonly typed: PackageEntry | undefined;
}

/** All entries of the packages that programs import, except their manifests. */
export const manifestEntries: readonly ManifestEntry[] = ['singlet', 'model'].flatMap((name) => {
  const folder = join(packages, name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(manifest.exports)
    .filter(([entry]) => entry !== './package.json')
    .map(([entry, conditions]) => {
      const specifier = (name === 'singlet' ? name : `@singlet/${name}`) + entry.slice(1);
      if (typeof conditions === 'string') return { specifier, typed: undefined };
      const types = join(folder, 'import' in conditions ? conditions.import.types : conditions.types);
      return { specifier, typed: { name, entry, types, folder } };
    });
});

/** All entries of the packages that are published with types. */
export const packageEntries: readonly PackageEntry[] = manifestEntries.flatMap(({ typed }) => typed ?? []);
