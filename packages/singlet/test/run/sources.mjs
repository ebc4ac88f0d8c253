/** Loaded before anything else in each process of the tests, so that it can import the TypeScript sources. */
import * as nodeModule from 'node:module';
import { load, resolve } from './source-hooks.mjs';

// In the same thread where Node can do that.
if (nodeModule.registerHooks !== undefined) nodeModule.registerHooks({ load, resolve });
else nodeModule.register('./source-hooks.mjs', import.meta.url);
