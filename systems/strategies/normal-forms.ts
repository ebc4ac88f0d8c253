import { entity, model } from '@singlet/model';
import { z } from 'zod';

const text = z.string().min(1);

/** S-10 The wide form: one item has everything shown of an article in a size. A change of the article changes each of its items. */
export const wideShop = model('wideShop')
  .entities({
    Article: entity({
      item: text,
      size: text,
      price: z.number(),
      categories: z.array(text),
      manufacturerId: z.number(),
      manufacturer: text,
    }),
  })
  .relationships([])
  .patterns({
    add: { creates: 'Article' },
    sizes: { reads: ['Article'], by: ['item'], volume: { typical: 3, most: 30 }, strategy: 'S-10' },
    categorize: { updates: 'Article', by: ['item', 'size'], sets: ['categories'] },
  })
  .tables({ Articles: { key: ['item', 'size'] } })
  .keys(
    { Article: { Articles: ['{item}', '{size}'] } },
    { Article: { accepts: { 'mixed-case': 'sizes are written in one way' } } },
  )
  .served({ add: 'PutItem', sizes: { query: 'Articles' }, categorize: 'UpdateItem' });

/** S-10 The third normal form: five tables, every fact once. A change is one item. Showing an article takes five requests. */
export const normalizedShop = model('normalizedShop')
  .entities({
    Item: entity({ itemId: z.number(), item: text, manufacturerId: z.number() }),
    ItemPrice: entity({ itemId: z.number(), size: text, price: z.number() }),
    Manufacturer: entity({ manufacturerId: z.number(), manufacturer: text }),
    ItemCategory: entity({ itemId: z.number(), categoryId: z.number() }),
    Category: entity({ categoryId: z.number(), category: text }),
  })
  .relationships([
    ['Item', '1:N', 'ItemPrice'],
    ['Manufacturer', '1:N', 'Item'],
    ['Item', 'N:M', 'Category', { through: 'ItemCategory' }],
  ])
  .patterns({
    addItem: { creates: 'Item' },
    price: { creates: 'ItemPrice' },
    addManufacturer: { creates: 'Manufacturer' },
    categorize: { creates: 'ItemCategory', strategy: 'S-10' },
    addCategory: { creates: 'Category' },
    categoriesOf: { reads: ['ItemCategory'], by: ['itemId'], volume: { typical: 3, most: 20 } },
  })
  .tables({
    Items: { key: ['itemId:N'] },
    ItemPrices: { key: ['itemId:N', 'size'] },
    Manufacturers: { key: ['manufacturerId:N'] },
    ItemsCategories: { key: ['itemId:N', 'categoryId:N'] },
    Categories: { key: ['categoryId:N'] },
  })
  .keys(
    {
      Item: { Items: ['{itemId}'] },
      ItemPrice: { ItemPrices: ['{itemId}', '{size}'] },
      Manufacturer: { Manufacturers: ['{manufacturerId}'] },
      ItemCategory: { ItemsCategories: ['{itemId}', '{categoryId}'] },
      Category: { Categories: ['{categoryId}'] },
    },
    { ItemPrice: { accepts: { 'mixed-case': 'sizes are written in one way' } } },
  )
  .served({
    addItem: 'PutItem',
    price: 'PutItem',
    addManufacturer: 'PutItem',
    categorize: 'PutItem',
    addCategory: 'PutItem',
    categoriesOf: { query: 'ItemsCategories' },
  });
