import type { Model } from '../model.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';
import { documentOf, type DocumentOptions } from './model-document.ts';

export type { IndexView } from './index-view.ts';
export { documentOf, type Chart, type DocumentOptions, type ModelDocument } from './model-document.ts';

/** A model's documentation: charts of entities and patterns, a diagram, views of every index, and what it costs. */
export function documentation(model: Model, format: 'markdown' | 'html', options: DocumentOptions = {}): string {
  const document = documentOf(model, options);
  return format === 'html' ? htmlOf(document) : markdownOf(document);
}
