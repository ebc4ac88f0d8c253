import type { Connected, ConnectOptions, ItemOf, ReadOptions, RuleFailure } from '@singlet/model';
import { connect, RuleError, transact } from '@singlet/model';
import type { Clock } from '../clock.ts';
import { epochSecondsOf, isoSeconds } from '../clock.ts';
import type { Pause } from '../pause.ts';
import {
  InvalidInputError,
  MeasuresDifferError,
  NoSuchPartError,
  OrderExistsError,
  PartTakenError,
  StepDoneError,
  StepMissingError,
} from './errors.ts';
import type { Step } from './model.ts';
import {
  additiveManufacturing,
  materialIn,
  materialReferenceTo,
  recipeIn,
  recipeReferenceTo,
  stepNumber,
  STEPS,
} from './model.ts';

/** A transaction has a hundred actions: the header, the step and the recipes leave room for this many materials, … */
const MATERIALS_MAX = 97;
/** … two checks for this many parts, each with the item that guards its id, … */
const NEW_PARTS_PER_TRANSACTION = 49;
/** … and for this many existing parts. */
const PARTS_PER_TRANSACTION = 98;
/** Printing produces two or more. */
const PARTS_MIN = 2;

/** How far the measured values of a mixture may differ from the sum of its materials. */
const MEASURE_TOLERANCE = 0.01;

type Entities = typeof additiveManufacturing.entities;

export type ProcessStep = ItemOf<Entities['ProcessStep']>;
export type Part = ItemOf<Entities['Part']>;
export type MaterialUsage = ItemOf<Entities['MaterialUsage']>;
export type ProcessOrderHeader = ItemOf<Entities['ProcessOrder']>;

/** In grams and cubic centimetres. */
export interface Measures {
  readonly massG: number;
  readonly volumeCm3: number;
  readonly densityGcm3: number;
}

/** Everything that is stored of a process order. */
export interface ProcessOrder {
  /** Orders from before there were headers have none. */
  readonly header: ProcessOrderHeader | undefined;
  /** In the order in which they are done. */
  readonly steps: readonly ProcessStep[];
  readonly parts: readonly Part[];
  readonly recipes: Recipes | undefined;
}

/** The recipe of each step, by id. */
export type Recipes = { readonly [S in Step]?: string };

/** An engineer's summary of a material. Without usages there is no average. */
export interface AverageDensity {
  readonly usages: number;
  /** The mean of the measured densities. */
  readonly arithmetic: number | null;
  /** All mass by all volume. */
  readonly weighted: number | null;
}

/** Quality control's findings about a part. */
export interface PartQuality {
  readonly partId: string;
  readonly porosityPct: number;
  readonly massG: number;
}

export interface FactoryOptions {
  readonly client: ConnectOptions['client'];
  readonly clock: Clock;
  readonly tableName?: string;
  readonly pause?: Pause;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/**
 * Process orders on their way through the factory: materials are gathered, mixed, printed, baked and inspected. Every step is
 * one transaction that also checks that the step before exists. Part ids are unique in the whole factory.
 */
export class Factory {
  readonly #db: Connected<Entities, typeof additiveManufacturing.patterns>;
  readonly #clock: Clock;

  constructor({ client, clock, tableName = 'additive-manufacturing', pause, onRequest }: FactoryOptions) {
    this.#db = connect(additiveManufacturing, {
      client,
      tables: { 'additive-manufacturing': tableName },
      now: () => clock.nowMs(),
      ...(pause && { pause }),
      ...(onRequest && { onRequest }),
    });
    this.#clock = clock;
  }

  /** AM-1: the completed steps of an order, in working order. The key orders them by name. */
  async stepsOf(orderId: string): Promise<readonly ProcessStep[]> {
    return inOrder(await all(this.#db.steps.each({ orderId })));
  }

  /** AM-2: the average density of a material, over all its usages. */
  async averageDensity(materialId: string): Promise<AverageDensity> {
    let usages = 0;
    const sum = { density: 0, mass: 0, volume: 0 };
    for await (const { densityGcm3, massG, volumeCm3 } of this.#db.usages.each({ materialId })) {
      usages += 1;
      sum.density += densityGcm3;
      sum.mass += massG;
      sum.volume += volumeCm3;
    }
    return averageOf(usages, sum);
  }

  /** AM-12: the same from the sums that a consumer of the stream keeps, with a short delay: one item, for any number of usages. */
  async averageDensityFromStats(materialId: string): Promise<AverageDensity> {
    const stats = await this.#db.stats({ materialId });
    if (!stats) {
      return averageOf(0, { density: 0, mass: 0, volume: 0 });
    }
    const { usageCount, densitySum, massSum, volumeSum } = stats;
    return averageOf(usageCount, { density: densitySum, mass: massSum, volume: volumeSum });
  }

  /** AM-3: the order that a part belongs to, or `undefined` for an unknown part. With a short delay. */
  async orderIdOfPart(partId: string): Promise<string | undefined> {
    const { items } = await this.#db.placesOfPart({ partId });
    return items[0]?.orderId;
  }

  /** AM-4: a whole process order, or `undefined` if nothing is stored of it. */
  async findOrder(
    orderId: string,
    options: { readonly headerFirst?: boolean } = {},
  ): Promise<ProcessOrder | undefined> {
    const read = options.headerFirst ? this.#db.orderFromHeader : this.#db.order;
    let page = await read({ orderId });
    let { header, recipes } = page;
    const steps = [...page.steps];
    const parts = [...page.parts];
    while (page.cursor !== undefined) {
      page = await read({ orderId }, { cursor: page.cursor });
      header ??= page.header;
      recipes ??= page.recipes;
      steps.push(...page.steps);
      parts.push(...page.parts);
    }
    const isThere = header ?? recipes ?? steps[0] ?? parts[0];
    return isThere && { header, recipes: recipes && recipesOf(recipes), steps: inOrder(steps), parts: byId(parts) };
  }

  /** AM-5: the parts of an order, by their ids as text: `10` before `2`. */
  async partsOf(orderId: string, options: ReadOptions = {}): Promise<readonly Part[]> {
    return await all(this.#db.partsOf.each({ orderId }, options));
  }

  /** AM-6: the orders that used a material, by their ids, and when. */
  async ordersUsing(materialId: string): Promise<readonly Pick<MaterialUsage, 'orderId' | 'timestamp'>[]> {
    return await all(this.#db.ordersUsing.each({ materialId }));
  }

  /** AM-7: what an order used of its materials, in the order of its list; `undefined` if none were gathered. */
  async materialsOf(orderId: string, options: ReadOptions = {}): Promise<readonly MaterialUsage[] | undefined> {
    const gathered = await this.findStep(orderId, 'materials', options);
    if (!gathered?.materialIds) {
      return undefined;
    }
    const keys = gathered.materialIds.map((reference) => ({ orderId, materialId: materialIn(reference) }));
    const usages = await this.#db.usagesOfOrder(keys, options);
    return usages.filter((usage) => usage !== undefined);
  }

  /** AM-8: the recipes of an order. */
  async findRecipes(orderId: string, options: ReadOptions = {}): Promise<Recipes | undefined> {
    const list = await this.#db.recipes({ orderId }, options);
    return list && recipesOf(list);
  }

  /** AM-9: one step, if it is done. */
  async findStep(orderId: string, step: Step, options: ReadOptions = {}): Promise<ProcessStep | undefined> {
    return await this.#db.step(keyOfStep(orderId, step), options);
  }

  /** AM-10: the usages of a material in a window of time, both ends included; by order id, not by time. */
  async usagesBetween(
    materialId: string,
    window: { readonly fromEpochSeconds: number; readonly toEpochSeconds: number },
  ): Promise<readonly MaterialUsage[]> {
    const { fromEpochSeconds: from, toEpochSeconds: to } = window;
    return await all(this.#db.usagesBetween.each({ materialId, from, to }));
  }

  /** AM-11: the whole order that a part belongs to. */
  async findOrderOfPart(partId: string): Promise<ProcessOrder | undefined> {
    const orderId = await this.orderIdOfPart(partId);
    return orderId === undefined ? undefined : await this.findOrder(orderId);
  }

  /**
   * AM-W1: begins an order: which materials it uses and how much, and the recipes of the next steps.
   *
   * @throws {OrderExistsError} and the stored order does not change.
   * @throws {InvalidInputError} for no material, a duplicate, or more than 97.
   */
  async gatherMaterials(order: {
    readonly orderId: string;
    readonly recipes: Recipes;
    readonly materials: readonly (Measures & { readonly materialId: string })[];
  }): Promise<void> {
    const { orderId, recipes, materials } = order;
    requireDifferent(
      'materials',
      materials.map(({ materialId }) => materialId),
      { min: 1, max: MATERIALS_MAX },
    );
    const timestamp = epochSecondsOf(this.#clock);
    const references = materials.map(({ materialId }) => materialReferenceTo(materialId));
    const named = STEPS.flatMap((step) =>
      recipes[step] === undefined ? [] : [[step, recipeReferenceTo(recipes[step])]],
    );
    const refusal = await refusalOf(
      this.#db.gatherMaterials({
        step: { ...keyOfStep(orderId, 'materials'), materialIds: references },
        recipes: { orderId, ...(Object.fromEntries(named) as Recipes) },
        usages: materials.map((used) => ({ ...used, orderId, timestamp })),
        header: { orderId, status: 'STARTED', createdAt: isoSeconds(timestamp) }, // The steps record the progress.
      }),
    );
    if (refusal) {
      throw new OrderExistsError(orderId, refusal.cause);
    }
  }

  /**
   * AM-W2: records the mixture. Its mass and volume must equal those of its materials, within 0.01.
   *
   * @throws {MeasuresDifferError | StepMissingError | StepDoneError} nothing is written then.
   */
  async recordMixing(orderId: string, mixture: Measures): Promise<void> {
    const materials = await this.materialsOf(orderId);
    if (materials) {
      const massG = materials.reduce((sum, each) => sum + each.massG, 0);
      const volumeCm3 = materials.reduce((sum, each) => sum + each.volumeCm3, 0);
      requireClose(orderId, 'mass', mixture.massG, massG);
      requireClose(orderId, 'volume', mixture.volumeCm3, volumeCm3);
      requireClose(orderId, 'density', mixture.densityGcm3, mixture.massG / mixture.volumeCm3);
    }
    const step = { ...keyOfStep(orderId, 'mixing'), ...mixture };
    await this.#recordStep(step, this.#db.recordMixing({ before: keyOfStep(orderId, 'materials'), step }));
  }

  /**
   * AM-W3: records the printing of two or more parts. Of more than 49, the first are written in separate transactions, and the
   * step with the last: the order is not ready for the oven until all are stored. After an interruption, record it again: parts
   * of the order that are stored are skipped.
   *
   * @throws {StepMissingError | StepDoneError | PartTakenError} nothing of the refused transaction is written.
   */
  async recordPrinting(
    orderId: string,
    print: { readonly bedTemp: number; readonly materialTemp: number; readonly adhesionSurface: string },
    partIds: readonly string[],
  ): Promise<void> {
    requireDifferent('partIds', partIds, { min: PARTS_MIN });
    const step = { ...keyOfStep(orderId, 'print'), ...print };
    const chunks = chunksOf(partIds, NEW_PARTS_PER_TRANSACTION);
    const last = chunks.pop() ?? [];
    for (const chunk of chunks) {
      await this.#printParts(step, chunk, async (request) => this.#db.addParts(request));
    }
    await this.#printParts(step, last, async (request) => this.#db.recordPrinting({ ...request, step }));
  }

  /**
   * AM-W4: records the baking.
   *
   * @throws {StepMissingError | StepDoneError} nothing is written then.
   */
  async recordBaking(
    orderId: string,
    bake: { readonly ovenTemp: number; readonly durationMin: number },
  ): Promise<void> {
    const step = { ...keyOfStep(orderId, 'bake'), ...bake };
    await this.#recordStep(step, this.#db.recordBaking({ before: keyOfStep(orderId, 'print'), step }));
  }

  /**
   * AM-W5: records quality control's findings about an order and its parts. Of more than 98 parts the first are written in
   * separate transactions, and the step with the last.
   *
   * @throws {StepMissingError | StepDoneError | NoSuchPartError} nothing of the refused transaction is written.
   */
  async recordQuality(
    orderId: string,
    quality: { readonly methods: ReadonlySet<'microscopy' | 'measurement'>; readonly passed: boolean },
    parts: readonly PartQuality[],
  ): Promise<void> {
    requireDifferent(
      'parts',
      parts.map(({ partId }) => partId),
      { min: 1 },
    );
    const key = keyOfStep(orderId, 'qc');
    const step = { ...key, methods: new Set(quality.methods), passed: quality.passed };
    const before = keyOfStep(orderId, 'bake');
    const chunks = chunksOf(parts, PARTS_PER_TRANSACTION);
    for (const [position, chunk] of chunks.entries()) {
      const first =
        position === chunks.length - 1
          ? this.#db.recordQuality.op({ before, step })
          : this.#db.qualityIsOpen.op({ before, step: key });
      const measured = chunk.map((part) => this.#db.measurePart.op({ orderId, ...part }));
      const refusal = await refusalOf(transact(this.#db, [first, ...measured]));
      if (refusal) {
        throwIfStepRefused(step, refusal);
        // Operations name the parts of a transaction by their position.
        const operation = Number.parseInt(refusal.part ?? '', 10);
        throw new NoSuchPartError(orderId, chunk[operation - 1]?.partId ?? '', refusal.cause);
      }
    }
  }

  async #recordStep(step: ProcessStep, write: Promise<unknown>): Promise<void> {
    const refusal = await refusalOf(write);
    if (refusal) {
      throwIfStepRefused(step, refusal);
      throw refusal;
    }
  }

  async #printParts(step: ProcessStep, partIds: readonly string[], write: PartsWrite): Promise<void> {
    const { orderId } = step;
    let missing = partIds;
    for (;;) {
      const parts = missing.map((partId) => ({ orderId, partId }));
      const key = keyOfStep(orderId, 'print');
      const refusal = await refusalOf(write({ before: keyOfStep(orderId, 'mixing'), step: key, parts }));
      if (!refusal) {
        return;
      }
      throwIfStepRefused(step, refusal);
      const stored = new Set(refusal.failures.filter(isStoredPart).map(({ item }) => item?.['partId']));
      const left = missing.filter((partId) => !stored.has(partId));
      if (left.length === missing.length) {
        throw new PartTakenError(orderId, missing, refusal.cause);
      }
      missing = left;
    }
  }
}

type StepKey = Pick<ProcessStep, 'orderId' | 'step' | 'stepNo'>;

type PartsWrite = (request: {
  readonly before: StepKey;
  readonly step: StepKey;
  readonly parts: readonly Pick<Part, 'orderId' | 'partId'>[];
}) => Promise<void>;

function keyOfStep(orderId: string, step: Step): StepKey {
  return { orderId, step, stepNo: stepNumber(step) };
}

/** @returns the rules of the model that refused the write, or `undefined` if it succeeded. */
async function refusalOf(write: Promise<unknown>): Promise<RuleError | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (error instanceof RuleError && error.code !== 'busy') {
      return error;
    }
    throw error;
  }
}

function throwIfStepRefused({ orderId, step }: ProcessStep, { failures, cause }: RuleError): void {
  const ofStep = failures.filter(({ entity }) => entity === 'ProcessStep');
  if (ofStep.some(({ part }) => part === 'before')) {
    throw new StepMissingError(orderId, step, cause);
  }
  if (ofStep.length > 0) {
    throw new StepDoneError(orderId, step, cause);
  }
}

/** The part exists, in this very order. Its guard is refused with it. */
function isStoredPart({ code, entity }: RuleFailure): boolean {
  return entity === 'Part' && code === 'already-exists';
}

function averageOf(
  usages: number,
  sum: { readonly density: number; readonly mass: number; readonly volume: number },
): AverageDensity {
  return usages === 0
    ? { usages, arithmetic: null, weighted: null }
    : { usages, arithmetic: sum.density / usages, weighted: sum.mass / sum.volume };
}

function recipesOf(list: ItemOf<Entities['RecipeList']>): Recipes {
  const named = STEPS.flatMap((step) => {
    const reference = list[step];
    return reference === undefined ? [] : [[step, recipeIn(reference)]];
  });
  return Object.fromEntries(named) as Recipes;
}

function inOrder(steps: readonly ProcessStep[]): readonly ProcessStep[] {
  return steps.toSorted((left, right) => left.stepNo - right.stepNo);
}

function byId(parts: readonly Part[]): readonly Part[] {
  return parts.toSorted((left, right) => (left.partId < right.partId ? -1 : 1));
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) {
    collected.push(item);
  }
  return collected;
}

function chunksOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) =>
    items.slice(chunk * size, (chunk + 1) * size),
  );
}

function requireDifferent(
  field: string,
  ids: readonly string[],
  { min, max = Infinity }: { readonly min: number; readonly max?: number },
): void {
  if (ids.length < min || ids.length > max) {
    const range = max === Infinity ? `at least ${min}` : `${min} to ${max}`;
    throw new InvalidInputError(field, `${field} has ${ids.length} entries, not ${range}`);
  }
  if (new Set(ids).size < ids.length) {
    throw new InvalidInputError(field, `${field} names one twice`);
  }
}

function requireClose(orderId: string, what: string, mixed: number, expected: number): void {
  // `not at most`, so that NaN is refused, too.
  if (!(Math.abs(mixed - expected) <= MEASURE_TOLERANCE)) {
    throw new MeasuresDifferError(orderId, what, { mixed, expected });
  }
}
