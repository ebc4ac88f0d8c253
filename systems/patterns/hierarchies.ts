import { entity, model } from '@singlet/model';
import { z } from 'zod';

const place = z.string().regex(/^[A-Z_]+$/);
const digits = z.string().regex(/^\d+$/);

/** P-08 A composite sort key: any leading part of a hierarchy, and of the last level a range. */
export const sales = model('sales')
  .entities({ Sale: entity({ country: place, city: place, store: digits, date: z.iso.date(), amount: z.number() }) })
  .relationships([])
  .patterns({
    record: { creates: 'Sale' },
    inCountry: { reads: ['Sale'], by: ['country'], limit: 100, strategy: 'P-08' },
    inCity: { reads: ['Sale'], by: ['country', 'city'], limit: 100, strategy: 'P-08' },
    inStore: { reads: ['Sale'], by: ['country', 'city', 'store'], range: 'date', limit: 100, strategy: 'P-08' },
  })
  .tables({ Sales: { key: ['PK', 'SK'] } })
  .keys(
    { Sale: { Sales: ['SALE#{country}', '{city}#{store}#{date}'] } },
    { Sale: { accepts: { 'time-only-sort-key': 'a store reports once a day' } } },
  )
  .served({
    record: 'PutItem',
    inCountry: { query: 'Sales' },
    inCity: { query: 'Sales' },
    inStore: { query: 'Sales' },
  });

/** P-41 Store locations: each level of the address is searched, and the id of the store distinguishes two in one zip code. */
export const stores = model('stores')
  .entities({ Store: entity({ country: place, state: place, city: place, zip: digits, storeId: digits }) })
  .relationships([])
  .patterns({
    open: { creates: 'Store' },
    inCountry: { reads: ['Store'], by: ['country'], limit: 100 },
    inState: { reads: ['Store'], by: ['country', 'state'], limit: 100 },
    inCity: { reads: ['Store'], by: ['country', 'state', 'city'], limit: 100 },
    inZip: { reads: ['Store'], by: ['country', 'state', 'city', 'zip'], limit: 100, strategy: 'P-41' },
  })
  .tables({ Stores: { key: ['PK', 'SK'] } })
  .keys({ Store: { Stores: ['COUNTRY#{country}', '{state}#{city}#{zip}#{storeId}'] } })
  .served({
    open: 'PutItem',
    inCountry: { query: 'Stores' },
    inState: { query: 'Stores' },
    inCity: { query: 'Stores' },
    inZip: { query: 'Stores' },
  });
