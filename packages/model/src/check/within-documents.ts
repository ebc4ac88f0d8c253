import { shapeOfSchema } from '../bridges/shape-of-schema.ts';
import type { Shape } from '../bridges/shape.ts';
import type { EntityInfo } from '../resolve/resolved.ts';

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
