import { html, type Markup } from './markup.ts';
import type { OpenApiDescription } from './open-api.ts';

/** The parts of JSON Schema that the descriptions of applications have. */
interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly required?: readonly string[];
  readonly format?: string;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Shape; readonly example?: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Shape;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
}

/** The operations of an application, readable: each with its parameters, its body and its answers. Made from the OpenAPI description. */
export function referenceOf({ info, paths }: OpenApiDescription): Markup {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...(operation as Operation), // what `openApiOf` makes
      request: `${method.toUpperCase()} ${path}`,
    })),
  );
  const tags = new Set(operations.map(({ tags: [tag] = [] }) => tag ?? 'Operations'));
  return html`<p>${info.description}</p>
    <p>For programs, the same is at <a href="/openapi.json">/openapi.json</a>.</p>
    ${[...tags].map(
      (tag) =>
        html`<h2>${tag}</h2>
          ${operations.filter(({ tags: [own = 'Operations'] = [] }) => own === tag).map(operationOf)}`,
    )}`;
}

function operationOf(operation: Operation & { readonly request: string }): Markup {
  const { operationId, request, summary, description, security = [], parameters = [], requestBody } = operation;
  const body = contentOf(requestBody);
  return html`<article id="${operationId}" class="operation">
    <h3><code>${request}</code></h3>
    <p>${summary}.${description !== undefined && ` ${description}`}</p>
    ${security.length > 0 && html`<p>Needs ${security.flatMap((each) => Object.keys(each)).join(' or ')}.</p>`}
    ${
      parameters.length > 0 &&
      html`<dl>
        ${parameters.map(
          ({ name, in: where, required, schema, description: says }) =>
            html`<dt><code>${name}</code> in the ${where}${!required && ', optional'}</dt>
              <dd><code>${typeText(schema)}</code>${says !== undefined && ` ${says}`}</dd>`,
        )}
      </dl>`
    }
    ${
      body &&
      html`<p>Body</p>
        ${block(`Body of ${operationId}`, typeText(body.schema))}`
    }
    ${body?.example !== undefined && exampleBlock(`Example of ${operationId}`, body.example)}
    <dl>${Object.entries(operation.responses).map(([status, answer]) => answerOf(operationId, status, answer))}</dl>
  </article>`;
}

function answerOf(operationId: string, status: string, answer: Content & { readonly description: string }): Markup {
  const content = contentOf(answer);
  return html`<dt>${status === 'default' ? 'Otherwise' : status}: ${answer.description}</dt>
    ${
      content !== undefined &&
      html`<dd>
        ${block(`${status} of ${operationId}`, typeText(content.schema))}
        ${content.example !== undefined && exampleBlock(`Example of ${status} of ${operationId}`, content.example)}
      </dd>`
    }`;
}

function contentOf({ content = {} }: Content = {}): { readonly schema: Shape; readonly example?: unknown } | undefined {
  return Object.values(content)[0];
}

function exampleBlock(label: string, example: unknown): Markup {
  return html`<details>
    <summary>Example</summary>
    ${block(label, JSON.stringify(example, undefined, 2))}
  </details>`;
}

function block(label: string, text: string): Markup {
  return html`<pre class="scrolls" tabindex="0" role="region" aria-label="${label}">${text}</pre>`;
}

/** A shape as TypeScript would write it. Bounds and patterns are in the OpenAPI description only. */
export function typeText(shape: Shape, indent = ''): string {
  const { $ref, enum: choices, anyOf, oneOf, format } = shape;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (choices !== undefined) return choices.map((each) => JSON.stringify(each)).join(' | ');
  const branches = anyOf ?? oneOf;
  if (branches !== undefined) return [...new Set(branches.map((each) => typeText(each, indent)))].join(' | ');
  const types = [shape.type ?? []].flat();
  if (types.length > 1) return types.map((type) => typeText({ ...shape, type }, indent)).join(' | ');
  switch (types[0]) {
    case 'array':
      return arrayText(typeText(shape.items ?? {}, indent));
    case 'object':
      return objectText(shape, indent);
    case 'integer':
    case 'number':
      return 'number';
    case undefined:
      return 'unknown';
    default:
      return format === undefined ? types[0] : `${types[0]} (${format})`;
  }
}

function arrayText(element: string): string {
  return / \| /.test(element) && !element.startsWith('{') ? `(${element})[]` : `${element}[]`;
}

function objectText({ properties = {}, required = [], additionalProperties }: Shape, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(
    ([name, shape]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeText(shape, inner)}`,
  );
  if (typeof additionalProperties === 'object' && members.length === 0)
    return `{ [name]: ${typeText(additionalProperties, indent)} }`;
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`;
}
