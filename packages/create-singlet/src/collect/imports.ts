const STATEMENTS = [
  /^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm,
  /^import '([^']+)'/gm,
  /\bimport\('([^']+)'\)/g,
  /\bimport\.meta\.resolve\('([^']+)'\)/g,
] as const;

/** The specifiers that a module imports or resolves, as written: paths and packages, including those of types. Expects code formatted by Prettier. */
export function specifiersIn(text: string): readonly string[] {
  return STATEMENTS.flatMap((statement) => [...text.matchAll(statement)].map(([, specifier = '']) => specifier));
}

/** The package that a specifier names; undefined for a path, and for a built-in module of Node. */
export function packageOf(specifier: string): string | undefined {
  if (/^(\.|\/|node:)/.test(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
