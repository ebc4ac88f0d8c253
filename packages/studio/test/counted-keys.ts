import type { Page } from 'playwright-core';

/**
 * A visitor who has no mouse, and whose steps are counted: a chord, such as `G M` or `Control+Enter`, is one step, and so is typing a value.
 */
export class CountedKeys {
  steps = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** @param chord - keys that are pressed one after the other count as one step: `g m`. */
  async press(chord: string): Promise<void> {
    this.steps += 1;
    // Without waiting between them, since the page gives up on a chord after a second.
    await Promise.all(chord.split(' ').map((key) => this.#page.keyboard.press(key)));
  }

  async type(text: string): Promise<void> {
    this.steps += 1;
    await this.#page.keyboard.type(text);
  }
}
