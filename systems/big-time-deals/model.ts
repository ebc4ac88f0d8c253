import { entity, include, model, ref } from '@singlet/model';
import { z } from 'zod';

/** Deals on one page of an endless list. */
export const PAGE_DEALS = 25;
/** Maximum number of days that one request for a page looks back. */
const PAGE_DAYS_MAX = 5;
/** Where endless lists end: the site's first day. */
const OLDEST_DAY = '2020-01-01';
/** Copies of an item that is read more often than one partition can serve. */
export const COPIES = 10;
/** Days whose deals are in the cache: today and yesterday. */
const CACHE_DAYS = 2;
export const FEATURED_MIN = 5;
export const FEATURED_MAX = 10;
/** The curated list has no stated size, but must fit into one item. */
export const EDITORS_CHOICE_MAX = 200;

/** Names are in keys, whose parts are separated by `#`. Keys have brands and categories in capitals. */
const displayName = z.string().regex(/^[^#]{1,80}$/, 'has 1 to 80 characters, none of them #');
const username = z.string().regex(/^[\w.-]{1,40}$/, 'has 1 to 40 letters, digits, dots, hyphens and underscores');
const time = z.iso.datetime();
const count = z.int().default(0);
const price = z.number().min(0);
const url = z.url();
/** A KSUID: its first characters are its time. */
const id = z.string().length(27);

const dealAttributes = {
  dealId: id,
  title: z.string().min(1).max(200),
  link: url,
  price,
  category: displayName,
  brand: displayName,
  createdAt: time,
  imageUrl: url.optional(),
  details: z.string().max(20_000).optional(),
};

/** The displayed part of a featured deal: a copy, which does not change with the deal. */
export const featuredDeal = z.object({
  id,
  name: z.string().min(1).max(200),
  image: url.optional(),
  price: price.optional(),
  link: url.optional(),
});
/** A list of featured deals as editors send it: always the whole list. */
export const featuredList = z.array(featuredDeal).min(FEATURED_MIN).max(FEATURED_MAX);
export const editorsChoiceList = z.array(featuredDeal).max(EDITORS_CHOICE_MAX);

const profile = { email: z.email(), birthday: z.iso.date().optional(), profilePictureUrl: url.optional() };
const counts = { likeCount: count, watchCount: count };
const ofBrand = { brand: displayName, username, createdAt: time };
const ofCategory = { category: displayName, username, createdAt: time };
const names = z.set(z.string()).optional();

const storedDeal = {
  dealId: 'DealId',
  title: 'Title',
  link: 'Link',
  price: 'Price',
  category: 'Category',
  brand: 'Brand',
  createdAt: 'CreatedAt',
  imageUrl: 'ImageUrl',
  details: 'Details',
};
const storedCounts = { likeCount: 'LikeCount', watchCount: 'WatchCount' };
const storedOfBrand = { brand: 'Brand', username: 'Username', createdAt: 'CreatedAt' };
const storedOfCategory = { category: 'Category', username: 'Username', createdAt: 'CreatedAt' };
const storedFeatured = { featuredDeals: 'FeaturedDeals' };

/** Names are case-insensitive. */
const sameBrand = { same: { brand: 'upper' } } as const;
const sameCategory = { same: { category: 'upper' } } as const;

const endless = {
  range: 'dealId',
  window: { of: 'dealId', from: OLDEST_DAY },
  order: 'dealId desc',
  limit: PAGE_DEALS,
} as const;
const walk = { unit: 'day', most: PAGE_DAYS_MAX } as const;

/** A site of deals: hunters browse, like, watch and read their inboxes; editors add deals and choose which to feature. */
export const bigTimeDeals = model('bigTimeDeals')
  // 1. What there is, and how it is related
  .entities({
    Deal: entity(dealAttributes, {
      same: { brand: 'upper', category: 'upper' },
      expects: { items: 36_500, bytes: 900 },
    }),
    Brand: entity(
      { brand: displayName, brandLogoUrl: url.optional(), ...counts },
      { ...sameBrand, expects: { items: 200, bytes: 250 } },
    ),
    Brands: entity({ names }, { expects: { items: 1, bytes: 4_000 } }),
    BrandsCopy: entity({ names }, { copies: COPIES, expects: { items: COPIES, bytes: 4_000 } }),
    BrandLike: entity(ofBrand, { ...sameBrand, expects: { items: 200_000, bytes: 200 } }),
    BrandWatch: entity(ofBrand, { ...sameBrand, expects: { items: 200_000, bytes: 180 } }),
    Category: entity(
      { category: displayName, featuredDeals: z.array(featuredDeal).default([]), ...counts },
      { ...sameCategory, expects: { items: 8, bytes: 2_500 } },
    ),
    CategoryLike: entity(ofCategory, { ...sameCategory, expects: { items: 100_000, bytes: 200 } }),
    CategoryWatch: entity(ofCategory, { ...sameCategory, expects: { items: 100_000, bytes: 180 } }),
    FrontPage: entity({ featuredDeals: featuredList }, { expects: { items: 1, bytes: 2_500 } }),
    FrontPageCopy: entity(
      { featuredDeals: z.array(featuredDeal) },
      { copies: COPIES, expects: { items: COPIES, bytes: 2_500 } },
    ),
    EditorsChoice: entity({ featuredDeals: editorsChoiceList }, { expects: { items: 1, bytes: 10_000 } }),
    EditorsChoiceCopy: entity(
      { featuredDeals: z.array(featuredDeal) },
      { copies: COPIES, expects: { items: COPIES, bytes: 10_000 } },
    ),
    DealsCache: entity(
      { deals: z.array(z.object(dealAttributes)), refreshedAt: time },
      { copies: COPIES, expects: { items: COPIES, bytes: 120_000 } },
    ),
    User: entity({ username, createdAt: time, ...profile }, { expects: { items: 100_000, bytes: 300 } }),
    Message: entity(
      {
        username,
        messageId: id,
        subject: z.string().min(1).max(200),
        body: z.string().max(20_000),
        unread: z.boolean().default(true),
        dealId: id.optional(),
        createdAt: time,
      },
      { expects: { items: 2_000_000, bytes: 400 } },
    ),
  })
  .relationships([
    ['Brand', '1:N', 'Deal', { required: true }],
    ['Category', '1:N', 'Deal', { required: true }],
    ['Brand', '1:N', 'BrandLike', { count: 'likeCount' }],
    ['Brand', '1:N', 'BrandWatch', { count: 'watchCount' }],
    ['Category', '1:N', 'CategoryLike', { count: 'likeCount' }],
    ['Category', '1:N', 'CategoryWatch', { count: 'watchCount' }],
    ['User', '1:N', 'BrandLike'],
    ['User', '1:N', 'BrandWatch'],
    ['User', '1:N', 'CategoryLike'],
    ['User', '1:N', 'CategoryWatch'],
    ['User', '1:N', 'Message'],
  ])

  // 2. What the application needs
  .patterns({
    createDeal: { id: 'BTD-01', actor: 'editor', creates: 'Deal', rate: 0.1 },
    createBrand: {
      id: 'BTD-02',
      actor: 'editor',
      transacts: {
        brand: { creates: 'Brand' },
        list: {
          updates: 'Brands',
          orCreates: true,
          takes: { name: displayName },
          changes: { names: include(ref('name')) },
        },
      },
      accepts: { 'unbounded-attribute': '200 names, and one or two more a month: 20 of 400 KB after a lifetime' },
    },
    createCategory: { id: 'BTD-03', actor: 'setup', creates: 'Category' },
    setFrontPage: { id: 'BTD-04', actor: 'editor', upserts: 'FrontPage' },
    setCategoryFeatured: {
      id: 'BTD-05',
      actor: 'editor',
      updates: 'Category',
      by: ['category'],
      takes: { featured: featuredList },
      changes: { featuredDeals: ref('featured') },
    },
    setEditorsChoice: { id: 'BTD-06', actor: 'editor', upserts: 'EditorsChoice' },
    frontPage: { id: 'BTD-07', actor: 'hunter', reads: 'FrontPage', rate: 400 },
    latestDeals: { id: 'BTD-07', actor: 'hunter', reads: ['Deal'], ...endless, rate: 100 },
    category: { id: 'BTD-08', actor: 'hunter', reads: 'Category', by: ['category'], rate: 200 },
    latestDealsOfCategory: {
      id: 'BTD-08',
      actor: 'hunter',
      reads: ['Deal'],
      by: ['category'],
      ...endless,
      rate: 200,
    },
    editorsChoice: { id: 'BTD-09', actor: 'hunter', reads: 'EditorsChoice', rate: 50 },
    brand: { id: 'BTD-10', actor: 'hunter', reads: 'Brand', by: ['brand'], rate: 200 },
    latestDealsOfBrand: {
      id: 'BTD-10',
      actor: 'hunter',
      reads: ['Deal'],
      by: ['brand'],
      ...endless,
      rate: 200,
    },
    brands: { id: 'BTD-11', actor: 'hunter', reads: 'Brands', rate: 50 },
    brandIcons: {
      id: 'BTD-11',
      actor: 'hunter',
      reads: 'Brand',
      by: ['brand'],
      each: true,
      volume: { typical: 200, most: 400 },
      rate: 20,
    },
    deal: { id: 'BTD-12', actor: 'hunter', reads: 'Deal', by: ['dealId'], rate: 500 },
    createUser: { id: 'BTD-13', actor: 'hunter', creates: 'User', rate: 1 },
    likeBrand: { id: 'BTD-14', actor: 'hunter', creates: 'BrandLike', rate: 10 },
    watchBrand: { id: 'BTD-15', actor: 'hunter', creates: 'BrandWatch', rate: 5 },
    likeCategory: { id: 'BTD-16', actor: 'hunter', creates: 'CategoryLike', rate: 5 },
    watchCategory: { id: 'BTD-17', actor: 'hunter', creates: 'CategoryWatch', rate: 2 },
    messages: {
      id: 'BTD-18',
      actor: 'hunter',
      reads: ['Message'],
      by: ['username'],
      order: 'messageId desc',
      limit: 25,
      rate: 50,
    },
    unreadMessages: {
      id: 'BTD-19',
      actor: 'hunter',
      reads: ['Message'],
      by: ['username'],
      where: { unread: true },
      order: 'messageId desc',
      limit: 25,
      rate: 100,
    },
    markRead: {
      id: 'BTD-20',
      actor: 'hunter',
      updates: 'Message',
      by: ['username', 'messageId'],
      changes: { unread: false },
      rate: 50,
    },
    everyUser: {
      id: 'BTD-21',
      actor: 'editor',
      reads: ['User'],
      attributes: ['username'],
      limit: 500,
      accepts: { scan: 'a message to all users: the index holds users only, and all of them are wanted' },
    },
    watchersOfBrand: {
      id: 'BTD-22',
      actor: 'stream',
      reads: ['BrandWatch'],
      by: ['brand'],
      order: 'username asc',
      limit: 500,
      rate: 0.1,
    },
    watchersOfCategory: {
      id: 'BTD-23',
      actor: 'stream',
      reads: ['CategoryWatch'],
      by: ['category'],
      order: 'username asc',
      limit: 500,
      rate: 0.1,
    },
    dealsForCache: {
      id: 'BTD-24',
      actor: 'stream',
      reads: ['Deal'],
      window: endless.window,
      order: 'dealId desc',
      volume: { typical: 150, most: 400 },
      rate: 0.1,
    },
    fillDealsCache: { id: 'BTD-24', actor: 'stream', puts: 'DealsCache', rate: 0.1 },
    cachedDeals: { id: 'BTD-25', actor: 'hunter', reads: 'DealsCache', rate: 400 },
    sendMessage: { id: 'BTD-26', actor: 'stream', creates: 'Message', rate: 100 },
    user: { id: 'BTD-27', actor: 'hunter', reads: 'User', by: ['username'], rate: 20 },
    updateUser: {
      id: 'BTD-27',
      actor: 'hunter',
      updates: 'User',
      by: ['username'],
      maySet: ['email', 'birthday', 'profilePictureUrl'],
      returns: 'new',
      rate: 1,
    },
    copyBrands: { id: 'BTD-28', actor: 'stream', puts: 'BrandsCopy' },
    copiedBrands: { id: 'BTD-28', actor: 'hunter', reads: 'BrandsCopy' },
    copyFrontPage: { id: 'BTD-28', actor: 'stream', puts: 'FrontPageCopy' },
    copiedFrontPage: { id: 'BTD-28', actor: 'hunter', reads: 'FrontPageCopy' },
    copyEditorsChoice: { id: 'BTD-28', actor: 'stream', puts: 'EditorsChoiceCopy' },
    copiedEditorsChoice: { id: 'BTD-28', actor: 'hunter', reads: 'EditorsChoiceCopy' },
  })

  // 3. Keys and indexes: the entity chart
  .tables({
    BigTimeDeals: {
      key: ['PK', 'SK'],
      indexes: {
        GSI1: ['GSI1PK', 'GSI1SK'],
        GSI2: ['GSI2PK', 'GSI2SK'],
        GSI3: ['GSI3PK', 'GSI3SK'],
        UserIndex: ['UserIndex'],
      },
      stream: 'NEW_AND_OLD_IMAGES',
    },
  })
  .keys(
    {
      Deal: {
        BigTimeDeals: ['DEAL#{dealId}', 'DEAL#{dealId}'],
        GSI1: ['DEALS#{dealId:ksuid:day}', 'DEAL#{dealId}'],
        GSI2: ['BRAND#{brand:upper}#{dealId:ksuid:day}', 'DEAL#{dealId}'],
        GSI3: ['CATEGORY#{category:upper}#{dealId:ksuid:day}', 'DEAL#{dealId}'],
      },
      Brand: { BigTimeDeals: ['BRAND#{brand:upper}', 'BRAND#{brand:upper}'] },
      Brands: { BigTimeDeals: ['BRANDS', 'BRANDS'] },
      BrandsCopy: { BigTimeDeals: ['BRANDS#{copy}', 'BRANDS#{copy}'] },
      BrandLike: { BigTimeDeals: ['BRANDLIKE#{brand:upper}#{username}', 'BRANDLIKE#{brand:upper}#{username}'] },
      BrandWatch: { BigTimeDeals: ['BRANDWATCH#{brand:upper}', 'USER#{username}'] },
      Category: { BigTimeDeals: ['CATEGORY#{category:upper}', 'CATEGORY#{category:upper}'] },
      CategoryLike: {
        BigTimeDeals: ['CATEGORYLIKE#{category:upper}#{username}', 'CATEGORYLIKE#{category:upper}#{username}'],
      },
      CategoryWatch: { BigTimeDeals: ['CATEGORYWATCH#{category:upper}', 'USER#{username}'] },
      FrontPage: { BigTimeDeals: ['FRONTPAGE', 'FRONTPAGE'] },
      FrontPageCopy: { BigTimeDeals: ['FRONTPAGE#{copy}', 'FRONTPAGE#{copy}'] },
      EditorsChoice: { BigTimeDeals: ['EDITORSCHOICE', 'EDITORSCHOICE'] },
      EditorsChoiceCopy: { BigTimeDeals: ['EDITORSCHOICE#{copy}', 'EDITORSCHOICE#{copy}'] },
      DealsCache: { BigTimeDeals: ['DEALSCACHE#{copy}', 'DEALSCACHE#{copy}'] },
      User: { BigTimeDeals: ['USER#{username}', 'USER#{username}'], UserIndex: ['USER#{username}'] },
      Message: {
        BigTimeDeals: ['MESSAGES#{username}', 'MESSAGE#{messageId}'],
        GSI1: { when: { unread: true }, key: ['MESSAGES#{username}', 'MESSAGE#{messageId}'] },
      },
    },
    {
      Deal: { stored: storedDeal },
      Brand: { stored: { brand: 'BrandName', brandLogoUrl: 'BrandLogoUrl', ...storedCounts } },
      Brands: { stored: { names: 'Brands' } },
      BrandsCopy: { stored: { names: 'Brands' } },
      BrandLike: { stored: storedOfBrand },
      BrandWatch: { stored: storedOfBrand },
      Category: { stored: { category: 'CategoryName', ...storedFeatured, ...storedCounts } },
      CategoryLike: { stored: storedOfCategory },
      CategoryWatch: { stored: storedOfCategory },
      FrontPage: { stored: storedFeatured },
      FrontPageCopy: { stored: storedFeatured },
      EditorsChoice: { stored: storedFeatured },
      EditorsChoiceCopy: { stored: storedFeatured },
      DealsCache: {
        stored: { deals: 'Deals', refreshedAt: 'RefreshedAt' },
        accepts: { 'item-size': 'the front page: read as a whole, and written by one job every ten seconds' },
      },
      User: {
        stored: {
          username: 'Username',
          createdAt: 'CreatedAt',
          email: 'Email',
          birthday: 'Birthday',
          profilePictureUrl: 'ProfilePictureUrl',
        },
      },
      Message: {
        stored: {
          username: 'Username',
          messageId: 'MessageId',
          subject: 'Subject',
          body: 'Body',
          unread: 'Unread',
          dealId: 'DealId',
          createdAt: 'CreatedAt',
        },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    createDeal: 'TransactWriteItems', // the deal, and checks of its brand and its category
    createBrand: 'TransactWriteItems',
    createCategory: 'PutItem',
    setFrontPage: 'UpdateItem',
    setCategoryFeatured: 'UpdateItem',
    setEditorsChoice: 'UpdateItem',
    frontPage: 'GetItem',
    latestDeals: { query: 'GSI1', walk },
    category: 'GetItem',
    latestDealsOfCategory: { query: 'GSI3', walk },
    editorsChoice: 'GetItem',
    brand: 'GetItem',
    latestDealsOfBrand: { query: 'GSI2', walk },
    brands: 'GetItem',
    brandIcons: 'BatchGetItem',
    deal: 'GetItem',
    createUser: 'PutItem',
    likeBrand: 'TransactWriteItems', // the like, which exists once, and the brand's count
    watchBrand: 'TransactWriteItems',
    likeCategory: 'TransactWriteItems',
    watchCategory: 'TransactWriteItems',
    messages: { query: 'BigTimeDeals' },
    unreadMessages: { query: 'GSI1' },
    markRead: 'UpdateItem',
    everyUser: { scan: 'UserIndex', because: 'a message to all users: the index holds users only, and all are wanted' },
    watchersOfBrand: { query: 'BigTimeDeals' },
    watchersOfCategory: { query: 'BigTimeDeals' },
    dealsForCache: { query: 'GSI1', walk: { ...walk, most: CACHE_DAYS } },
    fillDealsCache: 'BatchWriteItem',
    cachedDeals: 'GetItem',
    sendMessage: 'PutItem',
    user: 'GetItem',
    updateUser: 'UpdateItem',
    copyBrands: 'BatchWriteItem',
    copiedBrands: 'GetItem',
    copyFrontPage: 'BatchWriteItem',
    copiedFrontPage: 'GetItem',
    copyEditorsChoice: 'BatchWriteItem',
    copiedEditorsChoice: 'GetItem',
  });
