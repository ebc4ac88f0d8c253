import { createContext, runInContext } from 'node:vm';

/** An element with as much of the DOM as the pages here use. What a script sets on it is a property of it. */
export class PageElement {
  [property: string]: unknown;
  readonly tag: string;
  #children: (PageElement | string)[] = [];
  #parent: PageElement | undefined;

  constructor(tag: string) {
    this.tag = tag;
  }

  append(...children: (PageElement | string)[]): void {
    for (const child of children) {
      if (child instanceof PageElement) child.#parent = this;
    }
    this.#children.push(...children);
  }

  replaceChildren(...children: (PageElement | string)[]): void {
    this.#children = [];
    this.append(...children);
  }

  remove(): void {
    const siblings = this.#parent === undefined ? [] : this.#parent.#children;
    siblings.splice(siblings.indexOf(this), 1);
  }

  get lastChild(): PageElement | string | undefined {
    return this.#children.at(-1);
  }

  addEventListener(): void {}

  /** This element and all in it. */
  *all(): Generator<PageElement> {
    yield this;
    for (const child of this.#children) if (child instanceof PageElement) yield* child.all();
  }

  /** What a reader sees. */
  get text(): string {
    const own = typeof this['textContent'] === 'string' ? this['textContent'] : '';
    return own + this.#children.map((child) => (typeof child === 'string' ? child : child.text)).join('');
  }
}

/** A page's script at work, against the server that has served it. */
export class Page {
  readonly #elements: ReadonlyMap<string, PageElement>;
  readonly #location: { hash: string } = { hash: '' };
  readonly #context: object;

  private constructor(url: string, html: string) {
    const ids = [...html.matchAll(/<(\w+) id="(\w+)"/g)];
    this.#elements = new Map(ids.map(([, name = '', id = '']) => [id, new PageElement(name)]));
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(html) ?? [];
    const kept = (): object => {
      const values = new Map<string, string>();
      return {
        getItem: (name: string) => values.get(name) ?? null,
        setItem: (name: string, value: string) => values.set(name, value),
      };
    };
    this.#context = createContext({
      document: {
        getElementById: (id: string) => this.#elements.get(id),
        createElement: (name: string) => new PageElement(name),
      },
      location: this.#location,
      localStorage: kept(),
      sessionStorage: kept(),
      addEventListener: () => undefined,
      fetch: async (path: string, init: RequestInit) => fetch(new URL(path, url), init),
      URLSearchParams,
    });
    runInContext(script, this.#context);
  }

  static async open(url: string): Promise<Page> {
    return new Page(url, await (await fetch(url)).text());
  }

  /** Goes to a view, as by a link, and waits until it is shown. */
  async visit(hash: string): Promise<string> {
    this.#location.hash = hash;
    await runInContext('show()', this.#context);
    return this.element('view').text;
  }

  element(id: string): PageElement {
    const element = this.#elements.get(id);
    if (element === undefined) throw new ReferenceError(`The page has no element ${id}`);
    return element;
  }

  /** Presses the first button of that name in the view. */
  async press(text: string): Promise<void> {
    const button = [...this.element('view').all()].find((each) => each.tag === 'button' && each.text === text);
    if (typeof button?.['onclick'] !== 'function') throw new ReferenceError(`The view has no button ${text}`);
    await (button['onclick'] as () => unknown)();
  }

  /** Sends the form whose button has that name, with these values. Fields that are not named stay as they are. */
  async submit(text: string, values: Readonly<Record<string, string>>): Promise<void> {
    const form = [...this.element('view').all()].find(
      (each) => each.tag === 'form' && [...each.all()].some((child) => child.tag === 'button' && child.text === text),
    );
    if (typeof form?.['onsubmit'] !== 'function') throw new ReferenceError(`The view has no form ${text}`);
    for (const input of form.all()) {
      const value = input.tag === 'input' ? values[String(input['name'])] : undefined;
      if (value !== undefined) Object.assign(input, { value });
    }
    await (form['onsubmit'] as (event: object) => unknown)({ preventDefault: () => undefined });
  }
}
