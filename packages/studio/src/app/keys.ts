import { useLayoutEffect, useRef } from 'react';
import { areLetterKeysOn } from './letter-keys.ts';

export type KeyActions = Readonly<Record<string, () => unknown>>;

/**
 * Single-key shortcuts of the view, outside fields and dialogs. Combinations with Ctrl, Alt or ⌘ belong to the browser and to
 * {@link useChord}. Like all keys here they work from the moment at which the view is shown: a passive effect would come too late for a quick hand.
 */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const action = latest.current[event.key];
      if (action === undefined || (event.key.length === 1 && !areLetterKeysOn())) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** A key together with Ctrl or ⌘: with any focus, or only outside fields if the browser uses it there. */
export function useChord(key: string, action: () => void, where: 'everywhere' | 'outside fields' = 'everywhere'): void {
  const latest = useRef(action);
  latest.current = action;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        event.defaultPrevented ||
        !(event.metaKey || event.ctrlKey) ||
        event.altKey ||
        event.shiftKey ||
        event.key.toLowerCase() !== key.toLowerCase()
      )
        return;
      if (where === 'outside fields' && isTyping(event.target)) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [key, where]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable]') !== null;
}

const goMs = 1000;

/** `G` and then a letter opens a view. The second letter then has no other meaning, whatever the focus. */
export function useGoKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    let pressedAt = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !areLetterKeysOn()) return;
      const action = event.timeStamp - pressedAt < goMs ? latest.current[event.key] : undefined;
      pressedAt = event.key === 'g' ? event.timeStamp : -Infinity;
      if (action === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
