import { type ConditionContext, unresolved } from './condition-context.ts';
import { type FilledText, fillTemplate, parseTemplate, type TextTemplate } from './text-template.ts';
import { matchesPattern } from './wildcard.ts';

/**
 * A pattern of ARNs. An ARN has six parts, `arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE`, which are compared one by one. A wildcard does not
 * match beyond its part; in the last part it also matches `/` and `:`.
 */
export interface ArnPattern {
  readonly template: TextTemplate;
  /** For patterns without variables. */
  readonly parts: readonly ArnPart[] | undefined;
  /** Whether it is `*` alone, which matches anything, including text that is not an ARN. */
  readonly isAnything: boolean;
}

/** A part of a pattern, with its kind computed once. */
interface ArnPart extends FilledText {
  /** `same`: no wildcards in it; `anything`: `*` alone. */
  readonly match: 'same' | 'anything' | 'pattern';
}

const partCount = 6;

/**
 * @param isCompleted - whether parts omitted at the end count as `*`.
 * @returns undefined for a pattern with a `${…}` that is not a variable.
 */
export function parseArnPattern(
  text: string,
  { hasVariables, isCompleted }: { readonly hasVariables: boolean; readonly isCompleted: boolean },
): ArnPattern | undefined {
  const missing = isCompleted && text.startsWith('arn:') ? partCount - splitArn(text).length : 0;
  const template = parseTemplate(text + ':*'.repeat(Math.max(0, missing)), hasVariables);
  if (template === undefined) return undefined;
  return {
    template,
    parts: template.fixed && splitFilled(template.fixed),
    isAnything: /^\*+$/.test(text),
  };
}

/** The parts of an ARN: six, or fewer if the text is not an ARN. */
export function splitArn(arn: string): readonly string[] {
  const parts = arn.split(':');
  return parts.length <= partCount ? parts : [...parts.slice(0, partCount - 1), parts.slice(partCount - 1).join(':')];
}

/** `no-value`: a variable of the pattern has no value, so the pattern matches nothing. */
export type ArnMatch = 'match' | 'no-match' | 'no-value' | typeof unresolved;

/** @param arn - as returned by {@link splitArn}; `['*']` represents the absence of a single resource. */
export function matchArn(pattern: ArnPattern, arn: readonly string[], context: ConditionContext): ArnMatch {
  if (pattern.isAnything) return 'match';
  let { parts } = pattern;
  if (parts === undefined) {
    const filled = fillTemplate(pattern.template, context);
    if (filled === undefined) return 'no-value';
    if (filled === unresolved) return unresolved;
    parts = splitFilled(filled);
  }
  if (parts.length !== arn.length || arn.length !== partCount) return 'no-match';
  for (let at = 0; at < partCount; at += 1) {
    const part = parts[at];
    const asked = arn[at];
    if (part === undefined || asked === undefined || !matchesPart(part, asked)) return 'no-match';
  }
  return 'match';
}

function matchesPart({ text, isLiteral, match }: ArnPart, asked: string): boolean {
  if (match === 'anything') return true;
  return match === 'same' ? text === asked : matchesPattern(text, asked, isLiteral);
}

function splitFilled({ text, isLiteral }: FilledText): readonly ArnPart[] {
  let at = 0;
  return splitArn(text).map((part) => {
    const start = at;
    at += part.length + 1;
    if (!/[*?]/.test(part)) return { text: part, match: 'same' };
    if (isLiteral !== undefined) return { text: part, isLiteral: isLiteral.subarray(start, at - 1), match: 'pattern' };
    return { text: part, match: part === '*' ? 'anything' : 'pattern' };
  });
}
