import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// Chromium from a package: compressed, with the shared libraries and the fonts that a bare machine lacks. It is unpacked once,
// beside the package, so that it is removed with the package; nothing is downloaded.

/** An unpacked Chromium, and what its process needs in its environment. */
export interface UnpackedChromium {
  readonly executable: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Names a Chromium to use instead, on machines that the package does not support. */
const OTHER_VARIABLE = 'CHROMIUM';
const PACKAGE = '@sparticuz/chromium';

export class NoBrowserError extends Error {
  override readonly name = 'NoBrowserError';
}

/**
 * Unpacks Chromium unless that has been done before. Safe for several concurrent processes. Decision 0025 says why it comes from a package.
 *
 * @throws {NoBrowserError} if the package's does not support this machine and no other is named.
 */
export async function unpackedChromium(): Promise<UnpackedChromium> {
  const other = process.env[OTHER_VARIABLE];
  if (other !== undefined) return { executable: other, environment: {} };
  const { platform, arch } = process;
  if (platform !== 'linux' || arch !== 'x64') {
    throw new NoBrowserError(
      `The Chromium of ${PACKAGE} is for linux on x64, this is ${platform} on ${arch}: name one that is installed in ${OTHER_VARIABLE}`,
    );
  }
  // .../node_modules/@sparticuz/chromium/build/esm/index.js
  const packageDirectory = fileURLToPath(new URL('../../', import.meta.resolve(PACKAGE)));
  const { version } = JSON.parse(await readFile(join(packageDirectory, 'package.json'), 'utf8')) as { version: string };
  const cache = join(packageDirectory, '../../.cache');
  const directory = join(cache, `chromium-${version}`);
  if (!existsSync(directory)) {
    mkdirSync(cache, { recursive: true });
    await unpackInto(directory, mkdtempSync(join(cache, 'unpacking-')));
  }
  return {
    executable: join(directory, 'chromium'),
    environment: {
      LD_LIBRARY_PATH: join(directory, 'al2023/lib'),
      FONTCONFIG_FILE: join(directory, 'fonts.conf'),
      HOME: directory,
    },
  };
}

/** The first process renames the directory to its final name, so that it is complete under that name. */
async function unpackInto(directory: string, scratch: string): Promise<void> {
  try {
    // The package unpacks into the temporary directory, which other versions and half-written files share; and its libraries
    // only if it detects a machine without any. So it gets its own process and directory.
    const script = `const { default: chromium } = await import('${PACKAGE}'); await chromium.executablePath();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      env: { ...process.env, TMPDIR: scratch, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    });
    writeFileSync(join(scratch, 'fonts.conf'), fontsConfiguration(directory));
    renameSync(scratch, directory);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  }
}

/** The fonts of the package and no others, so that pages look the same on every machine. */
function fontsConfiguration(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(directory, 'fonts')}</dir>
  <cachedir>${join(directory, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
