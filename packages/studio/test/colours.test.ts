import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { openStudio, useStudio } from './studio-world.ts';

/*
 * WB-09: the colours of the page as the browser computes them, with the figures that were promised for them: contrast by WCAG 2.2, distances of
 * entities in OKLab, for normal vision and for the three kinds of colour blindness of Machado, Oliveira and Fernandes (2009).
 */

const browser = useBrowser();
const world = useStudio(() => openStudio(browser));

type Rgb = readonly [red: number, green: number, blue: number];
type Theme = 'light' | 'dark';
const themes: readonly Theme[] = ['light', 'dark'];

/** The value of each token in the present theme, from 0 to 1. */
async function coloursOf(page: Page, names: readonly string[]): Promise<ReadonlyMap<string, Rgb>> {
  const texts = await page.evaluate((tokens) => {
    const probe = document.body.appendChild(document.createElement('i'));
    const found = tokens.map((token) => {
      probe.style.setProperty('color', `var(--${token})`);
      return getComputedStyle(probe).color;
    });
    probe.remove();
    return found;
  }, names);
  return new Map(
    texts.map((text, at) => {
      const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map((part) => Number(part) / 255);
      return [names[at] ?? '', [red, green, blue] as const];
    }),
  );
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(linear) as unknown as Rgb; // three in, three out
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** As the figures that are promised. */
const rounded = (ratio: number): number => Math.round(ratio * 10) / 10;

/** Of severity 1, on linear parts. */
const visions: Readonly<Record<string, readonly Rgb[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (matrix: readonly Rgb[], [a, b, c]: Rgb): Rgb =>
  matrix.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Rgb; // as many rows as parts

function oklab(colour: Rgb, vision: readonly Rgb[]): Rgb {
  const seen = times(vision, colour.map(linear) as unknown as Rgb).map((part) => Math.min(1, Math.max(0, part)));
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    seen as unknown as Rgb,
  ).map(Math.cbrt) as unknown as Rgb;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

/** The least distance between two of the colours, in the least favourable vision. */
function leastDistance(colours: readonly Rgb[]): number {
  const distances = Object.values(visions).flatMap((vision) => {
    const points = colours.map((colour) => oklab(colour, vision));
    return points.flatMap((one, at) =>
      points.slice(at + 1).map((other) => Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)))),
    );
  });
  return Math.min(...distances);
}

const entities = Array.from({ length: 8 }, (_, at) => `e${at + 1}`);
const heat = Array.from({ length: 5 }, (_, at) => `h${at + 1}`);

/** What text and signs have at least, on the paper and on what is raised. */
const promised: Readonly<Record<Theme, Readonly<Record<string, readonly [onPaper: number, onRaised: number]>>>> = {
  light: {
    ink: [17.1, 17.8],
    ink2: [7.2, 7.5],
    ink3: [5.7, 6],
    ok: [5.2, 5.2],
    warn: [5.7, 5.7],
    bad: [6.3, 6.3],
    focus: [5, 5],
  },
  dark: {
    ink: [16.3, 14.4],
    ink2: [8.7, 7.7],
    ink3: [6.1, 5.4],
    ok: [9, 7.9],
    warn: [9.8, 8.5],
    bad: [8.2, 7.2],
    focus: [8.1, 7.1],
  },
};

/** Text that is set on colours that mark rows, cells and controls. */
const set: readonly (readonly [text: string, ground: string])[] = [
  ...['panel', 'mark', 'add', 'del', 'selected'].flatMap((ground) => [
    ['ink', ground] as const,
    ['ink2', ground] as const,
  ]),
  ['ink3', 'panel'],
  ['paper', 'ink'],
  ['paper', 'warn'],
];

async function inTheme(page: Page, theme: Theme): Promise<ReadonlyMap<string, Rgb>> {
  await page.getByRole('group', { name: 'Theme' }).getByRole('button', { name: theme, exact: true }).click();
  const names = ['paper', 'panel', 'raise', 'ink', 'ink2', 'ink3', 'ok', 'warn', 'bad', 'focus', 'badge'];
  const all = [...names, 'mark', 'add', 'del', 'selected', ...entities, ...heat];
  return await coloursOf(page, all);
}

describe('colours', () => {
  test.each(themes)('WB-09: hold what is promised of them: %s', async (theme) => {
    await world.visit('/settings', async (page) => {
      const colours = await inTheme(page, theme);
      const of = (name: string): Rgb => {
        const colour = colours.get(name);
        if (colour === undefined) throw new ReferenceError(`There is no token ${name}`);
        return colour;
      };
      for (const [name, [onPaper, onRaised]] of Object.entries(promised[theme])) {
        expect(rounded(contrast(of(name), of('paper'))), `${name} on paper`).toBeGreaterThanOrEqual(onPaper);
        expect(rounded(contrast(of(name), of('raise'))), `${name} on raise`).toBeGreaterThanOrEqual(onRaised);
      }
      for (const [text, ground] of set)
        expect(contrast(of(text), of(ground)), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      for (const entity of entities)
        expect(contrast(of('badge'), of(entity)), `a badge of ${entity}`).toBeGreaterThanOrEqual(4.5);
      const colourOf = entities.map(of);
      expect(leastDistance(colourOf.slice(0, 5))).toBeGreaterThanOrEqual(0.0995);
      expect(leastDistance(colourOf)).toBeGreaterThanOrEqual(theme === 'light' ? 0.086 : 0.083);
      // Hot is dark on light, and bright on dark: each step further from the paper than the one before.
      const steps = heat.map((name) => contrast(of(name), of('paper')));
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      expect(new Set(steps).size).toBe(5);
    });
  });

  test('WB-09: the system decides unless a theme is chosen, and each change repaints without a reload', async () => {
    const grounds = { light: 'rgb(251, 250, 248)', dark: 'rgb(16, 18, 20)' } as const;
    await world.visit(
      '/settings',
      async (page) => {
        const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const choose = (name: string): Promise<void> =>
          page.getByRole('group', { name: 'Theme' }).getByRole('button', { name, exact: true }).click();
        await page.getByRole('heading', { name: 'Connection' }).waitFor();
        await page.evaluate(() => Object.assign(window, { isStillHere: true }));
        expect(await ground()).toBe(grounds.dark);
        await page.emulateMedia({ colorScheme: 'light' });
        await expect.poll(ground).toBe(grounds.light);
        await choose('dark');
        await expect.poll(ground).toBe(grounds.dark);
        await page.emulateMedia({ colorScheme: 'dark' });
        await choose('light');
        await expect.poll(ground).toBe(grounds.light);
        await choose('system');
        await expect.poll(ground).toBe(grounds.dark);
        expect(await page.evaluate(() => 'isStillHere' in window)).toBe(true);
      },
      { isDark: true },
    );
  });
});
