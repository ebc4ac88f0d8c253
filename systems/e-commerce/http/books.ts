/** A book that the shop sells. The shop determines its price; a price in a request is ignored. */
export interface Book {
  readonly bookId: string;
  readonly title: string;
  readonly author: string;
  readonly priceCents: number;
}

const rows = [
  ['middlemarch', 'Middlemarch', 'George Eliot', 3840],
  ['walden', 'Walden', 'Henry David Thoreau', 2400],
  ['moonstone', 'The Moonstone', 'Wilkie Collins', 6180],
  ['persuasion', 'Persuasion', 'Jane Austen', 1250],
  ['moby-dick', 'Moby-Dick', 'Herman Melville', 2900],
  ['les-miserables', 'Les Misérables', 'Victor Hugo', 3150],
  ['odyssey', 'The Odyssey', 'Homer', 1875],
  ['jane-eyre', 'Jane Eyre', 'Charlotte Brontë', 1420],
  ['bleak-house', 'Bleak House', 'Charles Dickens', 2265],
  ['dracula', 'Dracula', 'Bram Stoker', 1190],
  ['anna-karenina', 'Anna Karenina', 'Leo Tolstoy', 2780],
  ['awakening', 'The Awakening', 'Kate Chopin', 980],
  ['nostromo', 'Nostromo', 'Joseph Conrad', 1650],
  ['my-antonia', 'My Ántonia', 'Willa Cather', 1399],
  ['frankenstein', 'Frankenstein', 'Mary Shelley', 1099],
  ['candide', 'Candide', 'Voltaire', 875],
] as const;

/** The catalogue, by id. */
export const BOOKS: ReadonlyMap<string, Book> = new Map(
  rows.map(([bookId, title, author, priceCents]) => [bookId, { bookId, title, author, priceCents }]),
);

/** Dollars, formatted for display. */
export function dollars(amount: number): string {
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}
