import type { Cursor } from '@singlet/model';

/**
 * The patterns that read a migration's new keys: each is off until its items have them. Until then, and again after it is
 * switched off, the list is read as before.
 */
export interface Readers {
  /** GHM-06, after MIG-3. */
  readonly accountWithApps: boolean;
  /** GHM-10 and GHM-11, after MIG-4. */
  readonly openIssues: boolean;
  readonly closedIssues: boolean;
  /** GHM-12 and GHM-13, after MIG-5. */
  readonly openPullRequests: boolean;
  readonly closedPullRequests: boolean;
}

export const READERS_OFF: Readers = {
  accountWithApps: false,
  openIssues: false,
  closedIssues: false,
  openPullRequests: false,
  closedPullRequests: false,
};

export const READERS_ON: Readers = {
  accountWithApps: true,
  openIssues: true,
  closedIssues: true,
  openPullRequests: true,
  closedPullRequests: true,
};

/** The prefix of the cursors of lists that are read by key. Cursors from before the migration have no prefix. */
const BY_KEY = 'key:';

/** A list to read: by key, or with the filter. */
export interface ChosenReader {
  readonly byKey: boolean;
  readonly cursor: Cursor | undefined;
}

/** The flag decides how a list begins. It continues in the same way, even if the flag changes meanwhile. */
export function chooseReader(isOn: boolean, cursor: Cursor | undefined): ChosenReader {
  if (cursor === undefined) {
    return { byKey: isOn, cursor };
  }
  return cursor.startsWith(BY_KEY) ? { byKey: true, cursor: cursor.slice(BY_KEY.length) } : { byKey: false, cursor };
}

/** A page of a list that is read by key, whose next page will be as well. */
export function readByKey<Page extends { readonly cursor: Cursor | undefined }>(page: Page): Page {
  return page.cursor === undefined ? page : { ...page, cursor: `${BY_KEY}${page.cursor}` };
}
