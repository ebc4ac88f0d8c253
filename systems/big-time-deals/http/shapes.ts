import { z } from 'zod';
import { bigTimeDeals, featuredDeal } from '../model.ts';

// The shapes of requests and answers of the HTTP application: the entities' own attributes, without those that the site sets.

/** As a caller sends one: its first characters are a time. */
const ksuid = z.string().regex(/^[0-9A-Za-z]{27}$/);
const { Deal, Brand, Category, User, Message } = bigTimeDeals.entities;

export const deal = z.object(Deal.attributes);
/** In dollars. */
const PRICE_MAX = 10_000_000;

export const newDeal = deal
  .omit({ dealId: true, createdAt: true })
  .extend({ price: Deal.attributes.price.max(PRICE_MAX) });
export const brand = z.object(Brand.attributes);
export const newBrand = brand.pick({ brand: true, brandLogoUrl: true });
export const category = z.object(Category.attributes);
export const newCategory = category.pick({ category: true });
export const user = z.object(User.attributes);
export const newUser = user.omit({ createdAt: true });
export const message = z.object(Message.attributes);
/** A null value removes the setting. */
export const settings = z.object({
  email: User.attributes.email.optional(),
  birthday: User.attributes.birthday.nullable(),
  profilePictureUrl: User.attributes.profilePictureUrl.nullable(),
});
export const hotDeal = message.pick({ subject: true, body: true, dealId: true }).extend({ blastId: ksuid.optional() });
export const featuredDeals = z.object({ featuredDeals: z.array(featuredDeal) });

/** A path that begins with a slash; absent at the end. */
const next = z.string().optional();
export const dealList = z.object({ deals: z.array(deal), next });
export const frontPage = dealList.extend({ featured: z.array(featuredDeal) });
export const categoryPage = dealList.extend({ category });
export const brandPage = dealList.extend({ brand });
export const brandList = z.object({ brands: z.array(newBrand) });
export const messageList = z.object({ messages: z.array(message), next });
export const blast = z.object({ blastId: z.string(), sent: z.int() });

/** Where an endless list continues: `next` of the previous page. */
export const listQuery = z.object({ after: ksuid.optional(), cursor: z.string().optional() });
export const inboxQuery = z.object({ unread: z.stringbool().optional(), cursor: z.string().optional() });
