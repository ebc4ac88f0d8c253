import { entity, model, ref } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/** P-18 A replica: an index with the table's own keys, for more reads than the table can serve. It follows a moment later. */
export const replicated = model('replicated')
  .entities({ Product: entity({ shop: id, product: id, price: z.number(), description: z.string() }) })
  .relationships([])
  .patterns({
    add: { creates: 'Product' },
    products: { reads: ['Product'], by: ['shop'], limit: 25 },
    prices: { reads: ['Product'], by: ['shop'], attributes: ['product', 'price'], limit: 25, strategy: 'P-18' },
  })
  .tables({
    Products: {
      key: ['PK', 'SK'],
      indexes: { Replica: { partition: ['PK'], sort: ['SK'], project: ['product', 'price', 'Type'] } },
    },
  })
  .keys({ Product: { Products: ['SHOP#{shop}', 'PRODUCT#{product}'], Replica: ['SHOP#{shop}', 'PRODUCT#{product}'] } })
  .served({ add: 'PutItem', products: { query: 'Products' }, prices: { query: 'Replica' } });

/** P-55 What a Query does with one collection: the first and the last few, counts, pages. */
export const scores = model('scores')
  .entities({ Score: entity({ game: id, points: z.number().int(), player: id }) })
  .relationships([])
  .patterns({
    record: { creates: 'Score' },
    top: { reads: ['Score'], by: ['game'], order: 'points desc', limit: 3, strategy: 'P-55' },
    bottom: { reads: ['Score'], by: ['game'], order: 'points asc', limit: 3, strategy: 'P-55' },
    all: { reads: ['Score'], by: ['game'], order: 'points asc', limit: 7 },
  })
  .tables({ Scores: { key: ['PK', 'SK'] } })
  .keys({ Score: { Scores: ['GAME#{game}', 'SCORE#{points:08}#{player}'] } })
  .served({ record: 'PutItem', top: { query: 'Scores' }, bottom: { query: 'Scores' }, all: { query: 'Scores' } });

/** P-14 A large document in parts with one partition key: one Query reads all of it, or a part, or the summary alone. */
export const documents = model('documents')
  .entities({
    Meta: entity({ document: id, title: z.string() }),
    Part: entity({ document: id, part: z.number().int(), text: z.string() }),
  })
  .relationships([['Meta', '1:N', 'Part']])
  .patterns({
    create: { creates: 'Meta' },
    save: { creates: 'Part' },
    meta: { reads: 'Meta', by: ['document'] },
    whole: {
      reads: { meta: 'Meta', parts: ['Part'] },
      by: ['document'],
      order: 'part asc',
      volume: { typical: 3, most: 3 },
      strategy: 'P-14',
    },
    part: { reads: 'Part', by: ['document', 'part'] },
    parts: { reads: ['Part'], by: ['document'], order: 'part asc', volume: { typical: 3, most: 3 } },
  })
  .tables({ Documents: { key: ['PK', 'SK'] } })
  .keys({
    Meta: { Documents: ['DOCUMENT#{document}', 'META'] },
    Part: { Documents: ['DOCUMENT#{document}', 'PART#{part:03}'] },
  })
  .served({
    create: 'PutItem',
    save: 'PutItem',
    meta: 'GetItem',
    whole: { query: 'Documents' },
    part: 'GetItem',
    parts: { query: 'Documents' },
  });

/** P-15 The content apart from the summary: lists stay small, and the content is read when a user opens it. */
export const feed = model('feed')
  .entities({
    Summary: entity({ feed: id, article: id, teaser: z.string() }),
    Content: entity({ article: id, text: z.string() }),
  })
  .relationships([['Summary', '1:1', 'Content']])
  .patterns({
    publish: { transacts: { summary: { creates: 'Summary' }, content: { creates: 'Content' } }, strategy: 'P-15' },
    withdraw: {
      transacts: {
        summary: { deletes: 'Summary', by: ['feed', 'article'] },
        content: { deletes: 'Content', by: ['article'] },
      },
    },
    list: { reads: ['Summary'], by: ['feed'], limit: 20, strategy: 'P-15' },
    open: { reads: 'Content', by: ['article'] },
  })
  .tables({ Feed: { key: ['PK', 'SK'] } })
  .keys({
    Summary: { Feed: ['FEED#{feed}', 'ARTICLE#{article}'] },
    Content: { Feed: ['ARTICLECONTENT#{article}', 'ARTICLECONTENT#{article}'] },
  })
  .served({
    publish: 'TransactWriteItems',
    withdraw: 'TransactWriteItems',
    list: { query: 'Feed' },
    open: 'GetItem',
  });

/**
 * P-16 A very hot item in several copies: writes keep them equal, a read uses any.
 * @param copies - a new version writes more copies before its readers use them.
 */
export const settingsWith = (copies: number) =>
  model('settings')
    .entities({
      Settings: entity({ banner: z.string(), version: z.number() }, { copies, lock: 'version' }),
    })
    .relationships([])
    .patterns({
      create: { creates: 'Settings' },
      change: { updates: 'Settings', sets: ['banner'], strategy: 'P-16' },
      settings: { reads: 'Settings', strategy: 'P-16' },
    })
    .tables({ Settings: { key: ['PK', 'SK'] } })
    .keys({ Settings: { Settings: ['GLOBAL_SETTINGS_{copy}', 'GLOBAL_SETTINGS_{copy}'] } })
    .served({ create: 'TransactWriteItems', change: 'TransactWriteItems', settings: 'GetItem' });

export const settings = settingsWith(3);

/** P-17 Logs of a day in four partitions. The shard is computed, so a reader that knows the order queries only one. */
export const logs = model('logs')
  .entities({ Log: entity({ date: z.iso.date(), at: z.iso.datetime({ precision: 0 }), logId: id, orderId: id }) })
  .relationships([])
  .patterns({
    write: { creates: 'Log', rate: 2000 },
    ofDay: { reads: ['Log'], by: ['date'], range: 'at', order: 'at asc', limit: 3, strategy: 'P-17' },
    ofOrder: {
      reads: ['Log'],
      by: ['date', 'orderId'],
      order: 'at asc',
      limit: 25,
      strategy: 'P-17',
      accepts: { 'filter-selects': 'a shard of one day is small' },
    },
  })
  .tables({ Logs: { key: ['PK', 'SK'] } })
  .keys(
    { Log: { Logs: ['{date}#{orderId:shard4}', '{at:seconds}#{logId}'] } },
    { Log: { accepts: { 'key-not-exact': 'an id of a log is given once, so no other log has it in another shard' } } },
  )
  .served({ write: 'PutItem', ofDay: { query: 'Logs', fanOut: 4 }, ofOrder: { query: 'Logs', readAhead: 100 } });

/** P-19 A singleton: one item of constant keys, changed only by a writer that has read its latest version. */
export const singleton = model('singleton')
  .entities({ Settings: entity({ theme: z.string(), revision: z.number().default(0) }) })
  .relationships([])
  .patterns({
    set: { upserts: 'Settings', strategy: 'P-19' },
    changeTheme: {
      updates: 'Settings',
      sets: ['theme', 'revision'],
      takes: { expected: z.number() },
      given: { revision: ref('expected') },
      strategy: 'P-19',
    },
    settings: { reads: 'Settings' },
  })
  .tables({ Settings: { key: ['PK', 'SK'] } })
  .keys({ Settings: { Settings: ['SETTINGS', 'SETTINGS'] } })
  .served({ set: 'UpdateItem', changeTheme: 'UpdateItem', settings: 'GetItem' });
