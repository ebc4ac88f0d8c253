import { useEffect, useRef } from 'react';
import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';

/** An item that this page wrote: its new state, or, without one, its deletion. */
export interface WrittenItem {
  readonly tableName: string;
  readonly key: AttributeMap;
  readonly item: AttributeMap | undefined;
}

const listeners = new Set<(written: readonly WrittenItem[]) => void>();

/** Notifies the current view, which may differ from the one in which the write began. */
export function announceWritten(...written: readonly WrittenItem[]): void {
  for (const listener of listeners) listener(written);
}

export function useWrittenItems(listener: (written: readonly WrittenItem[]) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const listen = (written: readonly WrittenItem[]): void => latest.current(written);
    listeners.add(listen);
    return () => {
      listeners.delete(listen);
    };
  }, []);
}
