import type { ModelDocument } from './model-document.ts';

const edges: Readonly<Record<string, string>> = { '1:1': '||--||', '1:N': '||--o{', 'N:M': '}o--o{' };

/** The entity-relationship diagram, for Mermaid. */
export function mermaidOf({ entities, relationships }: Pick<ModelDocument, 'entities' | 'relationships'>): string {
  const lines = relationships.map(
    ({ parent, child, cardinality, label }) =>
      `  ${parent} ${edges[cardinality] ?? '||--o{'} ${child} : "${label === '' ? 'has' : label}"`,
  );
  for (const { name, attributes } of entities) {
    lines.push(
      `  ${name} {`,
      ...attributes.map((attribute) => `    ${attribute.kind} ${attribute.name}${attribute.key ? ' PK' : ''}`),
      '  }',
    );
  }
  return ['erDiagram', ...lines].join('\n');
}
