/** The eight categories, as the front page shows them. They are fixed: no pattern lists them. */
export const CATEGORIES = [
  'Tech',
  'Travel',
  'Food & Drink',
  'Home & Garden',
  'Fashion',
  'Sports & Outdoors',
  'Health & Beauty',
  'Toys & Games',
] as const;
