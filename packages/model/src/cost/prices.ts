/** Prices of capacity. Replace them with your own. */
export interface Prices {
  /** When the prices were looked up, and where they apply. */
  readonly date: string;
  /** The region they are from. */
  readonly region: string;
  /** The currency of all amounts: `USD`. */
  readonly currency: string;
  /** On demand: the price of one million read request units. */
  readonly millionReadUnits: number;
  /** The price of one million write request units on demand. */
  readonly millionWriteUnits: number;
  /** Provisioned: the price of one read unit for an hour. */
  readonly readUnitHour: number;
  /** The price of one provisioned write unit for an hour. */
  readonly writeUnitHour: number;
  /** The price of one GB stored for a month. */
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

/** Hours of an average month. */
export const hoursPerMonth = 730;
