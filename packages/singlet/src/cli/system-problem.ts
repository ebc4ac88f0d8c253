const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk; free some, and run the command again',
  EDQUOT: 'the quota of this user is used up; free some space, and run the command again',
  EROFS: 'its file system is read-only; choose another place',
  EACCES: 'its permissions do not allow it',
  EPERM: 'its permissions do not allow it',
  ENOENT: 'there is no such file or directory',
  'ENOENT mkdir': 'the directory above it does not exist, or accepts no others; choose another place',
  ENOTDIR: 'its path leads through a file',
  EEXIST: 'there is a file of that name',
  EISDIR: 'it is a directory, not a file',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open; raise the limit with ulimit -n',
  EIO: 'the disk reports an error',
};

/**
 * Says in a sentence why a file or directory cannot be used: for errors of the file system, and errors that have one as a cause.
 *
 * @returns undefined for any other error.
 */
export function systemProblem(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code = '', syscall, path, dest } = cause as NodeJS.ErrnoException & { readonly dest?: string };
    const reason = syscall === undefined ? undefined : (reasons[`${code} ${syscall}`] ?? reasons[code]);
    if (reason === undefined) continue;
    const file = dest ?? path;
    // A write to an open file does not name it.
    return file === undefined ? `A file cannot be written: ${reason}.` : `${file} cannot be used: ${reason}.`;
  }
  return undefined;
}
