// Parts of a page that change by themselves: the page is asked for again, and what it says anew is put in their place.
// Whatever the visitor is typing or looking at outside of these parts stays as it is.

const ASK_EVERY_MS = 1000;

/** Each form has a new key on each page; that alone is no news. */
const withoutKeys = (text) => text.replaceAll(/name="key" value="[^"]*"/g, '');

async function askAgain() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const shown of document.querySelectorAll('[data-live]')) {
    const fresh = page.getElementById(shown.id);
    if (fresh !== null && withoutKeys(fresh.innerHTML) !== withoutKeys(shown.innerHTML)) replace(shown, fresh);
  }
}

/** Puts new content in the place of old; what had the focus has it again, where it is still there. */
function replace(shown, fresh) {
  const focused = shown.contains(document.activeElement) ? document.activeElement : null;
  const form = focused?.closest('form')?.getAttribute('action');
  const link = focused?.getAttribute('href');
  shown.replaceChildren(...fresh.childNodes);
  if (form) shown.querySelector(`form[action="${CSS.escape(form)}"] button`)?.focus();
  else if (link) shown.querySelector(`a[href="${CSS.escape(link)}"]`)?.focus();
}

async function askForEver() {
  for (;;) {
    await new Promise((resolve) => {
      setTimeout(resolve, ASK_EVERY_MS);
    });
    // A server that does not answer is asked again later.
    if (!document.hidden) await askAgain().catch(() => undefined);
  }
}

if (document.querySelector('[data-live]') !== null) void askForEver();
