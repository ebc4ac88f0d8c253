import type * as Yaml from 'yaml';
import { TemplateError } from './template-error.ts';

/** JSON, or what YAML makes of it: the short forms of functions (`!Ref`) are in the long form (`{ "Ref": … }`). */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [name: string]: TemplateValue };

export type TemplateObject = { readonly [name: string]: TemplateValue };

/** Nodes that a template may have, aliases resolved: an alias that represents aliases could fill the memory. */
const nodesMax = 200_000;

/** Depth of a template. */
const depthMax = 200;

/**
 * Reads the text of a template, JSON or YAML.
 *
 * @throws {TemplateError} with line and column when it is neither.
 */
export async function readTemplate(text: string): Promise<TemplateValue> {
  // What is meant as JSON is read as JSON: it is faster, and stricter about what comes twice or too much.
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text) as TemplateValue;
    } catch {
      // YAML in its flow style looks the same, and says where the mistake is.
    }
  }
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { prettyErrors: true, uniqueKeys: true, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) throw new TemplateError([], error.message.split('\n')[0] ?? error.message);
  return new NodeReader(yaml).value(document.contents, 0);
}

/** The text of a value that is not made of others. @throws {TemplateError} for one that is. */
export function scalarText(value: TemplateValue | undefined, path: readonly (string | number)[]): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TemplateError(path, 'This is to be a text.');
}

class NodeReader {
  readonly #yaml: typeof Yaml;
  readonly #anchors = new Map<string, unknown>();
  #nodes = 0;

  constructor(yaml: typeof Yaml) {
    this.#yaml = yaml;
  }

  value(node: unknown, depth: number): TemplateValue {
    this.#nodes += 1;
    if (this.#nodes > nodesMax || depth > depthMax) throw new TemplateError([], 'The template is too large.');
    const { isAlias, isMap, isNode, isScalar, isSeq } = this.#yaml;
    // An anchor is before its aliases.
    if (isAlias(node)) return this.value(this.#anchors.get(node.source), depth + 1);
    if (isNode(node) && 'anchor' in node && typeof node.anchor === 'string') this.#anchors.set(node.anchor, node);
    if (isMap(node)) return tagged(node.tag, this.#object(node, depth));
    if (isSeq(node))
      return tagged(
        node.tag,
        node.items.map((item) => this.value(item, depth + 1)),
      );
    // Other scalars than these are not made by the core schema.
    return isScalar(node) ? tagged(node.tag, node.value as TemplateValue) : null;
  }

  #object(map: Yaml.YAMLMap, depth: number): TemplateObject {
    const entries = map.items.map(({ key, value }): [string, TemplateValue] => [
      scalarText(this.value(key, depth + 1), []),
      this.value(value, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }
}

/** `!Ref x` is `{ "Ref": "x" }`, `!GetAtt a.b` is `{ "Fn::GetAtt": ["a", "b"] }`, `!Sub x` is `{ "Fn::Sub": "x" }`. */
function tagged(tag: string | undefined, value: TemplateValue): TemplateValue {
  if (tag === undefined || !/^![A-Za-z]/.test(tag)) return value;
  const name = tag.slice(1);
  if (name === 'Ref' || name === 'Condition') return { [name]: value };
  return { [`Fn::${name}`]: value };
}
