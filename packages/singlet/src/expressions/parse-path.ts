import type { Token } from './lexer.ts';
import type { PathElementNode, PathNode } from './syntax-tree.ts';
import type { TokenReader } from './token-reader.ts';

/** `name`, then any number of `.name` and `[position]`; each name may be a `#placeholder`. */
export function parsePath(reader: TokenReader): PathNode {
  const first = takeName(reader);
  const elements = [nameElement(first)];
  let { end } = first;
  for (;;) {
    if (reader.takeIf('.')) {
      const name = takeName(reader);
      elements.push(nameElement(name));
      ({ end } = name);
    } else if (reader.takeIf('[')) {
      elements.push({ kind: 'index', digits: reader.expect('index').text });
      ({ end } = reader.expect(']'));
    } else {
      return { kind: 'path', elements, start: first.start, end };
    }
  }
}

function takeName(reader: TokenReader): Token {
  const { type } = reader.next;
  if (type !== 'identifier' && type !== 'name') throw reader.syntaxError();
  return reader.take();
}

function nameElement({ type, text }: Token): PathElementNode {
  return { kind: type === 'name' ? 'placeholder' : 'attribute', name: text };
}
