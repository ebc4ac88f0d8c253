import type { NumberDomain } from '../keys/domain.ts';

/** How a number sorts in a key, as a sentence: padded, if all of its values are whole and none is negative, and otherwise as a key of its own. */
export function sortableNumber(name: string, domain: NumberDomain | undefined): string {
  const { least = -Infinity, most = Infinity, whole = false } = domain ?? {};
  if (!whole || (least < 0 && least > Number.MIN_SAFE_INTEGER))
    return `Make the whole sort key the number, of an index whose sort key is a number: \`'${name}:N'\` with the template \`{${name}}\`.`;
  const isBounded = least >= 0 && most < Number.MAX_SAFE_INTEGER;
  const width = isBounded ? String(most).length : 8;
  const bound = isBounded ? '' : `, and bound it in the schema: \`z.int().min(0).max(${'9'.repeat(width)})\``;
  return `Pad it to the width of the largest, \`{${name}:0${width}}\`${bound}. Or make the whole sort key a number, \`'${name}:N'\`.`;
}
