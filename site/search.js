// The search of the site, in the reader's browser: an index of all headings is loaded when the field is used for the first time.
import MiniSearch from 'minisearch';

const script = document.querySelector('script[data-index]');
const box = document.querySelector('search');
const input = box.querySelector('input');
const results = box.querySelector('ol');
const hitsMax = 12;
const searching = {
  prefix: true,
  fuzzy: 0.2,
  combineWith: 'AND',
  boost: { title: 3, page: 2 },
  // A record of a decision repeats the words of its guide. Readers want the guide first.
  boostDocument: (id) => (id.startsWith('decisions/') ? 0.3 : 1),
};

let loading;
box.hidden = false;

async function index() {
  loading ??= fetch(script.dataset.index).then(async (answer) => {
    const { options, index } = await answer.json();
    return MiniSearch.loadJS(index, options);
  });
  return await loading;
}

input.addEventListener('focus', () => void index());
input.addEventListener('input', () => void show());
input.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')];
  if (event.key === 'Escape') {
    input.value = '';
    void show();
  } else if (event.key === 'ArrowDown') {
    event.preventDefault();
    links[0]?.focus();
  } else if (event.key === 'Enter') {
    links[0]?.click();
  }
});
results.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  const links = [...results.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  (links[at] ?? input).focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
  input.select(); // the browser may have kept an earlier search
});

async function show() {
  const words = input.value.trim();
  if (words === '') {
    results.hidden = true;
    return;
  }
  const found = (await index()).search(words, searching);
  if (words !== input.value.trim()) return; // typed on meanwhile
  results.replaceChildren(...(found.length === 0 ? [nothing(words)] : found.slice(0, hitsMax).map(hit)));
  results.hidden = false;
}

function hit({ id, title, page }) {
  const link = document.createElement('a');
  link.href = `${script.dataset.root}/${id}`;
  link.textContent = title;
  if (page !== title) {
    const small = document.createElement('small');
    small.textContent = page;
    link.append(small);
  }
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function nothing(words) {
  const item = document.createElement('li');
  item.className = 'none';
  item.textContent = `Nothing was found for “${words}”.`;
  return item;
}
