import type { ManualClock } from '../clock.ts';
import type { Stage } from './demo.ts';

/** Something that happens at a moment of the story. */
export interface ScheduledEvent {
  readonly atMs: number;
  readonly patternId: string;
  /** Events of one person run one after the other; those of different people may overlap. */
  readonly person: object;
  readonly act: () => Promise<unknown>;
}

const OVERLAPPING_MAX = 16;

/**
 * Runs events in order of time, as fast as possible: the clock is set to each event's time as it starts.
 * Several people act concurrently, but each does one thing at a time. Stops between two events when the signal is aborted.
 */
export async function playEvents(
  events: readonly ScheduledEvent[],
  stage: Pick<Stage, 'ledger' | 'terminal' | 'signal'> & { readonly clock: ManualClock },
): Promise<void> {
  const progress = stage.terminal.progress(events.length);
  try {
    for (const group of groupsOf(events.toSorted((left, right) => left.atMs - right.atMs))) {
      stage.signal.throwIfAborted();
      await Promise.all(
        group.map(async ({ atMs, patternId, act }) => {
          stage.clock.setToMs(atMs);
          await stage.ledger.during(patternId, act);
          progress.step(new Date(atMs).toISOString().slice(0, 16).replace('T', ' '));
        }),
      );
    }
  } finally {
    progress.finish();
  }
}

function* groupsOf(events: readonly ScheduledEvent[]): Generator<readonly ScheduledEvent[]> {
  let group: ScheduledEvent[] = [];
  for (const event of events) {
    if (group.length === OVERLAPPING_MAX || group.some(({ person }) => person === event.person)) {
      yield group;
      group = [];
    }
    group.push(event);
  }
  if (group.length > 0) {
    yield group;
  }
}
