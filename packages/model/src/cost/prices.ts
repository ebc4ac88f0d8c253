/** What capacity costs. Replace it by what you pay. */
export interface Prices {
  /** When the prices were looked up, and where they apply. */
  readonly date: string;
  /** The region they are from. */
  readonly region: string;
  /** Of all amounts: `USD`. */
  readonly currency: string;
  /** On demand: one million request units. */
  readonly millionReadUnits: number;
  /** Of a million write request units on demand. */
  readonly millionWriteUnits: number;
  /** Provisioned: one unit of capacity for an hour. */
  readonly readUnitHour: number;
  /** Of one provisioned write unit for an hour. */
  readonly writeUnitHour: number;
  /** One GB stored for a month. */
  readonly gigabyteMonth: number;
}

/** The service's published prices of the standard table class. */
export const prices: Prices = {
  date: '2026-11-01',
  region: 'us-east-1',
  currency: 'USD',
  millionReadUnits: 0.125,
  millionWriteUnits: 0.625,
  readUnitHour: 0.00013,
  writeUnitHour: 0.00065,
  gigabyteMonth: 0.25,
};

/** Hours of a month, on the average of the year. */
export const hoursPerMonth = 730;
