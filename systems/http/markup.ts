/**
 * HTML that is safe by construction: any text inserted into a template is escaped; only markup made by
 * a template stays markup. Attribute values are quoted in the templates.
 */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values for a template: `undefined` and `false` show nothing. */
export type Renderable = Markup | string | number | undefined | false | readonly Renderable[];

/** Makes markup of a template: html`<b>${name}</b>`. */
export function html(parts: TemplateStringsArray, ...values: readonly Renderable[]): Markup {
  return new Markup(parts.map((part, index) => part + textOf(values[index])).join(''));
}

function textOf(value: Renderable): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map(textOf).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
