import { describe, expect, test } from 'vitest';
import { RouteFinder } from '../../http/route-finder.ts';
import { github } from '../model.ts';
import { openApi } from './openapi.ts';
import { routes } from './routes.ts';
import { answers, bodies, parameters } from './schemas.ts';

const description = openApi(routes);
const paths = description.paths as Record<string, Record<string, { operationId: string }>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

const EXAMPLES: Readonly<Record<string, string>> = { number: '7', comment_id: '1YnlHOfSSk3DhX4BR6lMAceAo1V' };

describe('the OpenAPI description', () => {
  test('is the one in the repository', async () => {
    await expect(`${JSON.stringify(description, undefined, 2)}\n`).toMatchFileSnapshot('./testdata/openapi.json');
  });

  test('describes every route and no other', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(routes.map(({ method, path }) => `${method} ${path}`)),
    );
    expect(operations).toHaveLength(routes.length);
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  });

  test.each(operations)('$method $path leads to its route', ({ method, path, operation }) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => EXAMPLES[name] ?? `some-${name}`);
    const match = new RouteFinder(routes).find(method, filled);
    expect(match).toMatchObject({ route: { id: operation.operationId } });
    const texts = 'texts' in match ? match.texts : {};
    for (const [name, text] of Object.entries(texts)) {
      expect(parameters).toHaveProperty(name);
      expect(text).toBe(EXAMPLES[name] ?? `some-${name}`);
    }
  });

  test('refers to schemas that there are, and all of them are used', () => {
    const text = JSON.stringify(description);
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => String(name)));
    expect([...used].toSorted()).toEqual([...Object.keys(answers), ...Object.keys(bodies)].toSorted());
  });

  test('names access patterns of the model, all but two', () => {
    const ids = new Set<string>(Object.values(github.patterns).map(({ id }) => id));
    const named = new Set(routes.map(({ pattern }) => pattern));
    expect([...named].filter((id) => !ids.has(id))).toEqual([]);
    // Numbers and counts of open items are returned with their owner.
    expect([...ids].filter((id) => !named.has(id))).toEqual(['GH-32', 'GH-33']);
  });
});

test('a path that is a word is not taken for a parameter', () => {
  const router = new RouteFinder(routes);
  expect(router.find('POST', '/user/repos')).toMatchObject({ route: { id: 'createRepo' } });
  expect(router.find('GET', '/users/')).toEqual({ methods: [] });
  expect(router.find('GET', '/user/repos')).toEqual({ methods: ['POST'] });
  expect(router.find('GET', '/repos/a/b/issues/')).toEqual({ methods: [] });
});
