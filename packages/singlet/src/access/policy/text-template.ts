import { type ConditionContext, unresolved } from './condition-context.ts';

/**
 * A text with policy variables: `home-${aws:username}-${aws:PrincipalTag/team, 'none'}-${*}`. The value of a variable is literal: a `*` in it
 * is not a wildcard, and neither is `${*}`.
 *
 * @see IAM User Guide, "IAM policy elements: Variables and tags"
 */
export interface TextTemplate {
  readonly parts: readonly TemplatePart[];
  /** The text, if it has no variables. */
  readonly fixed: FilledText | undefined;
}

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string }
  /** The key is in lower case. */
  | { readonly kind: 'variable'; readonly key: string; readonly fallback?: string };

/** A text whose variables have their values. */
export interface FilledText {
  readonly text: string;
  /** 1 for each character that is not a wildcard even if it is `*` or `?`. Absent: all `*` and `?` are wildcards. */
  readonly isLiteral?: Uint8Array;
}

const variableForm = /^\s*([A-Za-z][\w-]*:[^,'"{}$*?]+?)\s*(?:,\s*'([^']*)'\s*)?$/;

/**
 * @param hasVariables - whether `${…}` is a variable: in policies of version 2012-10-17 only.
 * @returns undefined for a `${…}` that is not a variable.
 */
export function parseTemplate(text: string, hasVariables: boolean): TextTemplate | undefined {
  if (!hasVariables || !text.includes('${')) return { parts: [{ kind: 'text', text }], fixed: { text } };
  const parts: TemplatePart[] = [];
  let at = 0;
  for (let start = text.indexOf('${'); start >= 0; start = text.indexOf('${', at)) {
    const end = text.indexOf('}', start);
    if (end < 0) return undefined;
    if (start > at) parts.push({ kind: 'text', text: text.slice(at, start) });
    const part = variablePart(text.slice(start + 2, end));
    if (part === undefined) return undefined;
    parts.push(part);
    at = end + 1;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  const isFixed = parts.every(({ kind }) => kind !== 'variable');
  return {
    parts,
    fixed: isFixed ? join(parts.flatMap((part) => (part.kind === 'variable' ? [] : [part]))) : undefined,
  };
}

function variablePart(inner: string): TemplatePart | undefined {
  if (inner === '*' || inner === '?' || inner === '$') return { kind: 'literal', text: inner };
  const [, key, fallback] = variableForm.exec(inner) ?? [];
  if (key === undefined) return undefined;
  return { kind: 'variable', key: key.toLowerCase(), ...(fallback !== undefined && { fallback }) };
}

/** @returns undefined if a variable has no value: the text then equals and matches nothing. */
export function fillTemplate(
  { parts, fixed }: TextTemplate,
  context: ConditionContext,
): FilledText | typeof unresolved | undefined {
  if (fixed !== undefined) return fixed;
  const filled: Exclude<TemplatePart, { readonly kind: 'variable' }>[] = [];
  for (const part of parts) {
    if (part.kind !== 'variable') {
      filled.push(part);
      continue;
    }
    const value = context.valueOf(part.key);
    if (value === unresolved) return unresolved;
    // A key with several values cannot be a variable.
    const text = value === undefined ? part.fallback : value;
    if (typeof text !== 'string') return undefined;
    filled.push({ kind: 'literal', text });
  }
  return join(filled);
}

function join(parts: readonly Exclude<TemplatePart, { readonly kind: 'variable' }>[]): FilledText {
  const text = parts.map((part) => part.text).join('');
  const isLiteral = new Uint8Array(text.length);
  let at = 0;
  for (const part of parts) {
    if (part.kind === 'literal') isLiteral.fill(1, at, at + part.text.length);
    at += part.text.length;
  }
  return { text, isLiteral };
}
