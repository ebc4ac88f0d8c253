import type { Route } from './route.ts';

/** A route that fits a path, with the texts of its parameters. */
export interface Match {
  readonly route: Route;
  readonly texts: Readonly<Record<string, string>>;
}

/** Finds the route of a request: by the parts of its path, each a word or a parameter. */
export class Router {
  readonly #root: Node = { words: new Map(), parameter: undefined, routes: new Map() };

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      this.#add(route);
    }
  }

  /**
   * @returns the match; or the methods that there are for the path, none where there is no such path.
   */
  find(method: string, path: string): Match | { readonly methods: readonly string[] } {
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

  #add(route: Route): void {
    let node = this.#root;
    for (const part of route.path.split('/').slice(1)) {
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

interface Node {
  readonly words: Map<string, Node>;
  parameter: Node | undefined;
  /** By method. */
  readonly routes: Map<string, Route>;
}

function newNode(): Node {
  return { words: new Map(), parameter: undefined, routes: new Map() };
}

/** Words come before parameters: `/user/repos` is not the user's name in `/{…}/repos`. */
function search(
  node: Node,
  parts: readonly string[],
  at: number,
): { readonly node: Node; readonly values: readonly string[] } | undefined {
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
