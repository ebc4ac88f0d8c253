import { domainOf } from '../keys/domain.ts';
import type { TemplateVariable } from '../keys/template.ts';
import type { EntityInfo, SortBound } from '../resolve/resolved.ts';

type Part = string | TemplateVariable;
type Span = readonly [low: number, high: number];

/** The sort key of a form, and the entity that its variables belong to. */
interface SortText {
  readonly entity: EntityInfo;
  readonly parts: readonly Part[];
}

const anyCharacter: Span = [0, 0x10ffff];
/** Digits and signs, with which numbers and times begin. */
const numeric: Span = [43, 57];

/**
 * Whether every sort key of one form sorts before every key of another form that the same input reads. The first character in which
 * they differ decides. False if the order can vary.
 *
 * @param isInput - whether an attribute has the value of an input, which is the same in both.
 */
export function liesBefore(a: SortBound, b: SortBound, isInput: (name: string) => boolean): boolean {
  const [left, right] = [sortText(a), sortText(b)];
  return left !== undefined && right !== undefined && isBefore(left, right, isInput);
}

function sortText({ form, part }: SortBound): SortText | undefined {
  const [slot] = form.sort;
  if (slot === undefined || slot.type !== 'S') return undefined;
  const parts = slot.template.parts.flatMap((piece): Part[] =>
    typeof piece === 'string' ? Array.from(piece) : [piece],
  );
  return { entity: part.entity, parts };
}

function isBefore(a: SortText, b: SortText, isInput: (name: string) => boolean): boolean {
  for (let i = 0; ; i++) {
    const [left, right] = [a.parts[i], b.parts[i]];
    if (right === undefined) return false;
    if (left === undefined) return true;
    if (isSame(left, right, isInput)) continue;
    const [lows, highs] = [spansOf(left, a.entity), spansOf(right, b.entity)];
    return lows.every(([, high]) => highs.every(([low]) => high < low));
  }
}

/** One character, or one input with a single spelling. */
function isSame(a: Part, b: Part, isInput: (name: string) => boolean): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a.name === b.name && a.encoding === b.encoding && isInput(a.name);
}

/** The characters that the text of a part can begin with. */
function spansOf(part: Part, { attributes }: EntityInfo): readonly Span[] {
  if (typeof part === 'string') return [spanOf(part)];
  const { encoders, name } = part;
  const info = attributes.get(name);
  const last = encoders.at(-1);
  const isNumeric =
    last !== undefined &&
    (/^(0|inverse|tens|shard)\d+$/.test(last.name) || /^(utc|seconds|inverseTime)$/.test(last.name));
  if (isNumeric || last?.unit !== undefined || info === undefined) return [numeric];
  if (encoders.some(({ rest }) => rest !== true)) return [anyCharacter];
  const { values, text, number, other } = domainOf(info.schema);
  if (values !== undefined) return values.map((value) => spanOf(String(value)));
  if (other) return [anyCharacter];
  return [...(text?.characters ?? []), ...(number === undefined ? [] : [numeric])];
}

function spanOf(text: string): Span {
  const point = text.codePointAt(0) ?? 0;
  return [point, point];
}
