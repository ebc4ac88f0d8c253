import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The typefaces of the pages, Latin only, from packages that have their licence beside them. A browser asks for those that a page uses. */
const FONTS: ReadonlyMap<string, string> = new Map([
  ['geist', import.meta.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2')],
  ['geist-mono', import.meta.resolve('@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2')],
  ['newsreader', import.meta.resolve('@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2')],
]);

/** A typeface of the pages by its name in look.css. */
export async function fontAnswer(name: string): Promise<Response> {
  const file = FONTS.get(name);
  if (file === undefined) return new Response(null, { status: 404 });
  return new Response(await readFile(fileURLToPath(file)), {
    headers: { 'content-type': 'font/woff2', 'cache-control': 'max-age=31536000, immutable' },
  });
}
