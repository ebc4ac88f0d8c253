/** A value taken from the pattern's input. */
export interface InputReference {
  /** The name of the input. */
  readonly ref: string;
}

/** The input named `name`, in a condition or a change. */
export function ref(name: string): InputReference {
  return { ref: name };
}

/** Another attribute of the item that a condition looks at. */
export interface AttributeReference<Name extends string = string> {
  /** The attribute's name. */
  readonly attribute: Name;
}

/** The item's own attribute, in a condition of a write: `given: { free: { below: attribute('total') } }`. */
export function attribute<const Name extends string>(name: Name): AttributeReference<Name> {
  return { attribute: name };
}

/** Values that are given directly, rather than by a reference or a function. */
export type Constant = string | number | boolean | null | readonly Constant[] | { readonly [key: string]: Constant };

/**
 * A condition on an item's attributes: a value means equality, a list means any of its values, an object means one or more comparisons.
 * Attribute paths may contain inputs: `'addresses.{name}'`.
 */
export type Condition = { readonly [path: string]: Test } | { readonly any: readonly Condition[] };

/** A test of one attribute. */
export type Test = string | number | boolean | InputReference | readonly (string | number | boolean)[] | Comparison;

/**
 * A condition of a write, which may compare two attributes of the item: `{ free: { below: attribute('total') } }`. A missing attribute is
 * not equal to any, and neither less nor greater.
 */
export type Guard = { readonly [path: string]: Test | AttributeComparison } | { readonly any: readonly Guard[] };

/** Comparisons that may each refer to another attribute of the item. */
export type AttributeComparison = Omit<Comparison, ComparedKind> & {
  readonly [Kind in ComparedKind]?: Operand | AttributeReference;
};

/** The comparisons that can compare an attribute with another one. */
export type ComparedKind = 'equals' | 'not' | 'atLeast' | 'atMost' | 'above' | 'below';

/** Comparisons; `contains` searches text, sets and lists; `size` compares the size. */
export interface Comparison {
  readonly exists?: boolean;
  readonly equals?: Operand;
  readonly not?: Operand;
  readonly atLeast?: Operand;
  readonly atMost?: Operand;
  readonly above?: Operand;
  readonly below?: Operand;
  readonly begins?: Operand;
  readonly contains?: Operand;
  readonly lacks?: Operand;
  readonly size?: Comparison;
}

/** A number, text or boolean, or an input. */
export type Operand = string | number | boolean | InputReference;

/** A change of one attribute other than setting it. */
export type Change =
  | { readonly add: number | InputReference; readonly times?: -1 | undefined }
  | { readonly include: InputReference | string }
  | { readonly exclude: InputReference | string }
  | { readonly append: InputReference }
  | { readonly initial: Constant | InputReference }
  | { readonly remove: true };

/**
 * Adds to a number. A missing attribute counts as 0. With `-1` the amount is subtracted, so that a condition and the
 * change share one input: `changes: { onHand: add(ref('quantity'), -1) }, given: { onHand: { atLeast: ref('quantity') } }`.
 */
export function add(amount: number | InputReference, times?: -1): Change {
  return { add: amount, times };
}

/** Adds one element to a set, which is created on first use. */
export function include(element: InputReference | string): Change {
  return { include: element };
}

/** Removes one element from a set. The attribute is removed with the last element. */
export function exclude(element: InputReference | string): Change {
  return { exclude: element };
}

/** Appends a list to a list, which is created on first use. */
export function append(elements: InputReference): Change {
  return { append: elements };
}

/** Sets an attribute only if it is missing. */
export function initial(value: Constant | InputReference): Change {
  return { initial: value };
}

/** Removes an attribute. */
export function remove(): Change {
  return { remove: true };
}
