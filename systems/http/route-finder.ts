/** The search key: a method and a path with parameters in braces. */
interface Findable {
  readonly method: string;
  readonly path: string;
}

/** A route that matches a path, with the texts of its parameters as in the path. */
export interface Match<Route> {
  readonly route: Route;
  readonly texts: Readonly<Record<string, string>>;
}

/** Finds the route of a request by the parts of its path, each a word or a parameter. */
export class RouteFinder<Route extends Findable> {
  readonly #root: Node<Route> = newNode();

  /** @param prefix - before every path: `/api`. */
  constructor(routes: readonly Route[], prefix = '') {
    for (const route of routes) this.#add(route, prefix);
  }

  /**
   * @returns the match; or the allowed methods for the path, none if the path does not exist.
   */
  find(method: string, path: string): Match<Route> | { readonly methods: readonly string[] } {
    const parts = path.split('/').slice(1);
    const found = search(this.#root, parts, 0);
    if (found === undefined) {
      return { methods: [] };
    }
    const route = found.node.routes.get(method);
    if (route === undefined) {
      return { methods: [...found.node.routes.keys()] };
    }
    const names = route.path.matchAll(/\{(\w+)\}/g);
    const texts = Object.fromEntries([...names].map(([, name = ''], index) => [name, found.values[index] ?? '']));
    return { route, texts };
  }

  #add(route: Route, prefix: string): void {
    let node = this.#root;
    for (const part of `${prefix}${route.path}`.split('/').slice(1)) {
      if (part.startsWith('{')) {
        node.parameter ??= newNode();
        node = node.parameter;
      } else {
        const next = node.words.get(part) ?? newNode();
        node.words.set(part, next);
        node = next;
      }
    }
    node.routes.set(route.method, route);
  }
}

interface Node<Route> {
  readonly words: Map<string, Node<Route>>;
  parameter: Node<Route> | undefined;
  /** By method. */
  readonly routes: Map<string, Route>;
}

function newNode<Route>(): Node<Route> {
  return { words: new Map(), parameter: undefined, routes: new Map() };
}

/** Words match before parameters: `/user/repos` is not the user's name in `/{…}/repos`. */
function search<Route>(
  node: Node<Route>,
  parts: readonly string[],
  at: number,
): { readonly node: Node<Route>; readonly values: readonly string[] } | undefined {
  const part = parts[at];
  if (part === undefined) {
    return node.routes.size > 0 ? { node, values: [] } : undefined;
  }
  const word = node.words.get(part);
  const byWord = word === undefined ? undefined : search(word, parts, at + 1);
  if (byWord !== undefined || node.parameter === undefined || part === '') {
    return byWord;
  }
  const byParameter = search(node.parameter, parts, at + 1);
  return byParameter === undefined ? undefined : { node: byParameter.node, values: [part, ...byParameter.values] };
}
