// Links of a page, as they are in the repository, become links of the site. A link to a file that is not a page leads to a copy of that
// file, so that every link works without a network.
import { posix } from 'node:path';

const isElsewhere = /^[a-z][a-z0-9+.-]*:|^\/\//i;

/**
 * @param site.pages - all pages.
 * @param site.files - all files of the repository.
 * @returns a resolver of links, which collects problems, the files that are copied, and the anchors that have to exist.
 */
export function linkResolver({ pages, files }) {
  const pageOf = new Map(pages.map((page) => [page.file, page]));
  const known = new Set(files);
  const problems = [];
  const copied = new Map();
  const anchors = [];

  const targetOf = (path) => {
    const page = pageOf.get(path) ?? pageOf.get(posix.join(path, 'README.md'));
    if (page !== undefined) return page.url;
    if (known.has(path)) {
      const url = isPicture(path) ? `files/${path}` : `files/${path}.html`;
      copied.set(path, url);
      return url;
    }
    if (files.some((file) => file.startsWith(`${path}/`))) return null; // a folder without a README: text without a link
    return undefined;
  };

  return {
    problems,
    copied,
    anchors,
    /** @returns the link from one page to another, `null` if it has no target in the site, or the same if it leads elsewhere. */
    resolve(from, link) {
      if (isElsewhere.test(link)) return link;
      const [path = '', hash] = link.split('#', 2);
      const file = path === '' ? from.file : posix.join(posix.dirname(from.file), decodeURI(path)).replace(/\/$/, '');
      const url = targetOf(file);
      if (url === undefined) {
        problems.push(`${from.file}: ${link} does not exist`);
        return link;
      }
      if (url === null) return null;
      if (hash !== undefined && pageOf.has(file)) anchors.push({ from: from.file, link, url, hash });
      const relative = posix.relative(posix.dirname(from.url), url);
      return `${relative}${hash === undefined ? '' : `#${hash}`}`;
    },
  };
}

function isPicture(path) {
  return /\.(png|svg|webp|jpe?g)$/.test(path);
}
