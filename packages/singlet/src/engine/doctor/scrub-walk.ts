import { StorageError } from '../../storage/storage-error.ts';

/** The entries read in a step, in their own memory. */
export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Reads a range in steps, at the pace of a pass. Between two steps everything may change. */
export type Walk = (
  range: { readonly from: Buffer; readonly to: Buffer },
  step: (entries: readonly Entry[]) => Promise<void>,
) => Promise<void>;

/** @returns `otherwise` for a damaged value. */
export function decodedOr<T, U>(decode: () => T, otherwise: U): T | U {
  try {
    return decode();
  } catch (error) {
    if (error instanceof StorageError || error instanceof SyntaxError) return otherwise;
    throw error;
  }
}
