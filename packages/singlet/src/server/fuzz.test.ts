import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProbeEngine, type ProbeEngine } from './testing/probe-engine.ts';
import { send, testOptions, type WireAnswer, wireRequest } from './testing/wire-client.ts';
import { validRequests } from './testing/valid-requests.ts';
import { createWireHandler, type WireHandler } from './wire.ts';

/**
 * Whatever is sent, the server answers: with the engine's answer, or with an error that blames the client. The probe never
 * fails, so an answer of 500 would be a failure of the wire.
 */

const actions = Object.keys(validRequests);

function handlerWithoutFailures(engine: ProbeEngine = createProbeEngine()): WireHandler {
  const onInternalError = ({ error }: { readonly error: unknown }): never => {
    throw error;
  };
  return createWireHandler(engine, testOptions({ onInternalError }));
}

const errorTypes = /^com\.amazon\.coral\.(validate#ValidationException|service#(Serialization|AccessDenied)Exception)$/;

function expectAnswered(answer: WireAnswer): void {
  if (answer.status === 200) return;
  expect(answer.status).toBe(400);
  expect((JSON.parse(answer.text) as { readonly __type: string }).__type).toMatch(errorTypes);
}

/** Values that tend to be mistaken for one another. */
const strangeValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 31,
    '',
    'true',
    'arn:',
    'arn:aws:dynamodb:us-east-1:000000000000:table/t',
    [],
    {},
    [null],
    [[[]]],
    { '': '' },
    { S: null },
    { S: 'a', N: 'b' },
    { L: [null] },
    { M: { a: null } },
    { SS: [null] },
    { B: '====' },
    JSON.parse('{"__proto__":{"S":"a"},"toString":1}'),
  ),
  fc.jsonValue({ maxDepth: 4 }),
);

interface Dice {
  nextInt(min: number, max: number): number;
}

function dice(seed: number): Dice {
  let state = seed >>> 0;
  return {
    nextInt(min, max) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return min + Math.floor((state / 2 ** 32) * (max - min + 1));
    },
  };
}

/** A copy of JSON in which the value at a random place is replaced, removed, or duplicated. */
function mutate(json: unknown, random: Dice, value: unknown): unknown {
  const here = random.nextInt(0, 3) === 0;
  if (Array.isArray(json) && json.length > 0 && !here) {
    const index = random.nextInt(0, json.length - 1);
    return json.flatMap((element: unknown, at) => {
      if (at !== index) return [element];
      return random.nextInt(0, 9) === 0 ? [element, element] : [mutate(element, random, value)];
    });
  }
  const names = typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
  if (names.length === 0 || here) return value;
  const chosen = names[random.nextInt(0, names.length - 1)] ?? '';
  const entries = Object.entries(json as object).flatMap(([name, member]: [string, unknown]) => {
    if (name !== chosen) return [[name, member] as const];
    const fate = random.nextInt(0, 9);
    if (fate === 0) return [];
    return [[fate === 1 ? `${name}x` : name, mutate(member, random, value)] as const];
  });
  return Object.fromEntries(entries);
}

/** A seed for the random choices, and the values to insert. */
const mutation = fc.tuple(fc.integer(), fc.array(strangeValue, { minLength: 1, maxLength: 3 }));

function holdsNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(holdsNull));
}

describe('DB-280 DB-273 fuzzing', () => {
  it.each(actions)('mutations of a valid %s', async (action) => {
    const engine = createProbeEngine();
    const handler = handlerWithoutFailures(engine);
    await fc.assert(
      fc.asyncProperty(mutation, async ([seed, values]) => {
        const random = dice(seed);
        let body: unknown = validRequests[action as keyof typeof validRequests];
        for (const value of values) body = mutate(body, random, value);
        expectAnswered(await send(handler, wireRequest(action, JSON.stringify(body))));
        // The engine's types have no null, wherever the request had one.
        expect(engine.calls.splice(0).some(({ request }) => holdsNull(request))).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('any JSON', async () => {
    const handler = handlerWithoutFailures();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...actions), fc.json({ noUnicodeString: false }), async (action, body) => {
        expectAnswered(await send(handler, wireRequest(action, body)));
      }),
      { numRuns: 500 },
    );
  });

  it('any bytes, whole or cut out of a valid request', async () => {
    const handler = handlerWithoutFailures();
    const cut = fc
      .tuple(fc.constantFrom(...Object.values(validRequests)), fc.nat(), fc.nat())
      .map(([request, from, length]) => {
        const bytes = Buffer.from(JSON.stringify(request));
        return bytes.subarray(from % bytes.length, (from % bytes.length) + length);
      });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...actions), fc.oneof(fc.uint8Array(), cut), async (action, body) => {
        expectAnswered(await send(handler, wireRequest(action, '', { body })));
      }),
      { numRuns: 500 },
    );
  });

  it('any headers', async () => {
    const handler = handlerWithoutFailures();
    const name = fc.constantFrom(
      'content-type',
      'x-amz-target',
      'content-encoding',
      'accept-encoding',
      'authorization',
      'origin',
    );
    const value = fc.oneof(fc.string(), fc.constantFrom('gzip', 'AWS4-HMAC-SHA256 Credential=a/b/c', '*', 'a;b,c;q=0'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value), fc.webUrl(), fc.string(), async (headers, url, method) => {
        for (const each of ['POST', method]) {
          const answer = await send(handler, wireRequest('ListTables', {}, { method: each, url, headers }));
          expect([200, 400, 403, 404]).toContain(answer.status);
        }
      }),
    );
  });

  const levels = 10_000;
  const opened = (text: string): string => text.repeat(levels);
  it.each<[string, string, string]>([
    ['lists as body', opened('['), 'Serialization'],
    ['closed lists as body', opened('[') + opened(']'), 'Serialization'],
    ['maps as body', `${opened('{"a":')}1${opened('}')}`, 'Validation'],
    ['lists in place of a name', `{"TableName":${opened('[')}${opened(']')}}`, 'Serialization'],
    ['lists as attribute', `{"TableName":"t","Key":{"a":${opened('{"L":[')}${opened(']}')}}}`, 'Serialization'],
    [
      'maps as attribute',
      `{"TableName":"t","Key":{"a":${opened('{"M":{"a":')}{"S":"x"}${opened('}}')}}}`,
      'Serialization',
    ],
  ])('DB-036 nesting of 10,000 levels: %s', async (_, body, error) => {
    const answer = await send(handlerWithoutFailures(), wireRequest('GetItem', body));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`#${error}Exception`);
  });
});
