// Builds the documentation site from the repository's Markdown (decision 0116). By default it becomes a part of the workbench's package,
// which the database serves at /studio/docs/; `--out FOLDER` builds it elsewhere. A dead link, a missing anchor, or a page that is not in
// the tree fails the build.
import { mkdirSync, readFileSync, rmSync, writeFileSync, copyFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notInstalled } from '../scripts/not-installed.mjs';
import { linkResolver } from './links.mjs';
import { treeOf } from './navigation.mjs';
import { pagesOf, repositoryFiles, root } from './pages.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const flag = process.argv.indexOf('--out');
const out = resolve(flag === -1 ? join(root, 'packages/studio/dist/page/docs') : (process.argv[flag + 1] ?? ''));

const missing = ['@11ty/eleventy', '@11ty/eleventy-plugin-syntaxhighlight', 'minisearch', 'esbuild'].filter(
  (name) => !isInstalled(name),
);
if (missing.length > 0) {
  // The database and the workbench build and run without it. A fresh machine has all of it.
  process.stderr.write(`The site was not built, because ${notInstalled(missing)}: npm ci\n`);
  process.exit(process.env.CI === undefined ? 0 : 1);
}

const { default: Eleventy } = await import('@11ty/eleventy');
const { default: highlight } = await import('@11ty/eleventy-plugin-syntaxhighlight');
const { default: MiniSearch } = await import('minisearch');
const { build } = await import('esbuild');

const files = repositoryFiles();
const pages = pagesOf(files).map((page) => ({ ...page, short: shortTitle(page), headings: [] }));
const pageOf = new Map(pages.map((page) => [page.file, page]));
const links = linkResolver({ pages, files });
const { tree, problems } = treeOf(pages);
const order = tree.flatMap(({ title, pages }) => pages.map((page) => ({ page, group: title })));

rmSync(out, { recursive: true, force: true });
process.chdir(here); // Eleventy's folders are relative to the current one
const eleventy = new Eleventy('pages', relative(here, out), { quietMode: true, config: configure });
await eleventy.write();

const sections = [];
for (const page of pages) page.ids = new Set(page.headings.map(({ id }) => id));
for (const { from, link, url, hash } of links.anchors) {
  const target = pages.find((page) => page.url === url);
  if (!target.ids.has(hash)) problems.push(`${from}: ${link} names a heading that does not exist`);
}
problems.push(...links.problems);
if (problems.length > 0) {
  process.stderr.write(`The site was not built:\n  ${[...new Set(problems)].join('\n  ')}\n`);
  process.exit(1);
}
copyLinkedFiles();
await buildAssets();

function configure(config) {
  config.addPlugin(highlight);
  config.setIncludesDirectory('../layouts');
  config.amendLibrary('md', (markdown) => {
    markdown.set({ html: true, linkify: false });
    withAnchors(markdown);
    withLinks(markdown);
    withScrolledTables(markdown);
  });
  for (const page of pages) {
    const at = order.findIndex((entry) => entry.page === page);
    config.addTemplate(page.file, page.text, {
      layout: 'page.11ty.mjs',
      permalink: page.url,
      templateEngineOverride: 'md', // braces in the text are text
      page_file: page.file,
      title: page.title,
      headings: page.headings,
      group: order[at]?.group ?? groupOfIndex(page.file),
      before: order[at - 1]?.page,
      after: at === -1 ? undefined : order[at + 1]?.page,
      tree,
      url: page.url,
    });
  }
}

/** Rules, exports and decisions are in the group of their index. */
function groupOfIndex(file) {
  if (file.startsWith('docs/api/')) return 'Reference';
  return file.startsWith('docs/rules/') ? 'Design' : 'About';
}

/** Every heading has an id, as in repository browsers: lower case, hyphens, and a number from the second of the same name on. */
function withAnchors(markdown) {
  markdown.core.ruler.push('anchors', ({ tokens, env }) => {
    const page = pageOf.get(env.page_file);
    const used = new Map();
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue;
      const text = plain(tokens[index + 1]);
      const slug = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-');
      const count = used.get(slug) ?? 0;
      used.set(slug, count + 1);
      const id = count === 0 ? slug : `${slug}-${count}`;
      token.attrSet('id', id);
      page.headings.push({ level: Number(token.tag.slice(1)), id, text });
    }
    indexPage(page, tokens);
  });
}

function withLinks(markdown) {
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const page = pageOf.get(env.page_file);
    for (const { children } of tokens) {
      const open = [];
      for (const token of children ?? []) {
        if (token.type === 'image') token.attrSet('src', links.resolve(page, token.attrGet('src')));
        if (token.type === 'link_close') {
          const opening = open.pop();
          if (opening.tag === 'span') token.tag = 'span';
        }
        if (token.type !== 'link_open') continue;
        open.push(token);
        const to = links.resolve(page, token.attrGet('href'));
        if (to !== null) token.attrSet('href', to);
        else {
          token.tag = 'span';
          token.attrs = [];
        }
      }
    }
  });
}

/** A wide table scrolls by itself. Its cells have classes for their alignment, because the policy allows no styles in attributes. */
function withScrolledTables(markdown) {
  markdown.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
  markdown.core.ruler.push('cells', ({ tokens }) => {
    for (const token of tokens) if (token.type === 'th_open' || token.type === 'td_open') token.attrs = null;
  });
}

/** One entry of the search for each heading, with the text below it. */
function indexPage(page, tokens) {
  let section;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open' && Number(token.tag.slice(1)) <= 3) {
      const title = plain(tokens[index + 1]);
      const isFirst = section === undefined;
      const id = isFirst ? page.url : `${page.url}#${token.attrGet('id')}`;
      section = { id, page: page.title, title, text: '' };
      page.sections = [...(page.sections ?? []), section];
    } else if (token.type === 'inline' && section !== undefined) {
      section.text += ` ${plain(token)}`;
    }
  }
}

function plain(token) {
  return (token.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

function copyLinkedFiles() {
  for (const [file, url] of links.copied) {
    const to = join(out, url);
    mkdirSync(dirname(to), { recursive: true });
    if (!url.endsWith('.html') || file.endsWith('.html')) copyFileSync(join(root, file), to);
    else writeFileSync(to, sourcePage(file, url));
  }
}

function sourcePage(file, url) {
  const up = '../'.repeat(url.split('/').length - 1);
  const text = readFileSync(join(root, file), 'utf8');
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${file} · Singlet</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}assets/site.css">
</head>
<body>
<header><a class="name" href="${up}index.html">Singlet</a></header>
<div class="columns"><span></span><main><h1>${file}</h1><pre tabindex="0"><code>${escaped}</code></pre></main></div>
</body>
</html>
`;
}

async function buildAssets() {
  await build({
    absWorkingDir: here,
    entryPoints: { search: 'search.js', site: 'style.css' },
    outdir: join(out, 'assets'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    loader: { '.woff2': 'file' },
    assetNames: '[name]',
    logLevel: 'warning',
  });
  sections.push(...pages.flatMap((page) => page.sections ?? []));
  const options = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page'] };
  const index = new MiniSearch(options);
  index.addAll(sections);
  writeFileSync(join(out, 'assets/search-index.json'), JSON.stringify({ options, index }));
}

/** The name in the tree: the part of the title before a colon. */
function shortTitle({ file, title }) {
  if (file === 'README.md') return 'Singlet';
  return title.split(': ')[0];
}

function isInstalled(name) {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
