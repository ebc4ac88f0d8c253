import type { ReactNode } from 'react';

/** A key as it is built: words of its template in grey, values in ink. The words are in capitals and end with `#`. */
export function KeyText({ text }: { readonly text: string }): ReactNode {
  const parts = text.split(/(^#?[A-Z][A-Z_-]*#|#[A-Z][A-Z_-]*#)/);
  if (parts.length === 1) return <b>{text}</b>;
  return parts.map((part, at) =>
    // Of a text that was split, every second part is what it was split at. The parts of one key never change their order.
    at % 2 === 1 ? (
      <span key={at} className="literal">
        {part}
      </span>
    ) : (
      part !== '' && <b key={at}>{part}</b>
    ),
  );
}
