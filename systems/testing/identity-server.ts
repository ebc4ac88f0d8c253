import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  attachPolicy,
  createIdentity,
  type IdentityDocument,
  newAuthKeyText,
  noIdentities,
  readAuthKey,
} from '../../packages/singlet/src/access/index.ts';

const program = fileURLToPath(new URL('../../packages/singlet/bin/singlet.js', import.meta.url));

/** A user, or a role with a trust policy. */
export interface IdentityToMake {
  readonly accountId: string;
  readonly name: string;
  readonly policy: object;
  readonly trust?: object;
}

/** The key of a user. */
export interface UserKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A server that identifies its callers. */
export interface IdentityServer {
  readonly url: string;
  /** Of the users, in the order in which they were named. */
  readonly keys: readonly UserKey[];
  readonly close: () => Promise<void>;
}

/** `singlet serve --auth` in its own process, with its data in memory. */
export async function startIdentityServer(identities: readonly IdentityToMake[]): Promise<IdentityServer> {
  const folder = await mkdtemp(join(tmpdir(), 'singlet-tenants-'));
  const auth = join(folder, 'auth.json');
  const keyText = newAuthKeyText(randomBytes);
  const { document, keys } = made(identities, keyText);
  await writeFile(auth, JSON.stringify(document), { mode: 0o600 });
  await writeFile(`${auth}.key`, keyText, { mode: 0o600 });
  const child = spawn(process.execPath, [program, 'serve', '--auth', auth, '--memory', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    url: await announced(child),
    keys,
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function made(
  identities: readonly IdentityToMake[],
  keyText: string,
): { readonly document: IdentityDocument; readonly keys: readonly UserKey[] } {
  const tools = { authKey: readAuthKey(keyText), random: randomBytes, nowMs: Date.now() };
  const keys: UserKey[] = [];
  let document: IdentityDocument = noIdentities;
  for (const { accountId, name, policy, trust } of identities) {
    const identity = { accountId, name, kind: trust === undefined ? ('user' as const) : ('role' as const) };
    const created = createIdentity(document, { ...identity, ...(trust !== undefined && { trust }) }, tools);
    document = attachPolicy(created.document, identity, { name: 'policy', policy });
    if (created.accessKey !== undefined) keys.push(created.accessKey);
  }
  return { document, keys };
}

/** The address in the first line. Throws if the process ends without one. */
async function announced(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new RangeError('The output of the server is not read');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^singlet ready on (\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new RangeError('The server ended before it was ready');
}
