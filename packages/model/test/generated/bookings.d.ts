// Generated from ../bookings.model.ts by singlet generate. Changes belong there.
import type { ConnectOptions, Interval, ReadCount, ReadEach, ReadMany, ReadOne, Write } from '@singlet/model';

export interface Booking {
  room: string;
  from: Date;
  until?: Date | undefined;
  seen?: Date | undefined;
  guest?: string | undefined;
  made: Date;
}

export interface NewBooking {
  room: string;
  from: Date;
  until?: Date | undefined;
  seen?: Date | undefined;
  guest?: string | undefined;
  made?: Date | undefined;
}

export interface SeeInput {
  room: string;
  from: Date;
  seen: Date | undefined;
  now: Date;
}

export interface CancelInput {
  room: string;
  from: Date;
}

export interface ChangeOldInput {
  room: string;
  from: Date;
}

export interface ChangeInput {
  old: ChangeOldInput;
  next: NewBooking;
}

export interface BookingInput {
  room: string;
  from: Date;
}

export interface SomeInput {
  room: string;
  from: Date;
}

export interface OfRoomInput {
  room: string;
  from?: Interval<Date> | undefined;
  made?: Date | undefined;
}

export interface CountOfInput {
  room: string;
  from?: Interval<Date> | undefined;
}

export interface BookingsPatterns {
  /**
   * TransactWriteItems on Bookings.
   * Writes PK = ROOM#{room}, SK = FROM#{from}; PK = BOOKINGSEEN#{seen}, SK = BOOKINGSEEN#{seen}.
   * Takes about 4 write units.
   */
  readonly book: Write<NewBooking, Booking>;
  /**
   * TransactWriteItems on Bookings.
   * Writes PK = ROOM#{room}, SK = FROM#{from}; PK = BOOKINGSEEN#{seen}, SK = BOOKINGSEEN#{seen}.
   * Takes about 40 write units.
   */
  readonly bookAll: Write<readonly NewBooking[], Booking[]>;
  /**
   * GetItem then TransactWriteItems on Bookings, 2 requests.
   * Writes PK = ROOM#{room}, SK = FROM#{from}; PK = BOOKINGSEEN#{seen}, SK = BOOKINGSEEN#{seen}.
   * Takes about 1 read unit and 4 write units.
   */
  readonly save: Write<NewBooking, void>;
  /**
   * GetItem then TransactWriteItems on Bookings, 2 requests.
   * Writes PK = ROOM#{room}, SK = FROM#{from}; PK = BOOKINGSEEN#{seen}, SK = BOOKINGSEEN#{seen}.
   * Takes about 1 read unit and 6 write units.
   */
  readonly see: Write<SeeInput, void>;
  /**
   * GetItem then TransactWriteItems on Bookings, 2 requests.
   * Writes PK = ROOM#{room}, SK = FROM#{from}; PK = BOOKINGSEEN#{seen}, SK = BOOKINGSEEN#{seen}.
   * Takes about 1 read unit and 4 write units.
   */
  readonly cancel: Write<CancelInput, void>;
  /**
   * GetItem then TransactWriteItems on Bookings, 2 requests.
   * Writes PK = ROOM#{room}, SK = FROM#{from}; PK = BOOKINGSEEN#{seen}, SK = BOOKINGSEEN#{seen}.
   * Takes about 1 read unit and 8 write units.
   */
  readonly change: Write<ChangeInput, void>;
  /**
   * GetItem on Bookings, PK = ROOM#{room} AND SK = FROM#{from}.
   * Takes about 0.5 read units.
   */
  readonly booking: ReadOne<BookingInput, Booking>;
  /**
   * BatchGetItem on Bookings, PK = ROOM#{room} AND SK = FROM#{from}.
   * Takes about 5 read units.
   */
  readonly some: ReadEach<SomeInput, Booking>;
  /**
   * Query on Bookings, PK = ROOM#{room} AND SK BETWEEN FROM#{from} AND FROM#{to}, ascending.
   * Filtered by made.
   * Takes about 0.5 read units.
   */
  readonly ofRoom: ReadMany<OfRoomInput, Booking>;
  /**
   * Query on Bookings, PK = ROOM#{room} AND SK BETWEEN FROM#{from} AND FROM#{to}, ascending.
   * Takes about 0.5 read units.
   */
  readonly countOf: ReadCount<CountOfInput>;
}

/** Makes the patterns callable. */
export declare function connect(options: ConnectOptions): BookingsPatterns;
