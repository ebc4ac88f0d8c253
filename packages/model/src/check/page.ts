import type { Rule } from './rule.ts';

/** The documentation page of a rule. */
export function pageOf({ code, level, ids, title, why, remedy, proof, isRefused }: Rule): string {
  return [
    `# ${title}`,
    `\`${code}\`, ${level === 'error' ? 'an error' : `a ${level}`}${pagesOf(ids)}`,
    why,
    `**Remedy.** ${remedy}`,
    proof === true
      ? "The finding means that the pattern is not proven, and a model cannot accept it. If the pattern must remain, mark it with the reason: `unproven: 'because …'`. Its keys alone then determine the result."
      : isRefused === true
        ? 'A model cannot accept this finding: calls would fail, or return wrong answers.'
        : `If this is intended, accept it in the model with the reason: \`accepts: { '${code}': 'because …' }\`, ${acceptedWhere}.`,
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}

/** Links to the pages of strategies and patterns among the ids; other principles have no page. */
function pagesOf(ids: readonly string[]): string {
  const folders: Readonly<Record<string, string>> = { S: 'strategies', P: 'patterns' };
  const links = ids.flatMap((id) => {
    const folder = folders[id.slice(0, id.indexOf('-'))];
    return folder === undefined ? [] : [`[${id}](../${folder}/${id.toLowerCase()}.md)`];
  });
  return links.length === 0 ? '' : ` (${links.join(', ')})`;
}

const acceptedWhere = 'on the pattern, the entity (in the second argument of `keys`) or the table';

/** The list of all rules. */
export function indexOf(rules: readonly Rule[]): string {
  const lines = rules.map(({ code, level, title }) => `- [\`${code}\`](${code}.md), ${level}: ${title}`);
  const intro = 'What `singlet check` looks for in a model. Errors fail a check; warnings and hints do not.';
  return ['# Rules of the model checker', '', intro, '', ...lines, ''].join('\n');
}
