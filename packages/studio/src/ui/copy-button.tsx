import { type ReactNode, useState } from 'react';

/** Copies a text, and shows whether that succeeded. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [outcome, setOutcome] = useState('');
  return (
    <>
      <button
        type="button"
        className="button plain"
        aria-label={label}
        onClick={() => void copy(text).then(setOutcome)}
      >
        {outcome === '' ? 'Copy' : outcome}
      </button>
      <span role="status" className="hidden">
        {outcome}
      </span>
    </>
  );
}

async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Refused: select the text';
  }
}
