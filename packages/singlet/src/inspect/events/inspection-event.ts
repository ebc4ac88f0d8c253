/** One event on its way to clients. */
export interface InspectionEvent {
  readonly topic: Topic | 'gap';
  readonly data: object;
  /** Moves the cursor behind it: called when it is sent. */
  readonly seen?: () => void;
}

export type Topic = (typeof topics)[number];

/** What clients may ask for. */
export const topics = ['request', 'record', 'table', 'model'] as const;
