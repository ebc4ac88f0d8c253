import type { Page } from 'playwright-core';

/*
 * Compares two pictures of a page as a person would who holds one beside the other: by the mean colour of cells of 8 by 8 pixels, without the places
 * whose text another run shows otherwise. The pixels of letters may differ a little between machines, and the mean of a cell hardly does; a colour, a
 * gap or a missing part changes many cells, or a few of them much. The browser itself decodes the pictures, so no library is needed. Decision 0139.
 */

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Comparison {
  /** The cells that were compared, and those whose mean differs visibly. */
  readonly cells: number;
  readonly differing: number;
  /** The mean difference of all compared cells, of 255. */
  readonly mean: number;
  /** The part of the picture that holds the cells that differ; undefined if there are none. */
  readonly where: Place | undefined;
}

const cellPixels = 8;
/** Of 255, for one of red, green and blue. Two neighbouring surfaces of the page differ by 6. */
const visibleDifference = 5;

/**
 * Cells that may differ, and the difference that all of them together may have: ten times what two runs on a busy machine differed by.
 */
export const differingPartMax = 0.002;
export const meanDifferenceMax = 0.1;

export function isAlike({ cells, differing, mean }: Comparison): boolean {
  return differing <= cells * differingPartMax && mean <= meanDifferenceMax;
}

/** @param varying - places of the page that are not compared. */
export async function comparePictures(
  page: Page,
  one: Buffer,
  other: Buffer,
  varying: readonly Place[],
): Promise<Comparison> {
  // A page of its own: the policy of the workbench does not concern it.
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate(
      async ({ sources, places, cell, visible }) => {
        const [a, b] = await Promise.all(
          sources.map(async (source) => {
            const image = new Image();
            image.src = source;
            await image.decode();
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext('2d');
            if (context === null) throw new TypeError('There is no canvas');
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height);
          }),
        );
        if (a === undefined || b === undefined || a.width !== b.width || a.height !== b.height)
          throw new TypeError('The pictures have different sizes');
        const meanOf = ({ data, width }: ImageData, left: number, top: number): readonly number[] => {
          const sums = [0, 0, 0];
          for (let y = top; y < top + cell; y += 1)
            for (let x = left; x < left + cell; x += 1)
              for (const channel of [0, 1, 2])
                sums[channel] = (sums[channel] ?? 0) + (data[(y * width + x) * 4 + channel] ?? 0);
          return sums.map((sum) => sum / cell ** 2);
        };
        let [cells, total] = [0, 0];
        const found: { readonly x: number; readonly y: number }[] = [];
        for (let y = 0; y + cell <= a.height; y += cell) {
          for (let x = 0; x + cell <= a.width; x += cell) {
            const isVarying = places.some(
              (place) =>
                x < place.x + place.width && x + cell > place.x && y < place.y + place.height && y + cell > place.y,
            );
            if (isVarying) continue;
            const [before, now] = [meanOf(a, x, y), meanOf(b, x, y)];
            const difference = Math.max(...before.map((value, channel) => Math.abs(value - (now[channel] ?? 0))));
            cells += 1;
            total += difference;
            if (difference > visible) found.push({ x, y });
          }
        }
        const [xs, ys] = [found.map(({ x }) => x), found.map(({ y }) => y)];
        const where =
          found.length === 0
            ? undefined
            : {
                x: Math.min(...xs),
                y: Math.min(...ys),
                width: Math.max(...xs) - Math.min(...xs) + cell,
                height: Math.max(...ys) - Math.min(...ys) + cell,
              };
        return { cells, differing: found.length, mean: total / Math.max(1, cells), where };
      },
      {
        sources: [one, other].map((picture) => `data:image/png;base64,${picture.toString('base64')}`),
        places: varying,
        cell: cellPixels,
        visible: visibleDifference,
      },
    );
  } finally {
    await blank.close();
  }
}

/** What another run shows otherwise, beside numbers: the server's port, what requests took, and heat. */
const alwaysVarying = '.strip .sums, .top .pill, .pace, .heat-map, .partition-heat, textarea';

/**
 * The places of a page whose text varies: blocks with a time, or with any number.
 *
 * @param options.doNumbersVary - whether all numbers vary, and not only times.
 * @param options.varying - a selector of parts that vary as well, or nothing.
 */
export async function varyingPlaces(
  page: Page,
  { doNumbersVary, varying }: { readonly doNumbersVary: boolean; readonly varying: string },
): Promise<readonly Place[]> {
  return await page.evaluate(
    ({ selector, pattern }) => {
      const varyingText = new RegExp(pattern);
      const blocks = new Set<Element>(document.querySelectorAll(selector));
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        if (!varyingText.test(node.textContent ?? '')) continue;
        let block = node.parentElement;
        while (block !== null && getComputedStyle(block).display === 'inline') block = block.parentElement;
        if (block !== null) blocks.add(block);
      }
      return [...blocks].map((block) => {
        const { x, y, width, height } = block.getBoundingClientRect();
        return { x, y, width, height };
      });
    },
    {
      selector: varying === '' ? alwaysVarying : `${alwaysVarying}, ${varying}`,
      pattern: doNumbersVary ? '\\d' : '\\d\\d:\\d\\d|\\d m?s\\b',
    },
  );
}
