import type { PageOptions } from '../patterns/signature.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest } from './context.ts';
import type { Values } from './item-codec.ts';

/** What one page is asked with. */
export interface PageInput {
  readonly input: Values;
  /** The input's values of attributes, with constants and other names in place. */
  readonly values: Values;
  readonly options: PageOptions;
  /** When the first page was read, in milliseconds since 1970: all pages of a read see the same items as expired. */
  readonly now: number;
  /** Items wanted; all there are where it is undefined. */
  readonly wanted: number | undefined;
}

/** Items as they are stored, and where reading continues; undefined at the end. */
export interface StoredPage {
  readonly items: StoredItem[];
  readonly position: unknown;
}

/** Reads stored pages of item collections. `from` is what an earlier page gave as its position. */
export interface PageReader {
  read(page: PageInput, from: unknown): Promise<StoredPage>;
  requests(page: PageInput, from: unknown): BuiltRequest[];
}
