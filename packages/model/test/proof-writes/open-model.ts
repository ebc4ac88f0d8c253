import { connect, type Model } from '../../src/index.ts';
import type { Needs } from '../../src/model.ts';
import type { Entities } from '../../src/entities/entity.ts';
import type { Connected } from '../../src/run/connect.ts';
import { testDatabase, type TestDatabase } from '../test-database.ts';

/** A model on a database in this process, with a clock that the test sets. */
export interface OpenModel<D extends Entities, P> extends AsyncDisposable {
  readonly db: Connected<D, P>;
  readonly database: TestDatabase;
  /** Sets the clock, in seconds since 1970. */
  at(seconds: number): void;
}

/** Opens a model at one hundred seconds after the start of 1970. */
export async function openModel<D extends Entities, P extends Needs>(model: Model<D, P>): Promise<OpenModel<D, P>> {
  const database = await testDatabase(model);
  let seconds = 100;
  const db = connect(model, {
    client: database.client,
    pause: async () => undefined,
    random: () => 0.5,
    now: () => seconds * 1000 + 900,
  });
  return {
    db,
    database,
    at: (next) => {
      seconds = next;
    },
    [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose](),
  };
}
