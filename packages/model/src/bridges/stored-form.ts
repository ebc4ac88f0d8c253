import type { AttributeSchemas } from '../entities/entity.ts';
import { storedSchema } from '../entities/codec.ts';
import type { Model } from '../model.ts';

/**
 * The same model without codecs: its functions take and return values as they are stored. For tools that have text or JSON, in which an
 * application's form, such as a `Date`, cannot be written.
 */
export function storedForm(model: Model): Model {
  return {
    ...model,
    entities: mapped(model.entities, (entity) => ({ ...entity, attributes: withoutCodecs(entity.attributes) })),
    patterns: mapped(model.patterns, (need) => ({
      ...withoutCodecsIn(need),
      ...(need.transacts !== undefined && { transacts: mapped(need.transacts, withoutCodecsIn) }),
    })),
  };
}

function withoutCodecsIn<N extends { readonly takes?: AttributeSchemas }>(need: N): N {
  return need.takes === undefined ? need : { ...need, takes: withoutCodecs(need.takes) };
}

function withoutCodecs(schemas: AttributeSchemas): AttributeSchemas {
  return mapped(schemas, storedSchema);
}

function mapped<T>(values: { readonly [name: string]: T }, change: (value: T) => T): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
