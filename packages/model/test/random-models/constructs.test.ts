import { expect, test } from 'vitest';
import { RandomSource } from '../../src/prove/random-source.ts';
import { rowsOfGuide } from './guide-rows.ts';
import { modelOf } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';

/*
 * Random models have every construct of the guide, in models that `check` accepts. The rows of the guide's tables are the list: a row that
 * is added to the guide fails the first test until it is here, and the second one until the generators draw it.
 */
/** Models drawn until every construct was in an accepted one. */
const drawnMost = 12_000;

/** The texts of a script's JSON that have a row's constructs: each has to be in some accepted model. */
const drawn: Readonly<Record<string, readonly RegExp[]>> = {
  // Entities and relationships
  '`entity({ name: z.string(), note: z.string().optional() })`': [
    /"type":"text"/,
    /"type":"pattern"/,
    /"type":"int"/,
    /"type":"number"/,
    /"type":"bigint"/,
    /"type":"bool"/,
    /"type":"enum"/,
    /"type":"literals"/,
    /"type":"date"/,
    /"type":"datetime"/,
    /"type":"bytes"/,
    /"type":"set"/,
    /"type":"list"/,
    /"type":"map"/,
    /"type":"record"/,
    /"nullable":true/,
    /"optional":true/,
  ],
  '`codec(z.iso.datetime({ precision: 3 }), { decode, encode })`': [/"codec":"date"/, /"codec":"box"/],
  '`.default(0)` in a schema': [/"default"/],
  "`{ unique: ['email'] }`": [/"unique":\["email"\]/, /"unique":\["id"\]/],
  "`{ generated: ['orderId'] }`": [/"generated":\["h"\]/, /"generated":\["id"\]/],
  "`{ same: { email: 'lower' } }`": [/"same":\{"v"/, /"same":\{"email"/],
  "`{ lock: 'version' }`": [/"lock"/],
  "`{ expires: 'expiresAt' }`": [/"expires"/],
  "`{ sequence: { number: 'Repo.issueCount' } }`": [/"sequence"/],
  "`{ computed: { area: { from: ['geohash'], as: ({ geohash }) => geohash.slice(0, 5) } } }`": [
    /"computed":\{"c"/,
    /"computed":\{"initials"/,
  ],
  '`{ copies: 10 }`': [/"copies"/],
  "`{ duplicates: { authorName: { from: 'Author.name', rule: 'immutable' } } }`": [/"duplicates"/],
  "`['Customer', '1:N', 'Order']`": [/"1:N"/],
  '`{ required: true }`': [/"required":true/],
  "`{ count: 'orderCount' }`": [/"count":"children"/],
  "`{ sum: { total: 'amount' } }`": [/"sum":\{/],
  "`{ by: { owner: 'originalOwner' } }`": [/"by":\{"p":"q"\}/],
  "`{ through: 'Membership' }`": [/"through":"Item"/, /"through":"Child"/],
  // Patterns that read
  "`reads: 'Order', by: ['username', 'orderId']`": [/"reads":"Item"/],
  "`reads: ['Order'], by: ['username'], limit: 10`": [/"reads":\["Item"\].*"limit"/],
  "`reads: { customer: 'Customer', orders: ['Order'] }`": [/"reads":\{"parent":"Parent","items":\["Item"\]\}/],
  "`reads: 'User', by: ['username'], each: true`": [/"each":true/],
  "`by: ['cell'], among: { cell: 9 }`": [/"among":\{/],
  "`reads: ['Order'], by: ['username'], count: true`": [/"count":true/],
  "`order: 'orderId desc'`": [/"order":"\w+ desc"/, /"order":"\w+ asc"/],
  "`range: 'placedAt'`": [/"range":"/],
  "`where: { status: 'Open' }`": [
    /"where":\{"s":"/,
    /"where":\{"\w+":\[/,
    /"where":\{"\w+":\{"exists":true/,
    /"where":\{"\w+":\{"not":/,
    /"where":\{"\w+":\{"(?:above|atLeast)":/,
    /"where":\{"\w+":\{"begins":/,
    /"where":\{"\w+":\{"contains":/,
    /"where":\{"\w+":\{"lacks":/,
    /"where":\{"\w+":\{"size":/,
    /"where":\{"any":\[/,
    /"where":\{"doc\.vip":/,
  ],
  "`window: { of: 'at', from: '2020-01-01', to: 'now+7d' }`": [/"window":\{"of":"t","from":"[^"]+","to":"now\+7d"/],
  "`unproven: 'the reason'`": [/"unproven":/],
  "`filters: ['status']`": [/"filters":\[/],
  '`takes: { since: z.number() }`': [/"takes":\{"read"/],
  "`aka: { user: ['user1', 'user2'] }`": [/"aka":\{"either":\[/, /"who":"/],
  "`attributes: ['orderId', 'total']`": [/"read":\{[^}]*"attributes":\[/],
  '`expired: true`': [/"read":\{[^}]*"expired":true/],
  '`consistent: true`': [/"consistent":true/],
  // Patterns that write
  "`creates: 'Order'`": [/"creates":"Child"/, /"creates":\["Child"\]/, /"creates":"Child","expired":true/],
  "`puts: 'Order'`, `puts: ['Order']`": [/"puts":"Child"/, /"puts":\["Child"\]/],
  "`upserts: 'FrontPage'`": [/"upserts":"Child"/],
  "`updates: 'Order', by: […], sets: ['status'], maySet: ['note']`": [/"updates":"Child".*"sets":/, /"maySet":/],
  "`updates: ['Night'], by: ['date'], …`": [/"updates":\["Child"\]/],
  "`changes: { status: 'CLOSED', likes: add(1), onHand: add(ref('quantity'), -1), tags: include(ref('tag')), 'addresses.{label}': ref('address') }`":
    [
      /"changes":\{.*?"s":"DONE"/,
      /"add":1/,
      /"add":\{"ref":"amount"\},"times":-1/,
      /"include":\{"ref":"tag"\}/,
      /"exclude":"x"/,
      /"append":\{"ref":"more"\}/,
      /"initial":7/,
      /"remove":true/,
      /"doc\.\{label\}":\{"ref":"text"\}/,
    ],
  '`takes: { label: z.string() }`': [/"takes":\{[^}]*"(?:label|tag|move|note)"/],
  "`given: { status: 'PLACED', stock: { above: 0 } }`": [
    /"given":\{"s":"OPEN"/,
    /"given":\{"s":\["OPEN"/,
    /"given":\{"any":\[/,
    /"given":\{"n":\{"above":0/,
    /"given":\{"email":\{"begins":/,
    /"given":\{"email":\{"exists":true/,
    /"given":\{"tags":\{"contains":/,
    /"given":\{"tags":\{"lacks":/,
    /"given":\{"list":\{"size":/,
  ],
  "`given: { free: { below: attribute('total') } }`": [/"given":\{"n":\{"below":\{"attribute":"m"/],
  '`orCreates: true`': [/"orCreates":true/],
  "`rekeys: ['GSI1']`": [/"rekeys":\["Index"\]/],
  "`returns: 'new'` / `'old'`": [/"returns":"new"/, /"returns":"old"/],
  "`deletes: 'Order', by: […], mustExist: true`": [/"deletes":"Child".*"mustExist":true/, /"deletes":\["Child"\]/],
  "`checks: 'Customer', by: […], given: {…}`": [
    /"checks":"Parent"/,
    /"checks":"Parent","by":\["p"\],"mustExist":false/,
  ],
  "`transacts: { order: { creates: 'Order' }, lines: { creates: ['Line'] } }`": [/"transacts":\{/],
  // Encoders
  '`{number:07}`': [/\{n:0\d\}/],
  '`{number:inverse8}` / `{number:tens8}`': [/:inverse\d\}/, /:tens\d\}/],
  '`{email:lower}` `upper` `trim` `slug`': [/:lower\}/, /:upper\}/, /:trim\}/, /:slug\}/],
  '`{name:escape}`': [/:escape\}/],
  '`{at:utc}` / `{at:seconds}`': [/\{t:utc\}/, /\{t:seconds\}/],
  '`{at:inverseTime}`': [/\{t:inverseTime\}/],
  '`{at:hour}` `day` `week` `month` `year`': [
    /\{t:second\}/,
    /\{t:hour\}/,
    /\{t:day\}/,
    /\{t:week\}/,
    /\{t:month\}/,
    /\{t:year\}/,
    /\{t:date\}/,
  ],
  '`{expiresAt:epoch:day}`': [/:epoch:\w+\}/],
  '`{dealId:ksuid:day}` / `{id:ulid:day}`': [/:ksuid:\w+\}/, /:ulid:\w+\}/],
  '`{orderId:shard8}`': [/:shard\d\}/],
  '`{orgId:bare}`': [/:bare\}/],
  '`{jobId:rest}`': [/:rest\}/],
  '`{copy}`': [/\{copy\}/],
  // How a pattern is served
  "`'GetItem'`, `'BatchGetItem'`": [/"read":"GetItem"/, /"read":"BatchGetItem"/],
  "`'GetItem'` for `reads: { user: 'User', organization: 'Organization' }`": [
    /"reads":\{"item":"Item","twin":"Twin"\}.*"read":"GetItem"/,
  ],
  "`{ query: 'Shop' }`, `{ query: 'GSI1' }`": [/"query":"Data"/, /"query":"Index"/, /"query":"Local"/],
  "`{ query: ['GSI1', 'GSI2'] }`": [/"query":\["Index","Second"\]/],
  "`{ query: 'GSI3', fanOut: 10 }`": [/:shard\d\}.*"fanOut":/],
  "`{ query: 'Shop', fanOut: 9 }`": [/"among":\{.*"fanOut":3/],
  "`{ query: 'GSI1', walk: { unit: 'day', most: 5 } }`": [/"walk":\{/],
  "`{ query: 'Shop', readAhead: 75 }`": [/"readAhead":/],
  "`{ scan: 'UserIndex', because: 'mails to all users' }`": [/"scan":"Data"/, /"scan":"Index"/],
  "`'PutItem'`, `'UpdateItem'`, `'DeleteItem'`, `'BatchWriteItem'`, `'TransactWriteItems'`": [
    /"\w+":"PutItem"/,
    /"\w+":"UpdateItem"/,
    /"\w+":"DeleteItem"/,
    /"\w+":"BatchWriteItem"/,
    /"\w+":"TransactWriteItems"/,
  ],
  "`['UpdateItem', 'PutItem']`, `['GetItem', 'TransactWriteItems']`": [
    /\["UpdateItem","(?:PutItem|TransactWriteItems)"\]/,
    /\["GetItem","TransactWriteItems"\]/,
  ],
};

/** Section 3 declares tables and keys in code. */
const tablesAndKeys: readonly RegExp[] = [
  /"SK:N"/,
  /"SK:B"/,
  /"IndexN:N"/,
  /"partition":\["Index1"\],"sort":\["Index2","Index3"/,
  /"project":\[/,
  /"project":"KEYS_ONLY"/,
  /"local":/,
  /"type":false/,
  /"type":"kind"/,
  /"separator":/,
  /"tenant":"h"/,
  /"stream":/,
  /"More":\{"key"/,
  /"Index":\{"when":/,
  /"Index":\[\{"when":/,
  /"Single":\{"Data":\["SINGLE","SINGLE"\]/,
  /"stored":\{/,
  /"type":"[CI]"/,
  /"unique":\{"email":\{"key"/,
  /"procedures":\{"look":\{"takes":\["read"\],"scans"/,
  /"procedures":\{"work":/,
];

test('every construct of the guide is drawn', () => {
  expect(Object.keys(drawn).toSorted()).toEqual(rowsOfGuide().toSorted());
});

test('every construct is in a model that is accepted', () => {
  const missing = new Set([...Object.values(drawn).flat(), ...tablesAndKeys]);
  for (let seed = 0; seed < drawnMost && missing.size > 0; seed += 1) {
    const random = new RandomSource(seed);
    // Models that write have few shapes, and one takes longer to draw.
    const script = seed % 10 === 0 ? randomWriteModel(random) : randomModel(random);
    const text = JSON.stringify(script);
    const found = [...missing].filter((construct) => construct.test(text));
    if (found.length > 0 && refusals(modelOf(script)).length === 0) for (const each of found) missing.delete(each);
  }
  expect([...missing].map(String)).toEqual([]);
});
