import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import MiniSearch, { type AsPlainObject, type Options } from 'minisearch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notInstalled } from '../scripts/not-installed.mjs';
import { pagesOf, repositoryFiles, sourceFiles } from './pages.mjs';

/** The site is built once, as a reader gets it, and looked at from outside: files, links, policy, search. */
const build = fileURLToPath(new URL('build.mjs', import.meta.url));
const pageBytesMax = 96 * 1024;

let out: string;
let files: readonly string[];
let pages: readonly { readonly name: string; readonly html: string }[];

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'singlet-site-'));
  await promisify(execFile)(process.execPath, [build, '--out', out]);
  files = (readdirSync(out, { recursive: true }) as string[]).map((name) => name.replaceAll('\\', '/'));
  pages = files
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, html: readFileSync(join(out, name), 'utf8') }));
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** @returns the targets of a page's links, pictures, scripts and styles. */
function targetsIn(html: string): readonly string[] {
  return [...html.matchAll(/<[a-z]+\b[^>]*\s(?:href|src|data-index)="([^"]*)"/g)].flatMap(([, to = '']) =>
    /^(https?|data|mailto):/.test(to) ? [] : [to],
  );
}

/** @returns a sentence for each target that is not in the site. */
function deadLinks(all: readonly { readonly name: string; readonly html: string }[]): readonly string[] {
  const known = new Set(files);
  const idsOf = new Map(
    all.map(({ name, html }) => [name, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
  );
  return all.flatMap(({ name, html }) =>
    targetsIn(html).flatMap((to) => {
      const [path = '', hash] = to.split('#');
      const target = path === '' ? name : posix.join(posix.dirname(name), decodeURI(path));
      if (!known.has(target)) return [`${name}: ${to}`];
      return hash === undefined || !target.endsWith('.html') || idsOf.get(target)?.has(decodeURI(hash)) === true
        ? []
        : [`${name}: ${to} (no such heading)`];
    }),
  );
}

/** @returns texts outside of code with two asterisks, which Markdown did not take for emphasis. */
function asterisksIn(html: string): readonly string[] {
  const prose = html.replace(/<pre[\s\S]*?<\/pre>/g, '').replace(/<code>[\s\S]*?<\/code>/g, '<code>');
  return [...prose.matchAll(/>([^<>]*\*\*[^<>]*)</g)].map(([, text = '']) => text);
}

describe('the documentation site', () => {
  test('has a page for every document', () => {
    expect(pages.length).toBeGreaterThan(150);
    for (const name of [
      'index.html',
      'model.html',
      'rules/scan.html',
      'decisions/index.html',
      'systems/blog/index.html',
    ]) {
      expect(files).toContain(name);
    }
  });

  test('has no dead link', () => {
    expect(deadLinks(pages)).toEqual([]);
  });

  test('would notice a dead link, and a heading that does not exist', () => {
    const planted = { name: 'rules/x.html', html: '<a href="../gone.html">a</a> <a href="../model.html#gone">b</a>' };
    expect(deadLinks([...pages, planted])).toEqual([
      'rules/x.html: ../gone.html',
      'rules/x.html: ../model.html#gone (no such heading)',
    ]);
  });

  test('follows the policy of the workbench: nothing inline, nothing from elsewhere', () => {
    for (const { name, html } of pages) {
      const markup = html.replace(/<pre[\s\S]*?<\/pre>/g, '').replace(/<code>[\s\S]*?<\/code>/g, '');
      expect(markup.match(/<script(?![^>]*\ssrc=)|\sstyle="|\son[a-z]+="|<style/g), name).toBeNull();
      expect(markup.match(/<(script|link|img|iframe)\b[^>]*(src|href)="https?:/g), name).toBeNull();
    }
  });

  test('has no emphasis that is not rendered', () => {
    expect(pages.flatMap(({ name, html }) => asterisksIn(html).map((text) => `${name}: ${text}`))).toEqual([]);
    expect(asterisksIn('<p>***Races.** An <code>a ** b</code> and <strong>this</strong>.</p>')).toEqual([
      '***Races.** An ',
    ]);
  });

  test('is light: a page of text is below 96 KB', () => {
    const heavy = pages.filter(({ name, html }) => !name.startsWith('files/') && html.length > pageBytesMax);
    expect(heavy.map(({ name }) => name).sort()).toEqual([]);
  });

  test('says in each page which one it is', () => {
    const inTree = pages.filter(({ html }) => html.includes('aria-current="page"'));
    expect(inTree.length).toBeGreaterThan(60);
    for (const { name, html } of inTree) expect(html.match(/aria-current/g), name).toHaveLength(1);
  });
});

describe('the search', () => {
  function index(): MiniSearch {
    const { options, index: stored } = JSON.parse(readFileSync(join(out, 'assets/search-index.json'), 'utf8')) as {
      options: Options;
      index: AsPlainObject;
    };
    return MiniSearch.loadJS(stored, options);
  }
  const search = {
    prefix: true,
    fuzzy: 0.2,
    combineWith: 'AND',
    boost: { title: 3, page: 2 },
    boostDocument: (id: string) => (id.startsWith('decisions/') ? 0.3 : 1),
  } as const;

  test('finds every page by its title', () => {
    const of = index();
    const lost = pages
      .filter(({ name }) => !name.startsWith('files/'))
      .flatMap(({ name, html }) => {
        const title = /<title>(.*?)(?: · Singlet|: documentation)<\/title>/.exec(html)?.[1] ?? '';
        const plain = title
          .replaceAll('&amp;', '&')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"');
        const found = of.search(plain, search).slice(0, 12);
        return found.some(({ id }) => String(id).split('#')[0] === name) ? [] : [`${name}: ${plain}`];
      });
    expect(lost).toEqual([]);
  });

  test('no page has a title that says the same twice', () => {
    const titles = pages.flatMap(({ html }) => /<title>(.*)<\/title>/.exec(html)?.[1] ?? []);
    expect(titles).toHaveLength(pages.length);
    expect(titles.filter((title) => /^(.+) · \1$/.test(title))).toEqual([]);
  });

  test('finds a heading within a page, and a word that is spelled wrongly', () => {
    const of = index();
    expect(of.search('fork', search).some(({ id }) => String(id).startsWith('testing.html'))).toBe(true);
    expect(of.search('encrytion', search).some(({ id }) => String(id).startsWith('encryption.html'))).toBe(true);
  });

  test('its index is read as one small file', () => {
    expect(readFileSync(join(out, 'assets/search-index.json')).length).toBeLessThan(2 * 1024 * 1024);
    expect(readFileSync(join(out, 'assets/search.js')).length).toBeLessThan(32 * 1024);
  });
});

test.each([
  [['vite'], 'vite is not installed'],
  [['vite', 'esbuild'], 'vite and esbuild are not installed'],
  [['vite', 'esbuild', 'react'], 'vite, esbuild and react are not installed'],
])('a build without %j says so', (names, sentence) => {
  expect(notInstalled(names)).toBe(sentence);
});

test('a copy of the sources without a repository has the same pages, and every file that they may link to', () => {
  const walked = sourceFiles();
  expect(pagesOf(walked)).toEqual(expect.arrayContaining([...pagesOf(repositoryFiles())]));
  const found = new Set(walked);
  expect(repositoryFiles().filter((file) => !found.has(file))).toEqual([]);
  expect(walked.filter((file) => /(^|\/)(node_modules|dist)\//.test(file))).toEqual([]);
});
