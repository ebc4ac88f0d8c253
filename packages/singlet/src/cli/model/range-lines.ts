import type { RangeCase, RangeRequest, ReadRanges } from '@singlet/model/check';
import { counted } from '../../values/counted.ts';

/** Formats the ranges of a read as lines with a name and a text; an empty name continues the previous line. */
export function rangeLines(ranges: ReadRanges | undefined): (readonly [name: string, text: string])[] {
  if (ranges === undefined) return [];
  const { cases, pages } = ranges;
  const { limit, looksAt, readsOn } = pages;
  const size = limit === undefined ? 'what a request gives, at most 1 MB' : `${counted(limit, 'item')} at most`;
  const looks = looksAt === undefined || looksAt === limit ? '' : `; one request looks at ${looksAt}`;
  return [
    ...cases.flatMap(caseLines),
    ['a page is', `${size}${looks}${readsOn ? '; reads on until it is full' : ''}`] as const,
  ];
}

function caseLines({ when, requests }: RangeCase): (readonly [string, string])[] {
  const title = when === '' ? [] : [['with', when] as const];
  return requests.length === 0
    ? [...title, ['asks for', 'nothing: no item can have it'] as const]
    : [...title, ...requests.flatMap(requestLines)];
}

function requestLines(request: RangeRequest): (readonly [string, string])[] {
  const { operation, place, times, reads, alsoThere, filter } = request;
  const many = times === 1 ? '' : `, ${times} times at most`;
  return [
    ['asks for', `${operation} ${place}: ${keysText(request)}${many}`],
    ['there', reads.map(({ name, key }) => `${name} (${key})`).join(', ')],
    ...(alsoThere.length === 0
      ? []
      : [['also there', alsoThere.map(({ name, key }) => `${name} (${key})`).join(', ')] as const]),
    ...filter.map((text, i) => [i === 0 ? 'of which' : '', text] as const),
  ];
}

function keysText({ partition, equal, range }: RangeRequest): string {
  const equals = Object.entries({ ...partition, ...equal }).map(([name, text]) => `${name} = ${text}`);
  if (range === undefined) return equals.length === 0 ? 'everything' : equals.join(', ');
  const { attribute, from, to, toBeginnings } = range;
  const text =
    toBeginnings && from === to
      ? from === ''
        ? `any ${attribute}`
        : `${attribute} that begins with ${from}`
      : `${attribute} from ${from === '' ? 'the first' : from} to ${to === '' ? 'the last' : `${to}${toBeginnings ? '…' : ''}`}`;
  return [...equals, text].join(', ');
}
