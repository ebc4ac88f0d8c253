import type { PageOptions } from '../patterns/signature.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest } from './context.ts';
import type { Values } from './item-codec.ts';

/** The request for one page. */
export interface PageInput {
  readonly input: Values;
  /** The input's values of attributes, with constants and other names resolved. */
  readonly values: Values;
  readonly options: PageOptions;
  /** When the first page was read, in milliseconds since 1970, so that all pages of a read treat the same items as expired. */
  readonly now: number;
  /** Number of items requested; all items if undefined. */
  readonly wanted: number | undefined;
}

/** Stored items, and where reading continues; undefined at the end. */
export interface StoredPage {
  readonly items: StoredItem[];
  readonly position: unknown;
}

/** Reads stored pages of item collections. `from` is the position that an earlier page returned. */
export interface PageReader {
  read(page: PageInput, from: unknown): Promise<StoredPage>;
  requests(page: PageInput, from: unknown): BuiltRequest[];
}
