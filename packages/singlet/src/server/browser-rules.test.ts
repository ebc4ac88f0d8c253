import { describe, expect, test } from 'vitest';
import { BrowserRules, isOrigin } from './browser-rules.ts';

const local = new BrowserRules({ listensOn: '127.0.0.1' });

describe('Host', () => {
  test.each([
    'localhost',
    'localhost:8000',
    'LOCALHOST:8000',
    'localhost.:8000',
    'studio.localhost:8000',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.1.2.3:8000',
    '[::1]:8000',
    '[::1]',
  ])('%s is this machine', (host) => {
    expect(local.refusal({ host })).toBeUndefined();
    expect(local.refusal({ host })).toBeUndefined(); // the same from the cache
  });

  test.each([
    'attacker.example',
    'attacker.example:8000',
    '127.0.0.1.attacker.example:8000',
    'localhost.attacker.example',
    'notlocalhost',
    '10.0.0.1:8000',
    '[::2]:8000',
    'localhost:8000@attacker.example',
    'attacker.example:80:80',
    '',
  ])('"%s" is another, and is refused', (host) => {
    expect(local.refusal({ host })).toMatch(/^This server is not /);
  });

  test('a long one is not repeated whole', () => {
    expect(local.refusal({ host: 'a'.repeat(10_000) })?.length).toBeLessThan(250);
  });

  test('the address that it listens on, and with all addresses any number', () => {
    const named = new BrowserRules({ listensOn: 'Box.internal' });
    expect(named.refusal({ host: 'box.internal:8000' })).toBeUndefined();
    expect(named.refusal({ host: 'other.internal:8000' })).toBeDefined();
    const all = new BrowserRules({ listensOn: '0.0.0.0' });
    expect(all.refusal({ host: '192.168.1.2:8000' })).toBeUndefined();
    expect(all.refusal({ host: 'attacker.example:8000' })).toBeDefined();
  });

  test('any, where every request has to be signed', () => {
    expect(new BrowserRules().refusal({ host: 'db.example' })).toBeUndefined();
  });
});

describe('Origin', () => {
  const host = '127.0.0.1:8000';

  test.each([
    'http://localhost',
    'http://localhost:3000',
    'https://127.0.0.1:8443',
    'http://[::1]:5173',
    'http://app.localhost:3000',
  ])('%s is of this machine', (origin) => {
    expect(local.refusal({ host, origin })).toBeUndefined();
    expect(local.allowOrigin(origin)).toBe(origin);
  });

  test.each([
    'null',
    '',
    'https://attacker.example',
    'http://localhost.attacker.example',
    'http://attacker.example#localhost',
    'http://localhost@attacker.example',
    'file://localhost',
    'chrome-extension://localhost',
    'http://127.0.0.1.attacker.example',
    '*',
  ])('"%s" is refused', (origin) => {
    expect(local.refusal({ host, origin })).toMatch(/^Pages of .*--cors/);
  });

  test('those that are named, and no others', () => {
    const rules = new BrowserRules({ listensOn: '127.0.0.1', origins: ['https://shop.example'] });
    expect(rules.refusal({ host, origin: 'https://shop.example' })).toBeUndefined();
    for (const origin of ['http://shop.example', 'https://shop.example:444', 'https://a.shop.example']) {
      expect(rules.refusal({ host, origin })).toBeDefined();
    }
    const all = new BrowserRules({ listensOn: '127.0.0.1', origins: ['*'] });
    expect(all.refusal({ host, origin: 'https://any.example' })).toBeUndefined();
    expect(all.allowOrigin('https://any.example')).toBe('*');
    expect(all.refusal({ host: 'attacker.example', origin: 'https://any.example' })).toBeDefined();
  });

  test('pages of the server itself, on the network', () => {
    const rules = new BrowserRules();
    expect(rules.refusal({ host: 'db.example:8000', origin: 'https://db.example:8000' })).toBeUndefined();
    expect(rules.refusal({ host: 'db.example:8000', origin: 'https://db.example' })).toBeDefined();
  });

  test('what another site embeds has no Origin, and is refused; a link is followed', () => {
    const embedded = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect(local.refusal(embedded)).toBeDefined();
    expect(local.refusal({ ...embedded, 'sec-fetch-mode': 'navigate' })).toBeUndefined();
    expect(local.refusal({ ...embedded, 'sec-fetch-site': 'same-origin' })).toBeUndefined();
  });
});

test('an origin is a scheme, a host and perhaps a port', () => {
  for (const text of ['https://shop.example', 'http://localhost:3000', 'http://[::1]:1'])
    expect(isOrigin(text)).toBe(true);
  for (const text of [
    'shop.example',
    'https://shop.example/',
    'https://shop.example:443',
    'null',
    'https://a/b',
    'ftp://a',
  ]) {
    expect(isOrigin(text)).toBe(false);
  }
});
