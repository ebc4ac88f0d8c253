import { useCallback, useEffect, useState } from 'react';
import { inspect, NotToldError } from '../../wire/inspect.ts';
import { followEvents } from '../../wire/event-stream.ts';
import type { MigrationAnswer, MigrationList } from '../../wire/migration-answers.ts';
import type { RequestLog } from '../../wire/request-log.ts';

/** Interval between two requests for the progress of running work, in milliseconds. */
const pollMs = 400;

interface Migrations {
  readonly list: MigrationList | undefined;
  readonly answer: MigrationAnswer | undefined;
  readonly error: Error | undefined;
  /** Whether the endpoint has no migrations, because it is another database. */
  readonly isAbsent: boolean;
  /** Starts work on the selected migration. */
  readonly work: (name: string, settings: object) => Promise<void>;
}

/** The migrations of the server, and the one with an id, kept current when a model is saved or work continues. */
export function useMigrations(id: string | undefined, log: RequestLog): Migrations {
  const [list, setList] = useState<MigrationList>();
  const [answer, setAnswer] = useState<MigrationAnswer>();
  const [error, setError] = useState<Error>();
  /** The failure of the last request for the progress. */
  const [lostProgress, setLostProgress] = useState<Error>();
  const chosen = id ?? lastOf(list);

  const refresh = useCallback(async (): Promise<void> => {
    try {
      const found = await inspect<MigrationList>('migrations', { onExchange: log.add });
      setList(found);
      const wanted = id ?? lastOf(found);
      setAnswer(wanted === undefined ? undefined : await inspect(`migrations/${wanted}`, { onExchange: log.add }));
      setError(undefined);
    } catch (cause) {
      setError(cause as Error); // inspect() throws errors only
    }
  }, [id, log]);

  const isAbsent = error instanceof NotToldError;
  // Another database sends no events, and the first answer tells whether it is one.
  const isTold = list !== undefined;
  useEffect(() => void refresh(), [refresh]);
  useEffect(() => {
    if (!isTold) return undefined;
    const refreshed = (): void => void refresh();
    const stop = followEvents({ topics: ['model'], onEvent: refreshed, onStatus: () => undefined });
    // The migration's own file is edited outside the page, too.
    window.addEventListener('focus', refreshed);
    return () => {
      stop();
      window.removeEventListener('focus', refreshed);
    };
  }, [refresh, isTold]);

  const isRunning = answer?.job?.state === 'running';
  useEffect(() => {
    if (!isRunning || chosen === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.hidden) return;
      const received = (latest: MigrationAnswer): void => {
        setAnswer(latest);
        setLostProgress(undefined);
      };
      inspect<MigrationAnswer>(`migrations/${chosen}`, { onExchange: log.add }).then(received, setLostProgress);
    }, pollMs);
    return () => {
      clearInterval(timer);
      setLostProgress(undefined);
    };
  }, [isRunning, chosen, log]);

  const work = async (name: string, settings: object): Promise<void> => {
    if (chosen === undefined) return;
    try {
      setAnswer(await inspect(`migrations/${chosen}/${name}`, { body: settings, onExchange: log.add }));
      setError(undefined);
      if (name === 'plan' || name === 'accept') await refresh();
    } catch (cause) {
      setError(cause as Error); // inspect() throws errors only
    }
  };
  return { list, answer: answer?.id === chosen ? answer : undefined, error: error ?? lostProgress, isAbsent, work };
}

/** The migration that is shown if the address names none: the one that leads to the current state of a model, otherwise the last. */
function lastOf(list: MigrationList | undefined): string | undefined {
  const all = (list?.models ?? []).flatMap(({ migrations }) => migrations);
  return (all.find(({ isPresent }) => isPresent) ?? all.at(-1))?.id;
}
