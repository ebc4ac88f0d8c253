import type { AttributeValue } from '../../values/attribute-value.ts';

/** What a request would read, before it is sent. */
export interface ReadExplanation {
  readonly table: string;
  readonly index: string | null;
  /** Whether all items of the table or index are read, whatever the conditions leave of them. */
  readonly isScan: boolean;
  /** In the order in which they run: a statement may become several. */
  readonly operations: readonly ReadOperation[];
  /** The page that the request would bring; null for a statement that writes. */
  readonly firstPage: ReadPage | null;
  /** All of the table or index, for a scan. */
  readonly whole: ReadWhole | null;
  readonly findings: readonly ReadFinding[];
}

/** One operation of the API. */
export interface ReadOperation {
  readonly operation: string;
  /** Conditions on the key, all of which hold. */
  readonly keyConditions: readonly {
    readonly attributeName: string;
    readonly operator: string;
    readonly operands: readonly AttributeValue[];
  }[];
  /** What is applied to the items that were read, in the language of the request. */
  readonly filter: string | null;
}

export interface ReadPage {
  /** Items before and after the filter. */
  readonly read: number;
  readonly returned: number;
  /** Read units, of table and index. */
  readonly reads: number;
  /** Whether there is nothing behind it. */
  readonly isLast: boolean;
}

export interface ReadWhole {
  readonly items: number;
  readonly bytes: number;
  /** Units of reading all of it. */
  readonly reads: number;
}

/** Something about a read that costs more than it brings, and what can be done. */
export interface ReadFinding {
  readonly code: 'scan' | 'filter-after-read' | 'more-pages';
  /** What is so, with its figures. */
  readonly message: string;
  readonly remedy: string;
}
