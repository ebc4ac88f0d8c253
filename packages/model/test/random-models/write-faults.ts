import type { ProverFault } from './prover-faults.ts';

const actions = 'run/write-actions.ts';
const relations = 'run/relations.ts';

/**
 * Faults of the code that plans and makes writes. With each, a sequence of writes of some model must end wrongly, and `prove` must say so: in
 * the tests with the model of `write-witnesses.json`, by command (`npm run prove:mutations -- --writes`) in drawn models.
 */
export const writeFaults: readonly ProverFault[] = [
  {
    what: 'a value that is given up keeps its guard',
    file: relations,
    code: 'if (before !== undefined) release(relations, unique, old);',
    becomes: '',
  },
  {
    what: 'an item that is deleted keeps its guards',
    file: relations,
    code: 'if (isWhole) for (const unique of relations.entity.unique) release(relations, unique, values);',
    becomes: '',
  },
  {
    what: 'the guard of an expired item is in the way',
    file: relations,
    code: 'asks: [isAbsent(context, entity, { orExpired: true })]',
    becomes: 'asks: [isAbsent(context, entity, { orExpired: false })]',
  },
  {
    what: 'a guard expires when its item would have',
    file: relations,
    code: 'if (key === undefined || changed.length === 0) return;',
    becomes: 'if (key !== next) return;',
  },
  {
    what: 'a child that goes is counted once more',
    file: relations,
    code: '[tally, of === undefined ? String(sign) : numberText(values[of], sign)] as const,',
    becomes: "[tally, of === undefined ? '1' : numberText(values[of], sign)] as const,",
  },
  {
    what: 'a child that goes leaves its value in the sum',
    file: relations,
    code: '[tally, of === undefined ? String(sign) : numberText(values[of], sign)] as const,',
    becomes: "[tally, of === undefined ? String(sign) : sign < 0 ? '0' : numberText(values[of], sign)] as const,",
  },
  {
    what: 'a changed value is added to the sum as if it were new',
    file: relations,
    code: 'addDecimals(numberText(next[of], 1), numberText(old[of], -1))',
    becomes: 'numberText(next[of], 1)',
  },
  {
    what: 'a required parent is there',
    file: relations,
    code: 'else if (!isParentKnown(parent)) requireParent(relations, parent, values);',
    becomes: '',
  },
  {
    what: 'an upsert sets what it is not given',
    file: actions,
    code: "const kind = isGivenBy(name) ? 'set' : 'initial';",
    becomes: "const kind = 'set';",
  },
  {
    what: 'an update changes whatever item has the key',
    file: actions,
    code: 'const identity = [...isOfKind(entity), ...isNamed(codec, named, input)];',
    becomes: 'const identity = isOfKind(entity);',
  },
  {
    what: 'an update changes the item of another entity',
    file: actions,
    code: 'const identity = [...isOfKind(entity), ...isNamed(codec, named, input)];',
    becomes: 'const identity = isNamed(codec, named, input);',
  },
  {
    what: 'a put replaces the item of another entity',
    file: actions,
    code: 'else asks.push(...isOfKind(entity).map((ask) => absentOr(entity, ask)));',
    becomes: '',
  },
  {
    what: 'a delete removes the item of another entity',
    file: actions,
    code: 'asks.push(...isOfKind(entity).map((ask) => (mustExist ? ask : absentOr(entity, ask))));',
    becomes: '',
  },
  {
    what: 'an item of any entity is a parent',
    file: relations,
    code: 'return [isThere(context, expiring ?? entity), ...isOfKind(entity, ...others)];',
    becomes: 'return [isThere(context, expiring ?? entity)];',
  },
  {
    what: 'a version is right',
    file: 'run/asks.ts',
    code: 'text: (expression) => `${expression.name(codec.stored(lock))} = ${expression.value({ N: String(expected) })}`,',
    becomes: 'text: (expression) => `attribute_exists(${expression.name(codec.stored(lock))})`,',
  },
  {
    what: 'an expired item is there',
    file: 'run/asks.ts',
    code: 'return expires === undefined ? exists : `${exists} AND ${livesText(expression, expires, at)}`;',
    becomes: 'return exists;',
  },
  {
    what: 'a computed value stays as it was',
    file: 'run/changes.ts',
    code: 'if (need.orCreates !== true && !computed.from.some((each) => each in changed)) continue;',
    becomes: 'if (need.orCreates !== true) continue;',
  },
  {
    what: 'an amount is added, whatever its sign',
    file: 'run/changes.ts',
    code: 'const number = Number(value) * Number(times);',
    becomes: 'const number = Number(value);',
  },
  {
    what: 'the index keys of a changed item stay as they were',
    file: 'run/action-list.ts',
    code: 'effects: [...joined.effects, ...indexEffects(codec, joined)]',
    becomes: 'effects: joined.effects',
  },
  {
    what: 'what a transaction creates meets the conditions of its other parts',
    file: 'run/action-list.ts',
    code: 'if (meets(made, asks)) continue;',
    becomes: 'if (made !== undefined) continue;',
  },
  {
    what: 'values that are the same have guards of their own, and check accepts it',
    file: 'check/rules/invariants.ts',
    code: 'return sharedTexts(entity, slotsOf(form)).map(',
    becomes: 'return ([] as ReturnType<typeof sharedTexts>).map(',
  },
  {
    what: 'an update that creates has every attribute',
    file: 'resolve/write-faults.ts',
    code: 'if (lacking.length > 0)',
    becomes: 'if (lacking.length > 99)',
  },
  {
    what: 'every text has a form in UTF-8',
    file: 'keys/template.ts',
    code: 'if (text.isWellFormed()) return text;',
    becomes: 'if (text.length >= 0) return text;',
  },
  {
    what: 'an expired item is what the parts of a write see',
    file: 'run/write.ts',
    code: 'isExpired(found, expiresAttribute(action.entity), context.now())',
    becomes: 'found === null',
  },
  {
    what: 'what an update may set needs no default',
    file: actions,
    code: 'if (!(name in input)) changed.delete(name);',
    becomes: 'if (need === undefined) changed.delete(name);',
  },
  {
    what: 'a new item keeps its default, whatever it is to begin with',
    file: actions,
    code: "if (kind === 'initial') delete before[name];",
    becomes: "if (kind === 'remove') delete before[name];",
  },
  {
    what: 'an update that may create gives the item the values by which it is found',
    file: actions,
    code: "return [{ kind: 'initial', path, value: toAttributeValue(value, `${entity.name}.${name}`) }];",
    becomes:
      "return [{ kind: keyNames.has(name) ? 'set' : 'initial', path, value: toAttributeValue(value, `${entity.name}.${name}`) }];",
  },
  {
    what: 'a guard keeps the values of its owner that it first had',
    file: relations,
    code: 'const names = [unique.attribute, ...keyVariables(entity), ...(expires === undefined ? [] : [expires])];',
    becomes: 'const names = [unique.attribute, ...(expires === undefined ? [] : [expires])];',
  },
  {
    what: 'an expired item of another entity is a parent',
    file: relations,
    code: 'isThere(context, expiring ?? entity)',
    becomes: 'isThere(context, entity)',
  },
  {
    what: 'a document may have an entry of any name',
    file: 'run/changes.ts',
    code: '!mayHaveEntry(holder, step)',
    becomes: 'step === written',
  },
  {
    what: 'a field may always be removed',
    file: 'run/changes.ts',
    code: 'isRequiredEntry(holder, step)',
    becomes: 'step === written',
  },
  {
    what: 'what is added up changes with its item only, and check accepts it',
    file: 'check/rules/invariants.ts',
    code: 'talliesOf(parent).filter(([, of]) => of === number)',
    becomes: 'talliesOf(parent).filter(([of]) => of === number)',
  },
  {
    what: 'a number is kept by each of its rules, and check accepts it',
    file: 'check/rules/invariants.ts',
    code: 'by.size < 2',
    becomes: 'by.size < 99',
  },
  {
    what: 'children are counted from whatever the number begins with, and check accepts it',
    file: 'check/rules/invariants.ts',
    code: 'fallback === undefined || Number(fallback) === 0',
    becomes: 'fallback === undefined || Number(fallback) >= 0',
  },
  {
    what: 'conditions of two parts hold one after the other',
    file: 'run/action-list.ts',
    code: 'if (mine !== undefined && theirs !== undefined)',
    becomes: 'if (mine === null)',
  },
  {
    what: 'a number within a document has no bounds',
    file: 'check/rules/invariants.ts',
    code: 'const info = entity.attributes.get(changed) ?? attributeWithin(entity, changed);',
    becomes: 'const info = entity.attributes.get(changed);',
  },
  {
    what: 'a count and a sum have no bounds',
    file: 'check/rules/invariants.ts',
    code: 'if (!isBelow && !isAbove) return [];',
    becomes: 'if (isBelow || !isBelow) return [];',
  },
  {
    what: 'a transaction of one part takes its input without the name of the part',
    file: 'run/put.ts',
    code: '[only.part, given,',
    becomes: '[given,',
  },
  {
    what: 'all inputs of a create are attributes',
    file: actions,
    code: '!(name in takes) || entity.attributes.has(name)',
    becomes: 'name in takes || true',
  },
  {
    what: 'a write returns the item as it was',
    file: 'run/action.ts',
    code: "returns === 'new' ? 'ALL_NEW' : 'ALL_OLD'",
    becomes: "'ALL_OLD'",
  },
  {
    what: 'a transaction returns the item as it was read',
    file: 'run/write.ts',
    code: 'update === undefined ? undefined : applyEffects(stored, update.effects)',
    becomes: 'update === undefined ? undefined : stored',
  },
  {
    what: 'a write returns no item that it has made expire',
    file: 'run/write.ts',
    code: '(isOld && isExpired(stored,',
    becomes: '(isExpired(stored,',
  },
  {
    what: 'a put returns its input',
    file: 'run/put.ts',
    code: 'return values;',
    becomes: 'return input;',
  },
  {
    what: 'what is counted may begin at any number',
    file: actions,
    code: 'if (Number(input[name] ?? 0) !== 0)',
    becomes: 'if (values === undefined)',
  },
  {
    what: 'a parent that an update names is there',
    file: actions,
    code: 'const isNamed = !isCounted(parent) &&',
    becomes: 'const isNamed = isCounted(parent) &&',
  },
  {
    what: 'a parent to which a read item moves is there',
    file: relations,
    code: '} else requireParent(relations, parent, next);',
    becomes: '}',
  },
];
