import { isCanonicalBase64 } from '../../values/base64.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { serviceLimits } from '../../values/limits.ts';

/**
 * JSON types of attribute values in a file. Stricter than the service is with requests: a file is read once, and its author sees no answer, so
 * anything ambiguous is refused.
 */

/** Describes what is wrong with JSON that should be attribute values by name; undefined if it is valid. */
export function attributeMapProblem(json: unknown, path: string, depth = 0): string | undefined {
  if (!isObject(json)) return `${path} is not a map of attribute values`;
  for (const name in json) {
    const problem = attributeValueProblem(json[name], `${path}.${name}`, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Casts JSON that {@link attributeMapProblem} has found valid. */
export function asAttributeMap(json: unknown): UncheckedAttributeMap {
  return json as UncheckedAttributeMap;
}

export function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function attributeValueProblem(json: unknown, path: string, depth: number): string | undefined {
  // One level more than the service stores, so that the item is refused and not the file.
  if (depth > serviceLimits.nestingDepthMax) return `${path} is nested too deeply`;
  if (!isObject(json)) return `${path} is not an attribute value such as {"S":"…"}`;
  let tag: string | undefined;
  for (const name in json) {
    if (tag !== undefined) return `${path} has more than one type`;
    tag = name;
  }
  if (tag === undefined) return `${path} has no type`;
  return contentProblem(tag, json[tag], path, depth);
}

function contentProblem(tag: string, content: unknown, path: string, depth: number): string | undefined {
  switch (tag) {
    case 'S':
    case 'N':
      return typeof content === 'string' ? undefined : `${path}: ${tag} is not a string`;
    case 'B':
      return isBinary(content) ? undefined : `${path}: B is not base64`;
    case 'BOOL':
    case 'NULL':
      return typeof content === 'boolean' ? undefined : `${path}: ${tag} is neither true nor false`;
    case 'M':
      return attributeMapProblem(content, path, depth + 1);
    case 'L':
      return elementsProblem(content, path, depth);
    case 'SS':
    case 'NS':
      return isListOf(content, (element) => typeof element === 'string')
        ? undefined
        : `${path}: ${tag} is not a list of strings`;
    case 'BS':
      return isListOf(content, isBinary) ? undefined : `${path}: BS is not a list of base64 strings`;
    default:
      return `${path}: ${JSON.stringify(tag)} is not an attribute type`;
  }
}

function elementsProblem(content: unknown, path: string, depth: number): string | undefined {
  if (!Array.isArray(content)) return `${path}: L is not a list`;
  for (const [at, element] of (content as unknown[]).entries()) {
    const problem = attributeValueProblem(element, `${path}[${at}]`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isBinary(content: unknown): boolean {
  return typeof content === 'string' && isCanonicalBase64(content);
}

function isListOf(content: unknown, holds: (element: unknown) => boolean): boolean {
  return Array.isArray(content) && (content as unknown[]).every(holds);
}
