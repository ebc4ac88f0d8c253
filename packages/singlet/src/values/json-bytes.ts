/** The bytes of JSON syntax, between and around strings. */
export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const backslash = 0x5c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
