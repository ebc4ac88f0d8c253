import { shapeOfSchema } from '../bridges/shape-of-schema.ts';
import type { Shape } from '../bridges/shape.ts';
import type { AttributeInfo, EntityInfo } from '../resolve/resolved.ts';
import { schemaAt } from '../run/nested-schema.ts';

/** Where a document has a name that the entities do not have: `address.city`, or `lines[].sku` within a list. A path is looked up as it is. */
export function withinDocuments(entities: readonly EntityInfo[], name: string): string | undefined {
  const wanted = name.replaceAll(/\[\d*\]/g, '[]');
  return entities
    .flatMap(({ attributes }) =>
      [...attributes].flatMap(([attribute, { schema }]) =>
        attribute === name ? [] : pathsOf(shapeOfSchema(schema, 'output').shape, attribute),
      ),
    )
    .find((path) => path === wanted || path.endsWith(`.${wanted}`));
}

/** What is at a path within an attribute of an entity, as if it were an attribute. Undefined if its schema is not known. */
export function attributeWithin({ attributes }: EntityInfo, path: string): AttributeInfo | undefined {
  const [top = '', ...steps] = stepsOf(path);
  const whole = attributes.get(String(top))?.schema;
  const schema = steps.length === 0 ? undefined : schemaAt(whole, steps);
  if (schema === undefined) return undefined;
  const { optional } = shapeOfSchema(schema, 'output');
  const isEntry = steps.at(-1) !== undefined && !hasField(whole, steps);
  return { name: path, stored: path, schema, optional: optional || isEntry, fallback: undefined };
}

/** The parents of what is at a path, from the attribute inwards, as they are written: `a.b[0]` has `a` and `a.b`. */
export function parentPaths(path: string): string[] {
  return [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));
}

function stepsOf(path: string): (string | number)[] {
  return path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** Whether the last step leads to a field of an object, rather than to an entry of a map or an element of a list. */
function hasField(whole: AttributeInfo['schema'] | undefined, steps: readonly (string | number)[]): boolean {
  const holder = steps.length === 1 ? whole : schemaAt(whole, steps.slice(0, -1));
  const shape = holder === undefined ? undefined : shapeOfSchema(holder, 'output').shape;
  return shape?.kind === 'object' && Object.hasOwn(shape.fields, String(steps.at(-1)));
}

function pathsOf(shape: Shape, path: string): string[] {
  switch (shape.kind) {
    case 'object':
      return Object.entries(shape.fields).flatMap(([name, field]) => [
        `${path}.${name}`,
        ...pathsOf(field.shape, `${path}.${name}`),
      ]);
    case 'list':
      return pathsOf(shape.of, `${path}[]`);
    case 'union':
      return shape.of.flatMap((each) => pathsOf(each, path));
    default:
      return [];
  }
}
