import type { Rule } from './rule.ts';

/** The documentation page of a rule. */
export function pageOf({ code, level, ids, title, why, remedy, proof, isRefused }: Rule): string {
  return [
    `# ${title}`,
    `\`${code}\`, ${level === 'error' ? 'an error' : `a ${level}`} (${ids.join(', ')})`,
    why,
    `**Remedy.** ${remedy}`,
    proof === true
      ? "The finding means that the pattern is not proven, and a model cannot accept it. If the pattern must stay, mark it, with the reason: `unproven: 'because …'`. Its keys alone then determine the result."
      : isRefused === true
        ? 'A model cannot accept it: calls would fail, or answer wrongly.'
        : `If this is intended, accept it in the model, with the reason: \`accepts: { '${code}': 'because …' }\`, ${acceptedWhere}.`,
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}

const acceptedWhere = 'at the pattern, at the entity (in the second argument of `keys`) or at the table';

/** The list of all rules. */
export function indexOf(rules: readonly Rule[]): string {
  const lines = rules.map(
    ({ code, level, title, ids }) => `- [\`${code}\`](${code}.md), ${level}: ${title} (${ids.join(', ')})`,
  );
  const intro = 'What `singlet check` looks for in a model. Errors fail a check; warnings and hints do not.';
  return ['# Rules of the model checker', '', intro, '', ...lines, ''].join('\n');
}
