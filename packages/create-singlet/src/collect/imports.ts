const STATEMENTS = [
  /^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm,
  /^import '([^']+)'/gm,
  /\bimport\('([^']+)'\)/g,
] as const;

/** What a module imports, as it is written: paths and packages, those of types included. It is code as Prettier lays it out. */
export function specifiersIn(text: string): readonly string[] {
  return STATEMENTS.flatMap((statement) => [...text.matchAll(statement)].map(([, specifier = '']) => specifier));
}

/** The package that a specifier names; undefined for a path, and for a module of Node's own. */
export function packageOf(specifier: string): string | undefined {
  if (/^(\.|\/|node:)/.test(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
