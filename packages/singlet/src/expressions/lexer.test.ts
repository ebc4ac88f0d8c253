import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { tokenize } from './lexer.ts';
import type { Grammar } from './expression-kind.ts';

function tokens(text: string, grammar: Grammar = 'condition'): string[] {
  return tokenize(text, grammar).map(({ type, text: word }) => (type === word ? type : `${type} ${word}`));
}

describe('tokenize', () => {
  it('cuts names, placeholders, positions and symbols', () => {
    expect(tokens('a.#b[10] <> :c')).toEqual([
      'identifier a',
      '.',
      'name #b',
      '[',
      'index 10',
      ']',
      '<>',
      'value :c',
      'end <EOF>',
    ]);
  });

  it('takes the longest comparator', () => {
    expect(tokens('<= >= <> < > =').slice(0, -1)).toEqual(['<=', '>=', '<>', '<', '>', '=']);
    expect(tokens('<=>').slice(0, -1)).toEqual(['<=', '>']);
  });

  it('knows the keywords of its own grammar only, in any case (DB-199)', () => {
    expect(tokens('and Between set')).toEqual(['AND and', 'BETWEEN Between', 'identifier set', 'end <EOF>']);
    expect(tokens('and Set', 'update')).toEqual(['identifier and', 'SET Set', 'end <EOF>']);
    expect(tokens('and set', 'projection')).toEqual(['identifier and', 'identifier set', 'end <EOF>']);
    expect(tokens('android')).toEqual(['identifier android', 'end <EOF>']);
  });

  it('gives every leading zero of a position a token of its own', () => {
    expect(tokens('007')).toEqual(['index 0', 'index 0', 'index 7', 'end <EOF>']);
  });

  it('makes a token of what no token begins with, and of a placeholder without a name', () => {
    expect(tokens('_a')).toEqual(['unknown _', 'identifier a', 'end <EOF>']);
    expect(tokens('# :')).toEqual(['unknown #', 'unknown :', 'end <EOF>']);
    expect(tokens('😀')).toEqual(['unknown 😀', 'end <EOF>']);
  });

  it('covers any text: tokens and white space, in order, without a gap', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        let position = 0;
        let rebuilt = '';
        for (const { type, text: word, start, end } of tokenize(text, 'condition')) {
          const gap = text.slice(position, start);
          expect(/[^ \t\r\n]/.test(gap)).toBe(false);
          rebuilt += gap + (type === 'end' ? '' : word);
          position = end;
        }
        expect(rebuilt).toBe(text);
      }),
    );
  });
});
