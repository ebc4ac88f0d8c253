import { randomBytes } from 'node:crypto';
import { Authenticator, type AuthKey, type IdentityDirectory, StsService } from '../../access/index.ts';
import type { EngineLogEvent } from '../../engine/index.ts';
import { type IdentityPaths, loadIdentities } from '../identity/identity-file.ts';
import { UsageError } from '../usage-error.ts';
import { watchFiles } from '../watch-files.ts';

/** The identities that may use a server, from a file that may change while it runs. */
export interface ServerAccess {
  readonly authenticator: Authenticator;
  readonly sts: StsService;
  readonly stop: () => void;
}

/**
 * Reads the identities, and again whenever their file or its key changes. If the changed file is invalid, the present identities remain in
 * effect, and the log says so.
 *
 * @throws {UsageError} if they cannot be read at the start.
 */
export function openServerAccess(
  paths: IdentityPaths,
  { region, log }: { readonly region: string; readonly log: (event: EngineLogEvent) => void },
): ServerAccess {
  let present: { readonly directory: IdentityDirectory; readonly authKey: AuthKey } = loadIdentities(paths);
  const stop = watchFiles([paths.auth, paths.authKey], () => {
    try {
      present = loadIdentities(paths);
      log({ level: 'info', event: 'identities-read', file: paths.auth });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      log({
        level: 'error',
        event: 'identities-unreadable',
        error: error.message,
        consequence: 'the last good ones stay',
      });
    }
  });
  const directory = (): IdentityDirectory => present.directory;
  const nowMs = (): number => Date.now();
  const authenticator = new Authenticator({ directory, nowMs, region });
  const sts = new StsService({ authenticator, directory, authKey: () => present.authKey, random: randomBytes, nowMs });
  return { authenticator, sts, stop };
}
