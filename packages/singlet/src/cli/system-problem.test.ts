import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { systemProblem } from './system-problem.ts';

function systemError(code: string, members: object): Error {
  return Object.assign(new Error(`${code}: …, write`), { code, syscall: 'write', ...members });
}

describe('systemProblem', () => {
  test('names the file, and the file to write where there are two', () => {
    expect(systemProblem(systemError('EROFS', { path: '/mnt/a' }))).toBe(
      '/mnt/a cannot be used: its file system is read-only; choose another place.',
    );
    expect(systemProblem(systemError('EACCES', { path: 'a.partial', dest: 'a' }))).toBe(
      'a cannot be used: its permissions do not allow it.',
    );
  });

  test('a full disk, as a cause of another error', () => {
    const error = new Error('part 3', { cause: systemError('ENOSPC', {}) });
    expect(systemProblem(error)).toBe(
      'A file cannot be written: no space is left on the disk; free some, and run the command again.',
    );
  });

  test('an error of Node.js itself', () => {
    expect(() => writeFileSync('/', '')).toThrow();
    try {
      writeFileSync('/', '');
    } catch (error) {
      expect(systemProblem(error)).toBe('/ cannot be used: it is a directory, not a file.');
    }
  });

  test('undefined for defects, for other codes, and for codes without a system call', () => {
    expect(systemProblem(new TypeError('x is not a function'))).toBeUndefined();
    expect(systemProblem(systemError('ECONNREFUSED', {}))).toBeUndefined();
    expect(systemProblem(Object.assign(new Error('no such key'), { code: 'ENOENT' }))).toBeUndefined();
    expect(systemProblem('ENOSPC')).toBeUndefined();
  });
});
