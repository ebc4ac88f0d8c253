import type { AttributeValue } from '../../values/attribute-value.ts';

/** What a request would read, before it is sent. */
export interface ReadExplanation {
  readonly table: string;
  readonly index: string | null;
  /** Whether all items of the table or index are read, however many of them the conditions reject. */
  readonly isScan: boolean;
  /** In the order in which they run: a statement may become several. */
  readonly operations: readonly ReadOperation[];
  /** The page that the request would return; null for a statement that writes. */
  readonly firstPage: ReadPage | null;
  /** The whole table or index, for a scan. */
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
  /** The filter applied to the items that were read, in the language of the request. */
  readonly filter: string | null;
}

export interface ReadPage {
  /** Items before and after the filter. */
  readonly read: number;
  readonly returned: number;
  /** Read units, of table and index. */
  readonly reads: number;
  /** Whether this is the last page. */
  readonly isLast: boolean;
}

export interface ReadWhole {
  readonly items: number;
  readonly bytes: number;
  /** The units for reading all of it. */
  readonly reads: number;
}

/** A reason why a read costs more than it returns, and a remedy. */
export interface ReadFinding {
  readonly code: 'scan' | 'filter-after-read' | 'more-pages';
  /** The observation, with its figures. */
  readonly message: string;
  readonly remedy: string;
}
