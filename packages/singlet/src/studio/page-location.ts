import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package that contains the workbench's page. It is optional: the database runs without it. */
const packageName = '@singlet/studio';

/** The directory of the built page, or a sentence that says why it is missing. */
export type PageLocation = { readonly directory: string } | { readonly problem: string };

export function findPage(): PageLocation {
  let manifest: string;
  try {
    manifest = import.meta.resolve(`${packageName}/package.json`);
  } catch {
    return notInstalled();
  }
  const directory = fileURLToPath(new URL('dist/page/', manifest));
  if (!existsSync(fileURLToPath(manifest))) return notInstalled();
  if (!existsSync(`${directory}index.html`)) {
    return { problem: `The workbench has not been built: npm run build makes ${directory}` };
  }
  return { directory };
}

function notInstalled(): PageLocation {
  return {
    problem: `The workbench needs the package ${packageName}, which is not installed: npm install ${packageName}`,
  };
}
