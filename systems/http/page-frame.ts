import { randomUUID } from 'node:crypto';
import { html, type Markup, type Renderable } from './markup.ts';
import { KEY_FIELD, type Refused, type Shown } from './screens.ts';

/** The parts that every page of an application shares. */
export interface Frame {
  readonly name: string;
  /** At most four. */
  readonly places: readonly Place[];
  /** The typeface of headings: `reading` is a serif, `instrument` is monospaced. */
  readonly voice: 'reading' | 'speaking' | 'instrument';
  /** The path for signing in and out; absent for an application without users. */
  readonly signInPath?: string;
  readonly signOutPath?: string;
  /** How the signed-in user is shown, if not by the name of the session; `face` is the seed of the picture. */
  readonly shownAs?: (person: string) => { readonly label: string; readonly face: string };
  /** Scripts of the kit beside that of the strip: `live` for parts made by {@link live}, `keys` for buttons with keyboard shortcuts. */
  readonly scripts?: readonly PageScript[];
}

/** A script of the kit. */
export type PageScript = 'live' | 'keys';

export interface Place {
  readonly path: string;
  readonly label: string;
}

/** The whole page around a screen's content. */
export function framed(frame: Frame, shown: Shown, receipt: Markup): Markup {
  const { title, main, refused } = shown;
  return html`<html lang="en" class="${frame.voice}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}, ${frame.name}</title>
      <link rel="stylesheet" href="/look.css" />
      <link rel="stylesheet" href="/tint.css" />
      <link rel="icon" href="/picture/mark/${encodeURIComponent(frame.name)}.svg" />
      ${['strip', ...(frame.scripts ?? [])].map((name) => html`<script src="/${name}.js" defer></script>`)}
    </head>
    <body>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="bar">
        <a class="name" href="/">${picture('mark', frame.name, 24)}<span>${frame.name}</span></a
        >${placesOf(frame, shown)}${personOf(frame, shown)}
      </header>
      <main id="main">
        <h1>${title}</h1>
        ${refused !== undefined && html`<p class="refusal" role="alert">${refused.detail}</p>`} ${main}
      </main>
      ${receipt}
    </body>
  </html>`;
}

function placesOf({ places }: Frame, { pathname }: Shown): Markup {
  const current = places.filter(({ path }) => pathname === path || pathname.startsWith(`${path}/`)).at(-1);
  return html`<nav aria-label="Places">
    ${places.map((place) =>
      place === current
        ? html`<a href="${place.path}" aria-current="page">${place.label}</a>`
        : html`<a href="${place.path}">${place.label}</a>`,
    )}
  </nav>`;
}

function personOf(
  { signInPath, signOutPath, shownAs = (name) => ({ label: name, face: name }) }: Frame,
  { person }: Shown,
): Renderable {
  if (signInPath === undefined) return undefined;
  if (person === undefined) return html`<a class="me" href="${signInPath}">Sign in</a>`;
  const { label, face } = shownAs(person);
  return html`<div class="me">
    ${picture('face', face, 30)}<span>${label}</span>${
      signOutPath !== undefined && form(signOutPath, html`<button class="plain">Sign out</button>`)
    }
  </div>`;
}

/** A form with its own key: sent twice, it takes effect once. */
export function form(path: string, content: Renderable, label?: string): Markup {
  return html`<form method="post" action="${path}" ${label !== undefined && html` aria-label="${label}"`}>
    <input type="hidden" name="${KEY_FIELD}" value="${randomUUID()}" />${content}
  </form>`;
}

/** A field with its label, the value typed before, and its error. */
export function field(
  name: string,
  label: string,
  options: {
    readonly refused?: Refused | undefined;
    readonly value?: string;
    readonly type?: 'text' | 'email' | 'password' | 'number' | 'month' | 'date';
    readonly hint?: string;
    readonly rows?: number;
    readonly choices?: readonly (readonly [value: string, label: string])[];
    readonly autocomplete?: string;
  } = {},
): Markup {
  const { refused, type = 'text', hint, rows, choices, autocomplete = 'off' } = options;
  const value = type === 'password' ? '' : (refused?.typed[name] ?? options.value ?? '');
  const fault = refused?.fields.find((each) => each.field === name);
  const id = `field-${name}`;
  const tied = html`id="${id}"
  name="${name}"${fault !== undefined && html` aria-invalid="true"`}${
    (fault ?? hint) !== undefined && html` aria-describedby="${id}-says"`
  }`;
  const input =
    choices !== undefined
      ? html`<select ${tied}>
          ${choices.map(([of, text]) => html`<option value="${of}" ${of === value && html` selected`}>${text}</option>`)}
        </select>`
      : rows === undefined
        ? html`<input
            ${tied}
            type="${type}"
            value="${value}"
            autocomplete="${autocomplete}"
            ${type === 'number' && html` step="any"`}
          />`
        : html`<textarea ${tied} rows="${rows}">${value}</textarea>`;
  return html`<p class="field">
    <label for="${id}">${label}</label>${input}${
      (fault ?? hint) !== undefined &&
      html`<small id="${id}-says" ${fault !== undefined && html` class="fault"`}>${fault?.detail ?? hint ?? ''}</small>`
    }
  </p>`;
}

/**
 * A part of a screen that updates itself: `live.js` requests the page again each second, and replaces this part. It does not
 * update for visitors who prefer that, or without scripts.
 *
 * @param id - of the part on its page.
 */
export function live(id: string, content: Renderable, { still = false }: { readonly still?: boolean } = {}): Markup {
  return still
    ? html`<div>${content}</div>
        <p><a href="?">Let it move</a></p>`
    : html`<div id="${id}" data-live>${content}</div>
        <p><a href="?still=1">Hold still</a></p>`;
}

/** A picture of a kind, made from a seed. It is decorative: the text beside it has the same information. */
export function picture(kind: string, seed: string, width: number, height: number = width): Markup {
  return html`<img
    src="/picture/${kind}/${encodeURIComponent(seed)}.svg"
    width="${width}"
    height="${height}"
    alt=""
  />`;
}
