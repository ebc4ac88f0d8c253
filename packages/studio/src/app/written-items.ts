import { useEffect, useRef } from 'react';
import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';

/** An item that was written by this page: as it is now, or without the new one, deleted. */
export interface WrittenItem {
  readonly tableName: string;
  readonly key: AttributeMap;
  readonly item: AttributeMap | undefined;
}

const listeners = new Set<(written: WrittenItem) => void>();

/** Tells the view that is shown; it may be another one than that in which the write began. */
export function announceWritten(written: WrittenItem): void {
  for (const listener of listeners) listener(written);
}

export function useWrittenItems(listener: (written: WrittenItem) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const listen = (written: WrittenItem): void => latest.current(written);
    listeners.add(listen);
    return () => {
      listeners.delete(listen);
    };
  }, []);
}
