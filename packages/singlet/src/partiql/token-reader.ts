import { type Token, type TokenType, tokenize } from './lexer.ts';
import { malformedStatement, syntaxProblems } from './statement-problem.ts';

/** The tokens of one statement, read from left to right. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** The next token. At the end it is the end token, however many times it is read. */
  get next(): Token {
    return this.#at(this.#position);
  }

  get afterNext(): Token {
    return this.#at(this.#position + 1);
  }

  /** The token that was read last. */
  get last(): Token {
    return this.#at(Math.max(this.#position - 1, 0));
  }

  take(): Token {
    const token = this.next;
    if (token.type !== 'end') this.#position += 1;
    return token;
  }

  takeIf(type: TokenType): Token | undefined {
    return this.next.type === type ? this.take() : undefined;
  }

  isWord(type: 'keyword' | 'operator' | 'clauseWord', word: string): boolean {
    return this.next.type === type && this.next.text === word;
  }

  takeKeyword(word: string): Token | undefined {
    return this.isWord('keyword', word) ? this.take() : undefined;
  }

  /** @throws {ValidationException} if the next token is not of that type, which the error calls `name`. */
  expect(type: TokenType, name: string): Token {
    if (this.next.type !== type) throw malformedStatement(syntaxProblems.expected(name));
    return this.take();
  }

  #at(position: number): Token {
    // There is always an end token, and positions begin at zero.
    return this.#tokens[Math.min(position, this.#tokens.length - 1)] as Token;
  }
}
