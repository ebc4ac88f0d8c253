import { type ReactNode, useState } from 'react';
import { parseItem, sameValue, ValueError } from '../../values/value-problem.ts';
import { keyNamesOf } from '../../wire/table-description.ts';
import type { EditorProps } from './attribute-form.tsx';

/** The whole item in DynamoDB JSON, with numbers in quotes, so that no digit is lost. */
export function JsonEditor({ table, base, draft, onEdit, onProblem }: EditorProps): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(draft, undefined, 2));
  const change = (next: string): void => {
    setText(next);
    try {
      const item = parseItem(next);
      const changedKey = Object.values(keyNamesOf(table)).find(
        (name) => name !== undefined && base !== undefined && !sameValue(base[name], item[name]),
      );
      if (changedKey !== undefined)
        throw new ValueError(`${changedKey}: the key cannot be changed here. Use “Move to another key…” in the form.`);
      onEdit(item);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      onProblem(error.message);
    }
  };
  return (
    <textarea
      className="item-json mono"
      aria-label="Item in DynamoDB JSON"
      spellCheck={false}
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  );
}
