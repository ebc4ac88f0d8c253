/** One event to be sent to clients. */
export interface InspectionEvent {
  readonly topic: Topic | 'gap';
  readonly data: object;
  /** Advances the cursor past the event; called when it is sent. */
  readonly seen?: () => void;
}

export type Topic = (typeof topics)[number];

/** The topics that clients may subscribe to. */
export const topics = ['request', 'record', 'table', 'model', 'weather', 'migration'] as const;
