/** Which parts of a README apply to a starter. */
export interface ReadmeContext {
  /** The name of the application and of its folder. */
  readonly name: string;
  /** Whether the starter has a file or folder, given by its path relative to the README. */
  readonly has: (path: string) => boolean;
}

/**
 * The README of an application, adapted to its starter. Commands are those of the starter. Links to files that the starter lacks become plain
 * text. Rows of tables about such files are removed, and so are the section on running the application, which the starter's
 * own README contains, and the one on storms, which take the workspace.
 */
export function applicationReadme(markdown: string, context: ReadmeContext): string {
  const commands = withoutSection(withoutSection(markdown, '## Run it'), '## In a storm')
    .replace(/```sh\n([\s\S]*?)```\n\n?/g, (_, block: string) => shellBlock(block, context))
    .replaceAll(`npm run load -- ${context.name}`, 'npm run load')
    .replaceAll(`npm run app -- ${context.name}`, 'npm start')
    .replaceAll(`npx vitest run systems/${context.name}`, 'npm test')
    .replaceAll(`systems/${context.name}/`, `${context.name}/`);
  return commands
    .split('\n')
    .filter((line) => !isRowOfAbsentFiles(line, context))
    .join('\n')
    .replace(/\[([^\]]+)\]\(([^):#]+)(?:#[^)]*)?\)/g, (link, text: string, path: string) =>
      context.has(path) ? link : text,
    );
}

/** Workspace commands that a starter does not have. */
const OF_WORKSPACE = /^npm run (?!app |load )/;

function shellBlock(block: string, { name }: ReadmeContext): string {
  const lines = block.split('\n').filter((line) => line !== '' && !OF_WORKSPACE.test(line));
  const text = lines.map((line) => line.replace(`npm run app -- ${name} -`, 'npm start -- -')).join('\n');
  return text === '' ? '' : `\`\`\`sh\n${text}\n\`\`\`\n\n`;
}

function withoutSection(markdown: string, heading: string): string {
  const begins = markdown.indexOf(`\n${heading}\n`);
  if (begins < 0) return markdown;
  const ends = markdown.indexOf('\n## ', begins + heading.length);
  return markdown.slice(0, begins) + (ends < 0 ? '' : markdown.slice(ends));
}

/** A row whose first cell names only files and folders that do not exist. */
function isRowOfAbsentFiles(line: string, { has }: ReadmeContext): boolean {
  const cell = /^\| (`[^|]*|\[`[^|]*)\|/.exec(line)?.[1] ?? '';
  const paths = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path).filter((path) => /\.\w+$|\/$/.test(path));
  return paths.length > 0 && !paths.some(has);
}

/** The heading, and the paragraph below it. */
export function beginningOf(markdown: string): { readonly title: string; readonly lead: string } {
  const [heading = '', lead = ''] = markdown.split('\n\n');
  return { title: heading.replace(/^# /, ''), lead: lead.replaceAll('\n', ' ') };
}
