// Generated pictures: pure functions of a seed, so that the same seed is the same picture on every machine.

import { createHash } from 'node:crypto';
import { SeededRandom } from '../demo/seeded-random.ts';

const COLOURS = [
  '#c8553d',
  '#e0a030',
  '#22767c',
  '#2b4c7e',
  '#16324f',
  '#3f5b34',
  '#b3838b',
  '#8a3b52',
  '#3c3f5c',
  '#7da58f',
  '#d9b878',
  '#6a5577',
] as const;
const HAIRS = ['#1b1a18', '#4a2c1a', '#6b4423', '#a6622b', '#d8a848', '#8c8c8c'] as const;
const SKINS = ['#f0c9a0', '#e3ac82', '#c68863', '#9b6243', '#6f4530'] as const;

type Draw = (random: SeededRandom, seed: string) => string;

const KINDS: Readonly<Record<string, Draw>> = {
  face,
  identicon,
  key,
  mark,
  spines,
  cover,
  landscape,
  wave,
  machine,
  jar,
  part,
  still,
};

/**
 * A picture as SVG.
 *
 * @param kind - `face`, `key`, `spines`, … ; returns undefined for an unknown kind.
 */
export function pictureOf(kind: string, seed: string): string | undefined {
  const draw = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  const random = new SeededRandom(createHash('sha256').update(seed).digest().readUInt32BE());
  return draw?.(random, seed);
}

function svg(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${content}</svg>`;
}

function rect(
  box: readonly [x: number, y: number, width: number, height: number],
  fill: string,
  more: string = '',
): string {
  const [x, y, width, height] = box;
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"${more}/>`;
}

function times(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

function face(random: SeededRandom): string {
  const [ground, sun, coat, hair, skin] = [
    random.pick(COLOURS),
    random.pick(COLOURS),
    random.pick(COLOURS),
    random.pick(HAIRS),
    random.pick(SKINS),
  ];
  const width = random.integer(11, 13);
  const long = random.integer(24, 50);
  const fringe = random.integer(3, 9);
  const smile = random.integer(1, 4);
  const eye = (x: number): string =>
    `<circle cx="${x}" cy="26" r="1.3" fill="#1b1a18"/><path d="M${x - 2.5} 22.${random.integer(0, 9)}q2.5-2 5 0" fill="none" stroke="${hair}"/>`;
  const glasses = random.chance(0.25)
    ? '<g fill="none" stroke="#1b1a18" stroke-width=".7"><circle cx="25.500" cy="26" r="3.500"/><circle cx="34.500" cy="26" r="3.500"/></g>'
    : '';
  return svg(
    60,
    60,
    `${rect([0, 0, 60, 60], ground)}<circle cx="44" cy="20" r="18" fill="${sun}"/>` +
      `<path d="M${29 - width} 24a${width + 1} 16 0 0 1 ${width * 2 + 2} 0v${long - 20}h-${width * 2 + 2}z" fill="${hair}"/>` +
      `<path d="M6 60c0-14 10-20 24-20s24 6 24 20z" fill="${coat}"/>${rect([26, 36, 8, 9], skin, ' rx="4"')}` +
      `<ellipse cx="30" cy="27" rx="${width - 1}" ry="13" fill="${skin}"/>` +
      `<path d="M${30 - width} 24a${width} 14 0 0 1 ${width * 2} 0q-${width} -${fringe} -${width * 2} 0z" fill="${hair}"/>` +
      `${eye(25.5)}${eye(34.5)}${glasses}<path d="M30 27v4h-1" fill="none" stroke="#0004"/>` +
      `<path d="M26 34q4 ${smile} 8 0" fill="none" stroke="#8a2b2b" stroke-width="1.2"/>`,
  );
}

/** The teeth of a key are the bits of its token. */
function key(_: SeededRandom, seed: string): string {
  const bits = createHash('sha256').update(seed).digest().subarray(0, 2);
  const teeth = times(14, (index) => {
    const isLong = ((bits[index >> 3] ?? 0) >> (index & 7)) & 1;
    return rect([38 + index * 5, 19, 4, isLong === 1 ? 12 : 5], '#a8842c');
  });
  return svg(
    112,
    36,
    `<circle cx="16" cy="17" r="12" fill="none" stroke="#a8842c" stroke-width="5"/>${rect([27, 14, 82, 6], '#a8842c')}${teeth}`,
  );
}

/** A disc of two colours, which is seen on dark and on light paper. */
function mark(random: SeededRandom): string {
  const at = random.integer(0, COLOURS.length - 1);
  const half = COLOURS[(at + Math.floor(COLOURS.length / 2)) % COLOURS.length];
  return svg(
    22,
    22,
    `<circle cx="11" cy="11" r="10" fill="${COLOURS[at]}"/><path d="M11 1a10 10 0 0 1 0 20c5-5 5-15 0-20z" fill="${half}"/>`,
  );
}

/** Five by five squares, the right half as the left one. */
function identicon(random: SeededRandom): string {
  const colour = random.pick(COLOURS);
  const rows = times(5, (y) =>
    times(3, (x) => {
      if (random.chance(0.45)) return '';
      const square = (column: number): string =>
        rect([column * 10 + 5, y * 10 + 5, 10, 10], colour, ' shape-rendering="crispEdges"');
      return square(x) + (x < 2 ? square(4 - x) : '');
    }),
  );
  return svg(60, 60, `${rect([0, 0, 60, 60], '#eceae6')}${rows}`);
}

/** As many spines as the number after the seed's last colon, nine at most. */
function spines(random: SeededRandom, seed: string): string {
  const count = Math.min(Math.max(Number(seed.split(':').at(-1)) || 1, 1), 9);
  let x = 0;
  const books = times(count, () => {
    const [width, height] = [random.integer(8, 14), random.integer(28, 43)];
    x += width + 1;
    const fill = random.pick(COLOURS);
    return (
      rect([x - width - 1, 44 - height, width, height], fill) +
      rect([x - width - 1, 50 - height, width, 3], '#ffffff55')
    );
  });
  return svg(140, 44, books);
}

/** A book, whose title and author are the seed: `Middlemarch, George Eliot`. */
function cover(random: SeededRandom, seed: string): string {
  const [ground, first, second] = [random.pick(COLOURS), random.pick(COLOURS), random.pick(COLOURS)];
  const patterns: readonly (() => string)[] = [
    () => times(5, (i) => `<circle cx="60" cy="176" r="${(5 - i) * 21}" fill="${i % 2 ? first : second}"/>`),
    () => times(7, (i) => `<path d="M${i * 34 - 60} 180l120-120h17l-120 120z" fill="${i % 2 ? first : second}"/>`),
    () =>
      times(
        30,
        (i) =>
          `<circle cx="${(i % 5) * 24 + 12}" cy="${Math.floor(i / 5) * 20 + 70}" r="${random.integer(2, 9)}" fill="${i % 2 ? first : second}"/>`,
      ),
    () =>
      times(
        5,
        (i) => `<path d="M0 ${86 + i * 20}q30-${18 - i * 3} 60 0t60 0V180H0z" fill="${i % 2 ? first : second}"/>`,
      ),
  ];
  const pattern = patterns[random.integer(0, patterns.length - 1)]?.() ?? '';
  const [, title = seed, author = ''] = /^(.*), ([^,]*)$/s.exec(seed) ?? [];
  const [above, below] = linesOf(title);
  const panel = below === undefined ? 42 : 60;
  return svg(
    120,
    176,
    `${rect([0, 0, 120, 176], ground)}${pattern}${rect([10, 12, 100, panel], '#faf5e9')}` +
      `${printed(above, 31, 'serif')}${below === undefined ? '' : printed(below, 49, 'serif')}${printed(author, panel + 4, 'sans-serif')}`,
  );
}

const TITLE_LENGTH_MAX = 44;
const LINE_LENGTH_MAX = 13;

/** A title in one line or two. */
function linesOf(title: string): readonly [first: string, second?: string] {
  const shown = title.slice(0, TITLE_LENGTH_MAX);
  const words = shown.split(' ');
  if (shown.length <= LINE_LENGTH_MAX || words.length === 1) return [shown];
  let first = words.shift() ?? '';
  while (words.length > 1 && first.length + (words[0]?.length ?? 0) < shown.length / 2) first += ` ${words.shift()}`;
  return [first, words.join(' ')];
}

/** A line in the middle of a cover, as large as it fits. */
function printed(text: string, y: number, family: 'serif' | 'sans-serif'): string {
  const largest = family === 'serif' ? 17 : 10;
  const size = Math.min(largest, Math.round(1700 / Math.max(text.length, 1)) / 10);
  // XML has neither control characters nor halves of characters.
  const safe = text.replaceAll(/\p{C}/gu, '').replaceAll(/[&<>]/g, (sign) => `&#${sign.codePointAt(0)};`);
  return `<text x="60" y="${y}" text-anchor="middle" font-family="${family}" font-size="${size}" fill="#1b1a18">${safe}</text>`;
}

function landscape(random: SeededRandom): string {
  const sky = random.pick(COLOURS);
  const hills = times(4, (i) => {
    const y = 40 + i * 16;
    return `<path d="M0 ${y}q${random.integer(30, 70)} -${random.integer(8, 34)} 120 0t120 0V120H0z" fill="${random.pick(COLOURS)}" opacity="0.9"/>`;
  });
  return svg(
    240,
    120,
    `${rect([0, 0, 240, 120], sky)}<circle cx="${random.integer(30, 210)}" cy="26" r="12" fill="#faf5e9"/>${hills}`,
  );
}

/** Bars like the levels of a recording. */
function wave(random: SeededRandom): string {
  const phase = random.integer(0, 20);
  const bars = times(62, (i) => {
    const loud = Math.abs(Math.sin((i + phase) / 7)) * 30 + random.integer(2, 12);
    return rect([i * 6, 23 - loud / 2, 3, Math.round(loud)], '#6b7a82', ' rx="1.5"');
  });
  return svg(372, 46, bars);
}

/** A robot worker. */
function machine(random: SeededRandom): string {
  const eyes = random.integer(2, 4);
  return svg(
    28,
    28,
    `${rect([0, 0, 28, 28], random.pick(COLOURS), ' rx="5"')}${rect([6, 9, 16, 12], '#ffffff', ' rx="3"')}` +
      `${rect([13, 4, 2, 5], '#ffffff')}<circle cx="11" cy="15" r="${eyes}" fill="#16324f"/><circle cx="17" cy="15" r="${eyes}" fill="#16324f"/>`,
  );
}

/** A jar or a tin on a shelf. */
function jar(random: SeededRandom): string {
  const [body, lid, label] = [random.pick(COLOURS), random.pick(COLOURS), random.pick(COLOURS)];
  const [width, round] = [random.integer(40, 64), random.integer(2, 18)];
  const x = 48 - width / 2;
  return svg(
    96,
    120,
    `${rect([0, 0, 96, 120], '#f2efe4')}${rect([0, 108, 96, 12], '#c9b892')}${rect([x, 30, width, 78], body, ` rx="${round}"`)}` +
      `${rect([x + 5, 18, width - 10, 14], lid, ' rx="3"')}${rect([x, 56, width, 30], '#faf5e9')}` +
      `<circle cx="48" cy="71" r="${random.integer(6, 12)}" fill="${label}"/>`,
  );
}

/** A printed part, isometric, with as many pores as the number after the seed's last colon, thirty at most. */
function part(random: SeededRandom, seed: string): string {
  const pores = Math.min(Number(seed.split(':').at(-1)) || 0, 30);
  const height = random.integer(14, 30);
  const top = 46 - height;
  const faces =
    `<path d="M12 ${top}l24-12 24 12-24 12z" fill="#c3cad0"/><path d="M12 ${top}v${height}l24 12v-${height}z" fill="#8e99a3"/>` +
    `<path d="M60 ${top}v${height}l-24 12v-${height}z" fill="#6c7882"/>`;
  const dots = times(
    pores,
    () =>
      `<circle cx="${random.integer(15, 33)}" cy="${random.integer(top + 10, top + height + 4)}" r="1.3" fill="#2b3238"/>`,
  );
  return svg(72, 72, faces + dots);
}

/** A still life: three things on a table, before a wall. */
function still(random: SeededRandom): string {
  const [wall, table] = [random.pick(COLOURS), random.pick(COLOURS)];
  const things = times(3, (index) => {
    const [x, size, colour] = [random.integer(14, 22) + index * 40, random.integer(12, 22), random.pick(COLOURS)];
    const shadow = `<ellipse cx="${x + 4}" cy="76" rx="${size}" ry="4" fill="#0003"/>`;
    const shapes = [
      `<circle cx="${x}" cy="${76 - size}" r="${size}" fill="${colour}"/>`,
      rect([x - size / 2, 76 - size * 2, size, size * 2], colour, ' rx="3"'),
      `<path d="M${x - size} 76q${size / 2} -${size * 2} ${size} -${size * 2}t${size} ${size * 2}z" fill="${colour}"/>`,
      `<path d="M${x - size} ${76 - size}h${size * 2}l-${size / 3} ${size}h-${(size * 4) / 3}z" fill="${colour}"/>`,
    ] as const;
    return shadow + random.pick(shapes);
  });
  return svg(
    120,
    96,
    `${rect([0, 0, 120, 70], wall)}${rect([0, 0, 120, 70], '#fff', ' opacity=".55"')}${rect([0, 66, 120, 30], table)}${things}`,
  );
}
