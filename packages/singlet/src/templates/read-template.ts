import type * as Yaml from 'yaml';
import { TemplateError } from './template-error.ts';

/** JSON, or the equivalent of YAML: the short forms of functions (`!Ref`) are converted to the long form (`{ "Ref": … }`). */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [name: string]: TemplateValue };

export type TemplateObject = { readonly [name: string]: TemplateValue };

/** Whether a value of a template has members by name. */
export function isObject(value: unknown): value is TemplateObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The maximum number of nodes of a template, with aliases resolved: nested aliases could otherwise fill the memory. */
const nodesMax = 200_000;

/** The maximum depth of a template. */
const depthMax = 200;

/**
 * Reads the text of a template, JSON or YAML.
 *
 * @throws {TemplateError} with line and column if it is neither.
 */
export async function readTemplate(text: string): Promise<TemplateValue> {
  // Text that looks like JSON is parsed as JSON, which is faster and stricter about duplicates and extra text.
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text) as TemplateValue;
    } catch {
      // YAML in its flow style looks the same, and the YAML parser reports where the error is.
    }
  }
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { prettyErrors: true, uniqueKeys: true, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) {
    const [sentence = ''] = error.message.split('\n');
    throw new TemplateError([], `The file is neither JSON nor YAML: ${sentence.replace(/:$/, '')}.`);
  }
  return new NodeReader(yaml).value(document.contents, 0);
}

/** The text of a scalar value. @throws {TemplateError} for other values. */
export function scalarText(value: TemplateValue | undefined, path: readonly (string | number)[]): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TemplateError(path, 'This must be a string.');
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
    // An anchor precedes its aliases.
    if (isAlias(node)) return this.value(this.#anchors.get(node.source), depth + 1);
    if (isNode(node) && 'anchor' in node && typeof node.anchor === 'string') this.#anchors.set(node.anchor, node);
    if (isMap(node)) return tagged(node.tag, this.#object(node, depth));
    if (isSeq(node))
      return tagged(
        node.tag,
        node.items.map((item) => this.value(item, depth + 1)),
      );
    // The core schema produces no other scalars.
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
