import type { ReactNode } from 'react';

/** A key with its parts: words of its template in grey, values in ink. The words are in capitals and end with `#`. */
export function KeyText({ text }: { readonly text: string }): ReactNode {
  const parts = text.split(/(^#?[A-Z][A-Z_-]*#|#[A-Z][A-Z_-]*#)/);
  if (parts.length === 1) return <b>{text}</b>;
  return parts.map((part, at) =>
    // After the split, every second part is a separator. The parts of one key never change their order.
    at % 2 === 1 ? (
      <span key={at} className="literal">
        {part}
      </span>
    ) : (
      part !== '' && <b key={at}>{part}</b>
    ),
  );
}
