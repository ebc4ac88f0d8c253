import type { ReactNode } from 'react';

/** A key by its template: words in grey, variables underlined in the colour of the entity. */
export function TemplateText({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="template mono" title={text}>
      {text.split(/(\{[^}]*\})/).map((part, at) => {
        // After the split, every second part is a variable. The parts of one template never change their order.
        if (at % 2 === 0) return part === '' ? null : <i key={at}>{part}</i>;
        return <b key={at}>{part.slice(1, -1).split(':')[0]}</b>;
      })}
    </span>
  );
}
