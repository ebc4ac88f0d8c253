import { isDeepStrictEqual } from 'node:util';
import { CONSISTENTLY, orDone } from '../../http/or-already.ts';
import { OrderExistsError, StepDoneError } from '../errors.ts';
import type { Factory, Part, PartQuality, ProcessStep } from '../factory.ts';
import type { Step } from '../model.ts';

type Input<Method extends 'gatherMaterials' | 'recordMixing' | 'recordPrinting' | 'recordBaking' | 'recordQuality'> =
  Parameters<Factory[Method]>;

/** What a step is recorded with. */
interface Recorded {
  readonly facts: Partial<ProcessStep>;
  /** Of a step that is about parts. */
  readonly parts?: readonly Partial<Part>[];
}

/**
 * What the stations record. A record that is sent again, since its answer was lost, finds itself: that is a success. Another record of
 * the same step is refused.
 */
export class Records {
  readonly #factory: Factory;

  constructor(factory: Factory) {
    this.#factory = factory;
  }

  /** AM-W1; then AM-7 and AM-8 where there is such an order. */
  async gatherMaterials(order: Input<'gatherMaterials'>[0]): Promise<void> {
    const { orderId, recipes, materials } = order;
    await orDone(this.#factory.gatherMaterials(order), async (error) => {
      if (!(error instanceof OrderExistsError)) return false;
      const used = (await this.#factory.materialsOf(orderId, CONSISTENTLY)) ?? [];
      const isSame = used.length === materials.length && used.every((each, at) => isWithin(materials[at] ?? {}, each));
      return isSame && isDeepStrictEqual(await this.#factory.findRecipes(orderId, CONSISTENTLY), recipes);
    });
  }

  /** AM-W2 */
  async mixing(orderId: string, mixture: Input<'recordMixing'>[1]): Promise<void> {
    const recording = this.#factory.recordMixing(orderId, mixture);
    await this.#recorded(recording, [orderId, 'mixing'], { facts: mixture });
  }

  /** AM-W3 */
  async printing(orderId: string, print: Input<'recordPrinting'>[1], partIds: readonly string[]): Promise<void> {
    const recording = this.#factory.recordPrinting(orderId, print, partIds);
    const parts = partIds.map((partId) => ({ partId }));
    await this.#recorded(recording, [orderId, 'print'], { facts: print, parts });
  }

  /** AM-W4 */
  async baking(orderId: string, bake: Input<'recordBaking'>[1]): Promise<void> {
    await this.#recorded(this.#factory.recordBaking(orderId, bake), [orderId, 'bake'], { facts: bake });
  }

  /** AM-W5 */
  async quality(
    orderId: string,
    { methods, passed }: Input<'recordQuality'>[1],
    parts: readonly PartQuality[],
  ): Promise<void> {
    const facts = { methods: new Set(methods), passed };
    await this.#recorded(this.#factory.recordQuality(orderId, facts, parts), [orderId, 'qc'], { facts, parts });
  }

  /** AM-9, and AM-5 for its parts, where the step is done. */
  async #recorded(
    recording: Promise<void>,
    [orderId, step]: readonly [orderId: string, step: Step],
    { facts, parts = [] }: Recorded,
  ): Promise<void> {
    await orDone(recording, async (error) => {
      if (!(error instanceof StepDoneError)) return false;
      const found = await this.#factory.findStep(orderId, step, CONSISTENTLY);
      const stored = parts.length === 0 ? [] : await this.#factory.partsOf(orderId, CONSISTENTLY);
      const isStored = (part: Partial<Part>): boolean => stored.some((each) => isWithin(part, each));
      return isWithin(facts, found) && stored.length === parts.length && parts.every(isStored);
    });
  }
}

function isWithin(facts: object, found: object | undefined): boolean {
  return found !== undefined && isDeepStrictEqual({ ...found, ...facts }, found);
}
