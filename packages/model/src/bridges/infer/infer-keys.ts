import { parseTemplate } from '../../keys/template.ts';
import type { KeyAttributeInfo, PlaceInfo, TableInfo } from '../../resolve/resolved.ts';
import type { Condition } from '../../patterns/value.ts';
import type { Values } from '../../run/item-codec.ts';
import type { DraftKey } from '../draft.ts';
import { discriminators, inferCondition } from './infer-condition.ts';
import { inferTemplate, type KeySample } from './infer-template.ts';

/** A key attribute's template in one form of a key, with its evidence. */
export interface SlotEvidence {
  /** The table or index. */
  readonly place: string;
  /** The key attribute. */
  readonly attribute: string;
  /** The template that was inferred for it. */
  readonly template: string;
  /** Items that fit the template. */
  readonly fits: number;
  /** Items that were compared. */
  readonly of: number;
  /** Other templates that fit as well. */
  readonly alternatives: readonly string[];
  /** From 0 to 1: the share of items that fit, lowered if there are few items or other templates also fit. */
  readonly confidence: number;
}

/** The keys of one entity. */
export interface InferredKeys {
  readonly keys: readonly DraftKey[];
  readonly evidence: readonly SlotEvidence[];
  /** Key attributes that the application uses as attributes, because nothing else explains their values. */
  readonly own: ReadonlySet<string>;
}

type Form = DraftKey['forms'][number] & { readonly evidence: readonly SlotEvidence[] };

const discriminatorsMax = 12;

/** Infers the templates of a group of items, in its table and in the indexes that contain its items. */
export function inferKeys(items: readonly Values[], table: TableInfo): InferredKeys {
  const inferrer = new KeyInferrer(items, table);
  const primary = inferrer.keyOf(table.place, items);
  const indexes = table.indexes.flatMap((place) => {
    const slots = place.kind === 'local' ? place.sort : [...place.partition, ...place.sort];
    const inside = items.filter((item) => slots.every(({ attribute }) => item[attribute] !== undefined));
    return inside.length === 0 ? [] : [inferrer.keyOf(place, inside)];
  });
  return { keys: [primary, ...indexes], evidence: inferrer.evidence, own: inferrer.own };
}

class KeyInferrer {
  readonly own: Set<string> = new Set();
  readonly evidence: SlotEvidence[] = [];
  readonly #items: readonly Values[];
  /** The inputs of template inference. */
  readonly #attributes: readonly string[];

  constructor(items: readonly Values[], table: TableInfo) {
    this.#items = items;
    const keys = new Set(
      [table.place, ...table.indexes].flatMap(({ partition, sort }) =>
        [...partition, ...sort].map(({ attribute }) => attribute),
      ),
    );
    // An index of the type attribute has a constant for each entity.
    for (const name of keys) if (name !== table.typeAttribute && isNatural(name, items)) this.own.add(name);
    this.#attributes = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
      (name) => (!keys.has(name) || this.own.has(name)) && name !== table.typeAttribute,
    );
  }

  keyOf(place: PlaceInfo, inside: readonly Values[]): DraftKey {
    const outside = this.#items.filter((item) => !inside.includes(item));
    const forms = this.#formsOf(place, inside, outside);
    for (const { evidence } of forms) this.evidence.push(...evidence);
    const notes = forms.flatMap(({ evidence }) => evidence.map(noteOf));
    const conditional = forms.some(({ when }) => when !== undefined);
    if (outside.length > 0 && !conditional && !this.#missesVariable(forms, outside)) {
      notes.push(
        `${inside.length} of ${this.#items.length} items are in ${place.name}, and no attribute tells which: written as declared here, all are.`,
      );
    }
    return {
      place: place.name,
      forms: forms.map(({ when, templates }) => ({ ...(when && { when }), templates })),
      notes,
    };
  }

  #formsOf(place: PlaceInfo, inside: readonly Values[], outside: readonly Values[]): Form[] {
    const whole = this.#form(place, inside, new Set());
    const known = (form: Form): boolean =>
      form.evidence.every(
        ({ attribute, template, fits, of }) =>
          fits === of && (template !== `{${attribute}}` || this.own.has(attribute)),
      );
    const sparse = (form: Form): Form[] => {
      if (outside.length === 0 || this.#missesVariable([form], outside)) return [form];
      const when = inferCondition(inside, outside, this.#attributes);
      return when === undefined ? [form] : [{ ...form, when }];
    };
    if (known(whole) || place.kind === 'table') return sparse(whole);
    for (const name of discriminators(inside, this.#attributes).slice(0, discriminatorsMax)) {
      const split = this.#split(place, inside, outside, name);
      if (split !== undefined && split.every(known)) return split;
    }
    this.#claim(whole);
    return sparse(whole);
  }

  /** One form for each value of an attribute. */
  #split(place: PlaceInfo, inside: readonly Values[], outside: readonly Values[], name: string): Form[] | undefined {
    const values = [...new Set(inside.map((item) => item[name]))];
    if (values.length < 2 || values.includes(undefined)) return undefined;
    if (outside.some((item) => values.includes(item[name]))) return undefined;
    return values.map((value) => ({
      ...this.#form(
        place,
        inside.filter((item) => item[name] === value),
        new Set([name]),
      ),
      when: { [name]: value } as Condition,
    }));
  }

  #form(place: PlaceInfo, items: readonly Values[], words: ReadonlySet<string>): Form {
    const slots = place.kind === 'local' ? place.sort : [...place.partition, ...place.sort];
    const evidence = slots.map((slot) => this.#slot(place, slot, items, words));
    if (place.kind === 'table') this.#claim({ evidence });
    return { templates: evidence.map(({ template }) => template), evidence };
  }

  /** Key attributes that nothing else explains become attributes of the application. */
  #claim({ evidence }: { readonly evidence: readonly SlotEvidence[] }): void {
    for (const { attribute, template } of evidence) if (template === `{${attribute}}`) this.own.add(attribute);
  }

  #slot(
    { name }: PlaceInfo,
    { attribute, type }: KeyAttributeInfo,
    items: readonly Values[],
    words: ReadonlySet<string>,
  ): SlotEvidence {
    const plain = { place: name, attribute, template: `{${attribute}}`, fits: items.length, of: items.length };
    const itself = { ...plain, alternatives: [], confidence: confidence(items.length, items.length, 0) };
    if (type === 'B' || this.own.has(attribute)) return itself;
    const samples = items.map((item): KeySample => ({ values: item, key: String(item[attribute]) }));
    const others = [...new Set([...this.#attributes, ...this.own])];
    const found = inferTemplate(samples, others, words);
    if (found === undefined || (type === 'N' && !/^\{[^{}]+\}$/.test(found.template))) return itself;
    return {
      ...plain,
      ...found,
      confidence: confidence(found.fits, found.of, found.alternatives.length),
    };
  }

  /** Items outside lack a value that the templates need, which is why they are outside. */
  #missesVariable(forms: readonly { readonly templates: readonly string[] }[], outside: readonly Values[]): boolean {
    const names = forms.flatMap(({ templates }) =>
      templates.flatMap((template) => parseTemplate(template).template.variables.map(({ name }) => name)),
    );
    return outside.every((item) => names.some((name) => item[name] === undefined));
  }
}

/** Laplace's rule of succession: ten out of ten gives less confidence than a thousand out of a thousand. */
function confidence(fits: number, of: number, alternatives: number): number {
  return (fits + 1) / (of + 2) / (1 + alternatives / 2);
}

/**
 * A key attribute that the application uses as an attribute: its name is not typical of an index key, and its values have no parts.
 */
function isNatural(name: string, items: readonly Values[]): boolean {
  if (/(^|[^a-z])_?(pk|sk|hash|range)\d*$|^(gsi|lsi)|(PK|SK)\d*$/i.test(name)) return false;
  const values = items.map((item) => item[name]).filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => typeof value !== 'string' || !/[#|]/.test(value));
}

function noteOf({ attribute, template, fits, of, alternatives, confidence: sure }: SlotEvidence): string {
  const also = alternatives.length === 0 ? '' : `; ${alternatives.join(' and ')} would fit as well`;
  const what =
    template === `{${attribute}}`
      ? `${attribute} is taken as it is: no attribute gives it`
      : `${attribute}: ${fits} of ${of} sampled items fit ${template}`;
  return `${what}${also} (${Math.round(sure * 100)} % sure)`;
}
