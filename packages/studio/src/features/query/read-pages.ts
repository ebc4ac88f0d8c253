import { useRef, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import type { BuiltRequest } from '../../request-text/built-query.ts';
import { call, type Exchange } from '../../wire/client.ts';

/** The pages of a read, one after the other. */
export interface ReadPages {
  readonly state: PagesState;
  readonly run: (request: BuiltRequest) => void;
  readonly again: () => void;
  readonly more: () => void;
  /** Until the end, {@link itemsMax}, or {@link stop}. */
  readonly all: () => void;
  readonly stop: () => void;
}

export interface PagesState {
  /** The number of the run. */
  readonly run: number;
  readonly hasRun: boolean;
  readonly isReading: boolean;
  readonly items: readonly AttributeMap[];
  /** Number of items before the filter. */
  readonly read: number;
  readonly isEnd: boolean;
  readonly error: Error | undefined;
}

/** The maximum number of items that a page holds. */
const itemsMax = 20_000;

interface Page {
  readonly Items: readonly AttributeMap[];
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: AttributeMap;
}

const nothing: PagesState = {
  run: 0,
  hasRun: false,
  isReading: false,
  items: [],
  read: 0,
  isEnd: true,
  error: undefined,
};

export function useReadPages(onExchange: (exchange: Exchange) => void): ReadPages {
  const [state, setState] = useState(nothing);
  const current = useRef<{
    state: PagesState;
    request?: BuiltRequest;
    after?: AttributeMap | undefined;
    abort?: AbortController;
  }>({
    state: nothing,
  });
  const set = (next: PagesState): void => {
    current.current.state = next;
    setState(next);
  };
  const read = async (isAll: boolean): Promise<void> => {
    const { request } = current.current;
    if (request === undefined) return;
    const abort = new AbortController();
    current.current.abort = abort;
    set({ ...current.current.state, isReading: true, error: undefined });
    try {
      let isDone = false;
      while (!isDone) {
        const { after } = current.current;
        const input = { ...request.input, ...(after && { ExclusiveStartKey: after }) };
        const page = await call<Page>(request.operation, input, { onExchange, signal: abort.signal });
        const before = current.current.state;
        const isEnd = page.LastEvaluatedKey === undefined || before.items.length + page.Items.length >= itemsMax;
        current.current.after = page.LastEvaluatedKey;
        set({
          ...before,
          items: [...before.items, ...page.Items].slice(0, itemsMax),
          read: before.read + page.ScannedCount,
          isEnd,
        });
        isDone = isEnd || !isAll;
      }
      set({ ...current.current.state, isReading: false });
    } catch (error) {
      if (!abort.signal.aborted) set({ ...current.current.state, isReading: false, error: error as Error }); // call() throws errors only
    }
  };
  const run = (request: BuiltRequest): void => {
    current.current.abort?.abort();
    current.current.request = request;
    current.current.after = undefined;
    set({ ...nothing, run: current.current.state.run + 1, hasRun: true, isEnd: false });
    void read(false);
  };
  return {
    state,
    run,
    again: () => current.current.request && run(current.current.request),
    more: () => void read(false),
    all: () => void read(true),
    stop: () => {
      current.current.abort?.abort();
      set({ ...current.current.state, isReading: false });
    },
  };
}
