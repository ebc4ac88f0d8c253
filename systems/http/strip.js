// The strip of costs: open on the first visit where there is room for it, and from then on as the visitor has left it. What the pointer or
// the focus is on is marked in the strip where one of the listed items is meant, and the other way round.

const STATE = 'strip';
const strip = document.querySelector('.receipt details');

/** Storage may be forbidden. Then each page is like the first one. */
function kept(state) {
  try {
    if (state !== undefined) localStorage.setItem(STATE, state);
    return localStorage.getItem(STATE);
  } catch {
    return null;
  }
}

/** The parts of a key or an address, without what only fills a number up to its width. */
const partsOf = (text) => text.split(/[/#?=&]/).map((part) => decodeURIComponent(part).replace(/^0+(?=\d)/, ''));

/** The rows of the items that an address is about: those whose key ends with one of its parts. */
function rowsOf(address) {
  const parts = new Set(partsOf(address).filter((part) => part !== ''));
  return [...strip.querySelectorAll('[data-key]')].filter((row) => parts.has(partsOf(row.dataset.key).at(-1)));
}

const addressOf = (thing) => thing.getAttribute('href') ?? thing.getAttribute('action') ?? '';

function mark(event) {
  for (const marked of document.querySelectorAll('[data-on]')) delete marked.dataset.on;
  const thing = event.target.closest?.('main a[href], main form[action]');
  if (thing) for (const row of rowsOf(addressOf(thing))) row.dataset.on = '';
  const row = event.target.closest?.('.receipt [data-key]');
  if (!row) return;
  row.dataset.on = '';
  for (const each of document.querySelectorAll('main a[href]')) {
    if (rowsOf(addressOf(each)).includes(row)) each.dataset.on = '';
  }
}

if (strip !== null) {
  const state = kept();
  strip.open = state === null ? innerWidth >= 1100 && innerHeight > 800 : state === 'open';
  // The click comes before the change.
  strip.querySelector('summary').addEventListener('click', () => kept(strip.open ? 'closed' : 'open'));
  document.addEventListener('mouseover', mark);
  document.addEventListener('focusin', mark);
}
