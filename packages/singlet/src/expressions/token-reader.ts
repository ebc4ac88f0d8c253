import type { ValidationException } from '../values/service-error.ts';
import { type ExpressionKind, grammarOf } from './expression-kind.ts';
import { invalidExpression, syntaxError } from './expression-problem.ts';
import { type Token, type TokenType, tokenize } from './lexer.ts';

/** The tokens of one expression, read from left to right with one token of look-ahead. */
export class TokenReader {
  readonly kind: ExpressionKind;
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string, kind: ExpressionKind) {
    this.kind = kind;
    this.#text = text;
    this.#tokens = tokenize(text, grammarOf(kind));
  }

  /** The next token. At the end it is the end token, however many times it is read. */
  get next(): Token {
    return this.#at(this.#position);
  }

  /** The token after the next one. */
  get afterNext(): Token {
    return this.#at(this.#position + 1);
  }

  take(): Token {
    const token = this.next;
    if (token.type !== 'end') this.#position += 1;
    return token;
  }

  /** Takes the next token if it is of that type. */
  takeIf(type: TokenType): Token | undefined {
    return this.next.type === type ? this.take() : undefined;
  }

  /** @throws {ValidationException} a syntax error, if the next token is not of that type. */
  expect(type: TokenType): Token {
    if (this.next.type !== type) throw this.syntaxError();
    return this.take();
  }

  /**
   * The syntax error of the next token. It shows the text from the previous token to the following one, with any white
   * space between them.
   */
  syntaxError(): ValidationException {
    const first = this.#at(Math.max(this.#position - 1, 0));
    const last = this.afterNext;
    return invalidExpression(this.kind, syntaxError(this.next.text, this.#text.slice(first.start, last.end)));
  }

  #at(position: number): Token {
    // There is always an end token, and positions begin at zero.
    return this.#tokens[Math.min(position, this.#tokens.length - 1)] as Token;
  }
}
