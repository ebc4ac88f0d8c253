// The frame of a page: the tree, the text, the headings. It works without a script; only the search needs one. The workbench serves it
// under a policy that allows neither inline scripts nor inline styles.
import { posix } from 'node:path';

/** Names the page in a tab and in results of searches. The start page has the name of the product. */
const titleOf = (title) => (title === 'Singlet' ? 'Singlet: documentation' : `${title} · Singlet`);

/** Renders one page. `content` is the HTML of its Markdown. */
export function render({ content, title, tree, url, group, headings, before, after }) {
  const to = (target) => posix.relative(posix.dirname(url), target);
  const link = (page) =>
    `<a href="${to(page.url)}"${page.url === url ? ' aria-current="page"' : ''}>${escape(page.short ?? page.title)}</a>`;
  // One branch is open: the others are links to their first pages, which keeps every page small.
  const sections = tree.map(({ title: name, pages }) =>
    name === group
      ? `<h2>${escape(name)}</h2><ul>${pages.map((page) => `<li>${link(page)}</li>`).join('')}</ul>`
      : `<h2><a href="${to(pages[0].url)}">${escape(name)}</a></h2>`,
  );
  const contents = headings.filter(({ level }) => level === 2 || level === 3);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(titleOf(title))}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('assets/site.css')}">
<script type="module" src="${to('assets/search.js')}" data-index="${to('assets/search-index.json')}" data-root="${to('.') || '.'}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="${to('index.html')}">Singlet</a>
<search hidden><input type="search" placeholder="Search  /" aria-label="Search the documentation" aria-controls="results"><ol id="results" hidden></ol></search>
</header>
<div class="columns">
<nav class="tree" aria-label="Pages">${sections.join('\n')}</nav>
<main id="text">
${content.replaceAll('<pre ', '<pre tabindex="0" ').replaceAll('<pre>', '<pre tabindex="0">')}
<footer class="ways">${before ? `<a rel="prev" href="${to(before.url)}">Previous: ${escape(before.short ?? before.title)}</a>` : '<span></span>'}${
    after ? `<a rel="next" href="${to(after.url)}">Next: ${escape(after.short ?? after.title)}</a>` : ''
  }</footer>
</main>
${
  contents.length > 1
    ? `<nav class="contents" aria-label="On this page"><ul>${contents
        .map(({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escape(text)}</a></li>`)
        .join('')}</ul></nav>`
    : ''
}
</div>
</body>
</html>
`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
