import type { KeyValue } from '../keys/encoders.ts';
import type { KeyTemplate } from '../keys/template.ts';
import { constantsOf } from '../patterns/condition.ts';
import type { Condition } from '../patterns/value.ts';
import type { KeySlot } from '../resolve/resolved.ts';

/** Values of attributes. */
export type Choice = Readonly<Record<string, KeyValue>>;

/** Choices of a condition that are examined one by one. */
const choicesMax = 64;

/** The values that a form's condition leaves to its attributes: one choice for a constant, several for lists. */
export function choicesOf(when: Condition | undefined): readonly Choice[] {
  let choices: Choice[] = [{}];
  for (const [name, test] of Object.entries(when ?? {})) {
    if (name === 'any' || (typeof test === 'object' && !Array.isArray(test))) continue;
    const values = [test].flat() as KeyValue[];
    choices = choices.flatMap((choice) => values.map((value) => ({ ...choice, [name]: value })));
    if (choices.length > choicesMax) return [constantsOf(when)];
  }
  return choices;
}

/** Key attributes with the values of a choice in the place of variables. */
export function withChoice(slots: readonly KeySlot[], choice: Choice): KeySlot[] {
  return slots.map((slot) => ({ ...slot, template: filled(slot.template, choice) }));
}

/** A template with the values of a choice in the place of variables. */
export function filled(template: KeyTemplate, choice: Choice): KeyTemplate {
  const parts = template.parts.map((part) => {
    const value = typeof part === 'string' ? undefined : choice[part.name];
    if (typeof part === 'string' || value === undefined) return part;
    try {
      return String(part.encoders.reduce<KeyValue>((each, { encode }) => encode(each), value));
    } catch {
      // No item has a key with it.
      return part;
    }
  });
  return { ...template, parts, variables: parts.filter((part) => typeof part !== 'string') };
}
