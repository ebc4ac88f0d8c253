import { type Form, formsOf, keyOfForms, type Loose, piecesOf } from '../script-draft.ts';
import { encoders, testOf } from './drawn-values.ts';
import { anyKey, inTemplates, inParts, inVariables, inCondition, places, type Apply } from './places.ts';

export const ofKeys: Readonly<Record<string, Apply>> = {
  'key: a part is dropped': inParts((parts, random) =>
    parts.length < 2 ? undefined : parts.toSpliced(random.below(parts.length), 1),
  ),
  'key: a part is doubled': inParts((parts, random) => {
    const at = random.below(parts.length);
    return parts.toSpliced(at, 0, parts[at] ?? '');
  }),
  'key: two parts are exchanged': inParts((parts, random) => {
    const at = random.below(parts.length - 1);
    return parts.length < 2 ? undefined : parts.toSpliced(at, 2, parts[at + 1] ?? '', parts[at] ?? '');
  }),
  'key: a part of another template is added': inParts((parts, random, { draft, entity, separator }) => {
    const own = Object.values(draft.keys[entity] ?? {}).flatMap((key) =>
      formsOf(key).flatMap((form) => form.key ?? []),
    );
    const other = random.pick(own.flatMap((template) => template.split(separator)));
    return parts.toSpliced(random.below(parts.length + 1), 0, other);
  }),
  'key: a variable is added': inParts((parts, random, { draft, entity }) =>
    parts.toSpliced(
      random.below(parts.length + 1),
      0,
      `{${random.pick(Object.keys(draft.entities[entity]?.attributes ?? {}))}}`,
    ),
  ),
  'key: a variable comes without a separator': inParts((parts, random) => {
    const at = random.below(parts.length - 1);
    return parts.length < 2 ? undefined : parts.toSpliced(at, 2, `${parts[at]}${parts[at + 1]}`);
  }),
  'key: a part moves to the other template': inTemplates((templates, random, { separator }) => {
    if (templates.length < 2) return undefined;
    const from = random.below(templates.length);
    const to = (from + 1) % templates.length;
    const parts = (templates[from] ?? '').split(separator);
    const [moved = ''] = parts.splice(random.below(parts.length), 1);
    if (parts.length === 0) return undefined;
    const others = (templates[to] ?? '').split(separator);
    return templates
      .with(from, parts.join(separator))
      .with(to, (random.chance(0.5) ? [...others, moved] : [moved, ...others]).join(separator));
  }),
  'key: the templates are exchanged': inTemplates((templates) =>
    templates.length < 2 ? undefined : templates.toReversed(),
  ),
  'key: a constant changes': inTemplates((templates, random) => {
    const all = templates.flatMap((template, i) =>
      piecesOf(template).flatMap((piece, k) => (piece.startsWith('{') ? [] : [{ i, k, piece }])),
    );
    if (all.length === 0) return undefined;
    const { i, k, piece } = random.pick(all);
    const changed = random.pick([
      piece.slice(0, -1),
      piece.slice(1),
      piece.slice(0, 1),
      piece.toLowerCase(),
      `${piece}~`,
      `!${piece}`,
      `${piece}${piece}`,
      '',
      '#',
    ]);
    return templates.with(
      i,
      piecesOf(templates[i] ?? '')
        .with(k, changed)
        .join(''),
    );
  }),
  'key: the separator between two parts is another': inTemplates((templates, random, { separator }) => {
    const i = random.below(templates.length);
    return templates.with(i, (templates[i] ?? '').replace(separator, random.pick(['-', '.', ':', '_', '~', ' '])));
  }),
  'key: an encoder is put': inVariables((name, random) => `{${name}:${random.pick(encoders)}}`),
  'key: an encoder is removed': inVariables((name, _, { piece }) => (piece.includes(':') ? `{${name}}` : undefined)),
  'key: an encoder is added': inVariables((_, random, { piece }) => `${piece.slice(0, -1)}:${random.pick(encoders)}}`),
  'key: a width changes': inVariables((name, random, { piece }) =>
    /:(?:0|inverse|tens)\d+/.test(piece)
      ? `{${name}:${random.pick(['01', '02', '04', '06', '08', '012', 'inverse2', 'inverse6', 'tens6'])}}`
      : undefined,
  ),
  'key: a variable is another attribute': inVariables((name, random, { draft, entity, piece }) =>
    piece.replace(name, random.pick(Object.keys(draft.entities[entity]?.attributes ?? { a: 0 }))),
  ),
  'key: {copy} is added': inParts((parts) => [...parts, '{copy}']),
  'key: is that of another place': (draft, random) => {
    const [to, from] = [anyKey(draft, random), anyKey(draft, random)];
    if (to === undefined || from === undefined) return false;
    to.set(structuredClone(keyOfForms(from.forms)));
    return true;
  },
  'key: two entities have one template': (draft, random) => {
    const [to, from] = [anyKey(draft, random), anyKey(draft, random)];
    const template = from?.forms[0]?.key?.[0];
    if (to === undefined || template === undefined || to.forms.length === 0) return false;
    to.set(keyOfForms(to.forms.map((form) => ({ ...form, key: form.key.with(0, template) }))));
    return true;
  },
  'key: an entity is added to an index': (draft, random) => {
    const from = anyKey(draft, random);
    if (from === undefined) return false;
    const to = random.pick(Object.keys(draft.keys));
    const place = random.pick(places(draft));
    const keys = draft.keys[to] ?? {};
    if (place in draft.tables || place in keys) return false;
    keys[place] = structuredClone(keyOfForms(from.forms));
    return true;
  },
  'key: an entity is taken from an index': (draft, random) => {
    const found = anyKey(draft, random);
    if (found === undefined || found.place in draft.tables) return false;
    delete draft.keys[found.entity]?.[found.place];
    return true;
  },
  'when: a condition is added, changed or removed': (draft, random) => {
    const found = anyKey(draft, random);
    if (found === undefined || found.forms.length === 0 || found.place in draft.tables) return false;
    const attributes = draft.entities[found.entity]?.attributes ?? {};
    const form = random.pick(found.forms);
    const changed: Loose = { ...form };
    inCondition(changed, 'when', random, { names: Object.keys(attributes), attributes });
    found.set(keyOfForms(found.forms.map((each) => (each === form ? (changed as unknown as Form) : each))));
    return true;
  },
  'when: a form is added': (draft, random) => {
    const found = anyKey(draft, random);
    const [form] = found?.forms ?? [];
    if (found === undefined || form === undefined) return false;
    const attributes = draft.entities[found.entity]?.attributes ?? {};
    const name = random.pick(Object.keys(form.when ?? attributes));
    const complete = found.forms.map((each) => ({
      ...each,
      when: each.when ?? { [name]: testOf(attributes[name], random) },
    }));
    const key = random.chance(0.5) ? form.key : form.key.map((template) => `${template}~`);
    found.set(keyOfForms([...complete, { when: { [name]: testOf(attributes[name], random) }, key }]));
    return true;
  },
  'when: a form is removed': (draft, random) => {
    const found = anyKey(draft, random);
    if (found === undefined || found.forms.length < 2) return false;
    found.set(keyOfForms(found.forms.toSpliced(random.below(found.forms.length), 1)));
    return true;
  },
  'when: the forms are in another order': (draft, random) => {
    const found = anyKey(draft, random);
    if (found === undefined || found.forms.length < 2) return false;
    found.set(keyOfForms(found.forms.toReversed()));
    return true;
  },
};
