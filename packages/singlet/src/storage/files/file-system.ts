/**
 * The part of a file system that decides what survives a power cut. Every write, sync and directory change of the drivers goes
 * through this interface, so that tests can record them and build every state that a power cut may leave.
 *
 * What is durable: the bytes of a file when a write through a file opened with `isDurable` resolves, or when `sync` of the file resolves; the names
 * in a directory (created, renamed, removed) when `syncDirectory` resolves. Anything else may be lost, in part and in any order.
 *
 * All methods reject with the system's error (`code` such as `ENOSPC`).
 */
export interface FileSystem {
  /**
   * Opens a file for reading and writing.
   *
   * @throws ENOENT when it is missing and `create` is not set.
   */
  open(path: string, options: OpenOptions): Promise<OpenFile>;
  /** Reads a whole file; undefined when it does not exist. */
  readFile(path: string): Promise<Buffer | undefined>;
  /** Names in a directory. */
  readDirectory(path: string): Promise<readonly string[]>;
  /** Renames a file and atomically replaces the file that had the name. */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a name that no other file has. @returns false when the name is taken. The file then has two names. */
  link(existing: string, name: string): Promise<boolean>;
  /** Removes a name. No error when it is missing. */
  unlink(path: string): Promise<void>;
  /** Makes a directory, for this user only. No error when it exists; its parent must exist. */
  makeDirectory(path: string): Promise<void>;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
}

export interface OpenOptions {
  /** Creates the file, for this user only, when it is missing. */
  readonly create?: boolean;
  /** Every write is durable when it resolves. */
  readonly isDurable?: boolean;
}

export interface OpenFile {
  /** Writes all bytes at a position. When it rejects, some may have been written. The bytes must not change meanwhile. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Reads up to `length` bytes; fewer at the end of the file. */
  read(length: number, position: number): Promise<Buffer>;
  /** Makes the bytes of the file, and its size, durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
